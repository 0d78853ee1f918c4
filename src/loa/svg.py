"""Pictures of positions as SVG text, over plain values: bitboards and squares.

A picture is one `svg` element that needs nothing else: no scripts, style sheets, ids or outside
files, so any number of them can stand in one page. It brings its own background, and so can be
read on light and dark pages alike. Its colours are those of a `Theme`; for those who want to
restyle it in a page, its parts carry classes.

    >>> from loa.rules import starting_bitboards
    >>> picture = board_svg(*starting_bitboards(5), 5, last_move=(1, 17), arrows=[(8, 10)])
    >>> picture.splitlines()[1]
    '<title>Lines of Action, 5x5, 6 black and 6 white pieces</title>'
    >>> picture.count("loa-piece"), picture.count("loa-arrow")
    (12, 1)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol, SupportsIndex
from xml.etree import ElementTree

from loa._themes import PIECE_RADIUS, Theme, part_styles, require_color
from loa.notation import square_name
from loa.rules import (
    Color,
    Direction,
    InvalidFenError,
    InvalidMoveError,
    LoaError,
    check_range,
    check_size,
    shown,
)

__all__ = ["Arrow", "Theme", "board_svg"]

# Lengths are in the picture's own units.
SQUARE = 40
FRAME_WITH_COORDINATES = 20
_FRAME_WITHOUT_COORDINATES = 4
_RING_RADIUS = 17.5
_DOT_RADIUS = 5
_BADGE_RADIUS = 7
_BADGE_DISTANCE = 23
_MAX_PIXELS = 2**15 - 1  # The widest bitmap that the usual programs make of a picture.


class _MoveLike(Protocol):
    @property
    def from_square(self) -> int: ...

    @property
    def to_square(self) -> int: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Arrow:
    """A move to draw as an arrow, in a colour of its own.

    `move` is a `loa.Move` or a tuple (from, to) of squares, `color` a text as in a `Theme`.

    >>> board_svg(0x20002, 0x500, 3, arrows=[Arrow((1, 0), "#aa0000")]).count("#aa0000")
    1
    """

    move: _MoveLike | tuple[int, int]
    color: str

    def __post_init__(self) -> None:
        require_color("Arrow.color", self.color)


def board_svg(
    black: int,
    white: int,
    size: SupportsIndex = 8,
    *,
    last_move: _MoveLike | tuple[int, int] | None = None,
    arrows: Iterable[_MoveLike | tuple[int, int] | Arrow] = (),
    groups: bool = False,
    lines_from: SupportsIndex | None = None,
    orientation: Color = Color.BLACK,
    coordinates: bool = True,
    width: SupportsIndex = 390,
    theme: Theme = Theme.LIGHT,
) -> str:
    """The position as SVG text; the same arguments always give the same text.

    `black` and `white` are bitboards on the 8x8 grid and `size` is 3 to 8. `last_move` highlights
    the two squares of a move, and every one of `arrows` is drawn as an arrow; both take a
    `loa.Move` or a tuple (from, to) of squares, and a pass (squares 0 and 0) leaves no mark. An
    `Arrow` has its own colour. `groups` puts every piece on a tint that joins those of its group.
    `lines_from` is a square: in all directions from it stands the number of pieces on the line,
    in a full badge where the piece on the square moves this far, with the way and the target.
    a1 is in the lower left corner; `orientation=Color.WHITE` turns the board by 180 degrees.
    `coordinates` puts file letters and rank numbers on the frame. `width` is the width, and the
    height, of the whole picture in pixels. `theme` has the colours.

    Raises `InvalidFenError` for a piece off the board or two pieces on one square,
    `InvalidMoveError` for a move off the board or from a square to itself, `LoaError` for a size,
    a square or a width out of range and `TypeError` for a value of another type.

    >>> board_svg(0x20002, 0x500, 3, width=90).startswith("<svg xmlns=")
    True
    >>> board_svg(0x20002, 0x500, 3, groups=True).count("loa-black-group")
    2
    >>> board_svg(0x20002, 0x500, 3, lines_from=1).count("loa-open-line")
    2
    >>> board_svg(0x20002, 0x500, 3, last_move=(1, 63))
    Traceback (most recent call last):
    ...
    loa.rules.InvalidMoveError: last_move is (1, 63): expected squares of the 3x3 board
    """
    size = check_size(size)
    width = check_range("width", width, 1, _MAX_PIXELS)
    for name, value, kind, expected in (
        ("orientation", orientation, Color, "a loa.Color"),
        ("coordinates", coordinates, bool, "a bool"),
        ("groups", groups, bool, "a bool"),
        ("theme", theme, Theme, "a loa.svg.Theme"),
        ("arrows", arrows, Iterable, "an iterable of moves"),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} is {shown(value)}: expected {expected}")
    black, white = check_range("black", black), check_range("white", white)
    pieces = {"black": _pieces("black", black, size), "white": _pieces("white", white, size)}
    if both := black & white:
        name = square_name(both.bit_length() - 1)
        raise InvalidFenError(f"both colours have a piece on {name}: expected one at most")
    moved = None if last_move is None else _pair("last_move", last_move, size)
    drawn = []
    for index, arrow in enumerate(arrows):
        move, color = (arrow.move, arrow.color) if isinstance(arrow, Arrow) else (arrow, None)
        pair = _pair(f"arrows[{index}]", move, size)
        if pair is not None:
            drawn.append((pair, {} if color is None else {"fill": color}))
    origin = None if lines_from is None else check_range("lines_from", lines_from)
    if origin is not None and origin not in _board(size):
        expected = f"a square of the {size}x{size} board"
        raise LoaError(f"lines_from is {shown(origin)}: expected {expected}")

    picture = _Picture(size, orientation, coordinates, width, theme)
    tints = {color: _groups(own) if groups else [] for color, own in pieces.items()}
    lines = [] if origin is None else _lines(origin, pieces, size)
    words = {color.capitalize(): _names(own) or "none" for color, own in pieces.items()}
    words["Last move"] = "" if moved is None else "-".join(map(square_name, moved))
    words["Arrows"] = " ".join("-".join(map(square_name, pair)) for pair, _ in drawn)
    for color, tinted in tints.items():
        words[f"{color.capitalize()} groups"] = ", ".join(map(_names, tinted))
    if origin is not None:
        words[f"Lines from {square_name(origin)}"] = ", ".join(map(str, lines))
    counts = " and ".join(f"{len(own)} {color}" for color, own in pieces.items())
    picture.add("title").text = f"Lines of Action, {size}x{size}, {counts} pieces"
    sentences = (f"{label}: {text}." for label, text in words.items() if text)
    picture.add("desc").text = " ".join(sentences)
    picture.draw_board(coordinates)
    if moved is not None:
        picture.add("path", "loa-last-move", d=picture.outline(moved))
    for color, tinted in tints.items():
        for group in tinted:
            picture.draw_group(f"loa-{color}-group", group)
    for color, own in pieces.items():
        picture.draw_pieces(f"loa-{color}", own)
    for (tail, tip), style in drawn:
        points = _arrow_points(picture.centre(tail), picture.centre(tip))
        picture.add("polygon", "loa-arrow", points=points).attrib |= style
    for line in lines:
        picture.draw_line(line)
    return picture.text()


class _Line(NamedTuple):
    """What is to be known of the line in one direction from a square."""

    square: int
    direction: Direction
    pieces: int
    target: int | None  # Where the piece on the square moves.
    is_capture: bool

    def __str__(self) -> str:
        target = "" if self.target is None else f" to {square_name(self.target)}"
        return f"{self.direction.name} {self.pieces}{target}"


class _Picture:
    """An `svg` element, and where things are in it."""

    def __init__(
        self, size: int, orientation: Color, coordinates: bool, width: int, theme: Theme
    ) -> None:
        self._size = size
        self._turned = orientation is Color.WHITE
        self._frame = FRAME_WITH_COORDINATES if coordinates else _FRAME_WITHOUT_COORDINATES
        self._extent = extent = size * SQUARE + 2 * self._frame
        self._styles = part_styles(theme)
        self._svg = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
        self._svg.attrib |= {
            "viewBox": f"0 0 {extent} {extent}",
            "width": str(width),
            "height": str(width),
        }

    def text(self) -> str:
        # One element a line, so that pictures kept under version control have readable differences.
        ElementTree.indent(self._svg, space="")
        return ElementTree.tostring(self._svg, encoding="unicode")

    def add(
        self,
        tag: str,
        part: str = "",
        parent: ElementTree.Element | None = None,
        **attributes: object,
    ) -> ElementTree.Element:
        """A new last child, in the style of that part of the picture."""
        style = {"class": part} | self._styles[part] if part else {}
        values = {name.replace("_", "-"): str(value) for name, value in attributes.items()}
        element = self._svg if parent is None else parent
        return ElementTree.SubElement(element, tag, style | values)

    def centre(self, square: int) -> tuple[int, int]:
        row, column = self._size - 1 - square // 8, square % 8
        if self._turned:
            row, column = self._size - 1 - row, self._size - 1 - column
        corner = self._frame + SQUARE // 2
        return corner + SQUARE * column, corner + SQUARE * row

    def outline(self, squares: Iterable[int]) -> str:
        corners = ((x - SQUARE // 2, y - SQUARE // 2) for x, y in map(self.centre, squares))
        return "".join(f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x, y in corners)

    def draw_board(self, coordinates: bool) -> None:
        board = _board(self._size)
        dark = [square for square in board if (square // 8 + square % 8) % 2 == 0]
        self.add("rect", "loa-frame", width=self._extent, height=self._extent)
        # No seams: the dark squares cover light ones.
        self.add("path", "loa-light-squares", d=self.outline(board))
        self.add("path", "loa-dark-squares", d=self.outline(dark))
        if coordinates:
            group = self.add("g", "loa-coordinates")
            for index in range(self._size):
                x, y = self.centre(9 * index)
                for side in (self._frame / 2, self._extent - self._frame / 2):
                    # 4.5 from the middle of a letter to its base line: not every program that
                    # draws SVG knows `dominant-baseline`.
                    self.add("text", parent=group, x=x, y=side + 4.5).text = "abcdefgh"[index]
                    self.add("text", parent=group, x=side, y=y + 4.5).text = str(index + 1)

    def draw_group(self, part: str, squares: list[int]) -> None:
        group = self.add("g", part)
        bonds = [
            "M{} {}L{} {}".format(*self.centre(one), *self.centre(other))
            for one in squares
            for other in squares
            if one < other and _are_neighbours(one, other)
        ]
        if bonds:
            self.add("path", parent=group, d="".join(bonds))
        for x, y in map(self.centre, squares):
            self.add("circle", parent=group, cx=x, cy=y, r=_RING_RADIUS + 1.5, stroke="none")

    def draw_pieces(self, part: str, squares: list[int]) -> None:
        group = self.add("g", part)
        for x, y in map(self.centre, squares):
            self.add("circle", "loa-piece", group, cx=x, cy=y)
            self.add("circle", "loa-groove", group, cx=x, cy=y)

    def draw_line(self, line: _Line) -> None:
        kind = "blocked" if line.target is None else "open"
        group = self.add("g", f"loa-{kind}-line")
        x: float
        y: float
        x, y = self.centre(line.square)
        files, ranks = line.direction.step
        east, south = (-files, ranks) if self._turned else (files, -ranks)
        if line.target is not None:
            across, down = self.centre(line.target)
            # From the rim of the piece to that of the ring or the dot on the target.
            length = math.hypot(east, south)
            start = (PIECE_RADIUS + 1) / length
            end = (_RING_RADIUS if line.is_capture else _DOT_RADIUS) / length
            self.add(
                "line",
                parent=group,
                x1=f"{x + start * east:.1f}",
                y1=f"{y + start * south:.1f}",
                x2=f"{across - end * east:.1f}",
                y2=f"{down - end * south:.1f}",
            )
            mark = self.add("circle", parent=group, cx=across, cy=down)
            mark.attrib |= (
                {"r": f"{_RING_RADIUS}", "fill": "none"}
                if line.is_capture
                else {"r": f"{_DOT_RADIUS}"}
            )
        # About the edge or the corner between the square and the next, clear of the piece.
        reach = _BADGE_DISTANCE if 0 in (east, south) else SQUARE / 2
        x, y = x + east * reach, y + south * reach
        self.add("circle", parent=group, cx=x, cy=y, r=_BADGE_RADIUS)
        self.add("text", f"loa-{kind}-count", group, x=x, y=y + 4).text = str(line.pieces)


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


def _lines(square: int, pieces: dict[str, list[int]], size: int) -> list[_Line]:
    """The lines from a square in all directions in which there is another square."""
    black, white = pieces.values()
    own, enemy = (black, white) if square in black else (white, black)
    lines = []
    for direction in Direction:
        ahead, behind = (
            _ray(square, *Direction(way).step, size) for way in (direction, (direction + 4) % 8)
        )
        if not ahead:
            continue
        line = {square, *ahead, *behind}
        count = len(line.intersection(black)) + len(line.intersection(white))
        between, landing = ahead[: count - 1], ahead[count - 1 : count]
        free = square in own and landing and landing[0] not in own and not set(between) & set(enemy)
        target = landing[0] if free else None
        lines.append(_Line(square, direction, count, target, is_capture=target in enemy))
    return lines


def _ray(square: int, files: int, ranks: int, size: int) -> list[int]:
    """The squares in one direction from a square, the nearest first."""
    file, rank = square % 8 + files, square // 8 + ranks
    squares = []
    while 0 <= file < size and 0 <= rank < size:
        squares.append(file + 8 * rank)
        file, rank = file + files, rank + ranks
    return squares


def _groups(squares: list[int]) -> list[list[int]]:
    """The squares of each group, that with the lowest square first."""
    groups = []
    waiting = set(squares)
    while waiting:
        group = [min(waiting)]
        waiting.remove(group[0])
        for member in group:
            joined = sorted(other for other in waiting if _are_neighbours(member, other))
            waiting.difference_update(joined)
            group += joined
        groups.append(sorted(group))
    return groups


def _are_neighbours(one: int, other: int) -> bool:
    return abs(one % 8 - other % 8) <= 1 and abs(one // 8 - other // 8) <= 1


def _names(squares: Iterable[int]) -> str:
    return " ".join(map(square_name, squares))


def _board(size: int) -> list[int]:
    return [8 * rank + file for rank in range(size) for file in range(size)]


def _pieces(name: str, bitboard: int, size: int) -> list[int]:
    """The squares of a bitboard."""
    if bitboard & ~sum(1 << square for square in _board(size)):
        expected = f"squares of the {size}x{size} board"
        raise InvalidFenError(f"{name} is {shown(hex(bitboard))}: expected {expected}")
    return [square for square in _board(size) if bitboard >> square & 1]


def _pair(name: str, move: _MoveLike | tuple[int, int], size: int) -> tuple[int, int] | None:
    """The two squares of a move, None for a pass; errors call it by this name."""
    if isinstance(move, tuple) and len(move) == 2:
        pair = move
    elif hasattr(move, "from_square") and hasattr(move, "to_square"):
        pair = (move.from_square, move.to_square)
    else:
        expected = "a loa.Move or a tuple (from, to) of squares"
        raise TypeError(f"{name} is {shown(move)}: expected {expected}")
    pair = check_range(f"a square of {name}", pair[0]), check_range(f"a square of {name}", pair[1])
    if pair == (0, 0):
        return None
    quoted = f"({shown(pair[0])}, {shown(pair[1])})"
    if not set(pair) <= set(_board(size)):
        expected = f"squares of the {size}x{size} board"
        raise InvalidMoveError(f"{name} is {quoted}: expected {expected}")
    if pair[0] == pair[1]:
        raise InvalidMoveError(f"{name} is {quoted}: expected two different squares")
    return pair
