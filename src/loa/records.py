"""Recorded games and the plain text files that hold them.

A file is UTF-8 text. A game is a paragraph: its headers, `[key "value"]` with keys in lower case
and values without quotation marks, and after them its moves, each part on one line or more.
Blank lines separate games; a line that starts with `#` is a comment.

    # The opening that explains the rules.
    [id "example"] [black "Ada"] [white "Ben"] [result "*"]
    c8-c6 a6-c4 e8-b5 h3xf1

These headers have a meaning; all others are kept as they are:

- `id` names the game and must be there;
- `setup` is `standard` (also where it is missing) or `scrambled`;
- `result` is `1-0` (Black, who moves first, won), `0-1`, `0.5-0.5` or `1/2-1/2`, or `*` (also
  where it is missing) for a game without a known result;
- `note` says who gave up, where it is `B resigns` or `W resigns`.

A move is `c8-c6`, a capture `d1xa4`, a forced pass `pass`. Either sign between the squares is
accepted for any move. Every move is played on a board while the file is read.
"""

from __future__ import annotations

import codecs
import dataclasses
import os
import re
from pathlib import Path

from loa._board import Board
from loa._moves import Move
from loa.rules import (
    BLACK,
    WHITE,
    Color,
    IllegalMoveError,
    InvalidMoveError,
    InvalidRecordError,
    LoaError,
    Outcome,
    Rules,
    Termination,
)

__all__ = ["Game", "read_games"]

_SETUPS = ("standard", "scrambled")
_RESULTS = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": "1/2-1/2",
    "0.5-0.5": "1/2-1/2",
    "*": "*",
}
_RESIGNATIONS = {"B resigns": BLACK, "W resigns": WHITE}

_BLANKS = " \t"
_WORD = re.compile(rf"[^{_BLANKS}]+")
_MOVE = re.compile(r"[a-h][1-8][-x][a-h][1-8]|pass")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_HEADER = (
    (re.compile(r"\["), '[key "value"]'),
    (re.compile(r"[a-z][a-z0-9_]*"), "a key of lower-case letters, digits and _"),
    (re.compile(rf"[{_BLANKS}]+"), "a blank after the key"),
    (re.compile(r'"[^"]*"'), "a value between quotation marks"),
    (re.compile(r"\]"), "]"),
)
"""The parts of a header in their order, and what to call each when it is missing."""


@dataclasses.dataclass(slots=True)
class Game:
    """A recorded game: what its file says about it, and its moves from the start on.

    `moves` are trusted until they are played: `board_at` and `board` raise `IllegalMoveError`
    at one that the rules do not allow. Games that come from `read_games` have been played.

    >>> import loa
    >>> game = Game({"id": "example", "result": "0.5-0.5"}, [loa.Move.from_text("c8-c6")])
    >>> game.id, game.result, game.board().fen()
    ('example', '1/2-1/2', '1b1bbbb1/w6w/w1b4w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1')
    """

    headers: dict[str, str]
    moves: list[Move]
    setup: str = "standard"
    """`"standard"` or `"scrambled"`; boards are 8x8."""

    @property
    def id(self) -> str:
        """The name of the game in its file, empty where the headers have none."""
        return self.headers.get("id", "")

    @property
    def result(self) -> str:
        """What the record says: `"1-0"` (Black won), `"0-1"`, `"1/2-1/2"`, or `"*"` for nothing.

        Raises `LoaError` where the header is none of the results a record can have.
        """
        text = self.headers.get("result", "*")
        if text not in _RESULTS:
            raise LoaError(f"result {quote(text)}: expected one of {', '.join(_RESULTS)}")
        return _RESULTS[text]

    @property
    def resigned(self) -> Color | None:
        """The side that gave up, if the record's note says so."""
        return _RESIGNATIONS.get(self.headers.get("note", ""))

    def board_at(self, ply: int, rules: Rules = Rules.MSO) -> Board:
        """The board after this many plies (0: the start), with the moves before it to pop.

        Raises `LoaError` where the game is shorter and `IllegalMoveError` at a move that
        `rules` do not allow.
        """
        if isinstance(ply, bool) or not isinstance(ply, int):
            raise TypeError(f"ply is {ply!r}: expected an int")
        if not 0 <= ply <= len(self.moves):
            raise LoaError(f"ply is {ply}: expected 0 to {len(self.moves)}, as long as the game is")
        board = Board(setup=self.setup, rules=rules)
        for move in self.moves[:ply]:
            board.push(move)
        return board

    def board(self, rules: Rules = Rules.MSO) -> Board:
        """The board after the last move; raises what `board_at` raises."""
        return self.board_at(len(self.moves), rules)

    def outcome(self, rules: Rules = Rules.MSO) -> Outcome | None:
        """How the game ended: on the board, or by a resignation that the record's note tells of.

        None where the moves stop before the end. The record's `result` has no part in this.
        """
        outcome = self.board(rules).outcome()
        if outcome is None and self.resigned is not None:
            return Outcome(self.resigned.opponent, Termination.RESIGNATION)
        return outcome


