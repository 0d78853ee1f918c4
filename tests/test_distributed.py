"""Perft over executors: exact whatever the chunks are, whoever dies, and whatever goes wrong."""

import dataclasses
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import numpy as np
import pytest
from executors import InlineExecutor, interrupt_after
from hypothesis import given
from hypothesis import strategies as st
from positions import BLACK_PASSES, DATA, OVER, PRESETS, boards

import loa
from loa import _perft, distributed, suite
from loa.distributed import DistributedPerft, perft


def make_processes():
    """Fresh processes, since forks of a process with threads may hang."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


# The count --------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", ["standard", "scrambled"])
@pytest.mark.parametrize("size", range(3, 9))
def test_starts(size, setup):
    board = loa.Board(size=size, setup=setup)
    for depth in range(6 if size < 7 else 5):
        expected = loa.perft(board, depth)
        for plies in (None, *range(depth + 1)):
            for chunk in (None, 50, 10**30):
                count = perft(board, depth, InlineExecutor(), plies=plies, chunk=chunk)
                assert count.leaves == expected
                assert count.is_complete
                assert count.fraction == 1.0


@given(boards(), st.data())
def test_any_position(board, data):
    depth = 1
    while depth < 5 and 0 < loa.perft(board, depth + 1) < 20_000:
        depth += 1
    plies = data.draw(st.integers(0, depth))
    # Some hundred chunks at most.
    least = len(loa.frontier(board, plies)) // 200 + 1
    chunk = data.draw(st.integers(least, least + 50))
    hash_mb = data.draw(st.sampled_from([0, 1]))
    count = perft(board, depth, InlineExecutor(), plies=plies, chunk=chunk, hash_mb=hash_mb)
    assert count.leaves == loa.perft(board, depth)
    assert type(count.leaves) is int


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_rules_share_no_hash_table(rules):
    """Positions in which a side is stuck, so that rules differ; one worker counts under all."""
    board = loa.Board(BLACK_PASSES, rules=rules)
    for depth in range(1, 5):
        count = perft(board, depth, InlineExecutor(), plies=0, hash_mb=1)
        assert count.leaves == loa.perft(board, depth)


def test_more_leaves_than_64_bits_hold():
    board = loa.Board(size=3)
    count = perft(board, 100, InlineExecutor(), plies=20, chunk=3, hash_mb=16)
    assert count.leaves == loa.perft(board, 100, hash_mb=16) > 2**64


def test_what_the_result_says():
    board = loa.Board(size=5, rules=loa.Rules.OPENSPIEL)
    board.push(board.legal_moves[0])
    count = perft(board, 4, InlineExecutor(), plies=2, chunk=10)
    positions = loa.frontier(board, 2)
    assert (count.fen, count.rules) == (board.fen(), loa.Rules.OPENSPIEL)
    assert (count.depth, count.plies, count.chunk) == (4, 2, 10)
    assert (count.frontier_digest, count.frontier_length) == (positions.digest, len(positions))
    assert len(count.chunk_sums) == -(-len(positions) // 10)
    assert sum(count.chunk_sums) == count.leaves == count.leaves_so_far == loa.perft(board, 4)
    assert count.version == loa.__version__
    with pytest.raises(dataclasses.FrozenInstanceError):
        count.depth = 5


def test_frontier_that_has_been_made():
    positions = loa.frontier(loa.Board(), 3)
    count = perft(positions, 5, InlineExecutor())
    assert count == perft(loa.Board(), 5, InlineExecutor(), plies=3)
    assert count.leaves == 55963132
    with pytest.raises(loa.LoaError, match="plies is 3 with a frontier"):
        perft(positions, 5, InlineExecutor(), plies=3)


def test_finished_games_need_no_worker():
    executor = InlineExecutor()
    count = perft(loa.Board(OVER), 9, executor)
    assert (count.leaves, count.chunk_sums, executor.tasks) == (0, (), 0)


@pytest.mark.parametrize("depth", range(8, 16))
def test_chunks_stay_small_where_positions_are_deep(depth):
    """The chunk size is decided before anything is made; a lost chunk should cost seconds."""
    with pytest.raises(OverflowError):
        perft(loa.Board(), depth, Refusing(), plies=1)
    board = loa.Board(size=3)
    chunk = perft(board, depth, InlineExecutor(), plies=depth - 6).chunk
    assert chunk * 1.2e-6 * 36**3 <= 1.0


class Refusing(Executor):
    def submit(self, function, /, *arguments):
        assert len(arguments[0]) == 24
        raise OverflowError


def test_progress():
    seen = []
    count = perft(
        loa.Board(), 5, InlineExecutor(), chunk=10, progress=lambda *state: seen.append(state)
    )
    assert len(seen) == len(count.chunk_sums) > 10
    assert seen == sorted(seen)
    assert seen[-1] == (1.0, count.leaves)


@pytest.mark.parametrize(
    ("arguments", "error", "fragment"),
    [
        ({"depth": -1}, loa.LoaError, "depth is -1: expected 0 to 100"),
        ({"depth": 101}, loa.LoaError, "depth is 101"),
        ({"depth": 2.0}, TypeError, "depth is 2.0: expected an int"),
        ({"board": "board"}, TypeError, "board is 'board': expected a loa.Board"),
        ({"plies": -1}, loa.LoaError, "plies is -1: expected 0 or more"),
        ({"plies": 4}, loa.LoaError, "plies is 4: expected at most 3, the depth"),
        ({"plies": "1"}, TypeError, "plies is '1': expected an int"),
        ({"chunk": 0}, loa.LoaError, "chunk is 0: expected 1 or more"),
        ({"chunk": 1.5}, TypeError, "chunk is 1.5: expected an int"),
        ({"threads": 0}, loa.LoaError, "threads is 0"),
        ({"hash_mb": -1}, loa.LoaError, "hash_mb is -1: expected 0 or more"),
        ({"in_flight": 0}, loa.LoaError, "in_flight is 0: expected 1 or more"),
        ({"retries": -1}, loa.LoaError, "retries is -1: expected 0 or more"),
        ({"executor": None}, TypeError, "executor is None: expected an Executor"),
    ],
)
def test_bad_arguments(arguments, error, fragment):
    executor = InlineExecutor()
    usual = {"board": loa.Board(), "depth": 3, "executor": executor}
    with pytest.raises(error, match=fragment):
        perft(**(usual | arguments))
    assert executor.tasks == 0


# Workers ----------------------------------------------------------------------------------------


def test_executors_stay_open_or_are_shut_down():
    executor = InlineExecutor()
    perft(loa.Board(), 3, executor)
    assert not executor.is_shut_down
    perft(loa.Board(), 3, lambda: executor)
    assert executor.is_shut_down
    executor = InlineExecutor()
    with pytest.raises(KeyboardInterrupt):
        perft(loa.Board(), 3, lambda: executor, progress=interrupt_after(1))
    assert executor.is_shut_down


def test_chunks_in_flight_are_bounded():
    """Whoever interrupts leaves nothing running: what was handed out is cancelled."""
    given_out = []

    class Sleeping(Executor):
        def submit(self, function, /, *arguments):
            given_out.append(Future())
            if len(given_out) == 5:
                given_out[2].set_result(function(*arguments))
            return given_out[-1]

    with pytest.raises(KeyboardInterrupt):
        perft(
            loa.Board(), 4, Sleeping(), plies=3, chunk=9, in_flight=5, progress=interrupt_after(1)
        )
    assert len(given_out) == 5
    assert [future.cancelled() for future in given_out] == [True, True, False, True, True]


def test_threads_stop_with_the_count():
    """What they have been given would take years, and this test with it."""

    class Interrupted(ThreadPoolExecutor):
        tasks = 0

        def submit(self, function, /, *arguments):
            if self.tasks < 2:
                self.tasks += 1
                return super().submit(function, *arguments)
            while len(distributed._counting) < 2:
                time.sleep(0.01)
            raise KeyboardInterrupt

    with Interrupted(2) as executor, pytest.raises(KeyboardInterrupt):
        perft(loa.Board(), 14, executor, plies=2, chunk=1)


def test_a_thread_that_begins_after_the_end_stops():
    board = loa.Board()
    entries = np.array([[board.black, board.white, 1]], dtype=np.uint64)
    distributed._stop_threads("ended")
    with pytest.raises(_perft._Stopped):
        distributed._count_chunk(
            entries.tobytes(), 8, 0, 14, 0, 0, run="ended", version=loa.__version__)
    assert not distributed._counting


def test_failures_are_tried_again():
    errors = [MemoryError(), None, OSError("lost"), BrokenExecutor("gone"), None, MemoryError()]
    executors = []

    def make():
        executors.append(InlineExecutor([] if executors else errors))
        return executors[-1]

    count = perft(loa.Board(), 4, make, plies=2, chunk=20, in_flight=3)
    assert count.leaves == 1563208
    assert len(executors) == 2
    assert executors[0].is_shut_down


def test_chunks_of_a_broken_executor_are_counted_again():
    """Also those that it will never say anything of."""

    class Dying(InlineExecutor):
        def submit(self, function, /, *arguments):
            self.tasks += 1
            future = Future()
            if self.tasks == 3:
                future.set_exception(BrokenExecutor("gone"))
            return future

    executors = [Dying(), InlineExecutor()]
    count = perft(loa.Board(), 4, lambda: executors.pop(0), plies=2, chunk=20, in_flight=3)
    assert executors == []
    assert count.leaves == 1563208


@pytest.mark.parametrize("retries", [0, 2])
def test_failures_that_do_not_end(retries):
    executor = InlineExecutor([OSError("lost")] * (retries + 1))
    with pytest.raises(loa.LoaError, match=rf"chunk 0 was not counted in {retries + 1} attempts"):
        perft(loa.Board(), 4, executor, in_flight=1, retries=retries)
    assert executor.tasks == retries + 1
    executor = InlineExecutor([OSError("lost")] * retries)
    assert perft(loa.Board(), 4, executor, in_flight=1, retries=retries).leaves == 1563208


def test_executors_that_are_broken_when_made():
    class Broken(InlineExecutor):
        def submit(self, function, /, *arguments):
            raise BrokenExecutor("no processes here")

    with pytest.raises(loa.LoaError, match="no processes here"):
        perft(loa.Board(), 3, Broken)
    with pytest.raises(loa.LoaError, match="expected something that makes executors"):
        perft(loa.Board(), 3, Broken())


def test_errors_that_would_come_again(monkeypatch):
    """A worker with another version might count something else."""
    count_chunk = distributed._count_chunk

    def count_elsewhere(*arguments):
        return count_chunk(*arguments[:-1], "0.0")

    monkeypatch.setattr(distributed, "_count_chunk", count_elsewhere)
    with ThreadPoolExecutor(1) as executor, pytest.raises(loa.LoaError, match=r"expected 0\.0"):
        perft(loa.Board(), 4, executor)


def test_suite():
    """The deepest affordable count of every position of the suite, over processes."""
    with make_processes() as executor:
        for entry in suite.read_suite(DATA / "perft.txt"):
            depth, leaves = entry.counts(60_000_000)[-1]
            board = loa.Board(entry.fen, rules=entry.rules)
            assert perft(board, depth, executor).leaves == leaves, entry.name


def test_processes():
    count = perft(loa.Board(), 6, make_processes, chunk=500)
    assert count.leaves == 1938494632
    assert len(count.chunk_sums) == 17
    assert multiprocessing.active_children() == []


class InterruptedExecutor(ProcessPoolExecutor):
    """A pool whose process never takes anything up; Ctrl-C comes once its queue is full."""

    def __init__(self):
        super().__init__(1, multiprocessing.get_context("spawn"), time.sleep, (3600,))
        self.futures = []

    def submit(self, *arguments):
        if len(self.futures) < 4:
            self.futures.append(super().submit(*arguments))
            return self.futures[-1]
        while sum(future.running() for future in self.futures) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt


def test_interrupt_while_processes_are_starting():
    """The threads of the pool end, whether its process is ended or not, and none of them fails."""
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        perft(loa.Board(), 7, InterruptedExecutor, plies=4, chunk=20_000)
    for process in multiprocessing.active_children():
        process.terminate()
    for thread in set(threading.enumerate()) - before:
        thread.join()


def kill_once(find_process):
    """A progress callback that kills a worker without warning, and the list of those killed."""
    killed = []

    def progress(fraction, leaves):
        if not killed:
            killed.append(find_process())
            os.kill(killed[0], signal.SIGKILL)

    return progress, killed


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_process():
    made = []

    def make():
        made.append(make_processes())
        return made[-1]

    progress, killed = kill_once(lambda: multiprocessing.active_children()[0].pid)
    count = perft(loa.Board(), 7, make, chunk=800, in_flight=4, progress=progress)
    assert len(killed) == 1
    assert len(made) == 2
    assert count.leaves == 68593739064


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_process_of_an_executor_that_cannot_be_replaced(tmp_path):
    """What was counted is kept."""
    path = tmp_path / "count.json"
    progress, _ = kill_once(lambda: multiprocessing.active_children()[0].pid)
    with make_processes() as executor, pytest.raises(loa.LoaError, match="the executor is broken"):
        perft(loa.Board(), 7, executor, chunk=800, progress=progress, checkpoint=path)
    before = DistributedPerft.load(path)
    assert 0 < before.fraction < 1
    with ThreadPoolExecutor(2) as executor:
        count = perft(loa.Board(), 7, executor, chunk=800, checkpoint=path)
    assert count.leaves == 68593739064


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_dask_cluster_with_a_killed_worker():
    dask = pytest.importorskip("distributed")
    with (
        dask.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        workers = client.run(os.getpid)
        progress, killed = kill_once(lambda: next(iter(workers.values())))
        executor = client.get_executor(pure=False)
        count = perft(loa.Board(), 7, executor, chunk=400, in_flight=4, progress=progress)
        assert count.leaves == 68593739064
        assert len(killed) == 1
        assert distributed.audit(count, executor, chunks=3, seed=1)


def test_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    folders = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    launcher = shutil.which("mpiexec", path=folders)
    if launcher is None:
        pytest.skip("there is no mpiexec")
    program = tmp_path / "program.py"
    program.write_text(
        "import loa\n"
        "from loa import checkpoints, distributed\n"
        "from mpi4py.futures import MPIPoolExecutor\n"
        "if __name__ == '__main__':\n"
        "    with MPIPoolExecutor() as executor:\n"
        "        count = distributed.perft(loa.Board(), 6, executor, chunk=500, in_flight=4)\n"
        "        print(executor.num_workers, count.leaves)\n"
    )
    command = [launcher, "-n", "3", sys.executable, "-m", "mpi4py.futures", str(program)]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | allowed)
    assert (result.stdout, result.returncode) == ("2 1938494632\n", 0), result.stderr


# Audits -----------------------------------------------------------------------------------------


def test_audit():
    whole = perft(loa.Board(size=6), 5, InlineExecutor(), plies=3, chunk=40)
    first, second, third, *others = whole.chunk_sums
    executor = InlineExecutor()
    assert len(distributed.audit(whole, executor)) == 8
    assert executor.tasks == 8
    chosen = [distributed.audit(whole, executor, chunks=2, seed=seed) for seed in (3, 3, 4, 5)]
    assert len(chosen[0]) == 2
    assert chosen[0] == chosen[1] != chosen[2] != chosen[3]

    # Chunks that have not been counted cannot be counted again.
    missing = [None] * len(others)
    part = dataclasses.replace(whole, chunk_sums=(first, second, third, *missing))
    assert distributed.audit(part, executor) == [0, 1, 2]
    wrong = dataclasses.replace(whole, chunk_sums=(first + 1, None, None, *missing))
    with pytest.raises(loa.LoaError, match=rf"chunk 0 has {first} leaves: expected {first + 1}"):
        distributed.audit(wrong, executor)
    with pytest.raises(loa.LoaError, match=r"digest .+: expected 2183 with 00"):
        distributed.audit(dataclasses.replace(whole, frontier_digest="00"), executor)


def test_nothing_is_left_running():
    assert multiprocessing.active_children() == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("loa")]
