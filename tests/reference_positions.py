"""Positions and moves for tests of the reference, read apart from the package's own readers."""

from __future__ import annotations

import re

from loa import reference
from loa.reference import PASS, Game, Move, Position
from loa.rules import BLACK, WHITE

# From the start, four plies that come back to it.
CYCLE = ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]


def square(name: str) -> int:
    """A square by its name."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def squares(names: str) -> set[int]:
    """Squares by their names, with blanks between."""
    return {square(name) for name in names.split()}


def move(text: str) -> Move:
    """A move such as b1-b3 or b1xb3."""
    return square(text[:2]), square(text[-2:])


def names(moves: list[Move]) -> set[str]:
    """Moves as the names of their two squares."""
    return {reference.square_name(start) + reference.square_name(end) for start, end in moves}


def position(fen: str) -> Position:
    """The position of a FEN."""
    placement, turn, _ = fen.split()
    ranks = re.sub(r"\d", lambda empty: "." * int(empty[0]), placement).split("/")[::-1]
    pieces = {
        color: frozenset(
            file + 8 * rank
            for rank, row in enumerate(ranks)
            for file, letter in enumerate(row)
            if letter == color
        )
        for color in "bw"
    }
    assert all(len(row) == len(ranks) for row in ranks)
    return Position(len(ranks), pieces["b"], pieces["w"], BLACK if turn == "b" else WHITE)


def play(game: Game, moves: list[str]) -> Game:
    """The game, after these moves."""
    for text in moves:
        game.push(PASS if text == "pass" else move(text))
    return game
