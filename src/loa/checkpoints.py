"""The sums of a perft's chunks, and the file that keeps them: what `loa.distributed` has counted.

A checkpoint is a JSON file. It says what is counted (position, rules, depth, frontier), and each
finished chunk's sum as a decimal text, so that anyone can go on from it or count any chunk again.
A SHA-256 over everything else in it guards against damage.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loa import __version__
from loa._whole_files import is_stream, whole_file
from loa.rules import (
    InvalidRecordError,
    LoaError,
    NoLegalMove,
    Rules,
    SimultaneousConnection,
    shown,
)

__all__ = ["DistributedPerft"]

_FORMAT = "loa distributed perft"
_FORMAT_VERSION = 1

_CHECKPOINT_INTERVAL = 5.0
"""Seconds from one writing of the checkpoint to the next."""
_CHECKPOINT_SHARE = 0.05
"""Writing takes no more than about this share of the time, however many chunks there are."""


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
    ...     count = loa.distributed.perft(loa.Board(size=4), 5, executor, chunk=10)
    >>> count.plies, count.frontier_length, count.chunk_sums, count.leaves
    (2, 30, (16356, 20760, 17584), 54700)
    >>> count.is_complete, count.fraction, count.leaves_so_far, count.length_of(2)
    (True, 1.0, 54700, 10)
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
            self.length_of(index)
            for index, leaves in enumerate(self.chunk_sums)
            if leaves is not None
        )
        return done / self.frontier_length if self.frontier_length else 1.0

    def length_of(self, index: int) -> int:
        """The number of positions in a chunk; the last one may have fewer than the others."""
        return min(self.chunk, self.frontier_length - index * self.chunk)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this to a JSON file, which another process sees whole or not at all.

        Each finished chunk's sum is a decimal text; a SHA-256 over everything else in the file
        (as `json.dumps` writes it with sorted keys, no spaces) guards against damage.

        >>> import loa, tempfile
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(1) as executor, tempfile.TemporaryDirectory() as folder:
        ...     count = loa.distributed.perft(loa.Board(size=4), 3, executor)
        ...     count.save(Path(folder, "perft.json"))
        ...     DistributedPerft.load(Path(folder, "perft.json")) == count
        True
        """
        content = self._as_json()
        content["checksum"] = _checksum(content)
        with whole_file(path) as file:
            file.write(json.dumps(content) + "\n")
            file.flush()
            os.fsync(file.fileno())

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
        if is_stream(path) and not path.is_dir():
            # Reading it could wait for ever.
            raise LoaError(f"{path}: expected a checkpoint in a plain file")
        try:
            content = json.loads(path.read_bytes().decode("utf-8"))
        except json.JSONDecodeError as error:
            message = f"not JSON: {error.msg}: expected a whole checkpoint"
            raise InvalidRecordError(message, error.lineno, error.colno) from None
        except (ValueError, RecursionError) as error:
            # Text that is no UTF-8, numbers of thousands of digits, lists in lists in lists.
            raise LoaError(f"{path}: not a checkpoint: {error}") from None
        return _Reader(path, content).read()


class Checkpoint:
    """The sums so far, and the file that has nearly all of them."""

    def __init__(self, path: Path | None, count: DistributedPerft) -> None:
        self.path = path
        self.initial = count
        self.sums = list(count.chunk_sums)
        self.leaves = count.leaves_so_far
        self.positions_left = sum(
            count.length_of(index) for index, leaves in enumerate(self.sums) if leaves is None
        )
        self.changed = False
        self.next_writing = time.monotonic() + _CHECKPOINT_INTERVAL

    @property
    def fraction(self) -> float:
        """The share of positions that have been counted, 0.0 to 1.0."""
        length = self.initial.frontier_length
        return (length - self.positions_left) / length if length else 1.0

    @property
    def count(self) -> DistributedPerft:
        """All that has been counted so far."""
        return dataclasses.replace(self.initial, chunk_sums=tuple(self.sums))

    def add(self, index: int, leaves: int) -> None:
        """Keep the leaves of a chunk, and write the file if it is time to."""
        self.sums[index] = leaves
        self.leaves += leaves
        self.positions_left -= self.initial.length_of(index)
        self.changed = True
        if time.monotonic() >= self.next_writing:
            self.write()

    def write(self) -> None:
        """Write the file, if there is one and anything is new."""
        if self.path is None or not self.changed:
            return
        start = time.monotonic()
        self.count.save(self.path)
        self.changed = False
        now = time.monotonic()
        self.next_writing = now + max(_CHECKPOINT_INTERVAL, (now - start) / _CHECKPOINT_SHARE)


ARGUMENTS = ("version", "fen", "rules", "depth", "plies", "chunk")
"""What a checkpoint has in common with a count that goes on from it, known without a frontier."""

FRONTIER = ("frontier_length", "frontier_digest")
"""What else, once there is a frontier."""


def require_same(
    path: Path | None, found: DistributedPerft, expected: DistributedPerft, names: Sequence[str]
) -> None:
    """Refuse a checkpoint in which one of these attributes is not that of the count."""
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
        return LoaError(f"{self.path}: {name} is {shown(value)}: expected {expected}")

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
        """The count that the whole of the content describes."""
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
