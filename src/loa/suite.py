"""Perft suites: files of positions with known leaf counts, to check a move generator with.

A file is UTF-8 text with one entry a line; blank lines and lines that start with `#` are left
out. An entry has four fields, separated by `|`:

    start-3x3 | 1b1/w1w/1b1 b 1 | pass | 4 16 40 108

They are a name, a position as FEN, what happens to a side without a legal move (`pass`, `loss`
or `draw`; the rest of the rules is `Rules.MSO`), and the leaves at depth 1, 2, 3 and so on.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable

from loa._board import Board
from loa._perft import perft
from loa.records.starts import expected_position
from loa.records.text import BLANKS, Source, open_text, quote, require_utf8
from loa.rules import InvalidFenError, InvalidRecordError, NoLegalMove, Rules

__all__ = ["SuiteEntry", "SuiteResult", "read_suite"]

_FIELDS = ("name", "FEN", "rule", "leaves")
_RULES = {rule.value: Rules.MSO.replace(no_legal_move=rule) for rule in NoLegalMove}
_COUNT = re.compile(r"0|[1-9][0-9]{0,19}")
_MAX_LEAVES = 2**64 - 1
_MAX_DEPTH = 100


@dataclasses.dataclass(frozen=True, slots=True)
class SuiteResult:
    """One count of an entry: the leaves at `depth` that the suite tells, and those counted.

    >>> SuiteResult(depth=2, expected=16, counted=16).passed
    True
    """

    depth: int
    expected: int
    counted: int

    @property
    def passed(self) -> bool:
        """Whether the two counts agree.

        >>> SuiteResult(depth=2, expected=16, counted=17).passed
        False
        """
        return self.counted == self.expected


@dataclasses.dataclass(frozen=True, slots=True)
class SuiteEntry:
    """A position and its leaf counts: `leaves[0]` at depth 1, and so on.

    `line` is where the entry stands in its file, from 1.

    >>> import loa
    >>> entry = SuiteEntry("start-3x3", "1b1/w1w/1b1 b 1", loa.Rules.MSO, (4, 16, 40, 108), 1)
    >>> entry.check(max_leaves=40)[-1]
    SuiteResult(depth=3, expected=40, counted=40)
    >>> entry.counts(max_depth=2)
    [(1, 4), (2, 16)]
    """

    name: str
    fen: str
    rules: Rules
    leaves: tuple[int, ...]
    line: int

    def counts(
        self, max_leaves: int | None = None, *, max_depth: int | None = None
    ) -> list[tuple[int, int]]:
        """The pairs of depth and leaves within the limits; None is no limit."""
        return [
            (depth, leaves)
            for depth, leaves in enumerate(self.leaves, start=1)
            if (max_leaves is None or leaves <= max_leaves)
            and (max_depth is None or depth <= max_depth)
        ]

    def check(
        self,
        max_leaves: int | None = None,
        *,
        max_depth: int | None = None,
        progress: Callable[[float, int], None] | None = None,
    ) -> list[SuiteResult]:
        """Count the leaves at every depth within the limits, and compare.

        Depths at which more than `max_leaves` are expected, or beyond `max_depth`, are left
        out. `progress` is called as `loa.perft` calls it, with the fraction of the whole entry
        that is done and the leaves counted in it so far. A wrong count is a result that has
        not `passed`, not an error.
        """
        counts = self.counts(max_leaves, max_depth=max_depth)
        # Every count weighs something, so that an entry whose counts are all 0 gets to its end.
        whole = sum(expected + 1 for _, expected in counts)
        board = Board(self.fen, rules=self.rules)
        results: list[SuiteResult] = []

        def report(fraction: float, leaves: int) -> None:
            if progress is not None:
                done = sum(result.expected + 1 for result in results)
                part = (counts[len(results)][1] + 1) * fraction
                before = sum(result.counted for result in results)
                progress((done + part) / whole, before + leaves)

        for depth, expected in counts:
            counted = perft(board, depth, progress=None if progress is None else report)
            results.append(SuiteResult(depth, expected, counted))
        return results


def read_suite(path: str | os.PathLike[str]) -> list[SuiteEntry]:
    """All entries of a suite in the format described above, in its order.

    Raises `InvalidRecordError`, with line and column, for anything that is not in the format;
    `OSError` where the file cannot be read. A file without entries gives an empty list.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "suite.txt")
    ...     _ = path.write_text("start-3x3 | 1b1/w1w/1b1 b 1 | pass | 4 16\\n")
    ...     read_suite(path)[0].leaves
    (4, 16)
    """
    with open_text(path) as file:
        lines = list(Source(file).lines())
    for number, text in lines:
        require_utf8(text, number)
    return [
        _read_entry(text, number)
        for number, text in lines
        if text.strip(BLANKS) and not text.lstrip(BLANKS).startswith("#")
    ]


def _read_entry(text: str, line: int) -> SuiteEntry:
    """The entry of one line."""
    fields: list[tuple[str, int]] = []
    start = 0
    for field in text.split("|"):
        blanks = len(field) - len(field.lstrip(BLANKS))
        fields.append((field.strip(BLANKS), start + blanks + 1))
        start += len(field) + 1
    if len(fields) > len(_FIELDS):
        content, column = fields[len(_FIELDS)]
        raise InvalidRecordError(
            f"field {quote(content)} after the leaves: expected name | FEN | rule | leaves",
            line,
            column,
        )
    for (content, column), name in zip(fields, _FIELDS, strict=False):
        if not content:
            raise InvalidRecordError(f"empty field in {quote(text)}: expected {name}", line, column)
    if len(fields) < len(_FIELDS):
        raise InvalidRecordError(
            f"end of line after {quote(fields[-1][0])}: expected | {_FIELDS[len(fields)]}",
            line,
            len(text) + 1,
        )
    (name, _), (fen, fen_column), (rule, rule_column), (counts, counts_column) = fields
    if rule not in _RULES:
        raise InvalidRecordError(
            f"rule {quote(rule)}: expected one of {', '.join(_RULES)}", line, rule_column
        )
    try:
        Board(fen, rules=_RULES[rule])
    except InvalidFenError as error:
        raise InvalidRecordError(
            f"FEN {quote(fen)}: {expected_position(error)}", line, fen_column
        ) from None
    return SuiteEntry(name, fen, _RULES[rule], _parse_counts(counts, line, counts_column), line)


def _parse_counts(text: str, line: int, column: int) -> tuple[int, ...]:
    """The leaf counts of a field that starts in this column."""
    counts: list[int] = []
    for word in re.finditer(rf"[^{BLANKS}]+", text):
        if _COUNT.fullmatch(word[0]) is None or int(word[0]) > _MAX_LEAVES:
            raise InvalidRecordError(
                f"leaves {quote(word[0])} at depth {len(counts) + 1}: expected a whole number "
                "from 0 to 2**64 - 1 without leading zeros",
                line,
                column + word.start(),
            )
        counts.append(int(word[0]))
        if len(counts) > _MAX_DEPTH:
            raise InvalidRecordError(
                f"leaves {quote(word[0])} at depth {len(counts)}: expected {_MAX_DEPTH} at most",
                line,
                column + word.start(),
            )
    return tuple(counts)
