"""The format `paragraphs`: plain text to be read and written by hand.

A file is UTF-8 text. A game is a paragraph: its headers, `[key "value"]` with keys in lower case
and values without quotation marks, and after them its moves, each part on one line or more.
Blank lines separate games; a line that starts with `#` is a comment.

    # The opening that explains the rules.
    [id "example"] [black "Ada"] [white "Ben"] [result "*"]
    c8-c6 a6-c4 e8-b5 h3xf1

These headers have a meaning; all others are kept as they are:

- `id` names the game and must be there;
- `setup` is `standard` (also where it is missing) or `scrambled`, both 8x8; `fen`, in its place,
  is any other start, native or of playstrategy.org. The game's start is made from them, and they
  are not among its headers;
- `result` is `1-0` (Black, who moves first, won), `0-1`, `1/2-1/2` (also written `0.5-0.5`, and
  read as the same), or `*` (also where it is missing) for a game without a known result;
- `note` says who gave up, where it is `B resigns` or `W resigns`.

A move is `c8-c6`, a capture `d1xa4`, a forced pass `pass`. Either sign between the squares is
accepted for any move. Every move is played on a board while the file is read.

The writer puts the headers on one line, `id`, `black`, `white`, the start and `result` before the
others, and the moves on another. What it writes reads back as an equal game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loa._board import Board
from loa.notation import Placement, format_fen
from loa.records.format import (
    MOVE_EXPECTED,
    MOVES,
    BadGame,
    Format,
    move_texts,
    play_words,
    refusal,
)
from loa.records.game import RESULTS, Game, make_game
from loa.records.starts import Starts, board_of, expected_position
from loa.records.text import BLANKS, CONTROL, Source, first_content, is_utf8, quote, require_utf8
from loa.rules import InvalidFenError, InvalidRecordError, Rules

__all__ = ["FORMAT"]

_SETUPS = ("standard", "scrambled")
_SAME_SQUARES = re.compile(r"([a-h][1-8])[-x]\1")

_WORD = re.compile(rf"[^{BLANKS}]+")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_HEADER = (
    (re.compile(r"\["), '[key "value"]'),
    (_KEY, "a key of lower-case letters, digits and _"),
    (re.compile(rf"[{BLANKS}]+"), "a blank after the key"),
    (re.compile(r'"[^"]*"'), "a value between quotation marks"),
    (re.compile(r"\]"), "]"),
)
"""The parts of a header in their order, and what to call each when it is missing."""

_GOOD_HEADER = re.compile(
    rf'[{BLANKS}]*\[({_KEY.pattern})[{BLANKS}]+"([^"{CONTROL}]*)(?<!\\)"\][{BLANKS}]*'
)
"""A header that nothing is wrong with. What is not one is looked at part by part."""
_CONTROL = re.compile(f"[{CONTROL}]")

# What a writer puts first, in this order; the start comes after the players.
_FIRST_KEYS = ("id", "black", "white")
_OWN_KEYS = (*_FIRST_KEYS, "result")
_START_KEYS = ("setup", "fen")


# Reading ----------------------------------------------------------------------------------------

_Lines = list[tuple[int, str]]
"""The lines of a paragraph with their numbers."""


def _detect(head: str) -> bool:
    content = first_content(head)
    return content is not None and re.match(r"\[[a-z]", content[2]) is not None


def _read(source: Source, rules: Rules | None) -> Iterator[Game | BadGame]:
    starts = Starts(rules)
    for paragraph in _paragraphs(source):
        try:
            game = _read_game(paragraph, starts)
        except InvalidRecordError as error:
            game = BadGame(error)
        yield game


def _paragraphs(source: Source) -> Iterator[_Lines]:
    paragraph: _Lines = []
    for number, text in source.lines():
        content = text.strip(BLANKS)
        if content.startswith("#") and is_utf8(text):
            continue
        if content:
            paragraph.append((number, text))
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _read_game(paragraph: _Lines, starts: Starts) -> Game | BadGame:
    """The game of one paragraph."""
    headers: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    header_lines = 0
    for number, text in paragraph:
        require_utf8(text, number)
    for number, text in paragraph:
        if not text.lstrip(BLANKS).startswith("["):
            break
        for key, value, key_column, value_column in _parse_headers(text, number):
            if key in headers:
                raise InvalidRecordError(
                    f"header {quote(key)} for the second time: expected each once a game",
                    number,
                    key_column,
                )
            headers[key] = value
            places[key] = number, value_column
        header_lines += 1

    number, text = paragraph[0]
    start = len(text) - len(text.lstrip(BLANKS)) + 1
    if not header_lines:
        raise InvalidRecordError(
            f'{quote(text.strip(BLANKS))}: expected a game to start with [id "…"]', number, start
        )
    if not headers.get("id"):
        raise InvalidRecordError(
            f'{quote(text.strip(BLANKS))}: expected [id "…"] among the headers',
            *places.get("id", (number, start)),
        )
    for key, allowed in (("setup", _SETUPS), ("result", tuple(RESULTS))):
        if key in headers and headers[key] not in allowed:
            raise InvalidRecordError(
                f"{key} {quote(headers[key])}: expected one of {', '.join(allowed)}", *places[key]
            )
    if "result" in headers:
        headers["result"] = RESULTS[headers["result"]]
    starts = starts.under(headers)
    if "fen" in headers:
        placement, shared = _parse_fen(headers, places, starts)
    else:
        placement, shared = starts.named(setup=headers.pop("setup", "standard"))

    board = shared.copy()
    game = make_game(headers, [], placement)
    error = _read_moves(game, board, paragraph[header_lines:])
    if error is not None:
        return BadGame(error, game)
    if not board.move_stack:
        number, text = paragraph[-1]
        text = text.rstrip(BLANKS)
        raise InvalidRecordError(
            f"game {quote(game.id)} ends after {quote(text[-20:])}: expected its moves on the "
            "next line",
            number,
            len(text) + 1,
        )
    return game


def _parse_headers(text: str, number: int) -> Iterator[tuple[str, str, int, int]]:
    """The headers of a line: key, value, and the columns where these start."""
    position = 0
    while position < len(text):
        match = _GOOD_HEADER.match(text, position)
        if match is None:
            raise _bad_header(text, position, number)
        yield match[1], match[2], match.start(1) + 1, match.start(2) + 1
        position = match.end()


def _bad_header(text: str, position: int, number: int) -> InvalidRecordError:
    """What is wrong with the header that begins at this position of its line."""
    position += len(text[position:]) - len(text[position:].lstrip(BLANKS))
    parts = []
    for pattern, expected in _HEADER:
        match = pattern.match(text, position)
        if match is None:
            rest = quote(text[position:]) if position < len(text) else "end of line"
            return InvalidRecordError(
                f"{rest} in a header: expected {expected}", number, position + 1
            )
        parts.append(match)
        position = match.end()
        if match[0].endswith('\\"'):
            return InvalidRecordError(
                f'{quote(match[0][-20:])} in a header: expected no \\" in a value',
                number,
                position - 1,
            )
    key, value = parts[1], parts[3]
    control = _CONTROL.search(value[0])
    assert control is not None  # nothing else is left that _GOOD_HEADER does not take
    return InvalidRecordError(
        f"{control[0]!r} in header {quote(key[0])}: expected no control characters",
        number,
        value.start() + control.start() + 1,
    )


def _parse_fen(
    headers: dict[str, str], places: dict[str, tuple[int, int]], starts: Starts
) -> tuple[Placement, Board]:
    """The start that the header `fen`, which is taken out, describes."""
    if "setup" in headers:
        raise InvalidRecordError("fen beside setup: expected one of them", *places["fen"])
    fen = headers.pop("fen")
    try:
        return starts.of_fen(fen)
    except InvalidFenError as error:
        raise InvalidRecordError(
            f"fen {quote(fen)}: {expected_position(error)}", *places["fen"]
        ) from None


def _read_moves(game: Game, board: Board, lines: _Lines) -> InvalidRecordError | None:
    """Play the moves of these lines and add them to the game, up to one that is wrong."""
    end = game.root
    for number, text in lines:
        words = _WORD.findall(text)
        moves = play_words(board, words, MOVES)
        end = end.add_played(*moves)
        if len(moves) < len(words):
            word = list(_WORD.finditer(text))[len(moves)]
            message = _refusal(board, word[0])
            return InvalidRecordError(
                f"game {quote(game.id)}, ply {end.ply + 1}: {message}",
                number,
                word.start() + 1,
                ply=end.ply + 1,
            )
    return None


def _refusal(board: Board, word: str) -> str:
    """Why a word is not the next move."""
    if word in MOVES:
        return str(refusal(board, word, MOVES[word]))
    if word.startswith("["):
        expected = "headers before the moves, and a blank line between games"
    elif _SAME_SQUARES.fullmatch(word) is None:
        expected = MOVE_EXPECTED
    else:
        expected = "two different squares"
    return f"{quote(word)}: expected {expected}"


# Writing ----------------------------------------------------------------------------------------


def _write(games: Iterable[Game]) -> Iterator[str]:
    for number, game in enumerate(games, start=1):
        if number > 1:
            yield "\n"
        yield _paragraph(game)


def _paragraph(game: Game) -> str:
    headers = {key: game.headers[key] for key in _FIRST_KEYS if key in game.headers}
    if game.setup in _SETUPS and game.start.size == 8:
        headers["setup"] = game.setup
    else:
        headers["fen"] = format_fen(game.start)
    if "result" in game.headers:
        headers["result"] = game.result
    for key, value in game.headers.items():
        if key not in _OWN_KEYS:
            headers[key] = value
    line = " ".join([f'[{key} "{value}"]' for key, value in headers.items()])
    moves = " ".join(move_texts(board_of(game.start), game.moves))
    return f"{line}\n{moves}\n"


def _refuse_header(key: str, value: str) -> str | None:
    if key in _START_KEYS:
        return "the start to be told by the game's start"
    if _GOOD_HEADER.fullmatch(f'[{key} "{value}"]') is None:
        return (
            'a key of lower-case letters, digits and _, and a value without ", control '
            "characters or \\ at its end"
        )
    return None


FORMAT = Format(
    name="paragraphs",
    description='headers as [key "value"], then the moves',
    suffixes=(".txt",),
    detect=_detect,
    read=_read,
    write=_write,
    holds_tree=False,
    refuse_header=_refuse_header,
    needs_id=True,
    needs_moves=True,
)
