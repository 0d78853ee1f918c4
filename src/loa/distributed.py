"""Perft in chunks, over processes, clusters or anything else that is an executor.

The positions some plies from the start (`loa.frontier`) are cut into chunks, which workers count
independently of each other. A worker is whatever a `concurrent.futures.Executor` runs: processes
of this machine (`ProcessPoolExecutor`), a Dask cluster (`Client.get_executor(pure=False)`), MPI
(`mpi4py.futures.MPIPoolExecutor`). It needs nothing but an installed `loa` of the same version.
A worker that dies costs the chunks it had; they are counted again and the sum stays exact.

    >>> import loa
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from loa import distributed
    >>> with ThreadPoolExecutor(2) as executor:
    ...     count = distributed.perft(loa.Board(), 6, executor, chunk=1000)
    >>> count.leaves, len(count.chunk_sums)
    (1938494632, 9)

With processes, Dask and MPI (the extras `dask` and `mpi`) it is the same call:

    perft(board, 9, ProcessPoolExecutor, checkpoint="perft-9.json")
    perft(board, 9, Client("tcp://scheduler:8786").get_executor(pure=False))
    perft(board, 9, MPIPoolExecutor())  # run by mpiexec -n 9 python -m mpi4py.futures program.py

The first gives the class, not an executor, so that a new one can be made where a process has
died. A program has to make processes below `if __name__ == "__main__":`, since they import it.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import hashlib
import json
import operator
import os
import random
import re
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from pathlib import Path
from typing import Any

import numpy as np

from loa import __version__, _frontier
from loa._board import Board
from loa._hash_table import HashTable
from loa.frontiers import Frontier, frontier
from loa.rules import InvalidRecordError, LoaError, NoLegalMove, Rules, SimultaneousConnection

__all__ = ["DistributedPerft", "perft"]

Progress = Callable[[float, int], object]
Executors = Executor | Callable[[], Executor]

_FORMAT = "loa distributed perft"
_FORMAT_VERSION = 1

_CHECKPOINT_INTERVAL = 5.0
"""Seconds from one writing of the checkpoint to the next."""
_CHECKPOINT_SHARE = 0.05
"""Writing takes no more than about this share of the time, however many chunks there are."""

_CHUNK_SECONDS = 1.0
"""What a lost chunk should cost at most, about."""
_POSITION_SECONDS = 1.2e-6
"""One core's time for a position with three plies below it, on the 8x8 board."""
_BRANCHING = 36
"""By how much each further ply takes longer."""
_MAX_CHUNK = 1 << 16
"""Positions that are sent to a worker at once: 1.5 megabytes."""

_FRONTIER_PLIES = 5
"""The deepest frontier that is made unasked: 4,684,559 positions from the start, 112 megabytes."""
_PLIES_BELOW = 3
"""With fewer plies below it, counting a position costs less than making it."""


