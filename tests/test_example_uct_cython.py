"""`examples/uct_cython`: built against the installed package, and played with."""

import doctest
import importlib
import random
import sys

import pytest
from building import ROOT, install
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import BLACK_PASSES, WON_IN_ONE, boards

import loa


@pytest.fixture(scope="module")
def make_bot(tmp_path_factory):
    project = ROOT / "examples" / "uct_cython"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(install(project, tmp_path_factory.mktemp("uct"))))
        yield importlib.import_module("uct_cython").UctBot


def play(board: loa.Board, bot, color: loa.Color, generator: random.Random) -> loa.Outcome:
    while not board.is_game_over():
        if board.turn is color:
            board.push(bot.choose(board))
        else:
            board.push(generator.choice(board.legal_moves))
    return board.outcome()


@pytest.mark.parametrize("name", loa.Rules.presets())
def test_wins_against_random_moves(make_bot, name):
    generator = random.Random(name)
    won = 0
    for index in range(20):
        board = loa.Board(size=6, rules=loa.Rules.by_name(name))
        color = loa.Color(index % 2)
        won += play(board, make_bot(200, index), color, generator).winner is color
    # Not all: it does not see draws by repetition coming.
    assert won >= 16


@settings(max_examples=50)
@given(board=boards(), seed=st.integers(0, 2**64 - 1))
def test_any_position(make_bot, board, seed):
    before = board.copy()
    if board.is_game_over():
        with pytest.raises(loa.LoaError, match="the game is over"):
            make_bot(20, seed).choose(board)
    else:
        assert make_bot(20, seed).choose(board) in board.legal_moves
    assert board == before and board.move_stack == before.move_stack


def test_wins_at_once(make_bot):
    assert [str(make_bot(1000, seed).choose(loa.Board(WON_IN_ONE))) for seed in range(5)] == [
        "e8-e6"
    ] * 5


def test_passes(make_bot):
    assert make_bot(50).choose(loa.Board(BLACK_PASSES)) is loa.Move.PASS


def test_docstring_example(make_bot):
    failed, tried = doctest.testmod(sys.modules[make_bot.__module__])
    assert (failed, tried) == (0, 3)


def choices(bot, plies: int) -> list[loa.Move]:
    board = loa.Board()
    for _ in range(plies):
        board.push(bot.choose(board))
    return board.move_stack


def test_the_seed_decides(make_bot):
    first = choices(make_bot(100, 7), 8)
    assert choices(make_bot(100, 7), 8) == first
    assert choices(make_bot(100, 8), 8) != first


def both_connecting() -> list[tuple[loa.Board, loa.Move]]:
    """Positions of random games in which one move connects both sides and none the mover alone."""
    found = []
    generator = random.Random(1)
    while len(found) < 3:
        board = loa.Board(size=5, rules=loa.Rules.SACKSON_1982)
        while not board.is_game_over():
            ends = {}
            for move in board.legal_moves:
                board.push(move)
                ends[move] = board.outcome()
                board.pop()
            kinds = [end.termination for end in ends.values() if end and end.winner is board.turn]
            if kinds == [loa.Termination.SIMULTANEOUS_CONNECTION]:
                (winning,) = [
                    move for move, end in ends.items() if end and end.winner is board.turn
                ]
                found.append((board.copy(), winning))
            board.push(generator.choice(board.legal_moves))
    return found


def test_mover_wins_where_both_are_connected(make_bot):
    for board, winning in both_connecting():
        assert board.rules.simultaneous_connection is loa.SimultaneousConnection.MOVER_WINS
        assert make_bot(2000, 1).choose(board) is winning


def stuck_after(board: loa.Board) -> list[loa.Move]:
    """The moves after which the opponent has none, nobody being connected."""
    found = []
    for move in board.legal_moves:
        board.push(move)
        outcome = board.outcome()
        if outcome and outcome.termination is loa.Termination.NO_LEGAL_MOVE:
            found.append(move)
        board.pop()
    return found


def test_stuck_side_loses(make_bot):
    """On the smallest boards a side is stuck soon; a move that does it wins under these rules."""
    generator = random.Random(2)
    seen = 0
    while seen < 3:
        board = loa.Board(size=4, rules=loa.Rules.OPENSPIEL.replace(repetition_draw=None))
        while not board.is_game_over():
            stuck = stuck_after(board)
            if stuck:
                seen += 1
                chosen = make_bot(2000, 1).choose(board)
                board.push(chosen)
                assert board.outcome().winner is board.turn.opponent
                break
            board.push(generator.choice(board.legal_moves))


@pytest.mark.parametrize("draws_precede", [False, True])
def test_ply_limit_is_known(make_bot, draws_precede):
    """One ply before the limit a connection wins, or all moves draw and none is preferred."""
    rules = loa.Rules.MSO.replace(
        ply_limit=loa.Board(WON_IN_ONE).ply + 1, draws_precede_connection=draws_precede
    )
    board = loa.Board(WON_IN_ONE, rules=rules)
    iterations = 30 * len(board.legal_moves)
    chosen = {str(make_bot(iterations, seed).choose(board)) for seed in range(10)}
    assert len(chosen) > 1 if draws_precede else chosen == {"e8-e6"}


@pytest.mark.parametrize("iterations", [1, 0, -(2**70), 10_000_001, 2**70])
def test_iterations_out_of_range(make_bot, iterations):
    with pytest.raises(loa.LoaError, match=f"iterations is {iterations}: expected 2 to 10000000"):
        make_bot(iterations)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seed_out_of_range(make_bot, seed):
    with pytest.raises(loa.LoaError, match=f"seed is {seed}: expected 0"):
        make_bot(10, seed)


def test_arguments_of_the_wrong_type(make_bot):
    with pytest.raises(TypeError):
        make_bot("100")
    with pytest.raises(TypeError):
        make_bot(100, 1.5)
    for board in (None, "8/8", 3):
        with pytest.raises(TypeError):
            make_bot(10).choose(board)
    with pytest.raises(TypeError):
        make_bot.choose(3, loa.Board())
