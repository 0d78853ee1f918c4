"""Pictures of positions: what is drawn where, read back from the SVG's own geometry."""

import dataclasses
import doctest
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from contrast import contrast
from hypothesis import given
from hypothesis import strategies as st
from positions import boards

import loa
from loa import svg
from loa.rules import BLACK, WHITE, Color, InvalidFenError, InvalidMoveError, LoaError
from loa.svg import Arrow, Theme, board_svg

DOCUMENTATION = Path(__file__).parent.parent / "docs"
SIZES = range(3, 9)
NAMESPACE = "{http://www.w3.org/2000/svg}"


class Picture:
    """A parsed picture that finds squares by where things are, not by how they were made."""

    def __init__(self, text: str, size: int, frame: int = 20) -> None:
        self.root = ElementTree.fromstring(text)
        self.size = size
        self.frame = frame
        x, y, width, height = map(int, self.root.attrib["viewBox"].split())
        assert (x, y, width) == (0, 0, height)
        self.extent = width
        self.unit = (width - 2 * frame) / size

    def parts(self, name: str) -> list[ElementTree.Element]:
        return [element for element in self.root.iter() if element.get("class") == name]

    def name_at(self, x: float, y: float) -> str:
        """The square whose centre is (x, y) if a1 is in the lower left corner."""
        column = (x - self.frame) / self.unit - 0.5
        row = (y - self.frame) / self.unit - 0.5
        assert column in range(self.size)
        assert row in range(self.size)
        return f"{'abcdefgh'[int(column)]}{self.size - int(row)}"

    def centre(self, name: str) -> tuple[float, float]:
        column, row = "abcdefgh".index(name[0]), self.size - int(name[1])
        return (
            self.frame + self.unit * (column + 0.5),
            self.frame + self.unit * (row + 0.5),
        )

    def pieces(self, color: str) -> list[str]:
        (group,) = self.parts(f"loa-{color}")
        discs = [circle for circle in group if circle.get("class") == "loa-piece"]
        return sorted(self.name_at(float(d.attrib["cx"]), float(d.attrib["cy"])) for d in discs)

    def covered(self, part: str) -> list[str]:
        """The squares that the paths of a part cover."""
        corners = [
            (float(x) + self.unit / 2, float(y) + self.unit / 2)
            for path in self.parts(part)
            for x, y in re.findall(r"M(\S+) (\d+)", path.attrib["d"])
        ]
        return sorted(self.name_at(x, y) for x, y in corners)

    def texts(self) -> dict[tuple[float, float], str]:
        """The coordinates by where they stand."""
        found = self.root.iter(f"{NAMESPACE}text")
        return {(float(t.attrib["x"]), float(t.attrib["y"])): t.text or "" for t in found}

    def text_of(self, tag: str) -> str | None:
        return self.root.findtext(f"{NAMESPACE}{tag}")


def names(bitboard: int) -> list[str]:
    return sorted(loa.square_name(square) for square in range(64) if bitboard >> square & 1)


def turned(squares: list[str], size: int) -> list[str]:
    """The squares after half a turn of the board."""
    files = "abcdefgh"[:size]
    return sorted(
        f"{files[-1 - files.index(name[0])]}{size + 1 - int(name[1])}" for name in squares
    )


def test_docstring_examples() -> None:
    assert doctest.testmod(svg).failed == 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("setup", ["standard", "scrambled"])
def test_start(size: int, setup: str) -> None:
    black, white = loa.rules.starting_bitboards(size, setup)
    picture = Picture(board_svg(black, white, size), size)
    assert picture.pieces("black") == names(black)
    assert picture.pieces("white") == names(white)
    assert len(picture.parts("loa-piece")) == 4 * (size - 2)
    assert picture.root.tag == f"{NAMESPACE}svg"
    assert picture.parts("loa-last-move") == picture.parts("loa-arrow") == []


@st.composite
def placements(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.sampled_from(SIZES))
    cells = draw(st.lists(st.sampled_from(" bw"), min_size=size * size, max_size=size * size))
    squares = [8 * rank + file for rank in range(size) for file in range(size)]
    black, white = (
        sum(1 << square for square, cell in zip(squares, cells, strict=True) if cell == letter)
        for letter in "bw"
    )
    return black, white, size


