"""Files of games for tests: read and written in memory, of random text, or changed at random."""

import io

import pytest
from hypothesis import strategies as st
from positions import DATA

import loa
from loa.records import FORMATS, read_games, write_games

GAMES = DATA / "games.txt"

OPEN = "c8-c6 a6-c4 e8-b5 h3xf1"
# The quickest recorded win, Black's at ply 9.
WON = "d1-b3 h5-g4 b1-b4 g4xg1 b4-e7 a3xc1 b3-e6 h3xf1 e1-e5"
# A game made up so that White is left without a move, at ply 32.
PASSED = """\
f1xh3 a7-a1 c8xa6 h4-f2 e8-g6 f2-c2 c1xa3 c2-c3 f8xh6 a4-c2 g6xc2 h2-e2 a6-c4 e2-h2 e1-e2
h5-g6 d1-f3 g6-h5 d8-b6 h7-g7 e2xh5 g7-d4 h6xh2 d4-d3 b8-b5 d3-d2 h2xd2 c3-e5 f3-c3 e5-h8
h5xh8 pass b5-c6
"""


def read(content: str | bytes, name: str | None = None, **options):
    """The games of a text or bytes."""
    content = content if isinstance(content, bytes) else content.encode()
    return read_games(io.BytesIO(content), format=name, **options)


def write(games, name: str, **options) -> str:
    """The text of games."""
    file = io.StringIO()
    write_games(games, file, format=name, **options)
    return file.getvalue()


def words(game) -> str:
    """The moves of the main line."""
    return " ".join(map(str, game.moves))


def check_place(error: loa.InvalidRecordError, content: bytes) -> None:
    """The error is at a place that the content has, and says so in few words on one line."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert len(str(error)) < 1000
    assert str(error).isprintable()


def read_random(content: bytes, name: str) -> None:
    """Reads the content; the only error may be InvalidRecordError, at a place that exists."""
    skipped = read(content, name, on_error="skip")
    truncated = read(content, name, on_error="truncate")
    assert [str(error) for error in skipped.errors] == [str(error) for error in truncated.errors]
    for error in skipped.errors:
        check_place(error, content)
    assert all(game.id or not FORMATS[name].needs_id for game in truncated)
    assert all(game.board().ply == game.board_at(0).ply + len(game.moves) for game in truncated)
    assert all(game in truncated for game in skipped)
    # What has been read can be written, and is the same when it is read again.
    assert read(write(skipped, name), name) == skipped
    written = [game for game in truncated if game.moves or not FORMATS[name].needs_moves]
    assert read(write(written, name), name) == written
    if skipped.errors:
        with pytest.raises(loa.InvalidRecordError) as caught:
            read(content, name)
        assert str(caught.value) == str(skipped.errors[0])
    else:
        assert read(content, name) == skipped == truncated


def changed(data: st.DataObject, content: bytes, pieces: st.SearchStrategy[str]) -> bytes:
    """The content with up to three stretches replaced by some bytes or by one of the pieces."""
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(len(content), start + 5)))
        new = data.draw(st.binary(max_size=3) | pieces.map(str.encode))
        content = content[:start] + new + content[stop:]
    return content
