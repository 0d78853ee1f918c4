"""The short notation of playstrategy.org: `Ldb3`, `Lxf1`, `L2f2`, `Lcc7#`.

A move is `L` for the piece, what tells it from other pieces that can move to the same square, `x`
for a capture, the square it goes to, and `#` where it ends the game with a winner.

- What tells pieces apart is the file the piece comes from where no other piece that can move
  there is on it, else its rank where no other is on that, else its square. All that can move
  there are asked, and nothing is written where the piece is the only one.
- `#` stands where one side is connected after the move, be it the mover's or the other; not where
  both are, which is a draw on that site.

Source: Mind-Sports-Games/strategygames on GitHub, `chess/format/pgn/Dumper.scala` for the text,
`chess/variant/LinesOfAction.scala` for the winner. That site draws a game in which a side has no
move and so has no pass; here it is `pass`.

>>> board = Board()
>>> san(board, Move.from_text("d1-b3")), parse_san(board, "Ldb3")
('Ldb3', Move.from_text('d1-b3'))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loa._board import Board
from loa._moves import Move
from loa.notation import square_name
from loa.records.format import refusal
from loa.records.text import quote
from loa.rules import BLACK, WHITE, IllegalMoveError, InvalidMoveError, LoaError, shown

__all__ = ["SAN_EXPECTED", "parse_san", "play_san", "san", "san_refusal", "san_texts"]

SAN_EXPECTED = "a move such as Lc6, Ldb3 or Lxf1#"

_SAN = re.compile(r"L([a-h]?)([1-8]?)(x?)([a-h][1-8])(#?)")
_NAMES = tuple(square_name(square) for square in range(64))


class _Text(NamedTuple):
    """What a text says.

    - `moves`: those it can mean, by their squares alone.
    - `target`: the square they go to, where nothing is said of the one they come from; else -1.
    """

    moves: tuple[Move, ...]
    is_capture: bool
    is_win: bool
    target: int


def _line_moves(target: int) -> tuple[Move, ...]:
    """The moves to a square from all others on its file, its rank and its diagonals."""
    moves = []
    for square in range(64):
        files, ranks = abs(square % 8 - target % 8), abs(square // 8 - target // 8)
        if square != target and (not files or not ranks or files == ranks):
            moves.append(Move(square, target))
    return tuple(moves)


_LINE_MOVES = tuple(_line_moves(square) for square in range(64))


class _Texts(dict[str, _Text | None]):
    """What texts say, by those met so far, of some twenty thousand; None for what is no move."""

    def __missing__(self, text: str) -> _Text | None:
        match = _SAN.fullmatch(text)
        if match is None:
            return None
        file, rank, capture, name, win = match.groups()
        target = _NAMES.index(name)
        moves = [
            move
            for move in _LINE_MOVES[target]
            if file in _NAMES[move.from_square] and rank in _NAMES[move.from_square]
        ]
        self[text] = said = _Text(
            tuple(moves), bool(capture), bool(win), -1 if file or rank else target
        )
        return said


_TEXTS = _Texts({"pass": _Text((Move.PASS,), False, False, -1)})


def _moves_of(board: Board, moves: tuple[Move, ...], target: int) -> Sequence[Move]:
    """The legal moves that a text can mean, which says these; `LoaError` off the board."""
    return board.moves_to(target) if target >= 0 else list(filter(board.is_legal, moves))


def san(board: Board, move: Move) -> str:
    """The text of a legal move; raises `IllegalMoveError` for another.

    >>> board = Board()
    >>> [san(board, Move.from_text(text)) for text in ("c8-c6", "c8xa6", "b1-h1")]
    ['Lcc6', 'Lxa6', 'Lh1']
    """
    if not isinstance(move, Move):
        raise TypeError(f"move is {shown(move)}: expected a Move")
    text = _text(board, move) if board.is_legal(move) else ""
    # The board says what is wrong with a move that is not legal.
    board.push(move)
    if board.is_game_over() and _is_won(board):
        text += "#"
    board.pop()
    return text


def _text(board: Board, move: Move) -> str:
    """The text of a legal move, without the sign of a win."""
    if move.is_pass:
        return "pass"
    name = _NAMES[move.from_square]
    others = [
        _NAMES[other.from_square] for other in board.moves_to(move.to_square) if other is not move
    ]
    if not others:
        origin = ""
    elif all(other[0] != name[0] for other in others):
        origin = name[0]
    elif all(other[1] != name[1] for other in others):
        origin = name[1]
    else:
        origin = name
    return f"L{origin}{'x' if board.is_capture(move) else ''}{_NAMES[move.to_square]}"


def _is_won(board: Board) -> bool:
    return board.is_connected(BLACK) is not board.is_connected(WHITE)


def parse_san(board: Board, text: str) -> Move:
    """The legal move that a text names.

    File, rank or square of the piece may be told where they need not be. `x` has to stand where
    the move captures and only there; `#` may be left out. Raises `InvalidMoveError` for a text
    that is no move, that says something wrong of its move or that fits several, and
    `IllegalMoveError` where no piece can move there.

    >>> board = Board()
    >>> parse_san(board, "Lb3")
    Traceback (most recent call last):
    loa.rules.InvalidMoveError: 'Lb3' fits several moves: expected one of Lbb3, Ldb3
    """
    if not isinstance(text, str):
        raise TypeError(f"move is {shown(text)}: expected a str")
    said = _TEXTS[text]
    if said is None:
        raise InvalidMoveError(f"{quote(text)}: expected {SAN_EXPECTED}")
    try:
        found = _moves_of(board, said.moves, said.target)
    except LoaError:
        found = ()
    if not found:
        fen = board.fen()
        raise IllegalMoveError(f"{quote(text)} is illegal: no piece can move so ({fen})", None, fen)
    if len(found) > 1:
        choices = ", ".join(_text(board, move) for move in found)
        raise InvalidMoveError(f"{quote(text)} fits several moves: expected one of {choices}")
    (move,) = found
    if board.is_capture(move) is not said.is_capture:
        what = "nothing" if said.is_capture else "a piece"
        raise InvalidMoveError(f"{quote(text)} captures {what}: expected {_text(board, move)}")
    if said.is_win:
        board.push(move)
        won = _is_won(board)
        board.pop()
        if not won:
            raise InvalidMoveError(
                f"{quote(text)} does not win the game: expected {_text(board, move)}"
            )
    return move


# Whole games ------------------------------------------------------------------------------------


def play_san(board: Board, words: list[str]) -> list[Move]:
    """Play the moves that words name on a board, up to the first that cannot be played.

    Returns the moves that were made; `san_refusal` says what is wrong with the word after them.

    >>> play_san(Board(), ["Ldb3", "Lxf1", "Lb9"])
    [Move.from_text('d1-b3'), Move.from_text('h3-f1')]
    """
    # What parse_san does, without its errors and in about half the time.
    moves: list[Move] = []
    is_capture, push = board.is_capture, board.push
    try:
        for word in words:
            said = _TEXTS[word]
            if said is None:
                break
            possible, says_capture, says_win, target = said
            found = _moves_of(board, possible, target)
            if len(found) != 1 or is_capture(found[0]) is not says_capture:
                break
            push(found[0])
            if says_win and not _is_won(board):
                board.pop()
                break
            moves.append(found[0])
    except LoaError:
        # A square that is not on the board, or beyond the last ply that a board can count.
        pass
    return moves


def san_refusal(board: Board, word: str) -> str | None:
    """Why the move that a word names cannot be played on the board; None where it can.

    >>> san_refusal(Board(), "Ld9")
    "'Ld9': expected a move such as Lc6, Ldb3 or Lxf1#"
    """
    if _TEXTS[word] is not None:
        if board.is_game_over():
            return refusal(board, word, Move.PASS)
        try:
            return refusal(board, word, parse_san(board, word))
        except LoaError as error:
            return str(error)
    return f"{quote(word)}: expected {SAN_EXPECTED}"


def san_texts(board: Board, moves: Iterable[Move]) -> list[str]:
    """The texts of moves that are made on a board one after the other, which have to be legal.

    >>> san_texts(Board(), [Move.from_text("d1-b3"), Move.from_text("h3-f1")])
    ['Ldb3', 'Lxf1']
    """
    texts = []
    for move in moves:
        if not board.is_legal(move):
            board.push(move)
        texts.append(_text(board, move))
        board.push(move)
    if texts and board.is_game_over() and _is_won(board):
        texts[-1] += "#"
    return texts