@dataclasses.dataclass(frozen=True)
class DistributedPerft:
    """A perft as the sum of its chunks, each of which can be counted again.

    - `fen`, `rules`, `depth`: what was counted.
    - `plies`: those from the position to the frontier.
    - `frontier_digest`, `frontier_length`: `Frontier.digest` and the number of its positions.
    - `chunk`: positions in a chunk; the last one may have fewer.
    - `chunk_sums`: the leaves of each chunk, None where it has not been counted yet.
    - `version`: the version of `loa` that counted.

    >>> import loa
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as executor:
    ...     count = perft(loa.Board(size=4), 5, executor, chunk=10)
    >>> count.plies, count.frontier_length, count.chunk_sums, count.leaves
    (2, 30, (16356, 20760, 17584), 54700)
    """

    fen: str
    rules: Rules
    depth: int
    plies: int
    frontier_digest: str
    frontier_length: int
    chunk: int
    chunk_sums: tuple[int | None, ...]
    version: str = __version__

    @property
    def leaves(self) -> int:
        """The perft, exact. Raises `LoaError` where chunks have not been counted yet."""
        if not self.is_complete:
            done = sum(leaves is not None for leaves in self.chunk_sums)
            raise LoaError(f"{done} of {len(self.chunk_sums)} chunks are counted: expected all")
        return self.leaves_so_far

    @property
    def leaves_so_far(self) -> int:
        """The leaves of the chunks that have been counted."""
        return sum(leaves for leaves in self.chunk_sums if leaves is not None)

    @property
    def is_complete(self) -> bool:
        """Whether all chunks have been counted."""
        return None not in self.chunk_sums

    @property
    def fraction(self) -> float:
        """The share of positions that have been counted, 0.0 to 1.0."""
        done = sum(
            self._length_of(index)
            for index, leaves in enumerate(self.chunk_sums)
            if leaves is not None
        )
        return done / self.frontier_length if self.frontier_length else 1.0

    def _length_of(self, index: int) -> int:
        return min(self.chunk, self.frontier_length - index * self.chunk)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this to a JSON file, which another process sees whole or not at all.

        Each finished chunk's sum is a decimal text; a SHA-256 over everything else in the file
        (as `json.dumps` writes it with sorted keys, no spaces) guards against damage.
        """
        path = Path(path)
        content = self._as_json()
        content["checksum"] = _checksum(content)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            with unfinished.open("w", encoding="ascii", newline="\n") as file:
                file.write(json.dumps(content) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _as_json(self) -> dict[str, Any]:
        rules = {
            field.name: value.value if isinstance(value, enum.Enum) else value
            for field in dataclasses.fields(Rules)
            for value in [getattr(self.rules, field.name)]
        }
        return {
            "format": _FORMAT,
            "format_version": _FORMAT_VERSION,
            "version": self.version,
            "fen": self.fen,
            "rules": rules,
            "depth": self.depth,
            "plies": self.plies,
            "frontier_digest": self.frontier_digest,
            "frontier_length": self.frontier_length,
            "chunk": self.chunk,
            "chunk_sums": [None if leaves is None else str(leaves) for leaves in self.chunk_sums],
        }

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DistributedPerft:
        """Read what `save`, or a run with a checkpoint, has written.

        Raises `InvalidRecordError` for what is not JSON, and `LoaError` for any other content that
        `save` does not write, or that was changed afterwards.
        """
        path = Path(path)
        try:
            content = json.loads(path.read_bytes().decode("utf-8"))
        except json.JSONDecodeError as error:
            message = f"not JSON: {error.msg}: expected a whole checkpoint"
            raise InvalidRecordError(message, error.lineno, error.colno) from None
        except (UnicodeDecodeError, RecursionError) as error:
            raise LoaError(f"{path}: not a checkpoint: {error}") from None
        return _Reader(path, content).read()

    def audit(
        self,
        executor: Executors,
        *,
        chunks: int = 8,
        seed: int | None = None,
        threads: int = 1,
        hash_mb: int = 0,
        retries: int = 3,
    ) -> list[int]:
        """Make the frontier again and count some random finished chunks again.

        Returns the indices of those chunks. Raises `LoaError` where the frontier or a sum is not
        what it was. The arguments are those of `perft`; `seed` chooses the same chunks again.

        >>> import loa
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(1) as executor:
        ...     count = perft(loa.Board(size=4), 5, executor, chunk=10)
        ...     count.audit(executor, chunks=2, seed=0)
        [1, 2]
        """
        positions = frontier(Board(self.fen, rules=self.rules), self.plies, threads=threads)
        if (positions.digest, len(positions)) != (self.frontier_digest, self.frontier_length):
            raise LoaError(
                f"the frontier has {len(positions)} positions with digest {positions.digest}: "
                f"expected {self.frontier_length} with {self.frontier_digest}"
            )
        finished = [i for i, leaves in enumerate(self.chunk_sums) if leaves is not None]
        chosen = sorted(random.Random(seed).sample(finished, min(chunks, len(finished))))
        work = _Work(positions, self.depth, self.chunk, hash_mb)
        workers = _Workers(executor)
        with contextlib.closing(_count(work, chosen, workers, max(1, chunks), retries)) as counted:
            for index, leaves in counted:
                if leaves != self.chunk_sums[index]:
                    raise LoaError(
                        f"chunk {index} has {leaves} leaves: expected {self.chunk_sums[index]}"
                    )
        return chosen


def perft(
    board: Board | Frontier,
    depth: int,
    executor: Executors,
    *,
    plies: int | None = None,
    chunk: int | None = None,
    threads: int = 1,
    hash_mb: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    in_flight: int = 64,
    retries: int = 3,
) -> DistributedPerft:
    """Count the sequences of exactly `depth` legal plies with the workers of an executor.

    What is counted is defined by `loa.perft`. `executor` is an executor, which stays open, or
    something that makes one when called without arguments: a `ProcessPoolExecutor` is broken once
    one of its processes has died, and only then can be replaced. Clusters replace their workers
    themselves.

    - `board`: the position, or its frontier where that has been made already (then `plies` is
      left out).
    - `plies`: those from the board to the frontier; None: 5, or fewer to leave 3 below it.
    - `chunk`: positions in a chunk; None: such that one takes a worker about a second or less.
    - `threads`: how many make the frontier, in this process.
    - `hash_mb`: megabytes of a hash table in each worker process, 0 for none.
    - `checkpoint`: a file that remembers the finished chunks. It is written every few seconds and
      at the end, whatever ends the count; if it is there already, the count goes on from it.
    - `progress(fraction, leaves)`: called after each chunk, and at first where a checkpoint has
      some. An exception from it, or Ctrl-C, stops the count.
    - `in_flight`: chunks that are handed out at a time; about twice as many as there are workers.
    - `retries`: how often a chunk may be lost, or fail, before `LoaError` is raised.

    Raises `LoaError` for bad arguments, for a checkpoint of another count (which is left as it
    is), and for whatever `DistributedPerft.load` refuses.

    >>> import loa
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     perft(loa.Board(), 5, executor).leaves
    55963132
    """
    workers = _Workers(executor)
    made = board if isinstance(board, Frontier) else None
    if made is not None:
        if plies is not None:
            raise LoaError(f"plies is {plies} with a frontier: expected None")
        board, plies = made.board, made.plies
    if not isinstance(board, Board):
        raise TypeError(f"board is {board!r}: expected a loa.Board or a loa.Frontier")
    # Only the range is looked at here: the workers make the tables.
    depth, threads, _ = _frontier.check_arguments(depth, threads, 0)
    hash_mb = _whole(hash_mb, "hash_mb", 0)
    in_flight = _whole(in_flight, "in_flight", 1)
    retries = _whole(retries, "retries", 0)
    if plies is None:
        plies = max(0, min(_FRONTIER_PLIES, depth - _PLIES_BELOW))
    plies = _whole(plies, "plies", 0)
    if plies > depth:
        raise LoaError(f"plies is {plies}: expected at most {depth}, the depth")
    if chunk is None:
        seconds = _POSITION_SECONDS * _BRANCHING ** max(0, depth - plies - _PLIES_BELOW)
        chunk = max(1, min(_MAX_CHUNK, int(_CHUNK_SECONDS / seconds)))
    chunk = _whole(chunk, "chunk", 1)

    board = board.copy(history=False)
    count = DistributedPerft(board.fen(), board.rules, depth, plies, "", 0, chunk, ())
    path = None if checkpoint is None else Path(checkpoint)
    found = DistributedPerft.load(path) if path is not None and path.exists() else None
    if found is not None:
        # Before the frontier is made, which may take long.
        _require_same(path, found, count, _ARGUMENTS)
    positions = frontier(board, plies, threads=threads) if made is None else made
    count = dataclasses.replace(
        count,
        frontier_digest=positions.digest,
        frontier_length=len(positions),
        chunk_sums=(None,) * -(-len(positions) // chunk),
    )
    if found is not None:
        _require_same(path, found, count, _FRONTIER)
        count = found
    elif path is not None:
        # Whether this can be written should not turn out after hours.
        count.save(path)

    saved = _Checkpoint(path, count)
    if progress is not None and found is not None:
        progress(saved.fraction, saved.leaves)
    todo = (index for index, leaves in enumerate(count.chunk_sums) if leaves is None)
    work = _Work(positions, depth, chunk, hash_mb)
    with contextlib.closing(_count(work, todo, workers, in_flight, retries)) as counted:
        try:
            for index, leaves in counted:
                saved.add(index, leaves)
                if progress is not None:
                    progress(saved.fraction, saved.leaves)
        finally:
            saved.write()
    return saved.count


def _whole(value: Any, name: str, least: int) -> int:
    number = operator.index(value)
    if number < least:
        raise LoaError(f"{name} is {number}: expected {least} or more")
    return number


# The workers' side ------------------------------------------------------------------------------


_counting: set[tuple[str, _frontier.ChunkCounter]] = set()
"""What this process's threads are counting now, each with the run it is for."""


