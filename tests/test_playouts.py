"""Random games: the kernels against the same games played move by move on `Board`."""

import _thread
import dataclasses
import pickle
import threading
import time

import numpy as np
import pytest
from comparing import MASK, mix, play, reference_game, rows, using_form
from hypothesis import given
from hypothesis import strategies as st
from positions import ANY_RULES, boards, games, pick_move

import loa
from loa import _playout_tables, random_games

UNIFORM = np.ones(loa.PlayoutPolicy.SHAPE)


@pytest.fixture(params=_playout_tables._forms())
def form(request):
    """Each of the forms of the kernels that this processor can run."""
    with using_form(_playout_tables, request.param):
        yield request.param


@given(
    games(ANY_RULES),
    st.integers(0, 30),
    st.integers(0, MASK),
    st.integers(0, 200),
    st.integers(0, 20),
)
def test_games_are_those_played_on_a_board(start, plies, seed, max_plies, count):
    """All kinds of positions, rules and histories, in every form."""
    board, generator = start
    for _ in range(plies):
        if board.is_game_over():
            break
        board.push(pick_move(board, generator))
    before = board.fen(), board.move_stack
    expected = [play(board, seed, number, max_plies) for number in range(count)]
    for number in _playout_tables._forms():
        with using_form(_playout_tables, number):
            assert rows(loa.playouts(board, count, seed=seed, max_plies=max_plies)) == expected
    assert (board.fen(), board.move_stack) == before


@given(
    boards(),
    st.integers(0, MASK),
    st.lists(st.integers(0, 3), min_size=96, max_size=96).filter(any),
    st.booleans(),
)
def test_weighted_games_are_those_played_on_a_board(board, seed, weights, other_is_uniform):
    policy = loa.PlayoutPolicy(np.reshape(weights, loa.PlayoutPolicy.SHAPE))
    pair = (policy, None if other_is_uniform else policy)
    expected = [play(board, seed, number, 60, pair) for number in range(4)]
    assert rows(loa.playouts(board, 4, seed=seed, max_plies=60, policy=pair)) == expected
    if not other_is_uniform:
        assert rows(loa.playouts(board, 4, seed=seed, max_plies=60, policy=policy)) == expected


@pytest.mark.parametrize("rules", loa.Rules.presets().values(), ids=loa.Rules.presets())
def test_whole_games_under_every_preset(form, rules):
    for size in range(3, 9):
        board = loa.Board(size=size, rules=rules)
        expected = [play(board, 5, number, 10_000) for number in range(3)]
        assert rows(loa.playouts(board, 3, seed=5)) == expected


@given(boards(), st.integers(0, MASK))
def test_ends_agree_with_the_reference(board, seed):
    """The winner and the length of a game by the reference, fed with the same random numbers."""
    winner, termination, plies, _ = rows(loa.playouts(board, 1, seed=seed, max_plies=12))[0]
    replay = board.copy()
    game = reference_game(board)
    state = mix(seed ^ mix(0))
    for _ in range(plies):
        moves = replay.legal_moves
        state = state + 0x9E3779B97F4A7C15 & MASK
        move = moves[(mix(state) >> 32) * len(moves) >> 32]
        replay.push(move)
        game.push((move.from_square, move.to_square))
    outcome = game.outcome()
    if outcome is None:
        assert (winner, termination, plies) == (-1, -1, 12)
    else:
        assert winner == (-1 if outcome.winner is None else outcome.winner)
        assert loa.Playouts.TERMINATIONS[termination] is outcome.termination


def test_statistics_are_the_published_ones(form):
    """100,000 uniform games without a repetition rule.

    From an independent program in plain C, run for the plan of this project: mean length 213.5
    plies, 26.9 moves to choose from, 49.4 % won by Black, 50.2 % by White, 0.44 % drawn with both
    connected, no side ever without a move.
    """
    board = loa.Board(rules=loa.Rules.ABSTRACT_PLAY)
    result = loa.playouts(board, 100_000, seed=1, threads=2)
    # Four standard errors: lengths have a standard deviation of 85 or so.
    assert abs(result.mean_plies - 213.5) < 4 * result.plies.std() / 316
    assert abs(result.mean_branching - 26.9) < 0.1
    ends = result.ends()
    connection = loa.Termination.CONNECTION
    both = loa.Termination.SIMULTANEOUS_CONNECTION
    assert abs(ends[connection, loa.BLACK] - 49_400) < 4 * 158
    assert abs(ends[connection, loa.WHITE] - 50_200) < 4 * 158
    assert abs(ends[both, None] - 440) < 4 * 21
    assert set(ends) == {(connection, loa.BLACK), (connection, loa.WHITE), (both, None)}


