"""`loa.perft` and `loa.divide`: definition, exactness, progress and interruption."""

import signal
import subprocess
import sys
import threading

import pytest
from positions import BLACK_PASSES, WON_IN_ONE

import loa
from loa._perft import divided


def test_depths():
    board = loa.Board()
    assert [loa.perft(board, depth) for depth in range(6)] == [
        1, 36, 1244, 44952, 1563208, 55963132,
    ]  # fmt: skip
    assert board == loa.Board()


def test_perft_counts_from_the_current_position():
    board = loa.Board()
    counts = loa.divide(board, 4)
    assert list(counts) == list(board.legal_moves)
    for move, leaves in counts.items():
        board.push(move)
        assert loa.perft(board, 3) == leaves
        board.pop()
    assert sum(counts.values()) == loa.perft(board, 4)


def test_divide_at_depth_one_counts_winning_moves_too():
    board = loa.Board(WON_IN_ONE)
    winning = loa.Move.from_text("e8-e6")
    assert loa.divide(board, 1) == dict.fromkeys(board.legal_moves, 1)
    assert loa.divide(board, 2)[winning] == 0


def test_divide_names_the_pass():
    board = loa.Board(BLACK_PASSES)
    assert loa.divide(board, 3) == {loa.Move.PASS: 33}
    assert loa.divide(board, 4) == {loa.Move.PASS: 1125}


@pytest.mark.parametrize("depth", [-1, 101, 2**70, -(2**70)])
def test_depth_out_of_range(depth):
    with pytest.raises(loa.LoaError, match="expected 0 to 100"):
        loa.perft(loa.Board(), depth)
    with pytest.raises(loa.LoaError, match="expected 1 to 100"):
        loa.divide(loa.Board(), depth)


@pytest.mark.parametrize("depth", [None, "3", 2.0])
def test_depth_of_the_wrong_type(depth):
    for count in (loa.perft, loa.divide):
        with pytest.raises(TypeError, match=f"depth is {depth!r}: expected an int"):
            count(loa.Board(), depth)


def test_other_bad_arguments():
    for count in (loa.perft, loa.divide):
        for board in (None, "board"):
            with pytest.raises(TypeError, match=r"expected .*Board"):
                count(board, 2)
        with pytest.raises(TypeError, match="positional argument"):
            count(loa.Board(), 2, None)
    with pytest.raises(loa.LoaError, match="depth is 0: expected 1 to 100"):
        loa.divide(loa.Board(), 0)


def test_progress_grows_to_the_whole():
    seen = []
    board = loa.Board()
    leaves = loa.perft(board, 6, progress=lambda *state: seen.append(state))
    assert leaves == 1938494632
    assert seen
    assert seen == sorted(seen)
    assert all(0 < fraction <= 1 and 0 < count <= leaves for fraction, count in seen)
    assert seen[-1] == (1.0, leaves)
    last = []
    loa.divide(board, 2, progress=lambda *state: last.append(state))
    assert last[-1] == (1.0, 1244)


def test_divided_counts_move_by_move():
    """Of the position at the start, whatever happens to the board between two of its moves."""
    board = loa.Board()
    seen = []
    rows = divided(board, 3, progress=lambda *state: seen.append(state))
    first = next(rows)
    assert seen == [(1 / 36, first[1])]
    board.push(board.legal_moves[0])
    assert dict([first, *rows]) == loa.divide(loa.Board(), 3)
    assert (len(seen), seen[-1]) == (36, (1.0, 44952))


def test_an_exception_from_progress_stops_the_count():
    class EnoughError(Exception):
        pass

    def stop(fraction, leaves):
        raise EnoughError

    with pytest.raises(EnoughError):
        loa.perft(loa.Board(), 12, progress=stop)
    with pytest.raises(EnoughError):
        loa.divide(loa.Board(), 12, progress=stop)


def test_the_board_may_change_while_it_is_counted():
    board = loa.Board()

    def disturb(fraction, leaves):
        if len(board.move_stack) < 20 and not board.is_game_over():
            board.push(board.legal_moves[0])

    assert loa.perft(board, 6, progress=disturb) == 1938494632
    assert board.move_stack


def test_other_threads_run_meanwhile():
    counts = []

    def count():
        counts.append(loa.perft(loa.Board(), 6))

    thread = threading.Thread(target=count)
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
    thread.join()
    assert counts == [1938494632]
    # Were the lock held, this thread would have got to run once or twice.
    assert ticks > 20


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt(threads):
    """Ctrl-C ends a count that would take years, and is sent when that has begun."""
    program = (
        "import loa\n"
        "def progress(*state): print('counting', flush=True)\n"
        f"loa.perft(loa.Board(), 12, threads={threads}, progress=progress)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "counting\n"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate()
    assert "KeyboardInterrupt" in errors
    assert child.returncode != 0
