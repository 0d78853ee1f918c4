"""Draws the pictures of the pages on the rules and the engine: `python docs/figures.py`.

Whatever stands in a picture is worked out here from positions, so that a picture cannot tell
anything else than the engine does. The tests compare the files with what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import loa
from loa.svg import FRAME_WITH_COORDINATES, SQUARE

IMAGES = Path(__file__).parent / "images"

# For each picture of a rule: the position, the move that is made on it, options of `Board.svg`.
RULES: dict[str, tuple[str | None, str | None, dict[str, Any]]] = {
    "rules-standard": (None, None, {}),
    "rules-scrambled": (
        loa.Board(setup="scrambled").fen(),
        None,
        {},
    ),
    "rules-distance": (None, None, {"lines_from": loa.parse_square("c1")}),
    "rules-jump": ("w3b/4w/5/2b2/2b2 b 1", None, {"lines_from": loa.parse_square("c1")}),
    "rules-blocked": ("w3b/4w/5/2w2/2b2 b 1", None, {"lines_from": loa.parse_square("c1")}),
    "rules-capture": ("w3b/4w/2w2/5/2b2 b 1", None, {"lines_from": loa.parse_square("c1")}),
    "rules-connection": ("1w4/6/1bb1w1/2w1ww/1b1b2/2b3 b 34", "c4-b3", {"groups": True}),
    "rules-opponent": ("1wbww1/2w1b1/w2w2/6/2b3/4bb b 19", "c2xa4", {"groups": True}),
    "rules-both": ("w2b1w/2w1w1/3w2/3b2/1bb3/b5 w 45", "a6xd6", {"groups": True}),
}

_FONT = "Helvetica, Arial, sans-serif"
_PAPER, _INK, _QUIET = "#fbf8f3", "#2a2420", "#665a4e"
_BLUE, _ORANGE = "#1d5fa6", "#c8501e"


class _Drawing:
    """An `svg` element on paper of its own, to be read on light and dark pages."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.root = ElementTree.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            role="img",
            viewBox=f"0 0 {width} {height}",
            width=str(width),
            height=str(height),
        )
        self.root.set("font-family", _FONT)
        ElementTree.SubElement(self.root, "title").text = title
        self.add("rect", width=width, height=height, rx=6, fill=_PAPER)

    def add(self, tag: str, **attributes: object) -> ElementTree.Element:
        names = {name.replace("_", "-"): str(value) for name, value in attributes.items()}
        return ElementTree.SubElement(self.root, tag, names)

    def write(
        self,
        x: float,
        y: float,
        text: object,
        *,
        size: int = 14,
        fill: str = _INK,
        anchor: str = "middle",
        weight: str = "normal",
    ) -> None:
        self.add(
            "text",
            x=x,
            y=y,
            font_size=size,
            fill=fill,
            text_anchor=anchor,
            font_weight=weight,
        ).text = str(text)

    def piece(self, x: float, y: float, color: loa.Color) -> None:
        fill = "#fdfaf3" if color else "#262322"
        self.add("circle", cx=x, cy=y, r=15, fill=fill, stroke="#4b4036", stroke_width=1.5)

    def text(self) -> str:
        return _text_of(self.root)


def _text_of(root: ElementTree.Element) -> str:
    ElementTree.indent(root, space="")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def rule_picture(name: str) -> str:
    """The picture of a position, before a move or after it."""
    fen, move, options = RULES[name]
    board = loa.Board() if fen is None else loa.Board(fen)
    last_move = None if move is None else board.push_text(move)
    text: str = board.svg(last_move=last_move, width=40 * board.size + 16, **options)
    return text + "\n"


def line_code_picture() -> str:
    """The rank `.b.w..b.` as a number in base 3."""
    board = loa.Board("8/8/8/8/8/8/8/1b1w2b1 b 1")
    drawing = _Drawing(640, 214, "A line of eight squares read as a number in base 3")
    left, step = 150, 54
    for y, text in ((50, "rank 1"), (100, "digit"), (132, "weight"), (164, "product")):
        drawing.write(left - 24, y, text, anchor="end", fill=_QUIET)
    total = 0
    for file in range(8):
        x = left + file * step + step / 2
        dark = file % 2 == 0
        drawing.add(
            "rect",
            x=x - step / 2,
            y=18,
            width=step,
            height=step,
            fill="#d3b78f" if dark else "#ecdcbf",
        )
        color = board.piece_at(file)
        if color is not None:
            drawing.piece(x, 45, color)
        digit = 0 if color is None else 1 + color
        product = digit * 3**file
        total += product
        shown = _INK if digit else _QUIET
        drawing.write(x, 100, digit, weight="bold", fill=shown)
        drawing.write(x, 132, 3**file, fill=shown)
        drawing.write(x, 164, product, fill=shown)
    sum_text = f"{total} of {3**8:,} states"
    drawing.write(left + 4 * step, 198, f"sum: {sum_text}", size=16, weight="bold", fill=_BLUE)
    return drawing.text()