def _count_chunk(
    rows: bytes, size: int, turn: int, depth: int, stuck: int, hash_mb: int, run: str, version: str
) -> int:
    """A worker's task: the leaves below some entries, times their sequences.

    The entries are little-endian 64-bit numbers, whatever the machines on both ends; `stuck` is
    what a side without a move does, as the kernels number it; `run` is different for each call of
    `perft`.
    """
    if version != __version__:
        raise LoaError(f"the worker has loa {__version__}: expected {version}, as where perft runs")
    entries = np.frombuffer(rows, "<u8").reshape(-1, 3).astype(np.uint64, copy=False)
    table = _table(hash_mb, size, stuck)
    active = run, _frontier.ChunkCounter(size, turn, depth, stuck, table)
    _counting.add(active)
    try:
        return active[1].count(entries)
    finally:
        _counting.discard(active)


def _stop_threads(run: str) -> None:
    """Stop what a run has in threads of this process, which nothing else can stop."""
    for name, counter in list(_counting):
        if name == run:
            counter.stop()


@functools.lru_cache(maxsize=1)
def _table(hash_mb: int, size: int, stuck: int) -> HashTable | None:
    """The process's hash table, which remembers counts from chunk to chunk under one rule."""
    return _frontier.check_arguments(0, 1, hash_mb)[2]


