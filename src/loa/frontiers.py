"""Frontiers: the distinct positions after some plies, and perft as a sum over them.

A perft visits the same positions again and again. A frontier has each once, up to the symmetries of
the board (which keep the side to move), with the number of sequences of plies that lead to it or
to one of its images. Perft to a greater depth is then the sum over the frontier of that number
times the perft below the position: from the start, 4,684,559 positions after five plies stand for
55,963,132 sequences.

    >>> import loa
    >>> frontier = loa.frontier(loa.Board(), 3)
    >>> len(frontier), frontier.sequences
    (8244, 44952)
    >>> frontier.perft(6)
    1938494632
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loa import _frontier
from loa._board import Board
from loa.rules import Color, LoaError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frontier", "frontier"]

_ROWS_AT_ONCE = 1 << 16
"""Positions that are expanded by one call: a few million moves, a tenth of a gigabyte."""

_COUNT_AT_ONCE = 1 << 12
"""Positions that are counted below by one call."""

Progress = Callable[[float, int], object]


@dataclasses.dataclass(frozen=True, eq=False)
class Frontier:
    """The distinct positions `plies` after `board`, each with its number of sequences.

    `entries` has shape (n, 3) and dtype uint64: the black bitboard, the white bitboard and the
    number of sequences, a row for each position, which is the least of its symmetric images as
    in `Board.canonical`. Positions that end the game are among them. The order of the rows depends
    on nothing but the board and the plies. Do not change the array.

    >>> import loa
    >>> frontier = loa.frontier(loa.Board(), 1)
    >>> frontier.entries.shape, frontier.entries.dtype, frontier.turn
    ((9, 3), dtype('uint64'), <Color.WHITE: 1>)
    >>> frontier.sequences, frontier.perft(3) == loa.perft(loa.Board(), 3), frontier.digest[:8]
    (36, True, 'c576adc1')
    """

    board: Board
    plies: int
    entries: NDArray[np.uint64]

    @property
    def turn(self) -> Color:
        """The side to move in all positions."""
        return Color((self.board.turn + self.plies) % 2)

    @property
    def sequences(self) -> int:
        """The number of sequences of plies to all positions together: `perft(board, plies)`."""
        return _exact_sum(self.entries[:, 2])

    @property
    def digest(self) -> str:
        """The SHA-256 of the entries, as hexadecimal digits: what a sum over them was made of."""
        digest = hashlib.sha256()
        for start in range(0, len(self), _ROWS_AT_ONCE):
            rows = self.entries[start : start + _ROWS_AT_ONCE]
            digest.update(np.ascontiguousarray(rows, dtype="<u8").tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.entries)

    def boards(self) -> Iterator[tuple[Board, int]]:
        """Each position as a board without history, with its number of sequences.

        >>> import loa
        >>> board, sequences = next(loa.frontier(loa.Board(), 1).boards())
        >>> board.ply, sequences
        (1, 4)
        """
        for black, white, sequences in self.entries:
            yield (
                Board.from_bitboards(
                    int(black),
                    int(white),
                    size=self.board.size,
                    turn=self.turn,
                    ply=self.board.ply + self.plies,
                    rules=self.board.rules,
                ),
                int(sequences),
            )

    def perft(
        self,
        depth: int,
        *,
        threads: int = 1,
        hash_mb: int = 0,
        progress: Progress | None = None,
    ) -> int:
        """`perft(board, depth)`, which has to be at least as deep as the frontier, from here.

        The other arguments are as for `loa.perft`.
        """
        depth, threads, table = _frontier.check_arguments(depth, threads, hash_mb)
        if depth < self.plies:
            raise LoaError(
                f"depth is {shown(depth)}: expected {self.plies} or more, the frontier's plies"
            )
        below = depth - self.plies
        # Deep positions take long, so that fewer of them make a chunk.
        size = max(1, _COUNT_AT_ONCE >> 5 * max(0, below - 3))
        counters = [
            _frontier.ChunkCounter(
                self.board.size, self.turn, below, _frontier.stuck_of(self.board), table
            )
            for _ in range(threads)
        ]
        idle = list(counters)

        def count(start: int) -> tuple[int, int]:
            counter = idle.pop()
            rows = np.ascontiguousarray(self.entries[start : start + size])
            try:
                return len(rows), counter.count(rows)
            finally:
                idle.append(counter)

        total = done = 0
        starts = range(0, len(self), size)
        for rows, leaves in _in_threads(count, starts, threads, counters):
            total += leaves
            done += rows
            if progress is not None:
                progress(done / len(self), total)
        return total


def frontier(
    board: Board,
    plies: int,
    *,
    threads: int = 1,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """The distinct positions after exactly so many legal plies, up to symmetry.

    What counts as a sequence of plies is defined by `loa.perft`. `folder` names a folder for what
    does not fit into memory: with it the entries are a file there, `frontier-PLIES.u64`, that is
    mapped into memory, and only parts of a frontier are in memory at a time (six plies from the
    start are 2.4 GB).
    `progress(fraction, positions)` is called as the last ply is made. Raises `LoaError` for bad
    arguments, and where more than 2**64 - 1 sequences lead to one position.

    >>> import loa
    >>> loa.frontier(loa.Board(size=5), 4).sequences == loa.perft(loa.Board(size=5), 4)
    True
    """
    if not isinstance(board, Board):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board")
    plies, threads, _ = _frontier.check_arguments(plies, threads, 0, "plies")
    # Later changes to the caller's board do not matter.
    board = board.copy(history=False)
    entries = _frontier.first_entry(board)
    path = None if folder is None else Path(folder)
    for ply in range(plies):
        expand = _Expansion(board, ply, threads, progress if ply == plies - 1 else None)
        if path is None:
            entries = expand.in_memory(entries)
        else:
            entries = expand.in_folder(entries, path)
            # Windows does not part with a file while somebody else has mapped it.
            with contextlib.suppress(FileNotFoundError, PermissionError):
                _file_of(path, ply).unlink()
    return Frontier(board, plies, entries)


class _Expansion:
    """One ply: from the entries before it to those after it."""

    def __init__(self, board: Board, ply: int, threads: int, progress: Progress | None) -> None:
        self.size = board.size
        self.turn = (board.turn + ply) % 2
        self.stuck = _frontier.stuck_of(board)
        self.ply = ply
        self.threads = threads
        self.progress = progress

    def chunks(self, entries: NDArray[np.uint64]) -> Iterator[list[NDArray[np.uint64]]]:
        """The children of chunk after chunk, as one array for each partition."""

        def expand(start: int) -> list[NDArray[np.uint64]]:
            rows = np.ascontiguousarray(entries[start : start + _ROWS_AT_ONCE])
            children, starts = _frontier.expand(rows, self.size, self.turn, self.stuck)
            return np.split(children, starts[1:-1])

        starts = range(0, len(entries), _ROWS_AT_ONCE)
        for done, parts in enumerate(_in_threads(expand, starts, self.threads), start=1):
            yield parts
            if self.progress is not None:
                # Merging the partitions is the smaller part of the work.
                self.progress(0.8 * done / len(starts), min(done * _ROWS_AT_ONCE, len(entries)))

    def in_memory(self, entries: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The entries one ply on, as an array."""
        partitions: list[list[NDArray[np.uint64]]] = [[] for _ in range(_frontier._PARTITIONS)]
        for parts in self.chunks(entries):
            for partition, rows in zip(partitions, parts, strict=True):
                if len(rows):
                    # A copy, so that the chunk's array goes with the last of its partitions.
                    partition.append(rows.copy())

        def merge(index: int) -> NDArray[np.uint64]:
            rows = np.concatenate([np.empty((0, 3), np.uint64), *partitions[index]])
            partitions[index].clear()
            return rows[: _frontier.merge(rows)].copy()

        return np.concatenate(list(_in_threads(merge, range(len(partitions)), self.threads)))

    def in_folder(self, entries: NDArray[np.uint64], folder: Path) -> NDArray[np.uint64]:
        """The entries one ply on, as a file in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = _file_of(folder, self.ply + 1)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            names = [Path(scratch, f"{index:03}") for index in range(_frontier._PARTITIONS)]
            for name in names:
                name.touch()
            for parts in self.chunks(entries):
                # One file at a time: not every system lets a process have hundreds open.
                for name, rows in zip(names, parts, strict=True):
                    with name.open("ab") as file:
                        file.write(rows.tobytes())

            def merge(index: int) -> NDArray[np.uint64]:
                rows = np.fromfile(names[index], np.uint64).reshape(-1, 3)
                return rows[: _frontier.merge(rows)]

            unfinished = Path(scratch, "whole")
            with unfinished.open("wb") as whole:
                for rows in _in_threads(merge, range(len(names)), self.threads):
                    whole.write(rows.tobytes())
            unfinished.replace(path)
        if not path.stat().st_size:
            return np.empty((0, 3), np.uint64)
        return np.memmap(path, np.uint64, "r").reshape(-1, 3)


def _file_of(folder: Path, plies: int) -> Path:
    """The file of a frontier: its entries as little-endian numbers, without a header."""
    return folder / f"frontier-{plies}.u64"


def _exact_sum(numbers: NDArray[np.uint64]) -> int:
    """A sum that does not wrap round."""
    low = int(np.sum(numbers & np.uint64(0xFFFFFFFF), dtype=np.uint64))
    return low + (int(np.sum(numbers >> np.uint64(32), dtype=np.uint64)) << 32)


def _in_threads(
    function: Callable[[int], Any],
    arguments: Iterable[int],
    threads: int,
    counters: Iterable[_frontier.ChunkCounter] = (),
) -> Iterator[Any]:
    """`map` in threads, in order, with a few calls waiting; stops the counters on an error."""
    with concurrent.futures.ThreadPoolExecutor(threads, "loa.frontier") as pool:
        waiting: list[concurrent.futures.Future[Any]] = []
        try:
            for argument in arguments:
                waiting.append(pool.submit(function, argument))
                if len(waiting) > 2 * threads:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            # Where all went well nothing is left to be stopped.
            for counter in counters:
                counter.stop()
            for future in waiting:
                future.cancel()
