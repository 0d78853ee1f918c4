"""Checkpoints of a distributed perft: gone on with, refused where they do not fit, never half."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from executors import InlineExecutor, interrupt_after

import loa
from loa import checkpoints
from loa.distributed import DistributedPerft, perft

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


def test_slow_writing_takes_a_small_share_of_the_time(path, monkeypatch):
    """A chunk takes a second here, and a file two: after one of those come forty seconds."""
    now = 0.0
    written = []

    def save(self, path):
        nonlocal now
        written.append(now)
        now += 2

    def count_on(fraction, leaves):
        nonlocal now
        now += 1

    monkeypatch.setattr(DistributedPerft, "save", save)
    monkeypatch.setattr(checkpoints, "time", SimpleNamespace(monotonic=lambda: now))
    count = perft(**ARGUMENTS, executor=InlineExecutor(), checkpoint=path, progress=count_on)
    assert len(count.chunk_sums) == 55
    assert written == [0, 7, 49, 61]


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
    with pytest.raises(loa.InvalidRecordError, match="not JSON"):
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


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"[" * 100_000, b'{"depth": ' + b"9" * 5000 + b"}"],
    ids=["encoding", "nesting", "number"],
)
def test_other_files(path, content):
    path.write_bytes(content)
    with pytest.raises(loa.LoaError, match=r"count\.json: not a checkpoint: "):
        DistributedPerft.load(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and devices in the file system")
def test_what_is_no_plain_file(tmp_path):
    """Reading these would wait for a writer, or would never come to an end."""
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(loa.LoaError, match="expected a checkpoint in a plain file"):
            perft(loa.Board(), 3, InlineExecutor(), checkpoint=name)
    with pytest.raises(OSError, match="directory"):
        DistributedPerft.load(tmp_path)


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


def test_depth_10_can_be_gone_on_with():
    """The checkpoint in the documentation is whole, and of the standard start."""
    count = DistributedPerft.load(Path(__file__).parent.parent / "docs" / "perft-10.json")
    assert (count.fen, count.rules) == (loa.Board().fen(), loa.Rules.MSO)
    assert (count.depth, count.plies, count.frontier_length) == (10, 6, 100_905_437)
    assert 0.1 < count.fraction <= 1
    assert count.leaves_so_far > 3 * 10**14
