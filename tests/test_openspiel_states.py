"""Boards to and from OpenSpiel's states, with their histories."""

import doctest
import random
import re

import pytest
from documentation import run_examples
from positions import pick_move

import loa
from loa.rules import LoaError

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra: pip install 'loa[openspiel]'")

from loa.encodings import move_of_openspiel_action, openspiel_action_of  # noqa: E402
from loa.integrations import openspiel  # noqa: E402
from loa.integrations.openspiel import from_state, to_state  # noqa: E402

RULES = loa.Rules.OPENSPIEL


def assert_same(board, state):
    """State and board agree on the game so far, on what may follow and on the end."""
    assert state.move_number() == board.ply == len(board.move_stack)
    assert state.is_terminal() == board.is_game_over()
    assert state.legal_actions() == sorted(
        openspiel_action_of(board, move) for move in board.legal_moves
    )
    outcome = board.outcome()
    if outcome is None:
        assert state.current_player() == board.turn
        assert board.fen("openspiel").split() == str(state).split()
        assert state.returns() == [0, 0]
    else:
        winner = outcome.winner
        assert state.returns() == [
            0 if winner is None else 1 if color is winner else -1 for color in loa.Color
        ]


def assert_converts(board):
    state = to_state(board)
    assert_same(board, state)
    again = from_state(state)
    assert again == board
    assert again.move_stack == board.move_stack
    assert again.outcome() == board.outcome()
    assert again.repetition_count() == board.repetition_count()
    return state


@pytest.mark.parametrize("limit", [1000, 30, 31, 1])
@pytest.mark.parametrize("seed", range(4))
def test_boards_of_random_games(limit, seed):
    generator = random.Random(100 * limit + seed)
    board = loa.Board(rules=RULES.replace(ply_limit=limit))
    while not board.is_game_over():
        if generator.random() < 0.1:
            assert_converts(board)
        # Half of the games are played so that positions come back.
        board.push(pick_move(board, generator) if seed % 2 else generator.choice(board.legal_moves))
    state = assert_converts(board)
    assert state.get_game().max_game_length() == limit
    assert state.get_game().get_parameters()["max_game_length"] == limit


@pytest.mark.parametrize("limit", [1000, 30, 31, 1])
@pytest.mark.parametrize("seed", range(4))
def test_states_of_random_games(limit, seed):
    generator = random.Random(100 * limit + seed)
    game = pyspiel.load_game("lines_of_action", {"max_game_length": limit})
    state = game.new_initial_state()
    while True:
        board = from_state(state)
        assert board.rules == RULES.replace(ply_limit=limit)
        assert_same(board, state)
        again = to_state(board, game)
        assert again.history() == state.history()
        assert str(again) == str(state)
        assert again.get_game() == game
        if state.is_terminal():
            return
        # Half of the games are played so that positions come back.
        move = pick_move(board, generator) if seed % 2 else generator.choice(board.legal_moves)
        state.apply_action(openspiel_action_of(board, move))


def test_a_converted_game_remembers_what_has_occurred():
    """The move that comes back to an earlier board ends the game on the other side too."""
    board = loa.Board(rules=RULES)
    for text in ("b1-b3", "a2-c2", "b3-b1"):
        board.push_text(text)
    state = to_state(board)
    other = from_state(state)
    assert not state.is_terminal()
    state.apply_action(state.string_to_action("c2-a2"))
    other.push_text("c2-a2")
    assert state.is_terminal()
    assert other.outcome() == loa.Outcome(None, loa.Termination.REPETITION)
    assert_converts(other)


def test_a_converted_game_knows_its_length():
    board = loa.Board(rules=RULES.replace(ply_limit=2))
    board.push_text("b1-b3")
    state = to_state(board)
    other = from_state(state)
    assert not state.is_terminal()
    state.apply_action(state.string_to_action("a2-c2"))
    other.push_text("a2-c2")
    assert state.is_terminal()
    assert other.outcome() == loa.Outcome(None, loa.Termination.PLY_LIMIT)
    assert_converts(other)


def test_conversion_leaves_both_as_they_were():
    board = loa.Board(rules=RULES)
    board.push_text("c8-c6")
    state = to_state(board)
    history, stack = state.history(), board.move_stack
    from_state(state).push_text("a6-c4")
    to_state(board).apply_action(state.legal_actions()[0])
    assert state.history() == history
    assert board.move_stack == stack


def test_states_read_from_their_text():
    board = loa.Board(rules=RULES.replace(ply_limit=77))
    for text in ("c8-c6", "a6-c4", "e8-b5"):
        board.push_text(text)
    text = pyspiel.serialize_game_and_state(to_state(board).get_game(), to_state(board))
    _, state = pyspiel.deserialize_game_and_state(text)
    assert from_state(state).move_stack == board.move_stack
    assert from_state(state) == board


