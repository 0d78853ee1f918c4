"""Replays of games: one HTML file each, for any browser, from disk or from a server.

    >>> import loa
    >>> board = loa.Board(size=5)
    >>> _ = board.push_text("b1-b3")
    >>> page = replay_html(board, headers={"black": "Ada", "white": "Ben", "result": "*"})
    >>> page.splitlines()[6]
    '<title>Ada – Ben</title>'

The page needs nothing else: no network, no other file. It has buttons, a list of moves to click,
keys (left, right, Home, End, the space bar), the colours that its reader prefers, and texts for
those who listen to it. Whatever names and comments hold stays text in it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from loa._board import Board
from loa._moves import Move
from loa._replay_page import ICONS, PAGE, SCRIPT, STYLE
from loa._themes import part_styles
from loa._whole_files import whole_file
from loa.records import Game
from loa.rules import BLACK, WHITE, Color, LoaError, Rules, check_range, shown
from loa.svg import FRAME_WITH_COORDINATES, SQUARE, Theme, board_svg

__all__ = ["Replay", "replay_html", "replay_of", "write_replay"]

_MAX_SECONDS = 3600
_CONTROLS = {
    "first": "Start",
    "previous": "Previous move",
    "play": "Play",
    "next": "Next move",
    "last": "End",
}


class Replay(NamedTuple):
    """What a replay shows: a start, the moves from there, and what is said about them.

    `comments` go by the number of moves before them, 0 for the start.

    >>> import loa
    >>> replay_of(loa.Game({"black": "Ada"})).headers
    {'black': 'Ada'}
    """

    start: Board
    moves: list[Move]
    headers: dict[str, str]
    comments: dict[int, str]


def replay_of(
    game: Board | Game,
    moves: Iterable[Move] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    comments: Mapping[int, str] | None = None,
    rules: Rules | None = None,
) -> Replay:
    """The replay of a game, checked; for the arguments see `replay_html`.

    >>> import loa
    >>> replay_of(loa.Board(), [loa.Move.from_text("c8-c6")]).moves
    [Move.from_text('c8-c6')]
    """
    if isinstance(game, Board):
        if rules is not None:
            raise LoaError("a board has rules of its own: expected no rules")
        start = game.copy()
        if moves is None:
            start, moves = start.root(), start.move_stack
    elif isinstance(game, Game):
        if moves is not None:
            raise LoaError("a game has moves of its own: expected no moves")
        start = game.board_at(0, rules)
        moves = game.moves
        headers = game.headers if headers is None else headers
        if comments is None:
            comments = {node.ply: node.comment for node in (game.root, *game.mainline())}
    else:
        raise TypeError(f"game is {shown(game)}: expected a loa.Board or a loa.Game")
    played = []
    board = start.copy()
    for move in moves:
        board.push(move)
        played.append(move)
    texts = dict(headers or {})
    for name, text in texts.items():
        _require("a header", name, str, "a str")
        _require(f"header {shown(name)}", text, str, "a str")
    said = {}
    for number, text in (comments or {}).items():
        ply = check_range("the ply of a comment", number, 0, len(played))
        _require(f"the comment at ply {ply}", text, str, "a str")
        if text:
            said[ply] = text
    return Replay(start, played, texts, said)


def replay_html(
    game: Board | Game,
    moves: Iterable[Move] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    comments: Mapping[int, str] | None = None,
    title: str | None = None,
    rules: Rules | None = None,
    orientation: Color = BLACK,
    seconds: float = 1.0,
    light: Theme = Theme.LIGHT,
    dark: Theme = Theme.DARK,
) -> str:
    """A page that replays a game, as the text of one HTML file.

    `game` is a `Board`: then `moves` are played from its position on, or, where there are none,
    those that have been made on the board are shown from their start. Or it is a `loa.Game`: its
    main line is shown, with its comments, played by `rules`, or by its own where they are None.

    `headers` (of the game, if it has some) stand above the board; those called `black`, `white`
    and `result` are the players and what the record says of the end. `comments` are texts by the
    number of moves before them. The `title` is by default the players' names. `orientation` is
    the side that has its first rank below. `seconds` (up to an hour) is the time for a move when
    the replay runs by itself, `light` and `dark` are the colours of the board for readers who
    prefer light and dark pages.

    Raises `IllegalMoveError` at a move that the rules do not allow, `LoaError` for other values
    that cannot be and `TypeError` for a value of another type.

    >>> import loa
    >>> page = replay_html(loa.Game({"black": "Ada"}, [loa.Move.from_text("c8-c6")]))
    >>> page.count('data-ply="')
    2
    """
    replay = replay_of(game, moves, headers=headers, comments=comments, rules=rules)
    if title is None:
        title = _title(replay.headers)
    _require("title", title, str, "a str")
    _require("orientation", orientation, Color, "a loa.Color")
    _require("light", light, Theme, "a loa.svg.Theme")
    _require("dark", dark, Theme, "a loa.svg.Theme")
    require_seconds(seconds)
    start = replay.start
    captions = _captions(replay)
    data = {
        "size": start.size,
        "square": SQUARE,
        "frame": FRAME_WITH_COORDINATES,
        "turned": orientation is WHITE,
        "black": _squares(start.black),
        "white": _squares(start.white),
        "moves": [None if m.is_pass else (m.from_square, m.to_square) for m in replay.moves],
        "captions": captions,
        "comments": replay.comments,
        "seconds": seconds,
    }
    style = f"{STYLE}{_colors(light)}@media (prefers-color-scheme: dark) {{\n{_colors(dark)}}}\n"
    picture = board_svg(start.black, start.white, start.size, orientation=orientation, theme=light)
    return PAGE.format(
        # The page runs its own script, and nothing that may have slipped into it.
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(SCRIPT)}",
        title=_escape(title),
        style=style,
        headers=_header_list(replay),
        picture=picture,
        controls="\n".join(
            f'<button type="button" id="{name}" aria-label="{label}" title="{label}"'
            + (' aria-pressed="false"' if name == "play" else "")
            + f'><svg viewBox="0 0 20 20" aria-hidden="true">{ICONS[name]}</svg></button>'
            for name, label in _CONTROLS.items()
        ),
        caption=_escape(captions[0]),
        comment=_escape(replay.comments.get(0, "")),
        moves=_move_list(replay),
        # No text can end the element that holds the data.
        data=json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e"),
        script=SCRIPT,
    )


def require_seconds(seconds: float) -> None:
    """Refuse what is no time for a move.

    >>> require_seconds(0)
    Traceback (most recent call last):
    loa.rules.LoaError: seconds is 0: expected more than 0 and up to 3600
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise TypeError(f"seconds is {shown(seconds)}: expected a number")
    if not 0 < seconds <= _MAX_SECONDS:  # Refuses what is not a number as well.
        expected = f"more than 0 and up to {_MAX_SECONDS}"
        raise LoaError(f"seconds is {shown(seconds)}: expected {expected}")


