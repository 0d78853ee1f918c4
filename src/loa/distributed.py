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
import functools
import os
import random
import uuid
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
)
from concurrent.futures import wait as wait_for
from pathlib import Path
from typing import Any

import numpy as np

from loa import __version__, _frontier
from loa._board import Board
from loa._hash_table import HashTable
from loa.checkpoints import ARGUMENTS, FRONTIER, Checkpoint, DistributedPerft, require_same
from loa.frontiers import Frontier, Progress, frontier
from loa.rules import LoaError, check_range, shown

__all__ = ["DistributedPerft", "audit", "perft"]

Executors = Executor | Callable[[], Executor]

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
      A checkpoint that is there already knows its own plies and chunk.
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
            raise LoaError(f"plies is {shown(plies)} with a frontier: expected None")
        board, plies = made.board, made.plies
    if not isinstance(board, Board):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board or a loa.Frontier")
    # Only the range is looked at here: the workers make the tables.
    depth, threads, _ = _frontier.check_arguments(depth, threads, 0)
    hash_mb = check_range("hash_mb", hash_mb, 0)
    in_flight = check_range("in_flight", in_flight, 1)
    retries = check_range("retries", retries, 0)
    path = None if checkpoint is None else Path(checkpoint)
    found = DistributedPerft.load(path) if path is not None and path.exists() else None
    if plies is None:
        default = max(0, min(_FRONTIER_PLIES, depth - _PLIES_BELOW))
        plies = default if found is None else found.plies
    plies = check_range("plies", plies, 0)
    if plies > depth:
        raise LoaError(f"plies is {shown(plies)}: expected at most {depth}, the depth")
    if chunk is None and found is not None:
        chunk = found.chunk
    elif chunk is None:
        seconds = _POSITION_SECONDS * _BRANCHING ** max(0, depth - plies - _PLIES_BELOW)
        chunk = max(1, min(_MAX_CHUNK, int(_CHUNK_SECONDS / seconds)))
    chunk = check_range("chunk", chunk, 1)

    board = board.copy(history=False)
    count = DistributedPerft(board.fen(), board.rules, depth, plies, "", 0, chunk, ())
    if found is not None:
        # Before the frontier is made, which may take long.
        require_same(path, found, count, ARGUMENTS)
    positions = frontier(board, plies, threads=threads) if made is None else made
    count = dataclasses.replace(
        count,
        frontier_digest=positions.digest,
        frontier_length=len(positions),
        chunk_sums=(None,) * -(-len(positions) // chunk),
    )
    if found is not None:
        require_same(path, found, count, FRONTIER)
        count = found
    elif path is not None:
        # Whether this can be written should not turn out after hours.
        count.save(path)

    saved = Checkpoint(path, count)
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


def audit(
    count: DistributedPerft,
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
    what it was, and for bad arguments. They are those of `perft`; `seed` chooses the same chunks
    again.

    >>> import loa
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as executor:
    ...     count = perft(loa.Board(size=4), 5, executor, chunk=10)
    ...     audit(count, executor, chunks=2, seed=0)
    [1, 2]
    """
    if not isinstance(count, DistributedPerft):
        raise TypeError(f"count is {shown(count)}: expected a DistributedPerft")
    chunks = check_range("chunks", chunks, 0)
    hash_mb = check_range("hash_mb", hash_mb, 0)
    retries = check_range("retries", retries, 0)
    workers = _Workers(executor)
    positions = frontier(Board(count.fen, rules=count.rules), count.plies, threads=threads)
    if (positions.digest, len(positions)) != (count.frontier_digest, count.frontier_length):
        raise LoaError(
            f"the frontier has {len(positions)} positions with digest {positions.digest}: "
            f"expected {count.frontier_length} with {count.frontier_digest}"
        )
    finished = [i for i, leaves in enumerate(count.chunk_sums) if leaves is not None]
    chosen = sorted(random.Random(seed).sample(finished, min(chunks, len(finished))))
    work = _Work(positions, count.depth, count.chunk, hash_mb)
    with contextlib.closing(_count(work, chosen, workers, max(1, chunks), retries)) as counted:
        for index, leaves in counted:
            if leaves != count.chunk_sums[index]:
                raise LoaError(
                    f"chunk {index} has {leaves} leaves: expected {count.chunk_sums[index]}"
                )
    return chosen


# The workers' side ------------------------------------------------------------------------------


_counting: set[tuple[str, _frontier.ChunkCounter]] = set()
"""What this process's threads are counting now, each with the run it is for."""

_stopped: set[str] = set()
"""The runs that have ended; a thread that takes up a chunk of theirs only now is late."""


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
    if run in _stopped:
        active[1].stop()
    try:
        return active[1].count(entries)
    finally:
        _counting.discard(active)


def _stop_threads(run: str) -> None:
    """Stop what a run has in threads of this process, which nothing else can stop."""
    _stopped.add(run)
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
            raise TypeError(
                f"executor is {shown(executor)}: expected an Executor, or what makes one"
            )

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

    def abandon(self, futures: Iterable[Future[int]]) -> None:
        """Have nothing more counted than what is being counted now."""
        if self.make is not None and isinstance(self.executor, ProcessPoolExecutor):
            # The pool's own thread has to cancel: over cancelled futures it fails, in CPython 3.11,
            # once a process has died, and then the program never ends (its issue 107219).
            self.executor.shutdown(wait=False, cancel_futures=True)
            self.executor = None
            return
        for future in futures:
            future.cancel()
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
        if flying:
            _stop_threads(work.run)
        workers.abandon(flying)


def _failure_of(future: Future[int]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        # Not by us: a cluster that lost its scheduler, for example.
        return error
