"""Bitmaps of positions and games, beside what a browser draws and what SVG means."""

import doctest
import io

import pytest
from browser import browser_fixture, show  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import boards

import loa
from loa.rules import Color, LoaError
from loa.svg import Arrow, Theme

pytest.importorskip("PIL", reason="needs the extra pictures")

from PIL import Image, ImageChops

from loa.integrations import pillow


def rgb(color):
    return tuple(bytes.fromhex(color[1:]))


def example():
    """A picture with all there is in it: the board and its options."""
    board = loa.Board("2b1b1w1/w3b2w/2bb4/1w1w4/2b1w3/w4w2/3bbb2/1b2w2w b 12")
    options = {
        "last_move": loa.Move.from_text("h4-e4"),
        "arrows": [loa.Move.from_text("e8-b5"), Arrow((48, 21), "#d0342c")],
        "groups": True,
        "lines_from": loa.parse_square("c4"),
    }
    return board, options


@settings(max_examples=25)
@given(boards(), st.sampled_from(Color), st.booleans(), st.sampled_from([Theme.LIGHT, Theme.DARK]))
def test_pieces(board, orientation, coordinates, theme):
    image = pillow.board_image(
        board, orientation=orientation, coordinates=coordinates, theme=theme, width=360
    )
    frame = 20 if coordinates else 4
    scale = 360 / (40 * board.size + 2 * frame)
    for square in range(64):
        file, rank = square % 8, square // 8
        if max(file, rank) >= board.size:
            continue
        column, row = (file, board.size - 1 - rank)
        if orientation is loa.WHITE:
            column, row = board.size - 1 - column, board.size - 1 - row
        corner = (frame + 40 * column, frame + 40 * row)
        centre, edge = (
            image.getpixel(tuple(int((start + offset) * scale) for start in corner))
            for offset in (20, 3)
        )
        ground = (theme.dark_squares, theme.light_squares)[(file + rank) % 2]
        piece = {None: ground, loa.BLACK: theme.black, loa.WHITE: theme.white}
        assert edge == (*rgb(ground), 255)
        assert centre == (*rgb(piece[board.piece_at(square)]), 255)


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
@pytest.mark.parametrize("width", [390, 700])
def test_what_a_browser_draws(browser, tmp_path, theme, width):
    board, options = example()
    options |= {"theme": theme, "width": width}
    show(browser, tmp_path / "picture.html", f"<body style='margin:0'>{board.svg(**options)}")
    data = browser.find_element("css selector", "svg").screenshot_as_png
    expected = Image.open(io.BytesIO(data)).convert("RGB")
    # Edges are smoothed and letters are shaped differently; nothing is missing or elsewhere.
    assert farthest(on_white(board, options), expected) < 30
    for name in ("last_move", "arrows", "groups", "lines_from"):
        fewer = {key: value for key, value in options.items() if key != name}
        assert farthest(on_white(board, fewer), expected) > 45


def on_white(board, options):
    drawn = pillow.board_image(board, **options)
    image = Image.new("RGB", drawn.size, "white")
    image.paste(drawn, mask=drawn)
    return image


def farthest(one, other):
    """The greatest difference in a channel between patches half a square wide."""
    assert one.size == other.size
    patches = ImageChops.difference(one, other).reduce(one.width // 20)
    return max(greatest for _, greatest in patches.getextrema())


def test_png():
    board, options = example()
    image = Image.open(io.BytesIO(pillow.board_png(board, width=200, **options)))
    assert (image.format, image.size) == ("PNG", (200, 200))
    assert image.tobytes() == pillow.board_image(board, width=200, **options).tobytes()


def test_corners_are_clear():
    image = pillow.board_image(loa.Board())
    assert image.getpixel((0, 0))[3] == 0
    assert image.getpixel((10, 10))[3] == 255


@pytest.mark.parametrize("width", [1, 7, 100])
def test_small_pictures(width):
    assert pillow.board_image(loa.Board(), width=width).size == (width, width)


def test_gif():
    board = loa.Board(size=5)
    for _ in range(4):
        board.push(board.legal_moves[0])
    options = {"width": 150, "orientation": loa.WHITE}
    animation = Image.open(io.BytesIO(pillow.game_gif(board, seconds=0.25, **options)))
    assert (animation.format, animation.size) == ("GIF", (150, 150))
    assert animation.n_frames == 5
    assert animation.info["loop"] == 0
    boards = [board.copy() for _ in range(5)]
    for count, before in enumerate(boards):
        for _ in range(4 - count):
            before.pop()
    durations = []
    for index, position in enumerate(boards):
        animation.seek(index)
        durations.append(animation.info["duration"])
        last_move = position.peek() if position.move_stack else None
        expected = on_white(position, options | {"last_move": last_move})
        assert farthest(animation.convert("RGB"), expected) < 30
    assert durations == [250, 250, 250, 250, 750]


def test_gif_of_a_position():
    assert Image.open(io.BytesIO(pillow.game_gif(loa.Board(), width=50))).n_frames == 1


def test_errors():
    with pytest.raises(TypeError, match=r"board is 'x': expected a loa.Board"):
        pillow.board_image("x")
    with pytest.raises(LoaError, match="width is 0: expected 1 to "):
        pillow.board_png(loa.Board(), width=0)
    with pytest.raises(LoaError, match="seconds is -1: expected more than 0"):
        pillow.game_gif(loa.Board(), seconds=-1)
    with pytest.raises(LoaError, match="width is 8193: expected 1 to 8192"):
        pillow.board_image(loa.Board(), width=8193)
    with pytest.raises(TypeError, match="last_move"):
        pillow.game_gif(loa.Board(), last_move=None)


def test_documentation():
    assert doctest.testmod(pillow, extraglobs={"loa": loa}).failed == 0



@pytest.mark.parametrize("seconds", [0.001, 300, 3600])
def test_long_and_short_times(seconds):
    """The last position stands three times as long, where the format has a number for that."""
    board = loa.Board(size=3)
    board.push(board.legal_moves[0])
    image = Image.open(io.BytesIO(pillow.game_gif(board, seconds=seconds, width=60)))
    durations = []
    for frame in range(image.n_frames):
        image.seek(frame)
        durations.append(image.info["duration"])
    one = max(20, 1000 * seconds)
    assert durations == [min(one, 655_350), min(3 * one, 655_350)]
