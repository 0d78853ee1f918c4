"""Pictures of positions as arrays of pixels, for environments that have to show themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loa._board import Board
from loa._themes import PIECE_RADIUS, Theme, part_styles

SQUARE_PIXELS = 40
"""The width and the height of a square."""


def _color(text: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(text[1:]))


# The colours and proportions of loa.svg, whose pieces have an edge that is half outside their rim.
_THEME = Theme.LIGHT
_STYLES = part_styles(_THEME)
_LIGHT, _DARK = _color(_THEME.light_squares), _color(_THEME.dark_squares)
_LAST_MOVE = _color(_THEME.last_move)
_LAST_MOVE_OPACITY = float(_STYLES["loa-last-move"]["fill-opacity"])
_DISCS = (
    (_color(_THEME.black_edges), _color(_THEME.black)),
    (_color(_THEME.white_edges), _color(_THEME.white)),
)
_HALF_EDGE = float(_STYLES["loa-black"]["stroke-width"]) / 2
_RIM_RADIUS, _DISC_RADIUS = PIECE_RADIUS + _HALF_EDGE, PIECE_RADIUS - _HALF_EDGE


def board_pixels(board: Board) -> NDArray[np.uint8]:
    """The position with the last move highlighted, a1 in the lower left corner.

    The shape is `(40 * size, 40 * size, 3)`, the dtype uint8: red, green, blue, from the top.

    >>> import loa
    >>> board_pixels(loa.Board(size=5)).shape
    (200, 200, 3)
    """
    size = board.size
    moves = board.move_stack[-1:]
    marked = {s for move in moves if not move.is_pass for s in (move.from_square, move.to_square)}
    rim, disc = _disc_coverage(_RIM_RADIUS), _disc_coverage(_DISC_RADIUS)
    picture = np.empty((size, SQUARE_PIXELS, size, SQUARE_PIXELS, 3))
    for rank in range(size):
        for file in range(size):
            square = 8 * rank + file
            # A view: what is painted on it is painted on the picture.
            canvas = picture[size - 1 - rank, :, file]
            canvas[:] = _LIGHT if (rank + file) % 2 else _DARK
            if square in marked:
                canvas += _LAST_MOVE_OPACITY * (np.array(_LAST_MOVE) - canvas)
            color = board.piece_at(square)
            if color is not None:
                for coverage, paint in zip((rim, disc), _DISCS[color], strict=True):
                    canvas += coverage * (np.array(paint) - canvas)
    pixels = picture.reshape(size * SQUARE_PIXELS, size * SQUARE_PIXELS, 3)
    return np.rint(pixels).astype(np.uint8)


def _disc_coverage(radius: float) -> NDArray[np.float64]:
    """How much of each pixel of a square a disc in its middle covers, shape (40, 40, 1)."""
    offsets = np.arange(SQUARE_PIXELS) - (SQUARE_PIXELS - 1) / 2
    distances = np.hypot(offsets[:, None, None], offsets[None, :, None])
    coverage: NDArray[np.float64] = np.clip(radius + 0.5 - distances, 0, 1)
    return coverage