def test_states_under_other_rules():
    state = pyspiel.load_game("lines_of_action").new_initial_state()
    for text in ("b1-b3", "a2-c2", "b3-b1", "c2-a2"):
        state.apply_action(state.string_to_action(text))
    assert state.is_terminal()
    board = from_state(state, loa.Rules.MSO)
    assert board.rules is loa.Rules.MSO
    assert board.outcome() is None
    assert board.repetition_count() == 2
    with pytest.raises(loa.IllegalMoveError, match="the game is over by ply limit"):
        from_state(state, loa.Rules.MSO.replace(ply_limit=3))


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (loa.Board(), "the rules are Rules.MSO: expected Rules.OPENSPIEL with any ply limit"),
        (loa.Board(rules=RULES.replace(repetition_draw=3)), "the rules are Rules("),
        (loa.Board(rules=RULES.replace(ply_limit=None)), "the ply limit None: expected one of 1"),
        (loa.Board(rules=RULES.replace(ply_limit=0)), "the ply limit 0: expected one of 1"),
        (loa.Board(size=7, rules=RULES), "the board's moves begin at 1bbbbb1/"),
        (loa.Board(setup="scrambled", rules=RULES), "begin at 1wbwbwb1/"),
        (
            loa.Board("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1", rules=RULES),
            "begin at 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1: OpenSpiel expects all moves",
        ),
        (
            loa.Board("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 2", rules=RULES),
            "w6w/1bbbbbb1 b 2: OpenSpiel expects all moves from 1bbbbbb1/",
        ),
    ],
)
def test_boards_that_openspiel_does_not_have(board, message):
    with pytest.raises(LoaError, match=re.escape(message)):
        to_state(board)


def test_boards_without_their_history():
    board = loa.Board(rules=RULES)
    board.push_text("c8-c6")
    with pytest.raises(LoaError, match="the board's moves begin at 1b1bbbb1/"):
        to_state(board.copy(history=False))
    with pytest.raises(LoaError, match="the board's moves begin at 1b1bbbb1/"):
        to_state(loa.Board(board.fen(), rules=RULES))


def test_boards_with_illegal_moves():
    board = loa.Board(rules=RULES)
    board.push_unchecked(loa.Move.from_text("c8-d5"))
    with pytest.raises(loa.IllegalMoveError, match="c8-d5 is illegal"):
        to_state(board)
    # Legal by themselves, but the game is over.
    board = loa.Board(rules=RULES.replace(ply_limit=1))
    board.push_text("c8-c6")
    board.push_unchecked(loa.Move.from_text("a6-c4"))
    with pytest.raises(loa.IllegalMoveError, match="the game is over by ply limit"):
        to_state(board)


def test_states_with_illegal_moves():
    state = pyspiel.load_game("lines_of_action").new_initial_state()
    state.apply_action(2 * loa.Move.from_text("c8-d5").code)
    with pytest.raises(loa.IllegalMoveError, match="c8-d5 is illegal"):
        from_state(state)


def test_games_that_do_not_fit():
    board = loa.Board(rules=RULES)
    short = pyspiel.load_game("lines_of_action", {"max_game_length": 40})
    with pytest.raises(LoaError, match="max_game_length is 40: expected 1000, the ply limit"):
        to_state(board, short)
    assert from_state(to_state(loa.Board(rules=RULES.replace(ply_limit=40)), short)).ply == 0
    other = pyspiel.load_game("tic_tac_toe")
    message = "the game is 'tic_tac_toe': expected 'lines_of_action'"
    with pytest.raises(LoaError, match=message):
        to_state(board, other)
    with pytest.raises(LoaError, match=message):
        from_state(other.new_initial_state())
    with pytest.raises(LoaError, match="the game is 'misere'"):
        from_state(pyspiel.load_game("misere(game=lines_of_action())").new_initial_state())
    endless = pyspiel.load_game("lines_of_action", {"max_game_length": 0})
    with pytest.raises(LoaError, match="max_game_length is 0: expected 1 or more"):
        from_state(endless.new_initial_state())


def test_arguments_of_wrong_types():
    with pytest.raises(TypeError, match=r"board is None: expected a loa\.Board"):
        to_state(None)
    with pytest.raises(TypeError, match=r"game is 'lines_of_action': expected a pyspiel\.Game"):
        to_state(loa.Board(rules=RULES), "lines_of_action")
    with pytest.raises(TypeError, match=r"state is .*: expected a pyspiel\.State"):
        from_state(loa.Board())
    with pytest.raises(TypeError, match=r"rules is 'MSO': expected a loa\.Rules"):
        from_state(to_state(loa.Board(rules=RULES)), "MSO")


def test_openspiel_cannot_set_up_a_position():
    """If this fails, boards without a history can be converted too."""
    state = to_state(loa.Board(rules=RULES))
    with pytest.raises(RuntimeError):
        state.get_game().new_initial_state(str(state))


def test_single_actions():
    state = to_state(loa.Board(rules=RULES))
    board = from_state(state)
    for action in state.legal_actions():
        move = move_of_openspiel_action(board, action)
        assert state.action_to_string(action) == board.move_text(move)


def test_bots_of_openspiel_play_on_a_board():
    board = loa.Board(rules=RULES.replace(ply_limit=6))
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in loa.Color]
    while not board.is_game_over():
        action = bots[board.turn].step(to_state(board))
        board.push(move_of_openspiel_action(board, action))
    assert board.ply == 6


def test_documentation():
    assert doctest.testmod(openspiel, optionflags=doctest.ELLIPSIS).failed == 0
    assert run_examples("OpenSpiel") == 1
