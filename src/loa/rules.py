"""The values everything else is built from: colours, directions, rules, ends of games, errors.

Lines of Action has one way to move and one way to win. Its sources disagree on what happens at
the edges (both sides connected at once, no legal move, repetition, length), so those points are
the fields of one immutable `Rules` value, and every source with a known answer is a preset.

    >>> import loa
    >>> loa.Rules.MSO.no_legal_move
    <NoLegalMove.PASS: 'pass'>
    >>> loa.Rules.MSO.replace(ply_limit=200).ply_limit
    200
"""

from __future__ import annotations

import dataclasses
import enum
import operator
import reprlib
from typing import Any, ClassVar, Self, SupportsIndex

__all__ = [
    "BLACK",
    "MAX_PLIES",
    "MAX_THREADS",
    "TERMINATIONS",
    "WHITE",
    "Color",
    "Direction",
    "IllegalMoveError",
    "InvalidFenError",
    "InvalidMoveError",
    "InvalidRecordError",
    "LoaError",
    "NoLegalMove",
    "Outcome",
    "Rules",
    "SimultaneousConnection",
    "Symmetry",
    "Termination",
    "check_range",
    "check_size",
    "shown",
    "starting_bitboards",
]


class LoaError(ValueError):
    """The base of every error that this package raises for a bad value.

    >>> issubclass(InvalidFenError, LoaError) and issubclass(LoaError, ValueError)
    True
    """


class InvalidFenError(LoaError):
    """A text, or a pair of bitboards, that does not describe a position."""


class InvalidMoveError(LoaError):
    """A text, a pair of squares or a number that is not a move on any board."""


class IllegalMoveError(LoaError):
    """A move that the rules do not allow in this position.

    `move` is the move (a `loa.Move`; from `loa.reference` a pair of squares, from `loa.BoardBatch`
    an action index) and `fen` the position in which it was tried.
    """

    def __init__(self, message: str, move: Any, fen: str) -> None:
        super().__init__(message)
        self.move = move
        self.fen = fen

    def __reduce__(self) -> tuple[type[Self], tuple[str, Any, str]]:
        return type(self), (str(self.args[0]), self.move, self.fen)


class InvalidRecordError(LoaError):
    """A game record, a perft suite or a checkpoint that cannot be read.

    `line` and `column` (both from 1) say where the offending text starts. In a game record,
    `game` is the number of the game in its file and `ply` that of the move that is wrong, both
    from 1; they are None where there is no game or no move to name.
    """

    def __init__(
        self, message: str, line: int, column: int, game: int | None = None, ply: int | None = None
    ) -> None:
        numbers = [
            f"{name} {number}"
            for name, number in (("game", game), ("ply", ply))
            if number is not None
        ]
        where = f" ({', '.join(numbers)})" if numbers else ""
        super().__init__(f"line {line}, column {column}: {message}{where}")
        self.message = message
        self.line = line
        self.column = column
        self.game = game
        self.ply = ply

    def __reduce__(self) -> tuple[type[Self], tuple[str, int, int, int | None, int | None]]:
        return type(self), (self.message, self.line, self.column, self.game, self.ply)


class Color(enum.IntEnum):
    """A side. Black moves first. Black is 0 and so counts as false: compare with `is` or `==`.

    >>> Color.BLACK.opponent
    <Color.WHITE: 1>
    >>> f"{Color.BLACK} to move"
    'Black to move'
    """

    BLACK = 0
    WHITE = 1

    def __str__(self) -> str:
        return self.name.capitalize()

    @property
    def opponent(self) -> Color:
        """The other side."""
        return Color.WHITE if self is Color.BLACK else Color.BLACK


BLACK = Color.BLACK
"""The side that moves first, 0."""
WHITE = Color.WHITE
"""The other side, 1."""