def _board_with(board: loa.Board, title: str, **options: Any) -> ElementTree.Element:
    """A board to draw more upon; its own title would say the half of it."""
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    root = ElementTree.fromstring(board.svg(**options))
    for element in root:
        if element.tag.endswith("title"):
            element.text = title
    return root


def _centre(square: int, size: int = 8) -> tuple[int, int]:
    corner = FRAME_WITH_COORDINATES + SQUARE // 2
    return corner + SQUARE * (square % 8), corner + SQUARE * (size - 1 - square // 8)


def _line_squares(square: int, step: tuple[int, int]) -> list[int]:
    """The squares of a line through a square on the 8x8 board, from one end to the other."""
    files, ranks = step
    file, rank = square % 8, square // 8
    while 0 <= file - files < 8 and 0 <= rank - ranks < 8:
        file, rank = file - files, rank - ranks
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(8 * rank + file)
        file, rank = file + files, rank + ranks
    return squares


_ORIENTATIONS = ((0, 1), (1, 1), (1, 0), (1, -1))


def changed_lines_picture() -> str:
    """The seven lines whose states a move changes."""
    board = loa.Board("8/1w3b2/3b4/8/2b2w2/5b2/1w6/8 b 1")
    move = board.parse_move("c4-e6")
    lines = {
        tuple(_line_squares(square, step))
        for square in (move.from_square, move.to_square)
        for step in _ORIENTATIONS
    }
    title = f"The {len(lines)} lines that the move {move} changes"
    root = _board_with(board, title, arrows=[move], width=320)
    for squares in sorted(lines):
        (x1, y1), (x2, y2) = _centre(squares[0]), _centre(squares[-1])
        shared = {move.from_square, move.to_square} <= set(squares)
        ElementTree.SubElement(
            root,
            "line",
            {
                "x1": str(x1),
                "y1": str(y1),
                "x2": str(x2),
                "y2": str(y2),
                "stroke": _ORANGE if shared else _BLUE,
                "stroke-width": "3",
                "stroke-opacity": "0.75",
                "stroke-linecap": "round",
            },
        )
    return _text_of(root)


def _fill_steps(board: loa.Board, seed: int) -> dict[int, int]:
    """For each black piece that a flood fill reaches, the step at which it does."""
    pieces = {square for square in range(64) if board.black >> square & 1}
    reached, step = {seed: 0}, 0
    while True:
        step += 1
        grown = {
            square
            for square in pieces - reached.keys()
            if any(
                max(abs(square % 8 - other % 8), abs(square // 8 - other // 8)) == 1
                for other in reached
            )
        }
        if not grown:
            return reached
        reached |= dict.fromkeys(grown, step)


def flood_fill_picture() -> str:
    """Which pieces a flood fill from the lowest piece reaches, and after how many steps."""
    board = loa.Board("8/1b4b1/1w3b2/4b1w1/4b3/2wb1b2/2b5/3w3w w 1")
    pieces = board.black
    seed = (pieces & -pieces).bit_length() - 1
    root = _board_with(board, "A flood fill, step by step", groups=True, width=320)
    for square, step in sorted(_fill_steps(board, seed).items()):
        x, y = _centre(square)
        label = ElementTree.SubElement(
            root,
            "text",
            {
                "x": str(x),
                "y": str(y + 6),
                "font-family": _FONT,
                "font-size": "17",
                "font-weight": "bold",
                "fill": "#ffffff",
                "text-anchor": "middle",
            },
        )
        label.text = str(step)
    return _text_of(root)


# The replies to all moves as one sum, by plain loops ---------------------------------------------


def _moves_on(line: Iterable[int], own: set[int], enemy: set[int]) -> list[tuple[int, int]]:
    """A side's moves along one line."""
    squares = list(line)
    distance = sum(square in own or square in enemy for square in squares)
    moves = []
    for index, square in enumerate(squares):
        for way in (1, -1):
            target = index + way * distance
            if square not in own or not 0 <= target < len(squares) or squares[target] in own:
                continue
            if not any(squares[index + way * step] in enemy for step in range(1, distance)):
                moves.append((square, squares[target]))
    return moves


def perft_sum(board: loa.Board) -> dict[str, int]:
    """The terms of the sum that `docs/engine.md` explains, for the side to move on an 8x8 board."""
    sides = [
        {square for square in range(64) if bitboard >> square & 1}
        for bitboard in (board.black, board.white)
    ]
    own, enemy = sides[board.turn], sides[1 - board.turn]

    def replies(line: tuple[int, ...], own: set[int], enemy: set[int]) -> int:
        return len(_moves_on(line, enemy, own))

    lines = {tuple(_line_squares(square, step)) for square in range(64) for step in _ORIENTATIONS}
    through = {square: [line for line in lines if square in line] for square in range(64)}
    now = {line: replies(line, own, enemy) for line in lines}
    terms = dict.fromkeys(("moves", "replies", "own lines", "departures", "arrivals"), 0)
    terms["replies"] = sum(now.values())

    def removed(line: tuple[int, ...], square: int) -> int:
        return replies(line, own - {square}, enemy) - now[line]

    def added(line: tuple[int, ...], square: int) -> int:
        return replies(line, own | {square}, enemy - {square}) - now[line]

    for line in lines:
        for departure, arrival in _moves_on(line, own, enemy):
            terms["moves"] += 1
            after = replies(line, own - {departure} | {arrival}, enemy - {arrival})
            pair = after - now[line]
            terms["own lines"] += pair - removed(line, departure) - added(line, arrival)
            terms["departures"] += sum(removed(each, departure) for each in through[departure])
            terms["arrivals"] += sum(added(each, arrival) for each in through[arrival])
    return terms


def perft_sum_picture() -> str:
    """The two plies from the start as that sum, term by term."""
    board = loa.Board()
    terms = perft_sum(board)
    product = terms["moves"] * terms["replies"]
    rows = [
        (f"M S = {terms['moves']} moves × {terms['replies']} replies", product),
        ("on the moves' own lines: pair − rem − add", terms["own lines"]),
        ("departures × rem, over all squares", terms["departures"]),
        ("arrivals × add, over all squares", terms["arrivals"]),
    ]
    total = sum(value for _, value in rows)
    drawing = _Drawing(640, 236, "Two plies from the start of the game as one sum")
    left, scale = 340, 190 / max(product, total)
    drawing.add("line", x1=left, y1=16, x2=left, y2=196, stroke=_QUIET, stroke_width=1)
    so_far = 0
    for index, (name, value) in enumerate([*rows, ("replies to all moves: perft 2", total)]):
        y = 20 + 42 * index
        is_total = index == len(rows)
        start = 0 if is_total else so_far
        low, high = sorted((start, start + value))
        so_far = start + value
        fill = _INK if is_total else _BLUE if value >= 0 else _ORANGE
        weight = "bold" if is_total else "normal"
        drawing.write(left - 12, y + 19, name, anchor="end", weight=weight)
        drawing.add(
            "rect",
            x=f"{left + scale * low:.1f}",
            y=y,
            width=f"{max(scale * (high - low), 1):.1f}",
            height=28,
            fill=fill,
        )
        sign = "" if index == 0 or is_total else "+" if value >= 0 else "−"
        text = f"{sign}{abs(value):,}"
        drawing.write(left + scale * high + 8, y + 19, text, anchor="start", weight=weight)
    return drawing.text()


FIGURES = {
    "engine-line-code": line_code_picture,
    "engine-changed-lines": changed_lines_picture,
    "engine-flood-fill": flood_fill_picture,
    "engine-perft-sum": perft_sum_picture,
}


def pictures() -> dict[str, str]:
    """All pictures by the names of their files."""
    drawn = {name: rule_picture(name) for name in RULES}
    drawn |= {name: draw() for name, draw in FIGURES.items()}
    return {f"{name}.svg": text for name, text in drawn.items()}


def main() -> None:
    """Writes the files."""
    for name, text in pictures().items():
        (IMAGES / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
