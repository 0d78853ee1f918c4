"""Pictures of positions as SVG text, over plain values: bitboards and squares.

A picture is one `svg` element that needs nothing else: no scripts, style sheets, ids or outside
files, so any number of them can stand in one page. It brings its own background, and so looks the
same on light and dark pages. For those who want to restyle it, its parts carry the classes
`loa-frame`, `loa-light-squares`, `loa-dark-squares`, `loa-coordinates`, `loa-last-move`,
`loa-black` and `loa-white` (groups with a `loa-piece` and a `loa-groove` for each piece) and
`loa-arrow`.

    >>> from loa.rules import starting_bitboards
    >>> picture = board_svg(*starting_bitboards(5), 5, last_move=(1, 17), arrows=[(8, 10)])
    >>> picture.splitlines()[1]
    '<title>Lines of Action, 5x5, 6 black and 6 white pieces</title>'
    >>> picture.count("loa-piece"), picture.count("loa-arrow")
    (12, 1)
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable
from typing import Protocol
from xml.etree import ElementTree

from loa.rules import Color, InvalidFenError, InvalidMoveError, LoaError

__all__ = ["board_svg"]

_STYLES = {
    "loa-frame": {"fill": "#5a4534", "rx": "4"},
    "loa-light-squares": {"fill": "#ecdcbf"},
    "loa-dark-squares": {"fill": "#d3b78f"},
    "loa-coordinates": {
        "fill": "#f4e9d6",
        "font-family": "sans-serif",
        "font-size": "13",
        "text-anchor": "middle",
    },
    "loa-last-move": {"fill": "#f5c518", "fill-opacity": "0.6"},
    # A group for each colour, in which every piece is a disc with a groove.
    "loa-black": {"fill": "#262322", "stroke": "#000000", "stroke-width": "1.5"},
    "loa-white": {"fill": "#fdfaf3", "stroke": "#4b4036", "stroke-width": "1.5"},
    "loa-piece": {"r": "15"},
    "loa-groove": {"r": "10", "fill": "none", "stroke": "#948877"},
    # The pale edge keeps an arrow visible on a black piece.
    "loa-arrow": {"fill": "#1673c9", "stroke": "#ffffff", "opacity": "0.85"},
}

# Lengths are in the picture's own units.
_SQUARE = 40
_FRAME_WITH_COORDINATES = 20
_FRAME_WITHOUT_COORDINATES = 4
_MOST_PIXELS = 2**15 - 1  # The widest bitmap that the usual programs make of a picture.


class _MoveLike(Protocol):
    @property
    def from_square(self) -> int: ...

    @property
    def to_square(self) -> int: ...


def board_svg(
    black: int,
    white: int,
    size: int = 8,
    *,
    last_move: _MoveLike | tuple[int, int] | None = None,
    arrows: Iterable[_MoveLike | tuple[int, int]] = (),
    orientation: Color = Color.BLACK,
    coordinates: bool = True,
    width: int = 390,
) -> str:
    """The position as SVG text; the same arguments always give the same text.

    `black` and `white` are bitboards on the 8x8 grid and `size` is 3 to 8. `last_move` highlights
    the two squares of a move, and every one of `arrows` is drawn as an arrow; both take a
    `loa.Move` or a tuple (from, to) of squares, and a pass (squares 0 and 0) leaves no mark.
    a1 is in the lower left corner; `orientation=Color.WHITE` turns the board by 180 degrees.
    `coordinates` puts file letters and rank numbers on the frame. `width` is the width, and the
    height, of the whole picture in pixels.

    Raises `InvalidFenError` for a piece off the board or two pieces on one square,
    `InvalidMoveError` for a move off the board or from a square to itself, `LoaError` for a size
    or a width out of range and `TypeError` for a value of another type.

    >>> board_svg(0x20002, 0x500, 3, width=90).startswith("<svg xmlns=")
    True
    >>> board_svg(0x20002, 0x500, 3, last_move=(1, 63))
    Traceback (most recent call last):
    ...
    loa.rules.InvalidMoveError: last_move is (1, 63): expected squares of the 3x3 board
    """
    _require_int("size", size, 3, 8)
    _require_int("width", width, 1, _MOST_PIXELS)
    if not isinstance(orientation, Color):
        raise TypeError(f"orientation is {_show(orientation)}: expected a loa.Color")
    if not isinstance(coordinates, bool):
        raise TypeError(f"coordinates is {_show(coordinates)}: expected a bool")
    if not isinstance(arrows, Iterable):
        raise TypeError(f"arrows is {_show(arrows)}: expected an iterable of moves")
    board = _board(size)
    pieces = {"black": _pieces("black", black, size), "white": _pieces("white", white, size)}
    if both := black & white:
        name = _name(both.bit_length() - 1)
        raise InvalidFenError(f"both colours have a piece on {name}: expected one at most")
    moved = _pairs({} if last_move is None else {"last_move": last_move}, size)
    drawn = _pairs({f"arrows[{index}]": arrow for index, arrow in enumerate(arrows)}, size)

    frame = _FRAME_WITH_COORDINATES if coordinates else _FRAME_WITHOUT_COORDINATES
    extent = size * _SQUARE + 2 * frame

    def centre(square: int) -> tuple[int, int]:
        row, column = size - 1 - square // 8, square % 8
        if orientation is Color.WHITE:
            row, column = size - 1 - row, size - 1 - column
        return frame + _SQUARE * column + _SQUARE // 2, frame + _SQUARE * row + _SQUARE // 2

    def outline(squares: Iterable[int]) -> str:
        corners = ((x - _SQUARE // 2, y - _SQUARE // 2) for x, y in map(centre, squares))
        return "".join(f"M{x} {y}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z" for x, y in corners)

    svg = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    svg.attrib |= {"viewBox": f"0 0 {extent} {extent}", "width": str(width), "height": str(width)}
    counts = " and ".join(f"{len(own)} {color}" for color, own in pieces.items())
    _add(svg, "title").text = f"Lines of Action, {size}x{size}, {counts} pieces"
    words = {color.capitalize(): list(map(_name, own)) or ["none"] for color, own in pieces.items()}
    for label, pairs in (("Last move", moved), ("Arrows", drawn)):
        words[label] = ["-".join(map(_name, pair)) for pair in pairs]
    sentences = (f"{label}: {' '.join(names)}." for label, names in words.items() if names)
    _add(svg, "desc").text = " ".join(sentences)
    _add(svg, "rect", "loa-frame", width=extent, height=extent)
    dark = [square for square in board if (square // 8 + square % 8) % 2 == 0]
    _add(svg, "path", "loa-light-squares", d=outline(board))  # No seams: the dark ones cover it.
    _add(svg, "path", "loa-dark-squares", d=outline(dark))
    if coordinates:
        group = _add(svg, "g", "loa-coordinates")
        for index in range(size):
            x, y = centre(9 * index)
            for side in (frame / 2, extent - frame / 2):
                # 4.5 from the middle of a letter to its base line: not every program that draws
                # SVG knows `dominant-baseline`.
                _add(group, "text", x=x, y=side + 4.5).text = "abcdefgh"[index]
                _add(group, "text", x=side, y=y + 4.5).text = str(index + 1)
    for pair in moved:
        _add(svg, "path", "loa-last-move", d=outline(pair))
    for color, own in pieces.items():
        group = _add(svg, "g", f"loa-{color}")
        for x, y in map(centre, own):
            _add(group, "circle", "loa-piece", cx=x, cy=y)
            _add(group, "circle", "loa-groove", cx=x, cy=y)
    for tail, tip in drawn:
        _add(svg, "polygon", "loa-arrow", points=_arrow_points(centre(tail), centre(tip)))
    # One element a line, so that pictures kept under version control have readable differences.
    ElementTree.indent(svg, space="")
    return ElementTree.tostring(svg, encoding="unicode")


def _add(
    parent: ElementTree.Element, tag: str, part: str = "", **attributes: object
) -> ElementTree.Element:
    """A new last child, in the style of that part of the picture."""
    style = {"class": part} | _STYLES[part] if part else {}
    values = {name: str(value) for name, value in attributes.items()}
    return ElementTree.SubElement(parent, tag, style | values)


def _arrow_points(tail: tuple[int, int], tip: tuple[int, int]) -> str:
    """The seven corners of an arrow from the rim of a piece to the centre of another square."""
    length = math.dist(tail, tip)
    east, south = (tip[0] - tail[0]) / length, (tip[1] - tail[1]) / length
    start, neck = 12, length - 15
    corners = [(start, -3), (neck, -3), (neck, -9), (length, 0), (neck, 9), (neck, 3), (start, 3)]
    return " ".join(
        f"{tail[0] + along * east - across * south:.1f},"
        f"{tail[1] + along * south + across * east:.1f}"
        for along, across in corners
    )


def _name(square: int) -> str:
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def _board(size: int) -> list[int]:
    return [8 * rank + file for rank in range(size) for file in range(size)]


def _pieces(name: str, bitboard: int, size: int) -> list[int]:
    """The squares of a bitboard."""
    _require_int(name, bitboard)
    if bitboard & ~sum(1 << square for square in _board(size)):
        expected = f"squares of the {size}x{size} board"
        raise InvalidFenError(f"{name} is {_show(hex(bitboard))}: expected {expected}")
    return [square for square in _board(size) if bitboard >> square & 1]


def _pairs(moves: dict[str, _MoveLike | tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """The two squares of each move that is not a pass; errors call the moves by their keys."""
    pairs = []
    for name, move in moves.items():
        if isinstance(move, tuple) and len(move) == 2:
            pair = move
        elif hasattr(move, "from_square") and hasattr(move, "to_square"):
            pair = (move.from_square, move.to_square)
        else:
            expected = "a loa.Move or a tuple (from, to) of squares"
            raise TypeError(f"{name} is {_show(move)}: expected {expected}")
        for square in pair:
            _require_int(f"a square of {name}", square)
        if pair == (0, 0):
            continue
        shown = f"({_show(pair[0])}, {_show(pair[1])})"
        if not set(pair) <= set(_board(size)):
            expected = f"squares of the {size}x{size} board"
            raise InvalidMoveError(f"{name} is {shown}: expected {expected}")
        if pair[0] == pair[1]:
            raise InvalidMoveError(f"{name} is {shown}: expected two different squares")
        pairs.append(pair)
    return pairs


def _require_int(name: str, value: object, least: int | None = None, most: int = 0) -> None:
    """Refuse what is not an int or, where `least` is given, not in `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is {_show(value)}: expected an int")
    if least is not None and not least <= value <= most:
        raise LoaError(f"{name} is {_show(value)}: expected {least} to {most}")


def _show(value: object) -> str:
    """The value as an error quotes it: short, and in hexadecimal where decimal may be refused."""
    long = isinstance(value, int) and value.bit_length() > 64
    return reprlib.repr(f"{value:#x}" if long else value)
