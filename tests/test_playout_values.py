"""`PlayoutPolicy` and `Playouts` as values; and what becomes of an error in one of the threads."""

import threading

import numpy as np
import pytest

import loa


@pytest.mark.parametrize(
    ("factor", "means"),
    [
        ("capture", lambda capture, approach, before, after: capture == 1),
        ("closer", lambda capture, approach, before, after: approach == 0),
        ("farther", lambda capture, approach, before, after: approach == 2),
        ("into_edge", lambda capture, approach, before, after: after == 0 < before),
        ("out_of_edge", lambda capture, approach, before, after: before == 0 < after),
    ],
)
def test_each_factor_is_of_its_kind_of_moves(factor, means):
    weights = loa.PlayoutPolicy.from_factors(**{factor: 4}).weights
    assert {
        kind for kind in np.ndindex(loa.PlayoutPolicy.SHAPE) if weights[kind] == 65535
    } == {kind for kind in np.ndindex(loa.PlayoutPolicy.SHAPE) if means(*kind)}
    assert set(weights.ravel().tolist()) == {16384, 65535}


def test_ends_come_in_an_order():
    """By their kinds, and for each Black's wins, White's, and nobody's; capped games first."""
    codes = [1, 0, 0, -1, 1, 0, 1, 0]
    winners = [-1, 1, 0, -1, 1, -1, 0, 1]
    plies, choices = np.ones(8, np.int32), np.ones(8, np.int64)
    games = loa.Playouts(np.int8(winners), np.int8(codes), plies, choices)
    first, second = loa.Playouts.TERMINATIONS[:2]
    assert list(games.ends().items()) == [
        ((None, None), 1),
        ((first, loa.BLACK), 1),
        ((first, loa.WHITE), 2),
        ((first, None), 1),
        ((second, loa.BLACK), 1),
        ((second, loa.WHITE), 1),
        ((second, None), 1),
    ]
    assert (games.black_wins, games.white_wins, games.draws, games.capped) == (2, 3, 2, 1)


def test_an_error_in_one_thread_stops_the_others(monkeypatch):
    class FailingRun:
        """Its games fail in the thread that helps, and go on in the other until that has ended."""

        def __init__(self, *arguments):
            self.stopped = False

        def play(self):
            if threading.current_thread().name == "loa.playouts":
                raise ZeroDivisionError
            for thread in threading.enumerate():
                if thread.name == "loa.playouts":
                    thread.join()
            assert self.stopped

        def stop(self):
            self.stopped = True

    monkeypatch.setattr("loa.random_games.Run", FailingRun)
    with pytest.raises(ZeroDivisionError):
        loa.playouts(loa.Board(), 1, threads=2)