# The side that hands out chunks -----------------------------------------------------------------


class _Work:
    """What there is to do: the task's arguments for each chunk."""

    def __init__(self, positions: Frontier, depth: int, chunk: int, hash_mb: int) -> None:
        self.entries = positions.entries
        self.chunk = chunk
        self.run = uuid.uuid4().hex
        self.common = (
            positions.board.size,
            int(positions.turn),
            depth - positions.plies,
            _frontier.stuck_of(positions.board),
            hash_mb,
            self.run,
            __version__,
        )

    def arguments(self, index: int) -> tuple[Any, ...]:
        """Plain values, which anything can pickle."""
        rows = self.entries[index * self.chunk : (index + 1) * self.chunk]
        return (np.ascontiguousarray(rows, "<u8").tobytes(), *self.common)


class _Workers:
    """The executor; or those, one after the other, that something makes."""

    def __init__(self, executor: Executors) -> None:
        self.make: Callable[[], Executor] | None = None
        self.executor: Executor | None = None
        if isinstance(executor, Executor):
            self.executor = executor
        elif callable(executor):
            self.make = executor
        else:
            raise TypeError(f"executor is {executor!r}: expected an Executor, or what makes one")

    def submit(self, arguments: tuple[Any, ...]) -> Future[int]:
        if self.executor is None:
            assert self.make is not None
            self.executor = self.make()
        return self.executor.submit(_count_chunk, *arguments)

    def replace(self, error: BrokenExecutor) -> None:
        if self.make is None:
            raise LoaError(
                f"the executor is broken ({error}): expected something that makes executors, "
                "for workers that may die"
            ) from error
        self.close(wait=False)

    def close(self, wait: bool) -> None:
        """Shut down what was made here."""
        if self.make is not None and self.executor is not None:
            self.executor.shutdown(wait=wait)
            self.executor = None