class Direction(enum.IntEnum):
    """The eight directions, clockwise from north (towards the higher ranks).

    >>> Direction.N + 1 == Direction.NE, Direction(5)
    (True, <Direction.SW: 5>)
    """

    N = 0
    NE = 1
    E = 2
    SE = 3
    S = 4
    SW = 5
    W = 6
    NW = 7

    @property
    def step(self) -> tuple[int, int]:
        """How many files to the right and ranks up the next square is.

        >>> Direction.N.step, Direction.SW.step
        ((0, 1), (-1, -1))
        """
        return _STEPS[self]


_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


class Symmetry(enum.IntEnum):
    """The eight symmetries of a square board, as what happens to its squares.

    Rotations are clockwise as the board is printed, with a1 in the lower left corner. `FLIP_FILES`
    exchanges file a and the last file, `FLIP_RANKS` rank 1 and the last rank; `TRANSPOSE`
    exchanges files and ranks and so keeps the diagonal from a1, `ANTI_TRANSPOSE` keeps the other.

    >>> import loa
    >>> loa.Board("w1b/3/2b b 1").transform(Symmetry.ROTATE_90).fen()
    '2w/3/b1b b 1'
    """

    IDENTITY = 0
    ROTATE_90 = 1
    ROTATE_180 = 2
    ROTATE_270 = 3
    FLIP_FILES = 4
    FLIP_RANKS = 5
    TRANSPOSE = 6
    ANTI_TRANSPOSE = 7


class SimultaneousConnection(enum.Enum):
    """What it means when one move leaves both sides connected.

    >>> Rules.MSO.simultaneous_connection
    <SimultaneousConnection.DRAW: 'draw'>
    """

    DRAW = "draw"
    MOVER_WINS = "mover wins"


class NoLegalMove(enum.Enum):
    """What happens to the side to move when it has no move along a line.

    Under `PASS` its only legal move is the pass, unless the other side has no move either: then
    the game is over and drawn.

    >>> Rules.OPENSPIEL.no_legal_move
    <NoLegalMove.LOSS: 'loss'>
    """

    PASS = "pass"
    LOSS = "loss"
    DRAW = "draw"


class Termination(enum.Enum):
    """Why a game is over.

    `CONNECTION`: the pieces of one side form one group. `SIMULTANEOUS_CONNECTION`: those of both
    sides do. `NO_LEGAL_MOVE`: the side to move is stuck; under `NoLegalMove.PASS` both sides are.
    `REPETITION` and `PLY_LIMIT`: draws by the rules of that name. `RESIGNATION` is known from game
    records only, `ILLEGAL_MOVE` (the side that tried one has lost) from batches only;
    `Board.outcome` never returns either.

    >>> import loa
    >>> loa.Board("bb1/3/w1w w 1").outcome().termination
    <Termination.CONNECTION: 'connection'>
    """

    CONNECTION = "connection"
    SIMULTANEOUS_CONNECTION = "simultaneous connection"
    NO_LEGAL_MOVE = "no legal move"
    REPETITION = "repetition"
    PLY_LIMIT = "ply limit"
    RESIGNATION = "resignation"
    ILLEGAL_MOVE = "illegal move"


TERMINATIONS = (
    Termination.CONNECTION,
    Termination.SIMULTANEOUS_CONNECTION,
    Termination.NO_LEGAL_MOVE,
    Termination.REPETITION,
    Termination.PLY_LIMIT,
    Termination.ILLEGAL_MOVE,
)
"""What the numbers in `terminations` of `Playouts` and `BoardBatch` stand for, which are indices.

Resignations, which only game records tell of, have none.
"""

MAX_PLIES = 10_000
"""The plies after which a playout stops, unless told otherwise.

Without a repetition rule no game has to end.
"""

