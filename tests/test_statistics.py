"""The categories of leaves against what the moves do on a board."""

import collections

import pytest
from comparing import without_history
from hypothesis import given
from positions import BLACK_PASSES, BOTH_CONNECT_IN_ONE, MAX_PLIES, boards, games, play_on

import loa


def by_hand(board, depth):
    counts = collections.Counter()
    board = without_history(board)

    def walk(left):
        for move in board.legal_moves:
            mover, capture = board.turn, board.is_capture(move)
            board.push(move)
            if left > 1:
                walk(left - 1)
            else:
                own, other = board.is_connected(mover), board.is_connected(mover.opponent)
                counts["leaves"] += 1
                counts["captures"] += capture
                counts["passes"] += move.is_pass
                counts["mover_connections"] += own and not other
                counts["opponent_connections"] += other and not own
                counts["simultaneous_connections"] += own and other
            board.pop()

    walk(depth)
    names = loa.PerftStatistics.__dataclass_fields__
    return loa.PerftStatistics(**{name: counts[name] for name in names})


@given(boards())
def test_any_position(board):
    depth = 2 if len(board.legal_moves) < 40 else 1
    for plies in range(1, depth + 1):
        assert loa.perft_statistics(board, plies) == by_hand(board, plies)


@given(games())
def test_ends_of_games(start):
    board, generator = start
    play_on(board, generator, MAX_PLIES)
    for _ in range(min(3, len(board.move_stack))):
        board.pop()
        statistics = loa.perft_statistics(board, 2)
        assert statistics == by_hand(board, 2)
        assert statistics.leaves == loa.perft(board, 2)


def test_all_categories():
    board = loa.Board(BOTH_CONNECT_IN_ONE)
    statistics = loa.perft_statistics(board, 1)
    assert statistics.simultaneous_connections == 1
    passing = loa.Board(BLACK_PASSES)
    assert loa.perft_statistics(passing, 1) == loa.PerftStatistics(1, 0, 0, 0, 0, 1)
    assert loa.perft_statistics(passing, 2).passes == 0
    losing = loa.Board(passing.fen(), rules=loa.Rules.OPENSPIEL)
    assert loa.perft_statistics(losing, 1) == loa.PerftStatistics(0, 0, 0, 0, 0, 0)


def test_arguments_and_progress():
    seen = []
    statistics = loa.perft_statistics(
        loa.Board(), 4, progress=lambda *state: seen.append(state)
    )
    assert statistics.leaves == 1563208
    assert seen[-1] == (1.0, 1563208)
    for depth in (0, 101):
        with pytest.raises(loa.LoaError, match=f"depth is {depth}"):
            loa.perft_statistics(loa.Board(), depth)

    def stop(fraction, leaves):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        loa.perft_statistics(loa.Board(), 8, progress=stop)