def test_results_are_pinned():
    """What a seed gives is a promise."""
    result = loa.playouts(loa.Board(), 5, seed=2026)
    assert result.plies.tolist() == [186, 272, 379, 278, 147]
    assert result.winners.tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("rules", [loa.Rules.MSO, loa.Rules.SACKSON_1969])
@pytest.mark.parametrize("policy", [None, loa.PlayoutPolicy.from_factors(capture=3)])
def test_threads_and_number_of_games_do_not_matter(rules, policy):
    board = loa.Board(size=6, rules=rules)
    expected = rows(loa.playouts(board, 300, seed=9, policy=policy))
    for threads in (2, 3, 16, 1000):
        assert rows(loa.playouts(board, 300, seed=9, threads=threads, policy=policy)) == expected
    for count in (0, 1, 15, 16, 17, 33):
        assert rows(loa.playouts(board, count, seed=9, policy=policy)) == expected[:count]
    assert rows(loa.playouts(board, 300, seed=10, policy=policy)) != expected


@given(st.lists(boards(st.just(loa.Rules.MSO)), min_size=1, max_size=5), st.integers(0, 20))
def test_several_boards(positions, count):
    size = positions[0].size
    positions = [board for board in positions if board.size == size]
    result = loa.playouts(iter(positions), count, seed=3, max_plies=100)
    assert result.winners.shape == (len(positions), count)
    expected = [
        play(board, 3, number, 100)
        for index, board in enumerate(positions)
        for number in range(count * index, count * (index + 1))
    ]
    assert rows(result) == expected


def test_playouts_of_a_batch():
    """From every row's position, with what it has seen; over rows have their results."""
    batch = loa.BoardBatch(20, size=4, threads=2)
    for seed in range(4):
        batch.step(batch.sample_actions(seed))
    assert batch.terminated.any()
    result = batch.playouts(3, seed=5, max_plies=50)
    assert rows(result) == rows(loa.playouts(batch.to_boards(), 3, seed=5, max_plies=50))
    over = batch.terminated
    assert (result.winners[over] == batch.winners[over, None]).all()
    assert (result.plies[over] == 0).all()


@pytest.mark.parametrize("policy", [None, loa.PlayoutPolicy(UNIFORM)])
def test_no_boards_give_no_games(policy):
    result = loa.playouts([], 10, seed=1, policy=policy)
    assert (len(result), result.winners.shape) == (0, (0, 10))


def test_finished_and_capped_games():
    over = loa.Board("8/8/8/3bb3/8/w6w/8/8 w 1")
    assert rows(loa.playouts(over, 20, seed=1)) == [(0, 0, 0, 0)] * 20
    assert over.playout() == loa.Playout(loa.BLACK, loa.Termination.CONNECTION, 0)
    assert rows(loa.playouts(loa.Board(), 3, max_plies=0)) == [(-1, -1, 0, 0)] * 3
    assert loa.Board().playout(max_plies=7) == loa.Playout(None, None, 7)
    result = loa.playouts([over, loa.Board()], 2, max_plies=3)
    assert result.terminations.tolist() == [[0, 0], [-1, -1]]
    assert result.ends() == {(None, None): 2, (loa.Termination.CONNECTION, loa.BLACK): 2}
    assert (result.capped, result.draws, result.black_wins, result.white_wins) == (2, 0, 2, 0)


