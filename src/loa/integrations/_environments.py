"""What the environments of other libraries share: arguments, spaces, and how they show a game."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from loa import encodings
from loa._board import Board
from loa.integrations._pixels import board_pixels
from loa.rules import LoaError, Outcome, check_range, shown

RENDER_MODES = ("human", "ansi", "rgb_array")
"""The ways in which an environment can show its game; None is not to."""


def check_choice(name: str, value: object, choices: Collection[str | None]) -> None:
    """Raises `LoaError` unless the value is one of the choices."""
    if not isinstance(value, str | None) or value not in choices:
        raise LoaError(f"{name} is {shown(value)}: expected one of {', '.join(map(repr, choices))}")


def check_plies(plies: SupportsIndex | None, least: int) -> int | None:
    """The argument `max_plies` as an int or None."""
    return None if plies is None else check_range("max_plies", plies, least)


def highest_planes(size: int) -> NDArray[np.uint8]:
    """The highest value in each plane, everywhere the same: shape `(8, size, size)`."""
    highest = dict.fromkeys(encodings.PLANES, 1)
    highest |= {name: size for name in encodings.PLANES if name.endswith("_count")}
    highest["repetitions"] = encodings.MAX_REPETITIONS
    column = np.array([*highest.values()], np.uint8)[:, None, None]
    return np.broadcast_to(column, (len(highest), size, size)).copy()


def render(mode: str, board: Board, outcome: Outcome | None) -> Any:
    """The position in a render mode: a picture, a text, or None after printing the text."""
    if mode == "rgb_array":
        return board_pixels(board)
    text = f"{board}\n{_status(board, outcome)}"
    if mode == "ansi":
        return text
    print(text)
    return None


def _status(board: Board, outcome: Outcome | None) -> str:
    """Who is to move, or how the game has ended."""
    if outcome is None:
        return f"{board.turn} to move"
    winner = "nobody" if outcome.winner is None else str(outcome.winner)
    return f"won by {winner}: {outcome.termination.value}"
