"""Perft over executors: exact whatever the chunks are, whoever dies, and however often it stops."""

import dataclasses
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import DATA, PRESETS, boards

import loa
from loa import checkpoints, distributed, suite
from loa.distributed import DistributedPerft, perft


class InlineExecutor(Executor):
    """Runs each task when it is submitted, as another machine would: on pickled copies."""

    def __init__(self, errors=()):
        self.errors = list(errors)
        self.tasks = 0
        self.is_shut_down = False

    def submit(self, function, /, *arguments):
        self.tasks += 1
        future = Future()
        future.set_running_or_notify_cancel()
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            future.set_exception(error)
            return future
        function, arguments = pickle.loads(pickle.dumps((function, arguments)))
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.is_shut_down = True


def make_processes():
    """Fresh processes, since forks of a process with threads may hang."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


def interrupt_after(chunks):
    """A progress callback that is Ctrl-C after some chunks."""
    calls = []

    def progress(fraction, leaves):
        calls.append((fraction, leaves))
        if len(calls) == chunks:
            raise KeyboardInterrupt

    return progress


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
    board = loa.Board("6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1", rules=rules)
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
    count = perft(loa.Board("8/8/8/3bb3/8/w6w/8/8 w 1"), 9, executor)
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
        ({"depth": 2.0}, TypeError, "."),
        ({"board": "board"}, TypeError, "board is 'board': expected a loa.Board"),
        ({"plies": -1}, loa.LoaError, "plies is -1: expected 0 or more"),
        ({"plies": 4}, loa.LoaError, "plies is 4: expected at most 3, the depth"),
        ({"plies": "1"}, TypeError, "."),
        ({"chunk": 0}, loa.LoaError, "chunk is 0: expected 1 or more"),
        ({"chunk": 1.5}, TypeError, "."),
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


# Checkpoints ------------------------------------------------------------------------------------

BOARD = loa.Board(size=6)
ARGUMENTS = {"board": BOARD, "depth": 5, "plies": 3, "chunk": 40}
LEAVES = loa.perft(BOARD, 5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "count.json"


@pytest.fixture
def interrupted(path):
    """The path of a checkpoint with three chunks."""
    with pytest.raises(KeyboardInterrupt):
        perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=path, progress=interrupt_after(3))
    return path


def test_resumed(interrupted):
    before = DistributedPerft.load(interrupted)
    assert sum(leaves is not None for leaves in before.chunk_sums) == 3
    assert 0 < before.fraction < 1
    assert not before.is_complete
    with pytest.raises(loa.LoaError, match=r"3 of \d+ chunks are counted: expected all"):
        _ = before.leaves

    seen = []
    executor = InlineExecutor()
    count = perft(
        **ARGUMENTS,
        executor=executor,
        checkpoint=interrupted,
        progress=lambda *state: seen.append(state),
    )
    assert count.leaves == LEAVES
    assert executor.tasks == len(count.chunk_sums) - 3
    assert seen[0] == (before.fraction, before.leaves_so_far)
    assert seen[-1] == (1.0, LEAVES)
    assert DistributedPerft.load(interrupted) == count

    content = interrupted.read_bytes()
    executor = InlineExecutor()
    assert perft(**ARGUMENTS, executor=executor, checkpoint=interrupted) == count
    assert executor.tasks == 0
    assert interrupted.read_bytes() == content
    assert [file.name for file in interrupted.parent.iterdir()] == ["count.json"]


def test_interrupted_again_and_again(path):
    tasks = 0
    for _ in range(1000):
        executor = InlineExecutor()
        # One call at first for what was there.
        stop = interrupt_after(5 if path.exists() else 4)
        try:
            count = perft(
                **ARGUMENTS, executor=executor, checkpoint=path, progress=stop, in_flight=1
            )
        except KeyboardInterrupt:
            tasks += executor.tasks
        else:
            break
    assert count.leaves == LEAVES
    assert tasks + executor.tasks == len(count.chunk_sums)


def test_interrupted_while_waiting(path):
    """Ctrl-C comes where the time goes by: in the executor."""

    class Interrupted(InlineExecutor):
        def submit(self, function, /, *arguments):
            if self.tasks == 4:
                raise KeyboardInterrupt
            return super().submit(function, *arguments)

    with pytest.raises(KeyboardInterrupt):
        perft(**ARGUMENTS, executor=Interrupted(), checkpoint=path, in_flight=1)
    count = DistributedPerft.load(path)
    assert sum(leaves is not None for leaves in count.chunk_sums) == 4


def test_writing_takes_little_time(path, monkeypatch):
    """A file for each interval, however many chunks are finished in it."""
    written = []
    save = DistributedPerft.save

    def count_and_save(self, path):
        written.append(self.fraction)
        save(self, path)

    monkeypatch.setattr(DistributedPerft, "save", count_and_save)
    count = perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=path)
    assert written[0] == 0.0
    assert written[-1] == 1.0
    assert len(written) < len(count.chunk_sums) / 2
    written.clear()
    path.unlink()
    monkeypatch.setattr(checkpoints, "_CHECKPOINT_INTERVAL", 0.0)
    monkeypatch.setattr(checkpoints, "_CHECKPOINT_SHARE", float("inf"))
    perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=path)
    assert len(written) == len(count.chunk_sums) + 1
    assert written == sorted(written)


def test_format(interrupted):
    content = json.loads(interrupted.read_text("ascii"))
    count = DistributedPerft.load(interrupted)
    assert content["format"] == "loa distributed perft"
    assert content["format_version"] == 1
    assert content["version"] == loa.__version__
    assert content["fen"] == BOARD.fen()
    assert content["rules"] == {
        "simultaneous_connection": "draw",
        "no_legal_move": "pass",
        "repetition_draw": 3,
        "repetition_claim": None,
        "repetition_side_to_move": True,
        "ply_limit": None,
        "draws_precede_connection": False,
    }
    assert content["frontier_digest"] == loa.frontier(BOARD, 3).digest
    assert content["chunk_sums"][:3] == [str(leaves) for leaves in count.chunk_sums[:3]]
    assert content["chunk_sums"][-1] is None


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"board": loa.Board(size=5)}, "fen"),
        ({"board": loa.Board(size=6, setup="scrambled")}, "fen"),
        ({"board": loa.Board(size=6, rules=loa.Rules.WINANDS_2000)}, "rules"),
        ({"depth": 6}, "depth"),
        ({"plies": 2}, "plies"),
        ({"chunk": 41}, "chunk"),
    ],
)
def test_checkpoint_of_another_count(interrupted, changes, name):
    content = interrupted.read_bytes()
    executor = InlineExecutor()
    with pytest.raises(loa.LoaError, match=rf"count\.json: {name} is .+: expected "):
        perft(**(ARGUMENTS | changes), executor=executor, checkpoint=interrupted)
    assert executor.tasks == 0
    assert interrupted.read_bytes() == content


def test_a_checkpoint_knows_its_plies_and_chunk(tmp_path):
    """Who goes on from a file need not know how it was begun."""
    path = tmp_path / "count.json"
    begun = perft(loa.Board(size=5), 6, InlineExecutor(), plies=4, chunk=700, checkpoint=path)
    content = path.read_bytes()
    executor = InlineExecutor()
    resumed = perft(loa.Board(size=5), 6, executor, checkpoint=path)
    assert (resumed, resumed.plies, resumed.chunk, executor.tasks) == (begun, 4, 700, 0)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "value"), [("version", "0.0"), ("frontier_digest", "00"), ("frontier_length", 161)]
)
def test_checkpoint_of_another_frontier(path, name, value):
    count = perft(**(ARGUMENTS | {"chunk": 10**6}), executor=InlineExecutor())
    dataclasses.replace(count, **{name: value}).save(path)
    content = path.read_bytes()
    with pytest.raises(loa.LoaError, match=f"{name} is {value!r}: expected "):
        perft(**(ARGUMENTS | {"chunk": 10**6}), executor=InlineExecutor(), checkpoint=path)
    assert path.read_bytes() == content


def test_truncated_checkpoints(interrupted):
    content = interrupted.read_bytes()
    assert content.endswith(b"}\n")
    for length in range(0, len(content) - 1, 3):
        interrupted.write_bytes(content[:length])
        with pytest.raises(loa.InvalidRecordError, match=r"line 1, column .+: not JSON: "):
            DistributedPerft.load(interrupted)
    with pytest.raises(loa.InvalidRecordError):
        perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=interrupted)
    assert interrupted.read_bytes() == content[:length]


def test_no_changed_character_goes_unnoticed(interrupted):
    content = interrupted.read_bytes()
    count = DistributedPerft.load(interrupted)
    for place, byte in enumerate(content):
        for other in (byte ^ 1, ord("7")):
            interrupted.write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
            try:
                read = DistributedPerft.load(interrupted)
            except loa.LoaError:
                continue
            # Some white space may be other white space.
            assert read == count


def change(content, **changes):
    return content | changes


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: [], "the content is []: expected an object"),
        (lambda content: change(content, format="perft"), "format is 'perft': expected 'loa dis"),
        (lambda content: change(content, format_version=2), "format_version is 2: expected 1"),
        (lambda content: change(content, format_version=True), "format_version is True"),
        (lambda content: change(content, depth="5"), "depth is '5': expected a whole number"),
        (lambda content: change(content, depth=-5), "depth is -5: expected a whole number, 0 or"),
        (lambda content: change(content, chunk=0), "chunk is 0: expected a whole number, 1 or"),
        (lambda content: change(content, chunk=True), "chunk is True: expected a whole number"),
        (lambda content: change(content, fen=None), "fen is None: expected a text"),
        (lambda content: change(content, rules={}), "rules is {}: expected an object with simul"),
        (
            lambda content: change(content, rules=change(content["rules"], no_legal_move="win")),
            "rules: 'win' is not a valid NoLegalMove",
        ),
        (
            lambda content: change(content, rules=change(content["rules"], ply_limit=-1)),
            "rules: Rules.ply_limit is -1",
        ),
        (lambda content: change(content, chunk_sums=["1"]), "chunk_sums is ['1']: expected a list"),
        (
            lambda content: change(content, chunk_sums=[1, *content["chunk_sums"][1:]]),
            "chunk_sums[0] is 1: expected null or decimal digits in quotes",
        ),
        (
            lambda content: change(content, chunk_sums=["-1", *content["chunk_sums"][1:]]),
            "chunk_sums[0] is '-1'",
        ),
        (
            lambda content: change(content, chunk_sums=["1", *content["chunk_sums"][1:]]),
            "checksum is ",
        ),
        (lambda content: change(content, checksum=None), "checksum is None"),
        (lambda content: change(content, more=1), "checksum is "),
        (
            lambda content: {name: content[name] for name in content if name != "plies"},
            "plies is missing: expected a whole checkpoint",
        ),
    ],
)
def test_damaged_checkpoints(interrupted, damage, message):
    interrupted.write_text(json.dumps(damage(json.loads(interrupted.read_text()))))
    content = interrupted.read_bytes()
    with pytest.raises(loa.LoaError) as caught:
        perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=interrupted)
    assert str(caught.value).startswith(f"{interrupted}: {message}")
    assert interrupted.read_bytes() == content


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000], ids=["encoding", "nesting"])
def test_other_files(path, content):
    path.write_bytes(content)
    with pytest.raises(loa.LoaError):
        DistributedPerft.load(path)


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_old_checkpoint_stays_where_writing_fails(interrupted, monkeypatch, function):
    def fail(*arguments):
        raise OSError("no space")

    content = interrupted.read_bytes()
    monkeypatch.setattr(os, function, fail)
    with pytest.raises(OSError, match="no space"):
        perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=interrupted)
    assert interrupted.read_bytes() == content
    assert [file.name for file in interrupted.parent.iterdir()] == ["count.json"]


def test_old_checkpoint_stays_where_a_process_ends_while_writing(interrupted):
    content = interrupted.read_bytes()
    program = (
        "import os, sys\n"
        "from loa.distributed import DistributedPerft\n"
        "os.replace = lambda *arguments: os._exit(7)\n"
        "DistributedPerft.load(sys.argv[1]).save(sys.argv[1])\n"
    )
    result = subprocess.run([sys.executable, "-c", program, str(interrupted)])
    assert result.returncode == 7
    assert interrupted.read_bytes() == content
    count = perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=interrupted)
    assert count.leaves == LEAVES


def test_folder_that_is_not_there(tmp_path):
    executor = InlineExecutor()
    with pytest.raises(FileNotFoundError):
        perft(**ARGUMENTS, executor=executor, checkpoint=tmp_path / "no folder" / "count.json")
    assert executor.tasks == 0


# Audits -----------------------------------------------------------------------------------------


def test_audit(interrupted):
    count = DistributedPerft.load(interrupted)
    executor = InlineExecutor()
    assert distributed.audit(count, executor) == [0, 1, 2]
    assert executor.tasks == 3
    whole = perft(**ARGUMENTS, executor=executor)
    assert len(distributed.audit(whole, executor)) == 8
    chosen = distributed.audit(whole, executor, chunks=2, seed=3)
    assert chosen == distributed.audit(whole, executor, chunks=2, seed=3)

    changed = dataclasses.replace(count, chunk_sums=(count.chunk_sums[0] + 1, None, None))
    with pytest.raises(loa.LoaError, match=r"chunk 0 has (\d+) leaves: expected \d+"):
        distributed.audit(changed, executor)
    with pytest.raises(loa.LoaError, match=r"with digest .+: expected "):
        distributed.audit(dataclasses.replace(count, frontier_digest="00"), executor)


def test_depth_10_can_be_gone_on_with():
    """The checkpoint in the documentation is whole, and of the standard start."""
    count = DistributedPerft.load(Path(__file__).parent.parent / "docs" / "perft-10.json")
    assert (count.fen, count.rules) == (loa.Board().fen(), loa.Rules.MSO)
    assert (count.depth, count.plies, count.frontier_length) == (10, 6, 100_905_437)
    assert 0.1 < count.fraction <= 1
    assert count.leaves_so_far > 3 * 10**14


def test_nothing_is_left_running():
    assert multiprocessing.active_children() == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("loa")]