def test_history_of_the_board_counts_for_repetitions():
    """Positions before the start of a playout draw it: some games end by what came before them."""
    board = loa.Board(rules=loa.Rules.MSO.replace(repetition_draw=2))
    for text in ["b1-b3", "a2-c2", "b3-b1"]:
        board.push_text(text)
    assert board.repetition_count() == 1
    expected = [play(board, 11, number, 3) for number in range(400)]
    assert rows(loa.playouts(board, 400, seed=11, max_plies=3)) == expected
    repetition = loa.Playouts.TERMINATIONS.index(loa.Termination.REPETITION)
    immediate = sum(row[1:3] == (repetition, 1) for row in expected)
    without = loa.playouts(board.copy(history=False), 400, seed=11, max_plies=3)
    assert immediate > 0
    assert not ((without.terminations == repetition) & (without.plies == 1)).any()


def test_seeds():
    board = loa.Board(size=5)
    assert board.playout(3) == board.playout(np.int64(3)) == board.playout(seed=3)
    assert len({loa.playouts(board, 50).plies.tobytes() for _ in range(3)}) == 3
    loa.playouts(board, 1, seed=MASK)


def test_policy():
    policy = loa.PlayoutPolicy.from_factors(
        capture=2, closer=3, farther=0.5, into_edge=0.25, out_of_edge=4
    )
    # Largest: a capture from the edge inwards, closer to the others.
    assert policy.weights[1, 0, 0, 1] == 65535
    assert policy.weights[0, 2, 1, 0] == round(65535 * 0.5 * 0.25 / 24)
    assert policy.weights[0, 1, 2, 2] == round(65535 / 24)
    with pytest.raises(ValueError, match="read-only"):
        policy.weights[0] = 1
    assert policy == loa.PlayoutPolicy(policy.weights) == pickle.loads(pickle.dumps(policy))
    assert hash(policy) == hash(loa.PlayoutPolicy(policy.weights))
    assert policy != loa.PlayoutPolicy(UNIFORM)
    tiny = UNIFORM.copy()
    tiny[0, 0, 0, 0] = 1e-300
    assert loa.PlayoutPolicy(tiny).weights[0, 0, 0, 0] == 1
    assert repr(loa.PlayoutPolicy(tiny)) == "<PlayoutPolicy with 2 different weights>"
    uniform = loa.PlayoutPolicy(UNIFORM)
    board = loa.Board()
    assert rows(loa.playouts(board, 50, seed=1, policy=uniform)) == rows(
        loa.playouts(board, 50, seed=1)
    )


def test_a_purposeful_policy_beats_uniform_play():
    purposeful = loa.PlayoutPolicy.from_factors(capture=3, closer=8, farther=0.2)
    board = loa.Board()
    assert loa.playouts(board, 500, seed=1, policy=(purposeful, None)).black_wins > 450
    assert loa.playouts(board, 500, seed=1, policy=(None, purposeful)).white_wins > 450
    assert loa.playouts(board, 500, seed=1, policy=purposeful).mean_plies < 80