def read_games(path: str | os.PathLike[str], *, rules: Rules = Rules.MSO) -> list[Game]:
    """All games of a file in the format described above, in its order, played under `rules`.

    Raises `InvalidRecordError`, with line and column, for anything that is not in the format,
    for a move that is not legal and for a move after the end of a game; `OSError` where the
    file cannot be read. A file without games gives an empty list.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "games.txt")
    ...     _ = path.write_text('[id "example"]\\nc8-c6 a6-c4 e8-b5 h3xf1\\n')
    ...     [(game.id, len(game.moves)) for game in read_games(path)]
    [('example', 4)]
    """
    games = []
    paragraph: list[tuple[int, str]] = []
    for number, text in enumerate([*read_lines(path), ""], start=1):
        content = text.strip(_BLANKS)
        if content.startswith("#"):
            continue
        if content:
            paragraph.append((number, text))
        elif paragraph:
            games.append(_read_game(paragraph, rules))
            paragraph = []
    return games


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    r"""The lines of a UTF-8 file without their ends, which are `\n` or `\r\n`.

    Raises `InvalidRecordError` at bytes that are not UTF-8. Other separators that
    `str.splitlines` knows are not ends of lines here, so that line numbers are those an editor
    shows.
    """
    data = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        raise InvalidRecordError(
            f"byte 0x{data[error.start]:02x}: expected UTF-8 text",
            before.count(b"\n") + 1,
            column,
        ) from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def quote(text: str, length: int = 40) -> str:
    """A text as error messages show it: quoted, on one line, cut where it is longer.

    >>> quote("c8-c6 " * 10, 12)
    "'c8-c6 c8-c6…'"
    """
    return repr(shorten(text, length))


def shorten(text: str, length: int) -> str:
    """A text, cut after `length` characters where it is longer."""
    return text if len(text) <= length else text[:length].rstrip() + "…"


def _read_game(paragraph: list[tuple[int, str]], rules: Rules) -> Game:
    """The game of one paragraph, given as its lines with their numbers."""
    headers: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    header_lines = 0
    for number, text in paragraph:
        if not text.lstrip(_BLANKS).startswith("["):
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
    start = len(text) - len(text.lstrip(_BLANKS)) + 1
    if not header_lines:
        raise InvalidRecordError(
            f'{quote(text.strip(_BLANKS))}: expected a game to start with [id "…"]', number, start
        )
    if not headers.get("id"):
        raise InvalidRecordError(
            f'{quote(text.strip(_BLANKS))}: expected [id "…"] among the headers',
            *places.get("id", (number, start)),
        )
    for key, allowed in (("setup", _SETUPS), ("result", tuple(_RESULTS))):
        if key in headers and headers[key] not in allowed:
            raise InvalidRecordError(
                f"{key} {quote(headers[key])}: expected one of {', '.join(allowed)}", *places[key]
            )
    game = Game(headers, [], headers.get("setup", "standard"))
    _read_moves(game, paragraph[header_lines:], rules)
    if not game.moves:
        number, text = paragraph[-1]
        text = text.rstrip(_BLANKS)
        raise InvalidRecordError(
            f"game {quote(game.id)} ends after {quote(text[-20:])}: expected its moves on the "
            "next line",
            number,
            len(text) + 1,
        )
    return game


def _parse_headers(text: str, number: int) -> list[tuple[str, str, int, int]]:
    """The headers of a line: key, value, and the columns where these start."""
    headers = []
    position = len(text) - len(text.lstrip(_BLANKS))
    while position < len(text):
        parts = []
        for pattern, expected in _HEADER:
            match = pattern.match(text, position)
            if match is None:
                rest = quote(text[position:]) if position < len(text) else "end of line"
                raise InvalidRecordError(
                    f"{rest} in a header: expected {expected}", number, position + 1
                )
            parts.append(match)
            position = match.end()
            if match[0].endswith('\\"'):
                raise InvalidRecordError(
                    f'{quote(match[0][-20:])} in a header: expected no \\" in a value',
                    number,
                    position - 1,
                )
        key, value, column = parts[1][0], parts[3][0][1:-1], parts[3].start() + 2
        control = _CONTROL.search(value)
        if control is not None:
            raise InvalidRecordError(
                f"{control[0]!r} in header {quote(key)}: expected no control characters",
                number,
                column + control.start(),
            )
        headers.append((key, value, parts[1].start() + 1, column))
        while position < len(text) and text[position] in _BLANKS:
            position += 1
    return headers


def _read_moves(game: Game, lines: list[tuple[int, str]], rules: Rules) -> None:
    """Add the moves of these lines to the game, playing each."""
    board = Board(setup=game.setup, rules=rules)
    for number, text in lines:
        for word in _WORD.finditer(text):
            column = word.start() + 1
            where = f"game {quote(game.id)}, ply {len(game.moves) + 1}"
            move = _parse_move(word[0], where, number, column)
            outcome = board.outcome()
            if outcome is not None:
                raise InvalidRecordError(
                    f"{where}: {word[0]!r} after the end of the game "
                    f"({outcome.result} by {outcome.termination.value}): expected no more moves",
                    number,
                    column,
                )
            try:
                board.push(move)
            except IllegalMoveError as error:
                raise InvalidRecordError(f"{where}: {word[0]!r}: {error}", number, column) from None
            game.moves.append(move)


def _parse_move(text: str, where: str, number: int, column: int) -> Move:
    """The move of one word, which only the spellings of this file format are accepted for."""
    if text.startswith("["):
        expected = "headers before the moves, and a blank line between games"
    elif _MOVE.fullmatch(text) is None:
        expected = "a move such as c8-c6, d1xa4 or pass"
    else:
        try:
            return Move.from_text(text)
        except InvalidMoveError:
            expected = "two different squares"
    raise InvalidRecordError(f"{where}: {quote(text)}: expected {expected}", number, column)