@given(placements(), st.sampled_from(Color), st.booleans())
def test_any_position(placement: tuple[int, int, int], orientation: Color, labels: bool) -> None:
    black, white, size = placement
    text = board_svg(black, white, size, orientation=orientation, coordinates=labels)
    picture = Picture(text, size, 20 if labels else 4)
    for color, bitboard in (("black", black), ("white", white)):
        expected = names(bitboard)
        assert picture.pieces(color) == (
            expected if orientation is BLACK else turned(expected, size)
        )
    assert text == board_svg(black, white, size, orientation=orientation, coordinates=labels)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("orientation", Color)
def test_squares_are_chequered_and_a1_is_dark(size: int, orientation: Color) -> None:
    picture = Picture(board_svg(0, 0, size, orientation=orientation), size)
    everything = [f"{file}{rank}" for file in "abcdefgh"[:size] for rank in range(1, size + 1)]
    dark = [name for name in everything if ("abcdefgh".index(name[0]) + int(name[1])) % 2]
    assert picture.covered("loa-light-squares") == everything
    # Half a turn keeps the colours of the squares, for every size.
    assert picture.covered("loa-dark-squares") == dark
    assert "a1" in dark


def test_text_for_those_who_do_not_see_it() -> None:
    picture = Picture(board_svg(0x20002, 0x500, 3), 3)
    assert picture.root.get("role") == "img"
    assert picture.root[0].tag == f"{NAMESPACE}title"
    assert picture.text_of("title") == "Lines of Action, 3x3, 2 black and 2 white pieces"
    assert picture.text_of("desc") == "Black: b1 b3. White: a2 c2."
    marked = board_svg(0, 0x500, 3, last_move=(8, 9), arrows=[(1, 17), (0, 0), (0, 18)])
    assert Picture(marked, 3).text_of("desc") == (
        "Black: none. White: a2 c2. Last move: a2-b2. Arrows: b1-b3 a1-c3."
    )


def test_self_contained() -> None:
    board = loa.Board()
    text = board.svg(last_move=(2, 18), arrows=board.legal_moves, groups=True, lines_from=2)
    root = ElementTree.fromstring(text)
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    shapes = {"rect", "path", "text", "circle", "polygon", "line"}
    assert tags == {"svg", "title", "desc", "g"} | shapes
    attributes = {name for element in root.iter() for name in element.attrib}
    # Ids, style sheets and references would clash or be lost where pictures share a page.
    assert not attributes & {"id", "style", "href"}
    assert not [name for name in attributes if name.startswith(("on", "{"))]
    assert "url(" not in text
    assert text.count("://") == 1


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_themes_can_be_read(theme: Theme) -> None:
    def contrast_of(one: str, other: str) -> float:
        return contrast(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]))

    assert contrast_of(theme.coordinates, theme.frame) > 4.5
    assert contrast_of(theme.line_counts, theme.lines) > 4.5
    assert contrast_of(theme.black, theme.white) > 12
    for square in (theme.light_squares, theme.dark_squares):
        assert contrast_of(theme.black, square) > 3
        # White pieces have an edge.
        assert contrast_of(theme.white_edges, square) > 3
    assert contrast_of(theme.white, theme.white_edges) > 3
    assert contrast_of(theme.black_groups, theme.black) > 2
    assert contrast_of(theme.white_groups, theme.white) > 2
    assert contrast_of(theme.light_squares, theme.dark_squares) > 1.2


def test_every_colour_of_a_theme_is_used() -> None:
    names = [field.name for field in dataclasses.fields(Theme)]
    colors = {name: f"#0000{index:02x}" for index, name in enumerate(names, 1)}
    board = loa.Board(size=3)
    options: dict[str, Any] = {"last_move": (1, 2), "arrows": [(1, 0)], "groups": True}
    text = board.svg(theme=Theme(**colors), lines_from=1, **options)
    assert [name for name, color in colors.items() if f'"{color}"' not in text] == []
    attributes = [v for e in ElementTree.fromstring(text).iter() for v in e.attrib.values()]
    assert {value for value in attributes if value.startswith("#")} == set(colors.values())


