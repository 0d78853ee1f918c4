"""Random games beside OpenSpiel's `lines_of_action`, under `Rules.OPENSPIEL`."""

import random

import pytest
from positions import pick_move

import loa
from loa.encodings import OPENSPIEL_ACTIONS, move_of_openspiel_action, openspiel_action_of

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra: pip install 'loa[openspiel]'")


def check(board, state):
    actions = {state.action_to_string(action): action for action in state.legal_actions()}
    assert {board.move_text(move) for move in board.legal_moves} == set(actions)
    assert board.is_game_over() == state.is_terminal()
    outcome = board.outcome()
    if outcome is not None:
        returns = [0.0, 0.0]
        if outcome.winner is not None:
            returns[outcome.winner] = 1.0
            returns[outcome.winner.opponent] = -1.0
        assert state.returns() == returns
    else:
        assert state.current_player() == board.turn
        assert board.fen("openspiel").split() == str(state).split()
    return actions


@pytest.mark.parametrize("length", [1000, 40, 41])
@pytest.mark.parametrize("seed", range(15))
def test_random_games(length, seed):
    """The draws come first there: a move that connects at the length limit is a draw."""
    generator = random.Random(1000 * length + seed)
    game = pyspiel.load_game("lines_of_action", {"max_game_length": length})
    state = game.new_initial_state()
    board = loa.Board(rules=loa.Rules.OPENSPIEL.replace(ply_limit=length))
    actions = check(board, state)
    while not board.is_game_over():
        # Half of the games are played so that positions come back.
        move = (
            pick_move(board, generator) if seed % 2 else generator.choice(board.legal_moves)
        )
        state.apply_action(actions[board.move_text(move)])
        board.push(move)
        actions = check(board, state)


def test_connection_at_the_length_limit_is_a_draw_there():
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    generator = random.Random(5)
    while not board.is_game_over():
        board.push(generator.choice(board.legal_moves))
        if board.outcome() and board.outcome().winner is None:
            board = loa.Board(rules=loa.Rules.OPENSPIEL)
    limited = loa.Rules.OPENSPIEL.replace(ply_limit=board.ply)
    game = pyspiel.load_game("lines_of_action", {"max_game_length": board.ply})
    state, again = game.new_initial_state(), loa.Board(rules=limited)
    for move in board.move_stack:
        text = again.move_text(move)
        state.apply_action(state.string_to_action(state.current_player(), text))
        again.push(move)
    assert board.outcome().winner is not None
    assert again.outcome() == loa.Outcome(None, loa.Termination.PLY_LIMIT)
    assert state.returns() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(4))
def test_openspiel_has_the_same_actions(seed):
    generator = random.Random(seed)
    game = pyspiel.load_game("lines_of_action")
    assert game.num_distinct_actions() == OPENSPIEL_ACTIONS
    state, board = game.new_initial_state(), loa.Board(rules=loa.Rules.OPENSPIEL)
    while not state.is_terminal():
        actions = state.legal_actions()
        moves = [move_of_openspiel_action(board, action) for action in actions]
        assert sorted(openspiel_action_of(board, move) for move in board.legal_moves) == actions
        assert {*moves} == {*board.legal_moves}
        assert [board.move_text(move) for move in moves] == [
            state.action_to_string(action) for action in actions
        ]
        index = generator.randrange(len(moves))
        board.push(moves[index])
        state.apply_action(actions[index])
    assert board.is_game_over()
