"""The rules of Lines of Action, written to be read.

This is the specification that the compiled kernels are tested against. It plays the whole game
with sets and loops, shares no code with the kernels, and is slow. If a rule is in doubt, this is
the file to open.

Squares are numbers: a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63, and the same numbers on smaller
boards, which lie in the lower left corner of the 8x8 grid. A move is the pair (from, to); the
pass is (0, 0), which no other move can be.

    >>> game = Game(Position.start())
    >>> len(game.legal_moves())
    36
    >>> game.push((58, 42))  # c8-c6
    >>> game.position.turn, game.ply, game.outcome()
    (<Color.WHITE: 1>, 1, None)
    >>> perft(Position.start(), 2)
    1244
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from loa.rules import (
    BLACK,
    WHITE,
    Color,
    Direction,
    IllegalMoveError,
    InvalidFenError,
    LoaError,
    NoLegalMove,
    Outcome,
    Rules,
    SimultaneousConnection,
    Termination,
    check_size,
    shown,
)

__all__ = [
    "PASS",
    "STEPS",
    "Game",
    "Move",
    "Position",
    "connection_outcome",
    "groups",
    "is_connected",
    "legal_moves",
    "line_count",
    "line_moves",
    "line_squares",
    "make_move",
    "no_legal_move_outcome",
    "on_board",
    "perft",
    "square_name",
]

Move = tuple[int, int]
"""The square a piece leaves and the square it reaches."""

PASS: Move = (0, 0)
"""The move of a side that has no move along a line, where the rules let it pass."""

STEPS: dict[Direction, tuple[int, int]] = {
    Direction.N: (0, 1),
    Direction.NE: (1, 1),
    Direction.E: (1, 0),
    Direction.SE: (1, -1),
    Direction.S: (0, -1),
    Direction.SW: (-1, -1),
    Direction.W: (-1, 0),
    Direction.NW: (-1, 1),
}
"""One step in each direction, in files and in ranks."""


# The position


def square_name(square: int) -> str:
    """The name of a square; `LoaError` for a number that is not 0 to 63.

    >>> square_name(0), square_name(1), square_name(63)
    ('a1', 'b1', 'h8')
    """
    if not 0 <= square <= 63:
        raise LoaError(f"square is {shown(square)}: expected 0 to 63")
    return "abcdefgh"[square % 8] + "12345678"[square // 8]


def on_board(file: int, rank: int, size: int) -> bool:
    """Whether a board of this size has this file and rank (both counted from 0)."""
    return 0 <= file < size and 0 <= rank < size


@dataclass(frozen=True, slots=True)
class Position:
    """The pieces on a board of `size` files and ranks, and the side to move."""

    size: int
    black: frozenset[int]
    white: frozenset[int]
    turn: Color

    @classmethod
    def start(cls, size: int = 8, setup: str = "standard") -> Self:
        """The start of a game: Black moves first.

        In both set-ups the pieces stand round the edge and leave the corners empty. `"standard"`
        gives Black the first and the last rank and White the first and the last file;
        `"scrambled"` lets the colours alternate round the edge, b1 Black. Raises `LoaError` for
        any other set-up, and for a size that is not 3 to 8.

        >>> print(Position.start(5))
        . b b b .
        w . . . w
        w . . . w
        w . . . w
        . b b b .
        """
        check_size(size)
        last = size - 1
        south = list(range(1, last))
        north = [square + 8 * last for square in south]
        west = [8 * rank for rank in range(1, last)]
        east = [square + last for square in west]
        if setup == "standard":
            black, white = south + north, west + east
        elif setup == "scrambled":
            edge = south + east + north[::-1] + west[::-1]
            black, white = edge[0::2], edge[1::2]
        else:
            raise LoaError(f"unknown setup {shown(setup)}: expected 'standard' or 'scrambled'")
        return cls(size, frozenset(black), frozenset(white), BLACK)

    @classmethod
    def from_bitboards(cls, black: int, white: int, size: int = 8, turn: Color = BLACK) -> Self:
        """The position with a piece on each square whose bit is set (bit i is square i).

        Raises `LoaError` for bits off the board, for bits set in both and for a size that is not
        3 to 8. A side may be without pieces, though no game comes to that.

        >>> print(Position.from_bitboards(black=0b101, white=1 << 18, size=3))
        . . w
        . . .
        b . b
        """
        if not isinstance(turn, Color):
            raise TypeError(f"turn is {shown(turn)}: expected a Color")
        check_size(size)
        board = {square for square in range(64) if on_board(square % 8, square // 8, size)}
        if black & white or (black | white) & ~sum(1 << square for square in board):
            raise InvalidFenError(
                f"black is {black:#x} and white is {white:#x}: expected different squares of the "
                f"{size}x{size} board"
            )
        black_squares = frozenset(square for square in board if black >> square & 1)
        white_squares = frozenset(square for square in board if white >> square & 1)
        return cls(size, black_squares, white_squares, turn)

    def pieces(self, color: Color) -> frozenset[int]:
        """The squares of one side's pieces."""
        return self.black if color is BLACK else self.white

    def fen(self, ply: int = 0) -> str:
        """The position in Forsyth-Edwards notation, `ply` plies after the start of the game.

        >>> Position.start(4).fen()
        '1bb1/w2w/w2w/1bb1 b 1'
        """
        rows = str(self).replace(" ", "").replace("\n", "/")
        rows = re.sub(r"\.+", lambda empty: str(len(empty[0])), rows)
        return f"{rows} {'bw'[self.turn]} {ply // 2 + 1}"

    def __str__(self) -> str:
        """The board as a picture: `b`, `w` and `.`, the last rank first."""
        letters = dict.fromkeys(self.black, "b") | dict.fromkeys(self.white, "w")
        return "\n".join(
            " ".join(letters.get(file + 8 * rank, ".") for file in range(self.size))
            for rank in reversed(range(self.size))
        )


