"""Pictures of positions as bitmaps: images of Pillow, PNG files and animated GIF files.

    >>> import loa
    >>> from loa.integrations import pillow
    >>> image = pillow.board_image(loa.Board(), groups=True, width=500)
    >>> image.size, image.mode
    ((500, 500), 'RGBA')
    >>> image.save("start.png")  # doctest: +SKIP

What is drawn is what `loa.svg` draws, with all its options, element by element: this module knows
those elements and attributes that such pictures have, and no others.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

from loa._board import Board
from loa._moves import Move
from loa.records import Game
from loa.replay import Replay, replay_of, require_seconds
from loa.rules import LoaError, Rules, shown

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as _error:
    raise ImportError(
        "loa.integrations.pillow needs Pillow: pip install 'loa[pictures]'"
    ) from _error

__all__ = ["board_image", "board_png", "game_gif"]

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_SAMPLES = 4
"""Pixels drawn for one of the image, in each direction: their mean makes smooth edges."""
_MAX_PIXELS = 8192
"""The widest image, and the widest drawing that an image is made of: a quarter of a gigabyte."""
_LAST_FRAMES = 3
"""How many times as long as the others the last position of an animation stands."""
_COLORS = 128
"""Colours of an animation: the few of the board, and those between them along the edges."""


def board_image(board: Board, **options: Any) -> Image.Image:
    """The position as a `PIL.Image.Image` in the mode RGBA.

    The options are those of `loa.svg.board_svg`, and so are the errors; the image is `width`
    pixels wide and high, 8192 at most.

    >>> import loa
    >>> board_image(loa.Board(size=5), width=100).getpixel((50, 50))
    (211, 183, 143, 255)
    """
    if not isinstance(board, Board):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board")
    svg = ElementTree.fromstring(Board.svg(board, **options))
    width = int(svg.attrib["width"])
    if width > _MAX_PIXELS:
        raise LoaError(f"width is {shown(width)}: expected 1 to {_MAX_PIXELS}")
    samples = width * min(_SAMPLES, _MAX_PIXELS // width)
    scale = samples / int(svg.attrib["viewBox"].split()[-1])
    image = Image.new("RGBA", (samples, samples))
    for element in svg:
        _draw(image, element, {}, scale)
    return image.resize((width, width), Image.Resampling.BOX)


def board_png(board: Board, **options: Any) -> bytes:
    """The position as the contents of a PNG file; the options are those of `board_image`.

    >>> import loa
    >>> board_png(loa.Board())[:4]
    b'\\x89PNG'
    """
    file = io.BytesIO()
    board_image(board, **options).save(file, "PNG", optimize=True)
    return file.getvalue()


def game_gif(
    game: Board | Game,
    moves: Iterable[Move] | None = None,
    *,
    rules: Rules | None = None,
    seconds: float = 1.0,
    **options: Any,
) -> bytes:
    """The replay of a game as the contents of an animated GIF file, which runs for ever.

    `game`, `moves`, `rules` and `seconds`, the time for a position, are those of
    `loa.replay_html`; the last position stands three times as long. No position stands longer
    than 655 seconds, for which the format has no number. The options are those of
    `loa.svg.board_svg`, but for the last move, which is always shown.

    >>> import loa
    >>> board = loa.Board(size=5)
    >>> board.push(board.legal_moves[0])
    >>> game_gif(board, width=150)[:6]
    b'GIF89a'
    """
    replay = replay_of(game, moves, rules=rules)
    require_seconds(seconds)
    # With a mark on a dark square and on a light one, the start shows all colours there are.
    palette = _on_white(replay.start, (0, 1), options).quantize(_COLORS)
    first, *others = (
        _on_white(board, board.peek() if board.move_stack else None, options).quantize(
            palette=palette, dither=Image.Dither.NONE
        )
        for board in _positions(replay)
    )
    # Programs take less than 20 for a mistake, and there is no room for more than 655,350.
    durations = [
        min(max(round(1000 * seconds), 20) * times, 655_350)
        for times in [1] * len(others) + [_LAST_FRAMES]
    ]
    file = io.BytesIO()
    first.save(
        file, "GIF", save_all=True, append_images=others, duration=durations, loop=0, disposal=1
    )
    return file.getvalue()


def _positions(replay: Replay) -> Iterator[Board]:
    """The start and the positions after each move: one board, that is changed."""
    board = replay.start.copy()
    yield board
    for move in replay.moves:
        board.push(move)
        yield board


def _on_white(
    board: Board, last_move: Move | tuple[int, int] | None, options: dict[str, Any]
) -> Image.Image:
    """The position without the half transparent pixels that a GIF cannot have."""
    image = board_image(board, last_move=last_move, **options)
    frame = Image.new("RGB", image.size, "white")
    frame.paste(image, mask=image)
    return frame


def _draw(
    image: Image.Image, element: ElementTree.Element, inherited: dict[str, str], scale: float
) -> None:
    """Draw an element, and those in it, as a program that shows SVG does."""
    style = inherited | element.attrib
    tag = element.tag.removeprefix(_NAMESPACE)
    if tag in ("title", "desc"):
        return
    if tag == "g":
        for child in element:
            _draw(image, child, style, scale)
        return
    opacity = float(style.get("opacity", "1")) * float(style.get("fill-opacity", "1"))
    if opacity == 1:
        _draw_shape(ImageDraw.Draw(image), tag, element.text or "", style, scale)
        return
    layer = Image.new("RGBA", image.size)
    _draw_shape(ImageDraw.Draw(layer), tag, element.text or "", style, scale)
    layer.putalpha(layer.getchannel("A").point([round(opacity * alpha) for alpha in range(256)]))
    image.alpha_composite(layer)


def _draw_shape(
    draw: ImageDraw.ImageDraw, tag: str, text: str, style: dict[str, str], scale: float
) -> None:
    fill, stroke = (
        None if color == "none" else color
        for color in (style.get("fill", "none"), style.get("stroke", "none"))
    )
    thickness = 0.0 if stroke is None else float(style.get("stroke-width", "1")) * scale

    def number(name: str) -> float:
        return float(style.get(name, "0")) * scale

    def box(left: float, top: float, right: float, bottom: float) -> tuple[float, ...]:
        # Pillow means the last pixels, not the edges behind them, and there has to be one.
        return left, top, max(left, right - 1), max(top, bottom - 1)

    if tag == "rect":
        corners = box(0, 0, number("width"), number("height"))
        draw.rounded_rectangle(corners, number("rx"), fill)
    elif tag == "circle":
        x, y, reach = number("cx"), number("cy"), number("r") + thickness / 2
        corners = box(x - reach, y - reach, x + reach, y + reach)
        draw.ellipse(corners, fill, stroke, round(thickness))
    elif tag == "line":
        ends = [number(name) for name in ("x1", "y1", "x2", "y2")]
        draw.line(ends, stroke, round(thickness))
    elif tag == "polygon":
        points = [float(part) * scale for part in re.split("[ ,]", style["points"])]
        draw.polygon(points, fill)
        draw.line(points + points[:4], stroke, round(thickness), "curve")
    elif tag == "path":
        for part in style["d"].split("M")[1:]:
            x, y, *steps = (float(value) * scale for value in re.findall(r"[-\d.]+", part))
            if "L" in part:
                draw.line((x, y, *steps), stroke, round(thickness))
            else:  # A square: across, down, back.
                draw.rectangle(box(x, y, x + steps[0], y + steps[1]), fill)
    elif tag == "text":
        font = ImageFont.load_default(max(1, number("font-size")))
        draw.text((number("x"), number("y")), text, fill, font, "ms")
