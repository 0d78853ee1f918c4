"""`loa.perft` and `loa.divide`: definition, exactness, progress and interruption."""

import signal
import subprocess
import sys
import threading

import pytest

import loa


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
    board = loa.Board("4w2b/8/8/3w2b1/4w1b1/1www2b1/2b4b/2b5 w 1")
    winning = loa.Move.from_text("e8-e6")
    assert loa.divide(board, 1) == dict.fromkeys(board.legal_moves, 1)
    assert loa.divide(board, 2)[winning] == 0


def test_divide_names_the_pass():
    board = loa.Board("bw6/ww6/8/8/8/8/ww4ww/bw4wb b 1")
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
    with pytest.raises(TypeError):
        loa.perft(loa.Board(), depth)


def test_other_bad_arguments():
    with pytest.raises(TypeError):
        loa.perft(None, 2)
    with pytest.raises(TypeError):
        loa.perft("board", 2)
    with pytest.raises(TypeError):
        loa.perft(loa.Board(), 2, None)
    with pytest.raises(loa.LoaError):
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
