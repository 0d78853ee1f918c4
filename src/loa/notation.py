"""Squares, moves and positions as text, over plain values: ints, bitboards and a side to move.

    >>> placement = parse_fen("1bb1/w2w/w2w/1bb1 w 7")
    >>> print(board_text(placement.black, placement.white, placement.size))
    4 . b b .
    3 w . . w
    2 w . . w
    1 . b b .
      a b c d
    >>> format_fen(placement, "playstrategy")
    '1LL1/l2l/l2l/1LL1 b - - 0 7'

Positions are read and written in four dialects. All of them list the ranks from the top. All are
read and written for every board size from 3x3 to 8x8, though the foreign programs have 8x8 only.

native
    `1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1`: the board, the side to move and the move
    number, which goes up when Black is to move again. `b` is Black, `w` White, a digit that many
    empty squares; there are as many ranks as files. The side to move and the move number may be
    left out and are then `b` and 1.

playstrategy
    `1LLLLLL1/l6l/l6l/l6l/l6l/l6l/l6l/1LLLLLL1 w - - 0 1`: board, side to move, `-`, `-`, half-move
    clock, move number. `L` and `w` are the side that moves first (Black here), `l` and `b` the
    other. Fields may be left out from the right, as that site allows. The clock is checked but
    not used; 0 is written. Source: the site's rules library, Mind-Sports-Games/strategygames on
    GitHub, `chess/variant/LinesOfAction.scala` and `chess/format/Forsyth.scala`. An early version
    had `l` and `b` move first; nothing in such a text tells it from the present form, so it is
    read with the colours exchanged.

openspiel
    What OpenSpiel prints for a state of `lines_of_action`: a line for each rank (its number, then
    `x` for Black, `o` for White, `.` for an empty square), a line of file letters, two blank lines,
    `Current player: x`. There is no move number: reading gives 1. A finished game is printed with
    `Current player: none (terminal)`, which does not say whose turn it would be, so reading that
    is an error. Source: `lines_of_action.cc` in google-deepmind/open_spiel on GitHub, and the
    text that its Python module prints.

cutechess
    `1pppppp1/P6P/P6P/P6P/P6P/P6P/P6P/1pppppp1 b - - 0 1`: the same six fields as PlayStrategy, of
    which the last two may be left out, but with chess's letters: `p` and `b` are Black, `P` and
    `w` White. As in chess the move number goes up after Black's move, so that it runs `b 1`, `w 2`,
    `b 2`, `w 3` from the start: with White to move it is one more than the native number. (`w 1`,
    which no game from the start reaches but a position set up by hand may have, is read as move 1.)
    The clock is always 0, as cutechess treats every move as a pawn's. Source: cutechess/cutechess
    on GitHub, `linesofactionboard.cpp` of the pull request "Support Lines of Action (LOA)" (not
    merged, and so in no release, when this was written) and `westernboard.cpp`.

Reading tolerates case and white space where they mean nothing (`B` for a native `b`, blanks round
fields, Windows line ends), and nothing else. Whatever is written reads back as the same position,
apart from the move number in `openspiel`.
"""

from __future__ import annotations

import dataclasses
import functools
import re

from loa.rules import (
    BLACK,
    WHITE,
    Color,
    InvalidFenError,
    InvalidMoveError,
    LoaError,
    check_range,
    shown,
)

__all__ = [
    "DIALECTS",
    "Placement",
    "board_text",
    "format_fen",
    "format_move",
    "parse_fen",
    "parse_move",
    "parse_square",
    "square",
    "square_name",
    "squares",
]

_FILES = "abcdefgh"
_SQUARE_NAMES = tuple(file + rank for rank in "12345678" for file in _FILES)
_SQUARES = {name: index for index, name in enumerate(_SQUARE_NAMES)}
_MAX_MOVE_NUMBER = 2**30

# Digits and letters are spelled out as classes: \d, isdigit() and int() also take other scripts'.
# The separator and the blanks after it are one optional group, so that a long run of blanks can
# be divided in one way only and a failed match takes linear time.
_MOVE = re.compile(r"\s*([A-Ha-h][1-8])\s*(?:[-xX:]\s*)?([A-Ha-h][1-8])\s*")
_NUMBER = re.compile(r"[0-9]{1,10}")
_ADJACENT_DIGITS = re.compile(r"[1-8]{2}")
_DIGIT = re.compile(r"[1-8]")
_EMPTY_RUN = re.compile(r"\.+")