def _count(
    work: _Work, indices: Iterable[int], workers: _Workers, in_flight: int, retries: int
) -> Generator[tuple[int, int]]:
    """Chunks with their leaves, as they are finished; cancels what is left when it is closed."""
    waiting = iter(indices)
    lost: collections.deque[int] = collections.deque()
    losses: collections.Counter[int] = collections.Counter()
    flying: dict[Future[int], int] = {}

    def lose(index: int, error: BaseException) -> None:
        losses[index] += 1
        if losses[index] > retries:
            raise LoaError(
                f"chunk {index} was not counted in {losses[index]} attempts, the last of which "
                f"ended with {error!r}: expected at most {retries} losses"
            ) from error
        lost.append(index)

    try:
        while True:
            broken: BrokenExecutor | None = None
            while len(flying) < in_flight:
                index = lost.popleft() if lost else next(waiting, None)
                if index is None:
                    break
                try:
                    flying[workers.submit(work.arguments(index))] = index
                except BrokenExecutor as error:
                    broken = error
                    lose(index, error)
                    break
            if broken is None:
                if not flying:
                    break
                done = wait_for(flying, return_when=FIRST_COMPLETED).done
                for future in sorted(done, key=flying.__getitem__):
                    index = flying.pop(future)
                    failure = _failure_of(future)
                    if failure is None:
                        yield index, future.result()
                    elif isinstance(failure, LoaError) or not isinstance(failure, Exception):
                        # Will not be otherwise the next time, or is not about the chunk.
                        raise failure
                    else:
                        if isinstance(failure, BrokenExecutor):
                            broken = failure
                        lose(index, failure)
            if broken is not None:
                workers.replace(broken)
                # Whatever else the broken one was given is gone, or will never be asked for.
                for index in flying.values():
                    lose(index, broken)
                flying.clear()
        workers.close(wait=True)
    finally:
        for future in flying:
            future.cancel()
        _stop_threads(work.run)
        workers.close(wait=False)


