"""What a format of game records is made of, and what the readers and writers of all share.

A format is a `Format`: a function that knows its texts, one that reads and one that writes. What
becomes of a bad game is decided by whoever reads, in `loa.records.files`, and by no format.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping

from loa._board import Board
from loa._moves import Move
from loa.records.game import Game
from loa.records.text import Source, quote
from loa.rules import InvalidRecordError, LoaError, Rules

__all__ = [
    "MOVES",
    "MOVE_EXPECTED",
    "BadGame",
    "Format",
    "move_texts",
    "play_words",
    "refusal",
    "word_table",
]


@dataclasses.dataclass(frozen=True, slots=True)
class BadGame:
    """What a reader gives in the place of a game with something wrong in it.

    `error` says where and what; its `ply` is set where a move is wrong. `game` is what was read
    before that move; None where the error is not in a move.

    >>> import io, loa
    >>> source = loa.records.text.Source(io.StringIO("c8-c6 c8-c6"))
    >>> (bad,) = loa.records.FORMATS["lines"].read(source, loa.Rules.MSO)
    >>> bad.error.ply, bad.game
    (2, <Game: 1 ply>)
    """

    error: InvalidRecordError
    game: Game | None = None


def _refuse_nothing(*texts: str) -> str | None:
    return None


def _find_nothing(head: str) -> bool:
    return False


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """A format of game records.

    - `name`: what callers call it, in lower-case letters and `-`.
    - `description`: a few words, as `loa convert --help` lists formats.
    - `suffixes`: of file names, such as `.sgf`.
    - `detect`: whether a text that begins like this (`Source.head`) is in the format.
      Formats are kept from looking alike: for the beginning of any sensible file one says yes.
    - `read`: the games of a `Source`, one after the other, each move played: under some rules,
      or, for None, under those that each game's headers name.
      One item is given for every game there is, and no more than a game is held at a time. For a
      bad game that is a `BadGame`, after which the next game follows; nothing is repaired.
      `InvalidRecordError` is raised only where no next game can be found.
    - `write`: the text of games, in pieces of any length. By the next fields they have nothing
      that the format does not hold, and all that it needs; `LoaError` says what else is wrong.
    - `holds_tree`: whether there is a place for variations and comments.
    - `refuse_header`: for a key and its value, what is expected instead; None where there is a
      place for them.
    - `refuse_comment`: the same for a comment, where there is a place for a tree.
    - `needs_id`, `needs_moves`: whether each game has to have the header `id`, or a move.
    - `detect_later`: whether a text that begins like this, and that no format detects, has a game
      in it after something else.

    >>> import loa
    >>> game = loa.Game({"id": "g"}, [loa.Move.from_text("c8-c6")])
    >>> "".join(loa.records.FORMATS["paragraphs"].write([game]))
    '[id "g"] [setup "standard"]\\nc8-c6\\n'
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    detect: Callable[[str], bool]
    read: Callable[[Source, Rules | None], Iterator[Game | BadGame]]
    write: Callable[[Iterable[Game]], Iterator[str]]
    holds_tree: bool = True
    refuse_header: Callable[[str, str], str | None] = _refuse_nothing
    refuse_comment: Callable[[str], str | None] = _refuse_nothing
    needs_id: bool = False
    needs_moves: bool = False
    detect_later: Callable[[str], bool] = _find_nothing


# Reading ----------------------------------------------------------------------------------------


# Of moves between two different squares: 65 * square would go from a square to itself.
_CODES = [code for code in range(1, 4096) if code % 65]
_LINE_MOVES = [Move.from_code(code) for code in _CODES]
_LINE_TEXTS = [str(move) for move in _LINE_MOVES]


def word_table(*separators: str, null_move: str = "pass") -> dict[str, Move]:
    """The moves by their texts, with each of these separators between the squares, and the pass.

    >>> word_table("-", "x")["d1xa4"]
    Move.from_text('d1-a4')
    """
    table = {null_move: Move.PASS}
    for separator in separators:
        texts = [text.replace("-", separator) for text in _LINE_TEXTS]
        table.update(zip(texts, _LINE_MOVES, strict=True))
    return table


MOVES = word_table("-", "x")
"""Moves as most formats have them."""

MOVE_EXPECTED = "a move such as c8-c6, d1xa4 or pass"
"""What is expected in the place of a word that is not among these."""


def play_words(board: Board, words: list[str], table: Mapping[str, Move]) -> list[Move]:
    """Play the moves that words name on a board, up to the first that cannot be played.

    Returns the moves that were made. Where they are fewer than the words, the word after them is
    not in the table, or `refusal` says what is wrong with it.

    >>> board = Board()
    >>> play_words(board, ["c8-c6", "a6-c4", "c6-c8", "e8-b5"], word_table("-"))
    [Move.from_text('c8-c6'), Move.from_text('a6-c4')]
    >>> board.ply
    2
    """
    # Going word by word would cost as much again as the moves do.
    try:
        moves = [table[word] for word in words]
    except KeyError:
        moves = []
        with contextlib.suppress(KeyError):
            for word in words:
                moves.append(table[word])
    first = board.ply
    play = board.push
    try:
        for move in moves:
            play(move)
    except LoaError:
        # Not legal, or beyond the last ply that a board can count.
        del moves[board.ply - first :]
    return moves


def refusal(board: Board, word: str, move: Move) -> str | None:
    """Why this move, written as this word, cannot be played on the board; None where it can.

    >>> refusal(Board("bb1/3/w1w w 1"), "a1-a2", Move(0, 8))
    "'a1-a2' after the end of the game (1-0 by connection) under Rules.MSO: expected no more moves"
    """
    outcome = board.outcome()
    if outcome is not None:
        return (
            f"{quote(word)} after the end of the game ({outcome.result} by "
            f"{outcome.termination.value}) under {board.rules}: expected no more moves"
        )
    try:
        board.push(move)
    except LoaError as error:
        return f"{quote(word)}: {error}"
    board.pop()
    return None


# Writing ----------------------------------------------------------------------------------------

_QUIET = ["pass"] + [""] * 4095
for _code, _text in zip(_CODES, _LINE_TEXTS, strict=True):
    _QUIET[_code] = _text
_CAPTURES = [text.replace("-", "x") for text in _QUIET]


def move_texts(board: Board, moves: Iterable[Move]) -> list[str]:
    """The texts of moves that are made on a board one after the other, captures with `x`.

    What the rules say of the moves is not asked: a record is written as it is. Moves that no
    rules allow raise `IllegalMoveError`.

    >>> move_texts(Board(), [Move.from_text("c8a6"), Move.from_text("h4f2")])
    ['c8xa6', 'h4-f2']
    """
    texts = []
    for move in moves:
        texts.append((_CAPTURES if board.is_capture(move) else _QUIET)[move.code])
        board.push_unchecked(move)
    return texts