def write_replay(game: Board | Game, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the page of `replay_html`, which has the same options, to a file.

    Raises `OSError` where that fails. The file is written whole or not at all.

    >>> import loa, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "game.html")
    ...     write_replay(loa.Board(), path, title="The start")
    ...     os.path.getsize(path) > 10_000
    True
    """
    page = replay_html(game, **options)
    with whole_file(path) as file:
        file.write(page)


def _title(headers: dict[str, str]) -> str:
    if headers.get("black") or headers.get("white"):
        return " – ".join(headers.get(color) or "?" for color in ("black", "white"))
    return "Lines of Action"


def _captions(replay: Replay) -> list[str]:
    """What is to be said of the position after each number of moves."""
    board = replay.start.copy()
    last = len(replay.moves)
    captions = []
    made = "Start"
    for number in range(last + 1):
        sentences = [made]
        outcome = board.outcome()
        if outcome is not None:
            text = str(outcome)
            sentences.append(text[0].upper() + text[1:])
        else:
            sentences.append(f"{board.turn} to move")
        groups = (f"{color} {len(board.groups(color))}" for color in Color)
        sentences.append(f"Groups: {', '.join(groups)}")
        captions.append("".join(f"{sentence}. " for sentence in sentences).rstrip())
        if number < last:
            move = replay.moves[number]
            made = f"Ply {number + 1} of {last}: {board.turn} {board.move_text(move)}"
            board.push(move)
    return captions


def _header_list(replay: Replay) -> str:
    items = [(name, text) for name, text in replay.headers.items() if text]
    rows = (
        f"<div><dt>{_escape(name[:1].upper() + name[1:])}</dt>"
        f'<dd dir="auto">{_escape(text)}</dd></div>'
        for name, text in items
    )
    return "\n".join(["<dl>", *rows, "</dl>"]) if items else ""


def _move_list(replay: Replay) -> str:
    board = replay.start.copy()
    rows: list[list[str]] = []
    for index, move in enumerate(replay.moves):
        number = f"{board.ply // 2 + 1}."
        if not rows or board.turn is BLACK:
            rows.append([f"<span>{number}</span>"])
            if board.turn is WHITE:
                rows[-1].append('<span class="skipped">…</span>')
        text = board.move_text(move)
        label = f"{number} {board.turn} {text}"
        rows[-1].append(_move_button(replay, index + 1, text, label))
        board.push(move)
    start = _move_button(replay, 0, "Start", "Start")
    items = "\n".join(f"<li>{''.join(row)}</li>" for row in rows)
    return f"{start}\n<ol>\n{items}\n</ol>"


def _move_button(replay: Replay, ply: int, text: str, label: str) -> str:
    classes = ' class="commented"' if ply in replay.comments else ""
    return f'<button type="button" data-ply="{ply}" aria-label="{label}"{classes}>{text}</button>'


def _colors(theme: Theme) -> str:
    """The style sheet that gives the parts of a picture the colours of a theme."""
    rules = []
    for part, style in part_styles(theme).items():
        colors = (
            f"{name}: {style[name]};"
            for name in ("fill", "stroke", "fill-opacity")
            if name in style
        )
        rules.append(f".{part} {{ {' '.join(colors)} }}\n")
    return "".join(rules)


def _hash(text: str) -> str:
    """A source that a content security policy allows: the element with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _escape(text: str) -> str:
    """The text for HTML, in which half a surrogate pair cannot be written."""
    return html.escape(text.encode("utf-8", "replace").decode())


def _squares(bitboard: int) -> list[int]:
    return [square for square in range(64) if bitboard >> square & 1]


def _require(name: str, value: object, kind: type, expected: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(value)}: expected {expected}")