# How a piece moves


def line_squares(square: int, direction: Direction, size: int) -> list[int]:
    """The whole line through `square`, from edge to edge, in the order of travel.

    >>> [square_name(s) for s in line_squares(17, Direction.SE, 8)]
    ['a4', 'b3', 'c2', 'd1']
    """
    files, ranks = STEPS[direction]
    file, rank = square % 8, square // 8
    while on_board(file - files, rank - ranks, size):
        file, rank = file - files, rank - ranks
    line = []
    while on_board(file, rank, size):
        line.append(file + 8 * rank)
        file, rank = file + files, rank + ranks
    return line


def line_count(position: Position, square: int, direction: Direction) -> int:
    """How many pieces, of both colours, stand on the whole line through `square`.

    >>> line_count(Position.start(), 1, Direction.E)
    6
    """
    line = line_squares(square, direction, position.size)
    return len((position.black | position.white).intersection(line))


def line_moves(position: Position) -> list[Move]:
    """The moves along lines of the side to move, whether or not the game is over.

    In the order of the squares they leave, then of their directions.

    >>> [square_name(start) + square_name(end) for start, end in line_moves(Position.start(3))]
    ['b1c1', 'b1a1', 'b3c3', 'b3a3']
    """
    own, enemy = position.pieces(position.turn), position.pieces(position.turn.opponent)
    moves = []
    for origin in sorted(own):
        for direction in Direction:
            # A piece moves exactly as many squares as there are pieces on its line, ...
            line = line_squares(origin, direction, position.size)
            start = line.index(origin)
            end = start + len((own | enemy).intersection(line))
            # ... staying on the board, ...
            if end >= len(line):
                continue
            # ... passing over its own pieces but never over an enemy's, ...
            if not enemy.isdisjoint(line[start + 1 : end]):
                continue
            # ... to a square that is empty or holds an enemy piece, which it captures.
            if line[end] not in own:
                moves.append((origin, line[end]))
    return moves