def _failure_of(future: Future[int]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        # Not by us: a cluster that lost its scheduler, for example.
        return error


# Checkpoints ------------------------------------------------------------------------------------


class _Checkpoint:
    """The sums so far, and the file that has nearly all of them."""

    def __init__(self, path: Path | None, count: DistributedPerft) -> None:
        self.path = path
        self.initial = count
        self.sums = list(count.chunk_sums)
        self.leaves = count.leaves_so_far
        self.positions_left = sum(
            count._length_of(index) for index, leaves in enumerate(self.sums) if leaves is None
        )
        self.changed = False
        self.next_writing = time.monotonic() + _CHECKPOINT_INTERVAL

    @property
    def fraction(self) -> float:
        length = self.initial.frontier_length
        return (length - self.positions_left) / length if length else 1.0

    @property
    def count(self) -> DistributedPerft:
        return dataclasses.replace(self.initial, chunk_sums=tuple(self.sums))

    def add(self, index: int, leaves: int) -> None:
        self.sums[index] = leaves
        self.leaves += leaves
        self.positions_left -= self.initial._length_of(index)
        self.changed = True
        if time.monotonic() >= self.next_writing:
            self.write()

    def write(self) -> None:
        if self.path is None or not self.changed:
            return
        start = time.monotonic()
        self.count.save(self.path)
        self.changed = False
        now = time.monotonic()
        self.next_writing = now + max(_CHECKPOINT_INTERVAL, (now - start) / _CHECKPOINT_SHARE)


_ARGUMENTS = ("version", "fen", "rules", "depth", "plies", "chunk")
_FRONTIER = ("frontier_length", "frontier_digest")


def _require_same(
    path: Path | None, found: DistributedPerft, expected: DistributedPerft, names: Sequence[str]
) -> None:
    for name in names:
        there, wanted = getattr(found, name), getattr(expected, name)
        if there != wanted:
            raise LoaError(f"{path}: {name} is {there!r}: expected {wanted!r}, as for this count")


def _checksum(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class _Reader:
    """A file's content, checked value by value."""

    def __init__(self, path: Path, content: object) -> None:
        self.path = path
        if not isinstance(content, dict):
            raise self._error("the content", content, "an object")
        self.content: dict[str, Any] = content

    def _error(self, name: str, value: object, expected: str) -> LoaError:
        text = repr(value)
        if len(text) > 100:
            text = text[:100] + "…"
        return LoaError(f"{self.path}: {name} is {text}: expected {expected}")

    def _get(self, name: str) -> Any:
        if name not in self.content:
            raise LoaError(f"{self.path}: {name} is missing: expected a whole checkpoint")
        return self.content[name]

    def _constant(self, name: str, expected: object) -> None:
        value = self._get(name)
        if type(value) is not type(expected) or value != expected:
            raise self._error(name, value, repr(expected))

    def _text(self, name: str) -> str:
        value = self._get(name)
        if not isinstance(value, str):
            raise self._error(name, value, "a text")
        return value

    def _number(self, name: str, least: int) -> int:
        value = self._get(name)
        if type(value) is not int or value < least:
            raise self._error(name, value, f"a whole number, {least} or more")
        return value

    def _rules(self) -> Rules:
        value = self._get("rules")
        names = [field.name for field in dataclasses.fields(Rules)]
        if not isinstance(value, dict) or sorted(value) != sorted(names):
            raise self._error("rules", value, f"an object with {', '.join(names)}")
        try:
            enums = {
                "simultaneous_connection": SimultaneousConnection(value["simultaneous_connection"]),
                "no_legal_move": NoLegalMove(value["no_legal_move"]),
            }
            return Rules(**(value | enums))
        except (TypeError, ValueError) as error:
            raise LoaError(f"{self.path}: rules: {error}") from None

    def _sums(self, wanted: int) -> tuple[int | None, ...]:
        value = self._get("chunk_sums")
        if not isinstance(value, list) or len(value) != wanted:
            raise self._error("chunk_sums", value, f"a list of {wanted}")
        sums: list[int | None] = []
        for index, text in enumerate(value):
            if text is None:
                sums.append(None)
            elif isinstance(text, str) and re.fullmatch(r"[0-9]{1,100}", text):
                sums.append(int(text))
            else:
                raise self._error(f"chunk_sums[{index}]", text, "null or decimal digits in quotes")
        return tuple(sums)

    def read(self) -> DistributedPerft:
        self._constant("format", _FORMAT)
        self._constant("format_version", _FORMAT_VERSION)
        length = self._number("frontier_length", 0)
        chunk = self._number("chunk", 1)
        count = DistributedPerft(
            fen=self._text("fen"),
            rules=self._rules(),
            depth=self._number("depth", 0),
            plies=self._number("plies", 0),
            frontier_digest=self._text("frontier_digest"),
            frontier_length=length,
            chunk=chunk,
            chunk_sums=self._sums(-(-length // chunk)),
            version=self._text("version"),
        )
        # Over what was understood, so that nothing else can be in the file.
        content = count._as_json()
        if self.content.keys() - content.keys() != {"checksum"} or self.content[
            "checksum"
        ] != _checksum(content):
            raise LoaError(
                f"{self.path}: checksum is {self.content.get('checksum')!r}: expected "
                f"{_checksum(content)}, so the file was changed after it had been written"
            )
        return count
