"""Games on a line each: the formats `lines` and `uci`.

**lines** is plain text, a line a game: its moves with `-` or `x` between the squares, `pass` for
a forced pass, and at the end the result, if it is known: `1-0`, `0-1`, `1/2-1/2` or `*`. The moves
are written as Abstract Play writes them. A game from another start than the standard one begins
with that start, a FEN of three words; so does one without moves.

    c8-c6 a6-c4 e8-b5 h3xf1
    d1-b3 h5-g4 b1-b4 g4xg1 b4-e7 a3xc1 b3-e6 h3xf1 e1-e5 1-0
    1bb1/w2w/w2w/1bb1 b 1 b1-b3 a3xc1

**uci** is what programs for chess take, and the moves as playstrategy.org has them: both squares
without anything between, `0000` for a forced pass. Another start than the standard one is told as
in the protocol's command, its FEN in the dialect of that site; a native FEN is read, too.

    c8c6 a6c4 e8b5 h3f1
    position startpos moves d1b3 h5g4
    position fen 1lLlLlL1/L6l/l6L/L6l/l6L/L6l/l6L/1LlLlLl1 w - - 0 1 moves f1h3

In both, blank lines and lines that start with `#` hold no game. (Sources of `uci`: the
description of the UCI protocol by R. Huber and S. Meyer-Kahlen for `position`, `startpos`, `moves`
and `0000`; `chess/format/Uci.scala` in Mind-Sports-Games/strategygames on GitHub.)
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from loa._board import Board
from loa._moves import Move
from loa.notation import Placement, format_fen
from loa.records.format import (
    MOVE_EXPECTED,
    MOVES,
    BadGame,
    Format,
    move_texts,
    play_words,
    refusal,
    word_table,
)
from loa.records.game import RESULTS, Game, make_game
from loa.records.starts import STANDARD, Starts, board_of, expected_position
from loa.records.text import BLANKS, Source, first_content, is_utf8, quote, require_utf8
from loa.rules import InvalidFenError, InvalidRecordError, Rules

__all__ = ["LINES_FORMAT", "UCI_FORMAT"]

_WORD = re.compile(rf"[^{BLANKS}]+")
_UCI_MOVES = word_table("", null_move="0000")

_LINES_BEGINNING = re.compile(
    rf"(?:[a-h][1-8][-x][a-h][1-8]|pass|[1-8bwBW]+(?:/[1-8bwBW]+)+)(?![^{BLANKS}])"
)
_UCI_BEGINNING = re.compile(rf"(?:[a-h][1-8][a-h][1-8]|0000|position)(?![^{BLANKS}])")


# Reading ----------------------------------------------------------------------------------------


def _begins(pattern: re.Pattern[str], head: str) -> bool:
    content = first_content(head)
    return content is not None and pattern.match(content[2]) is not None


class _WrongWordError(Exception):
    """The word of this number, from 0, is wrong; it is a move where there is a game before it."""

    def __init__(self, index: int, message: str, game: Game | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.message = message
        self.game = game


_Parse = Callable[[list[str], Starts], Game]


def _read(parse: _Parse, source: Source, rules: Rules | None) -> Iterator[Game | BadGame]:
    starts = Starts(rules)
    for number, text in source.lines():
        content = text.strip(BLANKS)
        if not content or (content.startswith("#") and is_utf8(text)):
            continue
        game: Game | BadGame
        try:
            require_utf8(text, number)
            game = parse(_WORD.findall(text), starts)
        except InvalidRecordError as error:
            game = BadGame(error)
        except _WrongWordError as wrong:
            begins = [match.start() for match in _WORD.finditer(text)]
            column = (begins[wrong.index] if wrong.index < len(begins) else len(text)) + 1
            ply = None if wrong.game is None else len(wrong.game.moves) + 1
            game = BadGame(InvalidRecordError(wrong.message, number, column, ply=ply), wrong.game)
        yield game


def _start_of(words: list[str], first: int, stop: int, starts: Starts) -> tuple[Placement, Board]:
    """The start that some of the words tell in a FEN."""
    fen = " ".join(words[first:stop])
    try:
        return starts.of_fen(fen)
    except InvalidFenError as error:
        raise _WrongWordError(first, f"{quote(fen)}: {expected_position(error)}") from None


def _play(
    words: list[str],
    first: int,
    start: tuple[Placement, Board],
    table: Mapping[str, Move],
    headers: dict[str, str],
    expected: str,
) -> Game:
    """The game of the words from the first on, all of which are moves."""
    placement, board = start[0], start[1].copy()
    rest = words[first:] if first else words
    moves = play_words(board, rest, table)
    game = make_game(headers, moves, placement)
    if len(moves) < len(rest):
        word = rest[len(moves)]
        if word in table:
            message = str(refusal(board, word, table[word]))
        else:
            message = f"{quote(word)}: expected {expected}"
        raise _WrongWordError(first + len(moves), message, game)
    return game


def _parse_line(words: list[str], starts: Starts) -> Game:
    headers = {}
    first = 0
    start = starts.standard
    if "/" in words[0] and words[0] not in RESULTS:
        if len(words) < 3:
            raise _WrongWordError(
                0, f"{quote(' '.join(words))}: expected a position of three words"
            )
        start = _start_of(words, 0, 3, starts)
        first = 3
    if words[-1] in RESULTS and len(words) > first:
        headers["result"] = RESULTS[words[-1]]
        words = words[:-1]
    return _play(words, first, start, MOVES, headers, MOVE_EXPECTED)


def _parse_uci(words: list[str], starts: Starts) -> Game:
    start = starts.standard
    first = 0
    if words[0] == "position":
        stop = words.index("moves") if "moves" in words else len(words)
        kind = words[1] if len(words) > 1 else ""
        if kind == "fen":
            start = _start_of(words, 2, stop, starts)
        elif kind != "startpos":
            raise _WrongWordError(1, f"{quote(kind)}: expected startpos or fen")
        elif stop > 2:
            raise _WrongWordError(2, f"{quote(words[2])}: expected moves")
        first = stop + 1
    return _play(words, first, start, _UCI_MOVES, {}, "a move such as c8c6 or 0000")


# Writing ----------------------------------------------------------------------------------------


def _refuse_line_header(key: str, value: str) -> str | None:
    return None if key == "result" else "no header but result"


def _refuse_uci_header(key: str, value: str) -> str | None:
    return "no headers"


def _write_lines(games: Iterable[Game]) -> Iterator[str]:
    for game in games:
        words = move_texts(board_of(game.start), game.moves)
        if not words or game.start != STANDARD:
            words.insert(0, format_fen(game.start))
        if "result" in game.headers:
            words.append(game.result)
        yield " ".join(words) + "\n"


_UCI_TEXTS = {move: text for text, move in _UCI_MOVES.items()}


def _write_uci(games: Iterable[Game]) -> Iterator[str]:
    for game in games:
        moves = " ".join([_UCI_TEXTS[move] for move in game.moves])
        if game.start != STANDARD:
            start = f"position fen {format_fen(game.start, 'playstrategy')}"
        else:
            start = "" if moves else "position startpos"
        if start and moves:
            start += " moves "
        yield f"{start}{moves}\n"


LINES_FORMAT = Format(
    name="lines",
    description="a game on each line, moves as c8-c6 and d1xa4",
    suffixes=(".loa",),
    detect=functools.partial(_begins, _LINES_BEGINNING),
    read=functools.partial(_read, _parse_line),
    write=_write_lines,
    holds_tree=False,
    refuse_header=_refuse_line_header,
)

UCI_FORMAT = Format(
    name="uci",
    description="a game on each line, moves as c8c6",
    suffixes=(".uci",),
    detect=functools.partial(_begins, _UCI_BEGINNING),
    read=functools.partial(_read, _parse_uci),
    write=_write_uci,
    holds_tree=False,
    refuse_header=_refuse_uci_header,
)