def make_move(position: Position, move: Move) -> Position:
    """The position after a move (or a pass), which must be one of the side to move.

    >>> print(make_move(Position.start(3), (1, 2)))
    . b .
    w . w
    . . b
    """
    own, enemy = position.pieces(position.turn), position.pieces(position.turn.opponent)
    if move != PASS:
        origin, target = move
        own, enemy = own - {origin} | {target}, enemy - {target}
    black, white = (own, enemy) if position.turn is BLACK else (enemy, own)
    return Position(position.size, black, white, position.turn.opponent)


# How a game ends


def groups(pieces: Iterable[int]) -> list[frozenset[int]]:
    """The groups of these pieces, in the order of their lowest squares.

    Two pieces belong to one group if steps from piece to adjacent piece, in any of the eight
    directions, lead from one to the other.

    >>> [[square_name(s) for s in sorted(group)] for group in groups({0, 9, 63})]
    [['a1', 'b2'], ['h8']]
    """
    left = set(pieces)
    found = []
    while left:
        group = {min(left)}
        while reached := {s for s in left - group if any(_adjacent(s, t) for t in group)}:
            group |= reached
        left -= group
        found.append(frozenset(group))
    return found


def _adjacent(square: int, other: int) -> bool:
    return abs(square % 8 - other % 8) <= 1 and abs(square // 8 - other // 8) <= 1


def is_connected(pieces: Iterable[int]) -> bool:
    """Whether the pieces form one group. A single piece does; so, here, does no piece at all.

    >>> is_connected({0, 9, 18}), is_connected({0, 2}), is_connected({5}), is_connected(())
    (True, False, True, True)
    """
    return len(groups(pieces)) <= 1


def connection_outcome(position: Position, rules: Rules = Rules.MSO) -> Outcome | None:
    """The end of the game by connection, or None.

    A side has won when its pieces form one group, whoever made the last move. Where both sides'
    pieces do, the rules choose between a draw and a win for the mover, the side not to move.

    >>> connection_outcome(Position.from_bitboards(black=0b11, white=0b101000))
    Outcome(winner=<Color.BLACK: 0>, termination=<Termination.CONNECTION: 'connection'>)
    """
    black, white = is_connected(position.black), is_connected(position.white)
    if black and white:
        draw = rules.simultaneous_connection is SimultaneousConnection.DRAW
        winner = None if draw else position.turn.opponent
        return Outcome(winner, Termination.SIMULTANEOUS_CONNECTION)
    if black or white:
        return Outcome(BLACK if black else WHITE, Termination.CONNECTION)
    return None


def no_legal_move_outcome(position: Position, rules: Rules = Rules.MSO) -> Outcome | None:
    """The end of the game because the side to move has no move along a line, or None.

    Under `NoLegalMove.PASS` the game goes on while the other side has such a move.

    >>> no_legal_move_outcome(Position.from_bitboards(black=0, white=1), Rules.OPENSPIEL)
    Outcome(winner=<Color.WHITE: 1>, termination=<Termination.NO_LEGAL_MOVE: 'no legal move'>)
    """
    if line_moves(position):
        return None
    if rules.no_legal_move is NoLegalMove.LOSS:
        return Outcome(position.turn.opponent, Termination.NO_LEGAL_MOVE)
    if rules.no_legal_move is NoLegalMove.PASS and line_moves(make_move(position, PASS)):
        return None
    return Outcome(None, Termination.NO_LEGAL_MOVE)


def legal_moves(position: Position, rules: Rules = Rules.MSO) -> list[Move]:
    """The legal moves, none if the position ends the game, whatever went before.

    >>> legal_moves(Position.start(3)), legal_moves(Position.from_bitboards(0b11, 0b101000))
    ([(1, 2), (1, 0), (17, 18), (17, 16)], [])
    """
    if connection_outcome(position, rules) or no_legal_move_outcome(position, rules):
        return []
    return line_moves(position) or [PASS]


class Game:
    """A game from some position on: its moves, its positions and its end.

    >>> game = Game(Position.start(3))
    >>> game.push((0, 9))
    Traceback (most recent call last):
    ...
    loa.rules.IllegalMoveError: a1-b2 is not legal in 1b1/w1w/1b1 b 1
    """

    def __init__(
        self, position: Position, rules: Rules = Rules.MSO, ply: int | None = None
    ) -> None:
        """Begin at `position`, after `ply` plies: by default 0, or 1 where White is to move."""
        self.rules = rules
        self.moves: list[Move] = []
        self.history = [position]
        """Every position of the game, the first one and the current one included."""
        self._first_ply = int(position.turn) if ply is None else ply

    @property
    def position(self) -> Position:
        """The current position."""
        return self.history[-1]

    @property
    def ply(self) -> int:
        """How many plies have been made, passes included, with those before the first position."""
        return self._first_ply + len(self.moves)

    def legal_moves(self) -> list[Move]:
        """The legal moves: none if the game is over, for whatever reason."""
        return [] if self.outcome() is not None else legal_moves(self.position, self.rules)

    def push(self, move: Move) -> None:
        """Make a legal move; any other raises `IllegalMoveError`."""
        if move not in self.legal_moves():
            name = "pass" if move == PASS else "-".join(map(square_name, move))
            fen = self.position.fen(self.ply)
            raise IllegalMoveError(f"{name} is not legal in {fen}", move, fen)
        self.moves.append(move)
        self.history.append(make_move(self.position, move))

    def pop(self) -> Move:
        """Take the last move back and return it; `IndexError` if there is none."""
        move = self.moves.pop()
        self.history.pop()
        return move

    def outcome(self) -> Outcome | None:
        """How the game has ended, or None if it goes on."""
        position = self.position
        if self.rules.draws_precede_connection:
            return (
                self._repetition_outcome()
                or self._ply_limit_outcome()
                or connection_outcome(position, self.rules)
                or no_legal_move_outcome(position, self.rules)
            )
        return (
            connection_outcome(position, self.rules)
            or no_legal_move_outcome(position, self.rules)
            or self._repetition_outcome()
            or self._ply_limit_outcome()
        )

    def repetition_count(self) -> int:
        """How often the current position has occurred in this game, this time included.

        Positions with the same pieces are the same if the side to move is the same too, or the
        rules ignore it.
        """
        return sum(
            (earlier.black, earlier.white) == (self.position.black, self.position.white)
            and (earlier.turn is self.position.turn or not self.rules.repetition_side_to_move)
            for earlier in self.history
        )

    def can_claim_draw(self) -> bool:
        """Whether the side to move may claim a draw by repetition; never once the game is over."""
        claim = self.rules.repetition_claim
        return claim is not None and self.repetition_count() >= claim and self.outcome() is None

    def _repetition_outcome(self) -> Outcome | None:
        limit = self.rules.repetition_draw
        if limit is not None and self.repetition_count() >= limit:
            return Outcome(None, Termination.REPETITION)
        return None

    def _ply_limit_outcome(self) -> Outcome | None:
        limit = self.rules.ply_limit
        if limit is not None and self.ply >= limit:
            return Outcome(None, Termination.PLY_LIMIT)
        return None


# Perft


def perft(position: Position, depth: int, rules: Rules = Rules.MSO) -> int:
    """The number of sequences of exactly `depth` legal plies.

    A pass is a ply. A game that a connection or the lack of a legal move has ended has no
    continuation; repetition and the ply limit are ignored. Raises `LoaError` for a negative depth.

    >>> [perft(Position.start(3), depth) for depth in range(5)]
    [1, 4, 16, 40, 108]
    """
    if depth < 0:
        raise LoaError(f"depth is {shown(depth)}: expected 0 or more")
    if depth == 0:
        return 1
    moves = legal_moves(position, rules)
    return sum(perft(make_move(position, move), depth - 1, rules) for move in moves)