@pytest.mark.parametrize(
    ("color", "error"),
    [
        ('#000000"/><script>', LoaError),
        ("#000000\n", LoaError),
        ("url(#x)", LoaError),
        ("red", LoaError),
        ("#fff", LoaError),
        ("#٠٠٠٠٠٠", LoaError),
        ("", LoaError),
        (0, TypeError),
        (None, TypeError),
        (b"#000000", TypeError),
    ],
)
def test_only_colours_are_colours(color: Any, error: type[Exception]) -> None:
    for make in (
        lambda: Theme(frame=color),
        lambda: Theme.DARK.replace(frame=color),
        lambda: Arrow((0, 1), color),
    ):
        with pytest.raises(error, match=r"is .+: expected") as caught:
            make()
        assert type(caught.value) is error


def test_themes_are_values() -> None:
    assert Theme() == Theme.LIGHT != Theme.DARK
    assert Theme.LIGHT.replace() == Theme.LIGHT
    assert hash(Theme()) == hash(Theme.LIGHT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Theme.LIGHT.frame = "#000000"  # type: ignore[misc]


# Groups and lines -------------------------------------------------------------------------------


@given(boards(), st.sampled_from(Color))
def test_groups(board: loa.Board, orientation: Color) -> None:
    text = board.svg(groups=True, orientation=orientation)
    picture = Picture(text, board.size)
    for color in Color:
        name = color.name.lower()
        drawn = picture.parts(f"loa-{name}-group")
        expected = []
        for group in board.groups(color):
            squares = names(group)
            expected.append(squares if orientation is BLACK else turned(squares, board.size))
        found = []
        for element in drawn:
            circles = element.iter(f"{NAMESPACE}circle")
            at = [picture.name_at(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in circles]
            found.append(sorted(at))
            check_bonds(picture, element, at)
        assert found == expected
        shown = ", ".join(" ".join(group) for group in map(in_order, board.groups(color)))
        assert f"{color} groups: {shown}." in (picture.text_of("desc") or "")
    assert "-group" not in board.svg()


def in_order(bitboard: int) -> list[str]:
    return [loa.square_name(square) for square in range(64) if bitboard >> square & 1]


def check_bonds(picture: Picture, group: ElementTree.Element, members: list[str]) -> None:
    """Bonds join neighbours of the group, and all of it."""
    path = group.find(f"{NAMESPACE}path")
    bonds = re.findall(r"M(\d+) (\d+)L(\d+) (\d+)", "" if path is None else path.attrib["d"])
    joined = {members[0]}
    ends = []
    for x, y, other_x, other_y in (map(float, bond) for bond in bonds):
        assert max(abs(x - other_x), abs(y - other_y)) == picture.unit
        ends.append({picture.name_at(x, y), picture.name_at(other_x, other_y)})
    for _ in members:
        for pair in ends:
            if pair & joined:
                joined |= pair
    assert joined == set(members)


@given(boards(), st.sampled_from(Color), st.data())
def test_line_counts(board: loa.Board, orientation: Color, data: st.DataObject) -> None:
    """What the engine says of the lines and the moves is where the picture has it."""
    size = board.size
    squares = [square for square in range(64) if max(square % 8, square // 8) < size]
    square = data.draw(st.sampled_from(squares))
    color = board.piece_at(square)
    moves: dict[int, bool] = {}
    if color is not None:
        # Who is to move, and whether the game is over, does not matter.
        position = loa.reference.Position.from_bitboards(board.black, board.white, size, color)
        moves = {
            to: board.piece_at(to) is not None
            for from_, to in loa.reference.line_moves(position)
            if from_ == square
        }
    picture = Picture(board.svg(lines_from=square, orientation=orientation), size)
    sign = 1 if orientation is BLACK else -1
    x, y = picture.centre(loa.square_name(square))
    if orientation is WHITE:
        x, y = picture.extent - x, picture.extent - y
    badges = {}
    targets = {}
    for kind in ("open", "blocked"):
        for group in picture.parts(f"loa-{kind}-line"):
            text = group.find(f"{NAMESPACE}text")
            badge = group.findall(f"{NAMESPACE}circle")[-1]
            east = sign * (float(badge.attrib["cx"]) - x)
            north = -sign * (float(badge.attrib["cy"]) - y)
            way = (round(east / 24), round(north / 24))
            assert text is not None
            badges[way] = int(text.text or "")
            if kind == "open":
                mark = group.findall(f"{NAMESPACE}circle")[0]
                name = picture.name_at(float(mark.attrib["cx"]), float(mark.attrib["cy"]))
                (name,) = [name] if orientation is BLACK else turned([name], size)
                targets[loa.parse_square(name)] = mark.get("fill") == "none"
    ways = dict(zip(WAYS, loa.Direction, strict=True))
    inside = {
        way: direction
        for way, direction in ways.items()
        if 0 <= square % 8 + way[0] < size and 0 <= square // 8 + way[1] < size
    }
    assert badges == {way: board.line_count(square, direction) for way, direction in inside.items()}
    assert targets == moves


WAYS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def test_text_of_lines() -> None:
    text = board_svg(0x20002, 0x500, 3, lines_from=1)
    assert Picture(text, 3).text_of("desc") == (
        "Black: b1 b3. White: a2 c2. Lines from b1: N 2, NE 2, E 1 to c1, W 1 to a1, NW 2."
    )
    captured = board_svg(0x20002, 0x700, 3, lines_from=1)
    assert "Lines from b1: N 3, NE 2, E 1 to c1" in captured
    assert "N 2 to b3" in board_svg(0x2, 0x20500, 3, lines_from=1)


def test_pictures_of_the_documentation() -> None:
    board = loa.Board("2b1b1w1/w3b2w/2bb4/1w1w4/2b1w3/w4w2/3bbb2/1b2w2w b 12")
    for name, options in (
        ("groups", {"groups": True}),
        ("lines", {"lines_from": loa.parse_square("c4")}),
    ):
        text = (DOCUMENTATION / "images" / f"{name}.svg").read_text(encoding="utf-8")
        assert text == board.svg(width=320, **options) + "\n"


# Moves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "move", [(2, 18), loa.Move(2, 18), SimpleNamespace(from_square=2, to_square=18)]
)
@pytest.mark.parametrize("orientation", Color)
def test_last_move(move: Any, orientation: Color) -> None:
    text = loa.Board().svg(last_move=move, orientation=orientation)
    expected = ["c1", "c3"]
    covered = Picture(text, 8).covered("loa-last-move")
    assert covered == (expected if orientation is BLACK else turned(expected, 8))


@pytest.mark.parametrize("last_move", [None, loa.Move.PASS, (0, 0)])
def test_no_last_move(last_move: Any) -> None:
    assert loa.Board().svg(last_move=last_move) == loa.Board().svg()


def test_passes_are_no_arrows() -> None:
    assert loa.Board().svg(arrows=[loa.Move.PASS, (0, 0)]) == loa.Board().svg()


@pytest.mark.parametrize("size", SIZES)
def test_arrows(size: int) -> None:
    last = size - 1
    moves = [(1, 8 * last + 1), (8, 8 + last), (0, 9 * last), (8 * last, last), (last, 8)]
    picture = Picture(loa.Board(size=size).svg(arrows=moves), size)
    drawn = picture.parts("loa-arrow")
    assert len(drawn) == len(moves)
    for arrow, move in zip(drawn, moves, strict=True):
        tail, tip = (complex(*picture.centre(loa.square_name(square))) for square in move)
        corners = [
            complex(*map(float, corner.split(","))) for corner in arrow.attrib["points"].split()
        ]
        assert tip in corners
        # As seen along the arrow: 0 is its tail and `length` its tip.
        length = abs(tip - tail)
        seen = [(corner - tail) * length / (tip - tail) for corner in corners]
        assert all(0 <= round(corner.real) <= round(length) for corner in seen)
        # A thin shaft, and a head whose widest corners are near the tip.
        shaft = [corner for corner in seen if corner.real < length / 2]
        thickness, width = (max(abs(corner.imag) for corner in part) for part in (shaft, seen))
        assert 0 < 2 * thickness < width < picture.unit / 2


def test_arrows_turn_with_the_board() -> None:
    picture = Picture(loa.Board().svg(arrows=iter([(2, 18)]), orientation=WHITE), 8)
    (arrow,) = picture.parts("loa-arrow")
    x, y = picture.centre("f6")
    assert f"{x:.1f},{y:.1f}" in arrow.attrib["points"].split()


def test_arrows_with_colours_of_their_own() -> None:
    move = loa.Move(2, 18)
    arrows = [
        move,
        Arrow(move, "#aa0000"),
        Arrow((2, 18), "#00BB00"),
        Arrow(loa.Move.PASS, "#000000"),
    ]
    drawn = Picture(loa.Board().svg(arrows=arrows), 8).parts("loa-arrow")
    assert [arrow.attrib["fill"] for arrow in drawn] == [Theme.LIGHT.arrows, "#aa0000", "#00BB00"]
    assert len({arrow.attrib["points"] for arrow in drawn}) == 1
    with pytest.raises(InvalidMoveError, match=re.escape("arrows[0] is (0, 63): expected squares")):
        loa.Board(size=4).svg(arrows=[Arrow((0, 63), "#aa0000")])


@pytest.mark.parametrize("size", SIZES)
def test_coordinates(size: int) -> None:
    files, ranks = "abcdefgh"[:size], "12345678"[:size]
    for orientation in Color:
        picture = Picture(board_svg(0, 0, size, orientation=orientation), size)
        texts = picture.texts()
        bottom = max(y for _, y in texts)
        left = min(x for x, _ in texts)
        below = "".join(text for (x, y), text in sorted(texts.items()) if y == bottom)
        beside = "".join(text for (x, y), text in sorted(texts.items()) if x == left)
        assert below == (files if orientation is BLACK else files[::-1])
        # From the top down.
        assert beside == (ranks[::-1] if orientation is BLACK else ranks)
        assert len(texts) == 4 * size
        assert picture.size * picture.unit < bottom < picture.extent
        assert 0 < left < picture.frame


def test_no_coordinates() -> None:
    picture = Picture(loa.Board().svg(coordinates=False), 8, 4)
    assert picture.texts() == {}
    assert picture.parts("loa-coordinates") == []
    assert picture.extent == 328


def test_width() -> None:
    for size in SIZES:
        root = ElementTree.fromstring(loa.Board(size=size).svg(width=123))
        assert root.attrib["width"] == root.attrib["height"] == "123"
    assert 'width="390" height="390"' in loa.Board().svg()


def test_board_picture_shows_the_last_move() -> None:
    board = loa.Board()
    assert board._repr_svg_() == board.svg()
    move = board.push_text("c8-c6")
    assert board._repr_svg_() == board.svg(last_move=move)
    picture = Picture(board._repr_svg_(), 8)
    assert picture.covered("loa-last-move") == ["c6", "c8"]
    assert "c6" in picture.pieces("black")
    assert board.svg() == board_svg(board.black, board.white, board.size)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((0, 0, 2), {}, LoaError, "size is 2: expected 3 to 8"),
        ((0, 0, 9), {}, LoaError, "size is 9: expected 3 to 8"),
        ((0, 0, "8"), {}, TypeError, "size is '8': expected an int"),
        ((0, 0, True), {}, TypeError, "size is True: expected an int"),
        (("7e", 0), {}, TypeError, "black is '7e': expected an int"),
        ((0, 1.5), {}, TypeError, "white is 1.5: expected an int"),
        (
            (1 << 3, 0, 3),
            {},
            InvalidFenError,
            "black is '0x8': expected squares of the 3x3 board",
        ),
        ((0, -1), {}, InvalidFenError, "white is '-0x1': expected squares of the 8x8 board"),
        (
            (1 << 64, 0),
            {},
            InvalidFenError,
            "black is '0x10000000000000000': expected squares of the 8x8 board",
        ),
        ((6, 12), {}, InvalidFenError, "both colours have a piece on c1: expected one at most"),
        ((0, 0), {"width": 0}, LoaError, "width is 0: expected 1 to 32767"),
        ((0, 0), {"width": -(10**5000)}, LoaError, "width is a 16610-bit number: expected 1 to"),
        ((0, 0), {"width": 39.5}, TypeError, "width is 39.5: expected an int"),
        ((0, 0), {"orientation": 1}, TypeError, "orientation is 1: expected a loa.Color"),
        ((0, 0), {"orientation": "w"}, TypeError, "orientation is 'w': expected a loa.Color"),
        ((0, 0), {"coordinates": None}, TypeError, "coordinates is None: expected a bool"),
        ((0, 0), {"groups": 1}, TypeError, "groups is 1: expected a bool"),
        ((0, 0), {"theme": "dark"}, TypeError, "theme is 'dark': expected a loa.svg.Theme"),
        ((0, 0), {"theme": Theme}, TypeError, "expected a loa.svg.Theme"),
        ((0, 0), {"lines_from": "b1"}, TypeError, "lines_from is 'b1': expected an int"),
        ((0, 0), {"lines_from": True}, TypeError, "lines_from is True: expected an int"),
        (
            (0, 0, 5),
            {"lines_from": 5},
            LoaError,
            "lines_from is 5: expected a square of the 5x5 board",
        ),
        ((0, 0), {"lines_from": -1}, LoaError, "lines_from is -1: expected a square of the 8x8"),
        (
            (0, 0, 5),
            {"last_move": (0, 5)},
            InvalidMoveError,
            "last_move is (0, 5): expected squares of the 5x5 board",
        ),
        (
            (0, 0),
            {"last_move": (-1, 64)},
            InvalidMoveError,
            "last_move is (-1, 64): expected squares of the 8x8 board",
        ),
        (
            (0, 0),
            {"last_move": (5, 5)},
            InvalidMoveError,
            "last_move is (5, 5): expected two different squares",
        ),
        (
            (0, 0),
            {"last_move": "c8-c6"},
            TypeError,
            "last_move is 'c8-c6': expected a loa.Move or a tuple (from, to) of squares",
        ),
        (
            (0, 0),
            {"last_move": (1, 2, 3)},
            TypeError,
            "last_move is (1, 2, 3): expected a loa.Move or a tuple (from, to) of squares",
        ),
        (
            (0, 0),
            {"last_move": ("c8", "c6")},
            TypeError,
            "a square of last_move is 'c8': expected an int",
        ),
        (
            (0, 0, 4),
            {"arrows": [(0, 1), loa.Move(0, 63)]},
            InvalidMoveError,
            "arrows[1] is (0, 63): expected squares of the 4x4 board",
        ),
        (
            (0, 0),
            {"arrows": (2, 18)},
            TypeError,
            "arrows[0] is 2: expected a loa.Move or a tuple (from, to) of squares",
        ),
        ((0, 0), {"arrows": None}, TypeError, "arrows is None: expected an iterable of moves"),
        (
            (0, 0),
            {"arrows": loa.Move(2, 18)},
            TypeError,
            "expected an iterable of moves",
        ),
    ],
)
def test_errors(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)) as caught:
        board_svg(*arguments, **options)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 120


def test_unknown_option() -> None:
    with pytest.raises(TypeError, match="colour"):
        loa.Board().svg(colour="red")


def test_integers_of_numpy() -> None:
    own = board_svg(0x20002, 0x500, 3, width=90, last_move=(1, 17), arrows=[(8, 10)], lines_from=1)
    other = board_svg(
        *(np.uint64(0x20002), np.uint64(0x500), np.int8(3)),
        width=np.int64(90),
        last_move=(np.int64(1), np.int64(17)),
        arrows=[(np.int64(8), np.int64(10))],
        lines_from=np.uint8(1),
    )
    assert own == other
    with pytest.raises(TypeError, match="expected an int"):
        board_svg(0x20002, 0x500, 3, lines_from=np.True_)