MAX_THREADS = 1024
"""The most threads that one call may be asked to work with, be it a count, playouts or a batch."""


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `winner` is a `Color`, or None for a draw; `termination` says why.

    Do not test `winner` for truth: Black is 0. Its `str` is a sentence for people.

    >>> outcome = Outcome(BLACK, Termination.CONNECTION)
    >>> outcome.result, str(outcome)
    ('1-0', 'Black wins by connection')
    """

    winner: Color | None
    termination: Termination

    @property
    def result(self) -> str:
        """`"1-0"` where Black, who moves first, has won, `"0-1"` for White, `"1/2-1/2"` drawn."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Color.BLACK else "0-1"

    def __str__(self) -> str:
        reason = self.termination.value
        if self.winner is None:
            return f"draw by {reason}"
        if self.termination is Termination.NO_LEGAL_MOVE:
            return f"{self.winner} wins, {reason} for its opponent"
        return f"{self.winner} wins by {reason}"


@dataclasses.dataclass(frozen=True, slots=True)
class Rules:
    """The points on which sources of the game disagree.

    Two `Rules` are equal when all their fields are; `replace` gives a changed copy. Fields of
    the wrong type or range raise `TypeError` or `LoaError`.

    Fields:

    - `simultaneous_connection`: the end of a game whose last move left both sides connected. In a
      position that was set up, the side not to move counts as the mover.
    - `no_legal_move`: what a side without a move along a line does.
    - `repetition_draw`: the game is drawn when a position occurs for this time, 2 or more; None:
      never.
    - `repetition_claim`: from this occurrence on the side to move may claim a draw
      (`Board.can_claim_draw`); claiming is up to the players and ends no game by itself.
    - `repetition_side_to_move`: whether positions with the same pieces and different sides to
      move are different.
    - `ply_limit`: the game is drawn when so many plies have been made without an end; None: no
      limit.
    - `draws_precede_connection`: whether a repetition or the ply limit draws a game even where
      the last move connected.

    Presets:

    - `MSO`, the default: Mind Sports Olympiad and Computer Olympiad from 2001 on; the Youzai
      club's server agrees in what its page says. Both connected: draw; no move: pass; third
      occurrence with the same side to move: draw. (M. Winands, *Informed Search in Complex
      Games*, PhD thesis, Maastricht 2004, section 2.1.)
    - `SACKSON_1969`: S. Sackson, *A Gamut of Games*, first edition: both connected is a draw. The
      text is silent about a side without a move (a pass here) and about repetition (none here).
    - `SACKSON_1982`: the second edition: both connected, the mover wins. Silent as the first.
    - `OPENSPIEL`: DeepMind's OpenSpiel, game `lines_of_action` (`lines_of_action.cc`): the mover
      wins; a side without a move loses; a board that has occurred before draws the game whoever is
      to move, as does the ply limit (the game parameter `max_game_length`, 1000 unless set), both
      even where the last move connected.
    - `BOARDSPACE`: boardspace.net (D. Dyer): the mover wins, a side without a move passes.
    - `PLAYSTRATEGY`: playstrategy.org: both connected is a draw, so is a side without a move; a
      draw may be claimed at the third occurrence of a position and is automatic at the fifth.
    - `ABSTRACT_PLAY`: play.abstractplay.com: both connected is a draw, no move: pass.
    - `CODINGAME`: codingame.com, multiplayer game *Lines of Action*: the mover wins, a side without
      a move passes, the game is drawn after 150 plies.
    - `WINANDS_2000`: M. Winands, *Analysis and Implementation of Lines of Action*, MSc thesis,
      Maastricht 2000: the mover wins, a side without a move loses, the second occurrence of a
      position with the same side to move is a draw.

    >>> Rules.by_name("openspiel") is Rules.OPENSPIEL
    True
    >>> Rules(no_legal_move=NoLegalMove.LOSS)
    Rules(no_legal_move=NoLegalMove.LOSS)
    """

    simultaneous_connection: SimultaneousConnection = SimultaneousConnection.DRAW
    no_legal_move: NoLegalMove = NoLegalMove.PASS
    repetition_draw: int | None = 3
    repetition_claim: int | None = None
    repetition_side_to_move: bool = True
    ply_limit: int | None = None
    draws_precede_connection: bool = False

    MSO: ClassVar[Rules]
    SACKSON_1969: ClassVar[Rules]
    SACKSON_1982: ClassVar[Rules]
    OPENSPIEL: ClassVar[Rules]
    BOARDSPACE: ClassVar[Rules]
    PLAYSTRATEGY: ClassVar[Rules]
    ABSTRACT_PLAY: ClassVar[Rules]
    CODINGAME: ClassVar[Rules]
    WINANDS_2000: ClassVar[Rules]

    def __post_init__(self) -> None:
        for name, kind in (
            ("simultaneous_connection", SimultaneousConnection),
            ("no_legal_move", NoLegalMove),
            ("repetition_side_to_move", bool),
            ("draws_precede_connection", bool),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"Rules.{name} is {shown(value)}: expected a {kind.__name__}")
        for name, least in (("repetition_draw", 2), ("repetition_claim", 2), ("ply_limit", 0)):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"Rules.{name} is {shown(value)}: expected an int or None")
            if not least <= value <= 2**31 - 1:
                raise LoaError(
                    f"Rules.{name} is {shown(value)}: expected None or {least} … 2**31 - 1"
                )

    def replace(self, **changes: Any) -> Rules:
        """A copy with some fields changed.

        >>> Rules.OPENSPIEL.replace(ply_limit=None).ply_limit is None
        True
        """
        return dataclasses.replace(self, **changes)

    @classmethod
    def presets(cls) -> dict[str, Rules]:
        """All named presets, by name, the default first.

        >>> list(Rules.presets())[:3]
        ['MSO', 'SACKSON_1969', 'SACKSON_1982']
        """
        return dict(_PRESETS)

    @classmethod
    def by_name(cls, name: str) -> Rules:
        """The preset of this name; case does not matter, `-` may stand for `_`.

        Raises `LoaError` for a name that no preset has.

        >>> Rules.by_name("winands-2000")
        Rules.WINANDS_2000
        """
        if not isinstance(name, str):
            raise TypeError(f"name is {shown(name)}: expected a str")
        try:
            return _PRESETS[name.strip().upper().replace("-", "_")]
        except KeyError:
            known = ", ".join(_PRESETS)
            raise LoaError(f"unknown rules {shown(name)}: expected one of {known}") from None

    def __repr__(self) -> str:
        # Some presets are equal: those that are no copies keep their names.
        for same in (operator.is_, operator.eq):
            for name, preset in _PRESETS.items():
                if same(self, preset):
                    return f"Rules.{name}"
        changed = ", ".join(
            f"{field.name}={getattr(self, field.name)}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"Rules({changed})"


_PRESETS: dict[str, Rules] = {
    "MSO": Rules(),
    "SACKSON_1969": Rules(repetition_draw=None),
    "SACKSON_1982": Rules(
        simultaneous_connection=SimultaneousConnection.MOVER_WINS,
        repetition_draw=None,
    ),
    "OPENSPIEL": Rules(
        simultaneous_connection=SimultaneousConnection.MOVER_WINS,
        no_legal_move=NoLegalMove.LOSS,
        repetition_draw=2,
        repetition_side_to_move=False,
        ply_limit=1000,
        draws_precede_connection=True,
    ),
    "BOARDSPACE": Rules(
        simultaneous_connection=SimultaneousConnection.MOVER_WINS,
        repetition_draw=None,
    ),
    "PLAYSTRATEGY": Rules(
        no_legal_move=NoLegalMove.DRAW,
        repetition_draw=5,
        repetition_claim=3,
    ),
    "ABSTRACT_PLAY": Rules(repetition_draw=None),
    "CODINGAME": Rules(
        simultaneous_connection=SimultaneousConnection.MOVER_WINS,
        repetition_draw=None,
        ply_limit=150,
    ),
    "WINANDS_2000": Rules(
        simultaneous_connection=SimultaneousConnection.MOVER_WINS,
        no_legal_move=NoLegalMove.LOSS,
        repetition_draw=2,
    ),
}


def _name_presets() -> None:
    for name, preset in _PRESETS.items():
        setattr(Rules, name, preset)


_name_presets()


def check_size(size: SupportsIndex) -> int:
    """The size of a board as an int; `LoaError` unless it is 3 to 8.

    >>> check_size(5)
    5
    """
    return check_range("size", size, 3, 8)


def check_range(
    name: str,
    value: object,
    least: int | None = None,
    most: int | None = None,
    *,
    error: type[LoaError] = LoaError,
) -> int:
    """An argument as an int from `least` to `most` (None: without a limit on that side).

    Raises `TypeError` for what is no integer, which a bool is not, and `error` for one out of
    range.

    >>> check_range("seed", 7, 0, 2**64 - 1)
    7
    >>> check_range("seed", -1, 0, 2**64 - 1)
    Traceback (most recent call last):
        ...
    loa.rules.LoaError: seed is -1: expected 0 to 2**64 - 1
    """
    # numpy.bool_ has an __index__ that raises TypeError, as those of most arrays do.
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} is {shown(value)}: expected an int")
    if least is None:
        return number
    if number < least or (most is not None and number > most):
        highest = "or more" if most is None else f"to {_limit_text(most)}"
        raise error(f"{name} is {shown(number)}: expected {least} {highest}")
    return number