# The complement of each size's board, bits beyond the grid included.
_OUTSIDE = {
    size: ~sum(((1 << size) - 1) << (8 * rank) for rank in range(size)) for size in range(3, 9)
}


def _require(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{name} is of type {type(value).__name__}: expected {kind.__name__}")


def square(file: int, rank: int) -> int:
    """The index of a square, a1 = 0 to h8 = 63, from its file and rank, both 0 to 7.

    Raises `LoaError` for a file or rank out of range and `TypeError` for anything but an int.

    >>> square(2, 7), square_name(square(2, 7))
    (58, 'c8')
    """
    return 8 * check_range("rank", rank, 0, 7) + check_range("file", file, 0, 7)


def square_name(square: int) -> str:
    """The name of a square, `a1` to `h8`, from its index, 0 to 63.

    Raises `LoaError` for an index out of range and `TypeError` for anything but an int.

    >>> square_name(0), square_name(63)
    ('a1', 'h8')
    """
    return _SQUARE_NAMES[check_range("square", square, 0, 63)]


def squares(bitboard: int) -> list[int]:
    """The squares of a bitboard, in ascending order.

    Raises `LoaError` for a number that is no bitboard (0 to 2**64 - 1) and `TypeError` for
    anything but an int.

    >>> [square_name(square) for square in squares(0x8000000000000006)]
    ['b1', 'c1', 'h8']
    """
    left = check_range("bitboard", bitboard, 0, 2**64 - 1)
    found = []
    while left:
        found.append((left & -left).bit_length() - 1)
        left &= left - 1
    return found


def parse_square(text: str) -> int:
    """The index of the square of this name; case and blanks at the ends do not matter.

    Raises `InvalidMoveError` for a text that names no square of the 8x8 grid.

    >>> parse_square("c8")
    58
    """
    _require(text, str, "square")
    index = _SQUARES.get(text.strip().lower())
    if index is None:
        raise InvalidMoveError(f"{shown(text)} is not a square: expected a1 to h8")
    return index


def parse_move(text: str) -> tuple[int, int]:
    """The squares a move goes from and to; (0, 0) for the pass.

    Between the squares there may be `-`, `x`, `:` or nothing, and blanks anywhere round them.
    Whether the move captures is not part of the result. Raises `InvalidMoveError` for a text of
    another form, and for a move that ends where it starts.

    >>> parse_move("c8-c6") == parse_move("C8 C6") == parse_move("c8:c6") == (58, 42)
    True
    >>> parse_move("pass")
    (0, 0)
    """
    _require(text, str, "move")
    match = _MOVE.fullmatch(text)
    if match is None:
        if text.strip().lower() == "pass":
            return 0, 0
        raise InvalidMoveError(
            f"{shown(text)} is not a move: expected two squares, such as 'c8-c6' or 'd1xa4', "
            "or 'pass'"
        )
    from_square, to_square = (_SQUARES[name.lower()] for name in match.groups())
    if from_square == to_square:
        raise InvalidMoveError(f"{shown(text)} is not a move: expected two different squares")
    return from_square, to_square


def format_move(from_square: int, to_square: int, *, capture: bool = False) -> str:
    """The text of a move: `c8-c6`, or `d1xa4` for a capture; `pass` for (0, 0).

    Raises `InvalidMoveError` for two equal squares (except the pass) and for a pass that
    captures, `LoaError` for a square out of range and `TypeError` for anything but an int.

    >>> format_move(58, 42), format_move(3, 24, capture=True), format_move(0, 0)
    ('c8-c6', 'd1xa4', 'pass')
    """
    names = square_name(from_square), square_name(to_square)
    if from_square == to_square:
        if from_square != 0:
            raise InvalidMoveError(f"from {names[0]} to {names[1]}: expected different squares")
        if capture:
            raise InvalidMoveError("a pass that captures: expected a move between two squares")
        return "pass"
    return ("x" if capture else "-").join(names)


@dataclasses.dataclass(frozen=True, slots=True)
class Placement:
    """What a position's text says: where the pieces are, whose turn it is, and the move number.

    `black` and `white` are bitboards on the 8x8 grid (bit i is square i) whatever the `size`;
    `move_number` is 1 for the first move of each side, 2 for the second, and so on. Nothing is
    checked here: `parse_fen` returns, and `format_fen` accepts, only what describes a position.

    >>> Placement(size=3, black=1, white=4, turn=BLACK, move_number=1).turn
    <Color.BLACK: 0>
    """

    size: int
    black: int
    white: int
    turn: Color
    move_number: int


class _Dialect:
    """The letters of a dialect, and the fields of one that is written on a single line."""

    def __init__(
        self, pieces: str, turns: str, fields: tuple[str, ...] = (), required: int = 1
    ) -> None:
        self.letters: dict[Color, str] = dict(zip((BLACK, WHITE), pieces, strict=True))
        self.turn_letters: dict[Color, str] = dict(zip((BLACK, WHITE), turns, strict=True))
        self.turns = {letter: color for color, letter in self.turn_letters.items()}
        self.pieces = {letter: color for color, letter in self.letters.items()}
        if pieces[0].lower() != pieces[1].lower():  # case does not tell the colours apart
            self.pieces |= {letter.swapcase(): color for letter, color in self.pieces.items()}
        self.fields = fields
        self.required = required
        self.unexpected = re.compile(f"[^{''.join(self.pieces)}{'1-8' if fields else '.'}]")
        empty = "digits 1 to 8 and '/'" if fields else "'.'"
        self.expected = f"{pieces[0]!r}, {pieces[1]!r}, {empty}"


_SIX_FIELDS = ("board", "side to move", "-", "-", "half-move clock", "move number")
_DIALECTS = {
    "native": _Dialect("bw", "bw", ("board", "side to move", "move number")),
    "playstrategy": _Dialect("Ll", "wb", _SIX_FIELDS),
    "openspiel": _Dialect("xo", "xo"),
    "cutechess": _Dialect("pP", "bw", _SIX_FIELDS, required=4),
}
_DIALECT_OF_LETTER = {letter: name for name, each in _DIALECTS.items() for letter in each.pieces}
_DIALECT_OF_LETTER["."] = "openspiel"

DIALECTS: tuple[str, ...] = tuple(_DIALECTS)
"""The names that `parse_fen` and `format_fen` take, the default first."""


def _dialect(name: str) -> _Dialect:
    _require(name, str, "dialect")
    if name not in _DIALECTS:
        raise LoaError(f"unknown dialect {shown(name)}: expected one of {', '.join(DIALECTS)}")
    return _DIALECTS[name]


def _number_offset(dialect: _Dialect, turn: Color) -> int:
    """How far the dialect's move number is ahead of the native one."""
    return int(dialect is _DIALECTS["cutechess"] and turn is WHITE)


def parse_fen(text: str, dialect: str = "native") -> Placement:
    """Read a position in one of the `DIALECTS`, which the module's docstring describes.

    A board has 3 to 8 ranks of as many squares and at least one piece of each colour; a finished
    position is a position too. The move number is 1 to 2**30. Raises `InvalidFenError`, quoting
    the offending part, for any other text, and `LoaError` for an unknown dialect.

    >>> parse_fen("1b1/w1w/1b1")
    Placement(size=3, black=131074, white=1280, turn=<Color.BLACK: 0>, move_number=1)
    >>> parse_fen("1pp1/P2P/P2P/1pp1 w - - 0 2", "cutechess") == parse_fen("1bb1/w2w/w2w/1bb1 w 1")
    True
    >>> parse_fen("1LL1/l2l/l2l/1LL1 w - - 0 1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    loa.rules.InvalidFenError: rank 4 is '1LL1' with 'L' in it: ... dialect='playstrategy'
    """
    _require(text, str, "position")
    rules = _dialect(dialect)
    if not text.strip():
        raise InvalidFenError(f"{shown(text)} is empty: expected a position")
    return _parse_line(text, rules) if rules.fields else _parse_printed_board(text, rules)


def _parse_line(text: str, dialect: _Dialect) -> Placement:
    """Read a position whose fields are separated by blanks, the board first."""
    board, *fields = text.split(maxsplit=len(dialect.fields))
    # Letters come before all else: a text in another dialect should be told so.
    size, black, white = _parse_ranks(board.split("/"), dialect)
    layout = ", ".join(dialect.fields)
    if len(fields) == len(dialect.fields):
        raise InvalidFenError(f"unexpected {shown(fields[-1])} at the end: expected {layout}")
    if len(fields) + 1 < dialect.required:
        raise InvalidFenError(
            f"{shown(text)} has too few fields: expected at least {dialect.required} of {layout}"
        )
    turn, move_number = BLACK, 1
    for field, meaning in zip(fields, dialect.fields[1:], strict=False):
        if meaning == "side to move":
            letters = dialect.turn_letters
            if field.lower() not in dialect.turns:
                raise InvalidFenError(
                    f"the side to move is {shown(field)}: "
                    f"expected {letters[BLACK]!r} (Black) or {letters[WHITE]!r} (White)"
                )
            turn = dialect.turns[field.lower()]
        elif meaning == "-":
            if field != "-":
                raise InvalidFenError(f"unexpected field {shown(field)}: expected '-'")
        elif meaning == "half-move clock":
            _parse_number(field, meaning, 0, _MAX_MOVE_NUMBER)
        else:
            offset = _number_offset(dialect, turn)
            move_number = _parse_number(field, meaning, 1, _MAX_MOVE_NUMBER + offset)
            move_number = max(1, move_number - offset)
    return Placement(size, black, white, turn, move_number)


def _parse_number(field: str, meaning: str, least: int, most: int) -> int:
    if not _NUMBER.fullmatch(field) or not least <= int(field) <= most:
        raise InvalidFenError(f"the {meaning} is {shown(field)}: expected {least} to {most}")
    return int(field)


def _parse_printed_board(text: str, dialect: _Dialect) -> Placement:
    """Read a board printed rank by rank, the file letters below it, and the current player."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    size = len(lines) - 2
    if not 3 <= size <= 8:
        raise InvalidFenError(
            f"{shown(text)} has {len(lines)} line(s): expected 3 to 8 ranks, the file letters and "
            "'Current player: x' or 'Current player: o'"
        )
    *ranks, files, player = lines
    current = "".join(player.split()).lower()
    turns = {f"currentplayer:{letter}": color for letter, color in dialect.turns.items()}
    if current not in turns:
        finished = current == "currentplayer:none(terminal)"
        raise InvalidFenError(
            f"the last line is {shown(player)}: expected 'Current player: x' or 'Current player: "
            f"o'{' (the text of a finished game does not say whose turn it is)' * finished}"
        )
    if "".join(files.split()).lower() != _FILES[:size]:
        raise InvalidFenError(
            f"the line below {size} ranks is {shown(files)}: expected {_FILES[:size]!r}"
        )
    for number, rank in zip(range(size, 0, -1), ranks, strict=True):
        if rank[0] != str(number):
            raise InvalidFenError(f"the line of rank {number} is {shown(rank)}: expected {number}")
    rows = ["".join(rank[1:].split()) for rank in ranks]
    return Placement(*_parse_ranks(rows, dialect), turns[current], 1)


def _parse_ranks(ranks: list[str], dialect: _Dialect) -> tuple[int, int, int]:
    """The size and the two bitboards of a board, from its ranks without their labels."""
    size = len(ranks)
    for number, rank in zip(range(size, 0, -1), ranks[:8], strict=False):
        if unexpected := dialect.unexpected.search(rank):
            name = _DIALECT_OF_LETTER.get(unexpected[0]) if dialect.fields else None
            raise InvalidFenError(
                f"rank {number} is {shown(rank)} with {shown(unexpected[0])} in it: expected "
                f"{dialect.expected}{f'; this looks like dialect={name!r}' if name else ''}"
            )
    if not 3 <= size <= 8:
        raise InvalidFenError(f"{shown('/'.join(ranks))} has {size} rank(s): expected 3 to 8")
    bitboards = {BLACK: 0, WHITE: 0}
    for number, rank in zip(range(size, 0, -1), ranks, strict=True):
        if adjacent := _ADJACENT_DIGITS.search(rank):
            raise InvalidFenError(
                f"rank {number} is {shown(rank)} with {shown(adjacent[0])} in it: "
                "expected one digit for each run of empty squares"
            )
        # Each character is a square or more, so that size + 1 of them show that a rank is long.
        row = _DIGIT.sub(lambda digit: "." * int(digit[0]), rank[: size + 1])
        if len(row) != size:
            raise InvalidFenError(
                f"rank {number} is {shown(rank)}: expected {size} squares, one for each rank"
            )
        for file, letter in enumerate(row):
            if letter != ".":
                bitboards[dialect.pieces[letter]] |= 1 << (8 * (number - 1) + file)
    for color, bitboard in bitboards.items():
        if not bitboard:
            raise InvalidFenError(
                f"the board {shown('/'.join(ranks))} has no {dialect.letters[color]!r}: "
                "expected a piece of each colour at least"
            )
    return size, bitboards[BLACK], bitboards[WHITE]


def format_fen(placement: Placement, dialect: str = "native") -> str:
    """Write a position in one of the `DIALECTS`, so that `parse_fen` reads it back.

    Raises `InvalidFenError` for a placement that is no position (a size or a move number out of
    range, a piece off the board, two on one square, a side without pieces), `TypeError` for
    wrong types and `LoaError` for an unknown dialect.

    >>> format_fen(Placement(size=3, black=0x20002, white=0x500, turn=WHITE, move_number=2))
    '1b1/w1w/1b1 w 2'
    >>> format_fen(parse_fen("1b1/w1w/1b1"), "openspiel").splitlines()
    ['3.x.', '2o.o', '1.x.', ' abc', '', '', 'Current player: x']
    """
    rules = _dialect(dialect)
    _require(placement, Placement, "placement")
    size = placement.size
    _require(placement.turn, Color, "turn")
    number = check_range(
        "move_number", placement.move_number, 1, _MAX_MOVE_NUMBER, error=InvalidFenError
    )
    rows = _rows(placement.black, placement.white, size, *rules.letters.values())
    if not placement.black or not placement.white:
        side = "white" if placement.black else "black"
        raise InvalidFenError(f"{side} is 0: expected a piece of each colour at least")
    turn = rules.turn_letters[placement.turn]
    if not rules.fields:
        ranks = [f"{size - index}{row}\n" for index, row in enumerate(rows)]
        return f"{''.join(ranks)} {_FILES[:size]}\n\n\nCurrent player: {turn}"
    board = "/".join(_with_digits(row) for row in rows)
    counters = "- - 0 " if rules.fields is _SIX_FIELDS else ""
    return f"{board} {turn} {counters}{number + _number_offset(rules, placement.turn)}"


def _rows(black: int, white: int, size: int, black_letter: str, white_letter: str) -> list[str]:
    """The ranks from the top, empty squares as dots, of bitboards that fit on one board."""
    outside = _OUTSIDE[check_range("size", size, 3, 8, error=InvalidFenError)]
    for name, bitboard in (("black", black), ("white", white)):
        _require(bitboard, int, name)
        if bitboard & outside:
            raise InvalidFenError(
                f"{name} is {shown(hex(bitboard))}: expected squares of the {size}x{size} board"
            )
    if both := black & white:
        name = _SQUARE_NAMES[both.bit_length() - 1]
        raise InvalidFenError(f"both colours have a piece on {name}: expected one at most")
    return [
        _row(black >> 8 * rank & 0xFF, white >> 8 * rank & 0xFF, size, black_letter, white_letter)
        for rank in reversed(range(size))
    ]


# Few of the ranks that there can be come up in games, and the same ones again and again.
@functools.lru_cache(maxsize=8192)
def _row(black: int, white: int, size: int, black_letter: str, white_letter: str) -> str:
    return "".join(
        black_letter if black >> file & 1 else white_letter if white >> file & 1 else "."
        for file in range(size)
    )


@functools.lru_cache(maxsize=8192)
def _with_digits(row: str) -> str:
    """A rank with a number for each run of empty squares."""
    return _EMPTY_RUN.sub(lambda run: str(len(run[0])), row)


def board_text(black: int, white: int, size: int) -> str:
    """A picture of the board: ranks from the top, their numbers at the left, file letters below.

    `black` and `white` are bitboards on the 8x8 grid. No line ends in a blank and the last has no
    line end. Raises `InvalidFenError` for a size other than 3 to 8, a piece off the board or two
    pieces on one square, `TypeError` for anything but ints.

    >>> print(board_text(0x20002, 0x500, 3))
    3 . b .
    2 w . w
    1 . b .
      a b c
    """
    rows = _rows(black, white, size, "b", "w")
    lines = [" ".join(f"{size - index}{row}") for index, row in enumerate(rows)]
    return "\n".join([*lines, "  " + " ".join(_FILES[:size])])