@pytest.mark.parametrize(
    "weights",
    [
        np.ones((2, 3, 4)),
        -UNIFORM,
        0 * UNIFORM,
        np.full(loa.PlayoutPolicy.SHAPE, np.nan),
        np.full(loa.PlayoutPolicy.SHAPE, np.inf),
        UNIFORM.astype(complex),
        UNIFORM.astype(str),
        None,
        [],
    ],
)
def test_bad_weights(weights):
    with pytest.raises(loa.LoaError, match="expected"):
        loa.PlayoutPolicy(weights)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": -1}, loa.LoaError, "n is -1: expected 0 to"),
        ({"n": 2**50}, loa.LoaError, "n is"),
        ({"n": 10**5000}, loa.LoaError, "n is a 16610-bit number: expected 0 to"),
        ({"n": True}, TypeError, "n is True: expected an int"),
        ({"n": 1.5}, TypeError, "n is 1.5: expected an int"),
        ({"n": "3"}, TypeError, "n is '3': expected an int"),
        ({"n": 3, "seed": -1}, loa.LoaError, r"seed is -1: expected 0 to 2\*\*64 - 1"),
        ({"n": 3, "seed": 2**64}, loa.LoaError, "seed is 18446744073709551616"),
        ({"n": 3, "seed": 0.5}, TypeError, "seed is 0.5"),
        ({"n": 3, "threads": 0}, loa.LoaError, "threads is 0: expected 1 to 1024"),
        ({"n": 3, "threads": 5000}, loa.LoaError, "threads is 5000"),
        ({"n": 3, "max_plies": -1}, loa.LoaError, r"max_plies is -1: expected 0 to 2\*\*31 - 1"),
        ({"n": 3, "max_plies": 2**31}, loa.LoaError, "max_plies is 2147483648"),
        ({"n": 3, "policy": "uniform"}, TypeError, "policy is 'uniform': expected"),
        ({"n": 3, "policy": (None,)}, TypeError, "policy is"),
        ({"n": 3, "policy": (None, UNIFORM)}, TypeError, "policy is"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        loa.playouts(loa.Board(), **arguments)


def test_bad_boards():
    with pytest.raises(TypeError, match="expected a loa"):
        loa.playouts([loa.Board(), 3], 1)
    with pytest.raises(TypeError, match="board is 3: expected"):
        loa.playouts(3, 1)
    with pytest.raises(loa.LoaError, match="boards of sizes 8 and 5"):
        loa.playouts([loa.Board(), loa.Board(size=5)], 1)
    with pytest.raises(loa.LoaError, match="one set of rules"):
        loa.playouts([loa.Board(), loa.Board(rules=loa.Rules.OPENSPIEL)], 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("board", "max_plies"),
    [
        (loa.Board(), 10_000),
        (loa.Board(), 0),
        (loa.Board("8/8/8/3bb3/8/w6w/8/8 w 1"), 10_000),
    ],
)
def test_interruption(threads, board, max_plies):
    """Ctrl-C ends a long run before its last game; what is left of it does no harm."""
    count = 40_000_000
    timer = threading.Timer(0.1, _thread.interrupt_main)
    # The last entry is written when the last game is over.
    winners = np.full(count, 7, np.int8)
    with pytest.MonkeyPatch.context() as patch:
        empty = np.empty
        patch.setattr(
            random_games.np,
            "empty",
            lambda shape, dtype: winners if dtype is np.int8 else empty(shape, dtype),
        )
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            loa.playouts(board, count, seed=1, threads=threads, max_plies=max_plies)
    timer.join()
    assert winners[-1] == 7
    assert loa.playouts(loa.Board(), 3, seed=1).plies.tolist() == [207, 127, 51]


def test_without_more_threads(monkeypatch):
    """Where the system gives no threads the calling one plays all games."""

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    expected = rows(loa.playouts(loa.Board(), 50, seed=1))
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert rows(loa.playouts(loa.Board(), 50, seed=1, threads=8)) == expected


def test_other_threads_run_meanwhile_and_may_change_the_board():
    board = loa.Board()
    expected = rows(loa.playouts(board, 30_000, seed=4))
    results = []
    worker = threading.Thread(
        target=lambda: results.append(rows(loa.playouts(board, 30_000, seed=4)))
    )
    worker.start()
    time.sleep(0.01)
    while worker.is_alive():
        board.push(board.legal_moves[0])
        board.pop()
    worker.join()
    assert results == [expected]


def test_equality():
    games = loa.playouts([loa.Board()] * 2, 3, seed=1)
    assert games == loa.playouts([loa.Board()] * 2, 3, seed=1, threads=2)
    assert games == pickle.loads(pickle.dumps(games))
    assert games != loa.playouts(loa.Board(), 3, seed=1)
    for name in ("winners", "terminations", "plies", "choices"):
        array = getattr(games, name)
        # The same numbers in another shape, and another number.
        for other in (array.reshape(-1), array + np.eye(2, 3, dtype=array.dtype)):
            assert games != dataclasses.replace(games, **{name: other})
    assert games != games.winners.tolist() and games != None  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(games)


def test_repr():
    assert repr(loa.playouts(loa.Board("8/8/8/3bb3/8/w6w/8/8 w 1"), 1000)) == (
        "<Playouts of 1,000 games: 1,000 won by Black, 0 by White, 0 drawn, 0 capped; 0.0 plies>"
    )
    empty = loa.playouts(loa.Board(), 0)
    assert np.isnan(empty.mean_plies)
    assert np.isnan(empty.mean_branching)
    assert empty.ends() == {}
