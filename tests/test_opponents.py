"""The opponents of the environments for Gymnasium: what they choose in the games of a batch."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from positions import BOTH_CONNECT_IN_ONE, boards

import loa
from loa import encodings
from loa.integrations._opponents import greedy_reply, random_reply


def test_random_takes_legal_actions_of_the_rows():
    batch = loa.BoardBatch(60, size=5)
    batch.step(np.where(np.arange(60) < 30, batch.sample_actions(1), -1))
    rows = np.arange(10, 50, 2)
    actions = random_reply(batch, rows, np.random.default_rng(1))
    assert batch.legal_mask()[rows, actions].all()
    assert len(set(actions.tolist())) > 5
    assert (random_reply(batch, rows, np.random.default_rng(1)) == actions).all()
    assert (random_reply(batch, rows, np.random.default_rng(2)) != actions).any()


def spread(pieces):
    squares = [square for square in range(64) if pieces >> square & 1]
    points = np.array([(square % 8, square // 8) for square in squares])
    return ((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()


def greedy_value(board, move):
    """What the greedy opponent takes a move to be worth."""
    mover = board.turn
    after = board.copy()
    after.push_unchecked(move)
    connected, enemy_connected = (after.is_connected(color) for color in (mover, mover.opponent))
    if connected and enemy_connected:
        wins = after.rules.simultaneous_connection is loa.SimultaneousConnection.MOVER_WINS
        return 1000 if wins else 0
    if connected or enemy_connected:
        return 1000 if connected else -1000
    sides = (after.black, after.white)
    return spread(sides[mover.opponent]) - spread(sides[mover])


@given(board=boards(), seed=st.integers(0, 2**32))
@example(board=loa.Board(BOTH_CONNECT_IN_ONE, rules=loa.Rules.MSO), seed=0)
@example(board=loa.Board(BOTH_CONNECT_IN_ONE, rules=loa.Rules.SACKSON_1982), seed=0)
def test_greedy_takes_a_best_move(board, seed):
    if board.is_game_over():
        return
    batch = loa.BoardBatch.from_boards([board, board])
    for rows in (np.array([1]), np.array([0, 1])):
        actions = greedy_reply(batch, rows, np.random.default_rng(seed))
        assert actions.shape == rows.shape
        best = max(greedy_value(board, move) for move in board.legal_moves)
        for action in actions:
            chosen = greedy_value(board, encodings.move_of(board, action))
            assert chosen == pytest.approx(best, abs=1e-6)


def test_greedy_takes_any_of_equals():
    batch = loa.BoardBatch.from_boards([loa.Board()] * 60)
    actions = greedy_reply(batch, np.arange(60), np.random.default_rng(1))
    # The start is symmetric.
    assert len(set(actions.tolist())) > 3


@pytest.mark.parametrize("color", loa.Color)
def test_greedy_wins_against_random(color):
    batch = loa.BoardBatch(50)
    generator = np.random.default_rng(1)
    for ply in range(120):
        rows = np.flatnonzero(~batch.terminated)
        reply = greedy_reply if ply % 2 == color else random_reply
        actions = np.full(len(batch), -1)
        actions[rows] = reply(batch, rows, generator)
        batch.step(actions)
    assert batch.terminated.sum() > 45
    assert (batch.winners == color).sum() > 45
