"""How a game's tree of moves is kept: in lines, so that a game without variations is one list.

A line is a run of moves of which each is the first continuation after the one before. Where a
place has further continuations, each starts a line of its own. Places are counted in plies from
the start of the game, on every line. No function here calls itself: a tree may be as deep, or
as wide, as its file is long.
"""

from __future__ import annotations

from collections.abc import Iterator

from loa._moves import Move

__all__ = ["Line", "LineRow", "lines", "lines_of_rows", "rows_of_lines", "same_lines"]

LineRow = tuple[int, int, list[int], dict[int, str]]
"""A line as plain values: the number of its parent's row (-1: none), base, codes, comments."""


class Line:
    """A run of moves, and what hangs on it.

    - `parent`: the line that this one leaves; None for the main line.
    - `base`: the plies before the first of `moves`, which is where this line leaves its parent.
    - `moves`: at least one, but for the main line.
    - `comments`: texts by ply; at ply 0, on the main line only, what is said before the game.
    - `branches`: by ply, the lines that leave this one there, in their order. On the line itself
      there is a move at each such ply, the first continuation; at `base` only the main line has
      branches, as those of another line are its parent's.
    """

    __slots__ = ("base", "branches", "comments", "moves", "parent")

    def __init__(self, moves: list[Move], parent: Line | None = None, base: int = 0) -> None:
        self.parent = parent
        self.base = base
        self.moves = moves
        self.comments: dict[int, str] = {}
        self.branches: dict[int, list[Line]] = {}

    @property
    def end(self) -> int:
        """The ply after the last move."""
        return self.base + len(self.moves)

    def add(self, ply: int, moves: list[Move]) -> Line:
        """Add moves, one at least, after the one at this ply; returns the line they are on now."""
        if ply == self.end:
            self.moves += moves
            return self
        line = Line(moves, self, ply)
        self.branches.setdefault(ply, []).append(line)
        return line


def lines(main: Line) -> Iterator[Line]:
    """All lines of a tree: a line, then those that leave it, from its first ply on."""
    waiting = [main]
    while waiting:
        line = waiting.pop()
        yield line
        for ply in sorted(line.branches, reverse=True):
            waiting += reversed(line.branches[ply])


def same_lines(one: Line, other: Line) -> bool:
    """Whether two trees have the same moves and comments in the same order."""
    waiting = [(one, other)]
    while waiting:
        one, other = waiting.pop()
        if (
            one.moves != other.moves
            or one.comments != other.comments
            or one.branches.keys() != other.branches.keys()
        ):
            return False
        for ply, here in one.branches.items():
            there = other.branches[ply]
            if len(here) != len(there):
                return False
            waiting += zip(here, there, strict=True)
    return True


def rows_of_lines(main: Line) -> list[LineRow]:
    """A tree as plain values, which have no depth, in the order of `lines`."""
    numbers: dict[Line | None, int] = {None: -1}
    rows: list[LineRow] = []
    for number, line in enumerate(lines(main)):
        numbers[line] = number
        codes = [move.code for move in line.moves]
        rows.append((numbers[line.parent], line.base, codes, dict(line.comments)))
    return rows


def lines_of_rows(rows: list[LineRow]) -> Line:
    """The main line of the tree that `rows_of_lines` has written down."""
    made: list[Line] = []
    for parent, base, codes, comments in rows:
        line = Line([Move.from_code(code) for code in codes], made[parent] if made else None, base)
        line.comments.update(comments)
        if line.parent is not None:
            line.parent.branches.setdefault(base, []).append(line)
        made.append(line)
    return made[0]