class _Shown(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxstring = 60
        self.maxother = 200

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write out integers of thousands of digits.
        return repr(x) if x.bit_length() <= 100 else f"a {x.bit_length()}-bit number"


_SHOWN = _Shown()
_MAX_SHOWN = 200


def shown(value: object) -> str:
    """A value as messages show it: its `repr`, but short whatever it is, and never an error.

    >>> shown("c8-c6"), shown(10**5000), len(shown("c8-c6 " * 1000))
    ("'c8-c6'", 'a 16610-bit number', 60)
    """
    try:
        text = _SHOWN.repr(value)
    except Exception:
        # It takes a class for a list, say, that has no more than the name.
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _limit_text(limit: int) -> str:
    """A limit as people know it: large ones are powers of two, or one less."""
    for more, text in ((0, ""), (1, " - 1")):
        exponent = (limit + more).bit_length() - 1
        if exponent >= 20 and limit + more == 1 << exponent:
            return f"2**{exponent}{text}"
    return str(limit)


def starting_bitboards(size: SupportsIndex = 8, setup: str = "standard") -> tuple[int, int]:
    """The black and the white bitboard at the start of a game.

    `size` is 3 to 8 and `setup` `"standard"` (Black on the first and last rank, White on the
    first and last file, corners empty) or `"scrambled"` (Soucie's Scrambled Eggs: the same
    squares with colours alternating round the edge, b1 Black). Bit i is square i on the 8x8
    grid, whatever the size. Anything else raises `LoaError`.

    >>> [f"{bitboard:#018x}" for bitboard in starting_bitboards()]
    ['0x7e0000000000007e', '0x0081818181818100']
    """
    size = check_size(size)
    last = size - 1
    inner = range(1, last)
    south = list(inner)
    east = [8 * rank + last for rank in inner]
    north = [8 * last + file for file in reversed(inner)]
    west = [8 * rank for rank in reversed(inner)]
    if setup == "standard":
        black, white = south + north, east + west
    elif setup == "scrambled":
        edge = south + east + north + west
        black, white = edge[0::2], edge[1::2]
    else:
        raise LoaError(f"unknown setup {shown(setup)}: expected 'standard' or 'scrambled'")
    return sum(1 << square for square in black), sum(1 << square for square in white)
