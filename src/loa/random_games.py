"""Random games: `playouts` plays many at once, `playout` one, by a `PlayoutPolicy` or uniformly."""

from __future__ import annotations

import math
import numbers
import secrets
import threading
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import ClassVar, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loa._board import Board
from loa._playout import Run
from loa.rules import (
    BLACK,
    MAX_PLIES,
    MAX_THREADS,
    TERMINATIONS,
    WHITE,
    Color,
    LoaError,
    Termination,
    check_range,
    shown,
)

__all__ = ["Playout", "PlayoutPolicy", "Playouts", "Policy", "playouts"]

_MAX_GAMES = 2**40


@dataclass(frozen=True, slots=True)
class Playout:
    """How one random game ended.

    `winner` is a `Color`, None for a draw or a capped game; `termination` says why the game ended,
    None where it was capped by `max_plies`; `plies` counts from the board it started on.

    >>> import loa
    >>> loa.Board().playout(seed=1)
    Playout(winner=<Color.BLACK: 0>, termination=<Termination.CONNECTION: 'connection'>, plies=207)
    """

    winner: Color | None
    termination: Termination | None
    plies: int


@dataclass(frozen=True, slots=True, eq=False)
class Playouts:
    """How many random games ended: arrays with an entry for each game, and what they add up to.

    `len` is the number of all games. Arrays have the shape `(n,)` for games from one board,
    `(boards, n)` for games from several:

    - `winners`, int8: 0 Black, 1 White, -1 nobody (a draw, or capped);
    - `terminations`, int8: indices into `Playouts.TERMINATIONS`, -1 for a game that was capped;
    - `plies`, int32: how long each game was, from the board it started on;
    - `choices`, int64: the numbers of legal moves at these plies, summed for each game.

    Two are equal when all of their arrays are, shapes included; like arrays, they have no hash.

    >>> import loa
    >>> games = loa.playouts(loa.Board(), 1000, seed=1)
    >>> games.black_wins + games.white_wins + games.draws + games.capped == len(games)
    True
    >>> games.mean_plies > 10, games.mean_branching > 10
    (True, True)
    >>> games == loa.playouts(loa.Board(), 1000, seed=1, threads=2)
    True
    """

    TERMINATIONS: ClassVar[tuple[Termination, ...]] = TERMINATIONS

    winners: NDArray[np.int8]
    terminations: NDArray[np.int8]
    plies: NDArray[np.int32]
    choices: NDArray[np.int64]

    def __len__(self) -> int:
        return self.winners.size

    @property
    def black_wins(self) -> int:
        """The number of games that Black won."""
        return int(np.count_nonzero(self.winners == BLACK))

    @property
    def white_wins(self) -> int:
        """The number of games that White won."""
        return int(np.count_nonzero(self.winners == WHITE))

    @property
    def draws(self) -> int:
        """The number of games that ended in a draw."""
        return len(self) - self.black_wins - self.white_wins - self.capped

    @property
    def capped(self) -> int:
        """The number of games that were still going on after `max_plies`."""
        return int(np.count_nonzero(self.terminations < 0))

    @property
    def mean_plies(self) -> float:
        """The mean length of a game in plies; nan where there is no game."""
        return float(self.plies.mean()) if len(self) else float("nan")

    @property
    def mean_branching(self) -> float:
        """The mean number of legal moves at a ply; nan where there is no ply."""
        plies = int(self.plies.sum(dtype=np.int64))
        return int(self.choices.sum()) / plies if plies else float("nan")

    def ends(self) -> dict[tuple[Termination | None, Color | None], int]:
        """The number of games for each kind of end and winner that occurs; None, None is capped.

        >>> import loa
        >>> games = loa.playouts(loa.Board(size=5), 100, seed=4)
        >>> for (termination, winner), count in games.ends().items():
        ...     print(termination.value, winner, count)
        connection Black 54
        connection White 44
        simultaneous connection None 2
        """
        counts: dict[tuple[Termination | None, Color | None], int] = {}
        pairs, numbers = np.unique(
            np.stack([self.terminations.ravel(), self.winners.ravel()]), axis=1, return_counts=True
        )
        # Winners come in the order Black, White, nobody.
        for (code, winner), number in sorted(
            zip(pairs.T.tolist(), numbers.tolist(), strict=True),
            key=lambda end: (end[0][0], end[0][1] % 3),
        ):
            termination = None if code < 0 else self.TERMINATIONS[code]
            counts[termination, None if winner < 0 else Color(winner)] = number
        return counts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Playouts):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    # The arrays can be changed.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Playouts of {len(self):,} games: {self.black_wins:,} won by Black, "
            f"{self.white_wins:,} by White, {self.draws:,} drawn, {self.capped:,} capped; "
            f"{self.mean_plies:.1f} plies>"
        )


class PlayoutPolicy:
    """How likely each kind of move is in a playout: a move's weight over the sum of all moves'.

    `weights` is an array of shape `(2, 3, 4, 4)`, the axes being

    - capture: 0 no, 1 yes;
    - approach, to the centre of mass of the mover's own pieces: 0 closer, 1 neither, 2 farther;
    - the ring of the board that the move leaves: 0 the edge, 1 the next, ... 3 the four squares
      in the middle of the 8x8 board;
    - the ring that it reaches.

    Weights are finite and not negative, one at least is positive: `LoaError` otherwise. They count
    relative to each other and are kept as integers, the largest as 65,535; a positive one as 1 at
    least. Where no legal move has a weight all of them are equally likely.

    The kinds of moves are some of those of M. Winands and Y. Björnsson, "Evaluation function
    based Monte-Carlo LOA" (Advances in Computer Games, 2009).

    >>> import loa
    >>> eager = loa.PlayoutPolicy.from_factors(capture=3, closer=8, farther=0.2)
    >>> games = loa.playouts(loa.Board(), 1000, seed=1, policy=(eager, None))
    >>> games.black_wins > 900
    True
    """

    SHAPE: ClassVar[tuple[int, int, int, int]] = (2, 3, 4, 4)

    __slots__ = ("_weights",)

    def __init__(self, weights: ArrayLike) -> None:
        values = np.asarray(weights)
        if values.dtype.kind not in "iuf" or values.shape != self.SHAPE:
            raise LoaError(
                f"weights of dtype {values.dtype} and shape {values.shape}: expected numbers of "
                f"shape {self.SHAPE}"
            )
        positive = values > 0
        # Numbers too great for a float64 become infinite and are refused with the others.
        with np.errstate(all="ignore"):
            values = values.astype(np.float64)
        wrong = np.argwhere(~(np.isfinite(values) & (values >= 0)))
        if len(wrong):
            place = tuple(wrong[0].tolist())
            raise LoaError(
                f"weight {values[place]} at {place}: expected a finite number, not negative"
            )
        if not positive.any():
            raise LoaError("all weights are 0: expected a positive one")
        scaled = values / max(values.max(), np.finfo(np.float64).tiny) * 65535
        kept = np.where(positive, np.maximum(np.rint(scaled), 1), 0).astype(np.uint16)
        kept.flags.writeable = False
        self._weights = kept

    @property
    def weights(self) -> NDArray[np.uint16]:
        """The weights as they are used: shape (2, 3, 4, 4), read-only.

        >>> int(PlayoutPolicy.from_factors().weights.min())
        65535
        """
        return self._weights

    @classmethod
    def from_factors(
        cls,
        *,
        capture: float = 1,
        closer: float = 1,
        farther: float = 1,
        into_edge: float = 1,
        out_of_edge: float = 1,
    ) -> PlayoutPolicy:
        """The policy whose weights are products of these factors.

        `capture` is for captures; `closer` and `farther` for moves that lead the piece closer to
        or farther from the centre of mass of its side; `into_edge` for moves to the edge of the
        board from elsewhere, `out_of_edge` for those away from it. Raises `TypeError` for what is
        no number and `LoaError` for one that is negative or not finite.

        >>> PlayoutPolicy.from_factors(capture=2).weights[:, 0, 0, 0]
        array([32768, 65535], dtype=uint16)
        """
        weights = np.ones(cls.SHAPE)
        weights[1] *= _factor("capture", capture)
        weights[:, 0] *= _factor("closer", closer)
        weights[:, 2] *= _factor("farther", farther)
        weights[:, :, 1:, 0] *= _factor("into_edge", into_edge)
        weights[:, :, 0, 1:] *= _factor("out_of_edge", out_of_edge)
        return cls(weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlayoutPolicy):
            return NotImplemented
        return bool(np.array_equal(self.weights, other.weights))

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __reduce__(self) -> tuple[type[PlayoutPolicy], tuple[NDArray[np.uint16]]]:
        return type(self), (self.weights,)

    def __repr__(self) -> str:
        kinds = len(np.unique(self.weights))
        return f"<PlayoutPolicy with {kinds} different weights>"


def _factor(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {shown(value)}: expected a number")
    try:
        factor = float(value)
    except OverflowError:
        factor = math.inf
    if not 0 <= factor < math.inf:
        raise LoaError(f"{name} is {shown(value)}: expected a finite number, not negative")
    return factor


Policy = PlayoutPolicy | tuple[PlayoutPolicy | None, PlayoutPolicy | None]
"""The policy of both sides, or Black's and White's, None standing for uniform play."""


def playout(
    board: Board,
    seed: SupportsIndex | None = None,
    *,
    max_plies: SupportsIndex = MAX_PLIES,
    policy: Policy | None = None,
) -> Playout:
    """One random game from a board on, which stays as it is: what `Board.playout` calls.

    It is game 0 of `playouts` with the same arguments.

    >>> import loa
    >>> playout(loa.Board(), 7) == loa.Board().playout(7)
    True
    """
    games = playouts(board, 1, seed=seed, max_plies=max_plies, policy=policy)
    winner, code = int(games.winners[0]), int(games.terminations[0])
    return Playout(
        None if winner < 0 else Color(winner),
        None if code < 0 else Playouts.TERMINATIONS[code],
        int(games.plies[0]),
    )


def playouts(
    board: Board | Iterable[Board],
    n: SupportsIndex,
    *,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex = 1,
    max_plies: SupportsIndex = MAX_PLIES,
    policy: Policy | None = None,
) -> Playouts:
    """`n` random games from a board, or from each of several boards of one size and set of rules.

    At every ply one of the legal moves is drawn, each equally likely unless a `policy` is given:
    a `PlayoutPolicy` for both sides, or a pair of those of Black and White (None: uniform). Games
    end by the board's rules, its history counting for repetitions, or after `max_plies` plies (0
    to 2**31 - 1), without a result. The boards stay as they are.

    The result depends on the `seed` (0 to 2**64 - 1; None: another one each time), the boards and
    the number of games, not on `threads` (1 to 1024) nor on the machine. From one board the first
    games of a longer run are those of a shorter one. Other Python threads run meanwhile; Ctrl-C
    stops the games. Raises `LoaError` for values out of range, boards that differ in size or rules.

    >>> import loa
    >>> loa.playouts(loa.Board(), 2000, seed=1, threads=2)
    <Playouts of 2,000 games: 1,002 won by Black, 993 by White, 5 drawn, 0 capped; 210.9 plies>
    """
    if isinstance(board, Board):
        boards = [board]
        shape: tuple[int, ...] = (check_range("n", n, 0, _MAX_GAMES),)
    elif not isinstance(board, Iterable):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board or several")
    else:
        boards = list(board)
        shape = (len(boards), check_range("n", n, 0, _MAX_GAMES))
        for each in boards:
            if not isinstance(each, Board):
                raise TypeError(f"board is {shown(each)}: expected a loa.Board or several")
            if each.rules != boards[0].rules:
                raise LoaError(
                    f"boards under {boards[0].rules} and {each.rules}: expected one set of rules"
                )
    number = secrets.randbits(64) if seed is None else check_range("seed", seed, 0, 2**64 - 1)
    workers = check_range("threads", threads, 1, MAX_THREADS)
    plies = check_range("max_plies", max_plies, 0, 2**31 - 1)
    weights = _weights_of(policy)
    games = Playouts(
        np.empty(shape, np.int8),
        np.empty(shape, np.int8),
        np.empty(shape, np.int32),
        np.empty(shape, np.int64),
    )
    run = Run(
        boards,
        number,
        plies,
        weights,
        games.winners.reshape(-1),
        games.terminations.reshape(-1),
        games.plies.reshape(-1),
        games.choices.reshape(-1),
    )
    _play(run, workers)
    return games


def _play(run: Run, workers: int) -> None:
    """Plays the games of a run with so many threads, this one among them."""
    errors: list[BaseException] = []

    def play() -> None:
        try:
            run.play()
        except BaseException as error:
            errors.append(error)
            run.stop()

    helpers: list[threading.Thread] = []
    try:
        for _ in range(workers - 1):
            helper = threading.Thread(target=play, name="loa.playouts")
            try:
                helper.start()
            except RuntimeError:
                # The system has no more threads, or Python is about to end: fewer will do.
                break
            helpers.append(helper)
        # This thread plays too, since it is the one that Ctrl-C comes to.
        run.play()
        for helper in helpers:
            while helper.is_alive():
                helper.join(0.05)
    finally:
        # Where all went well nothing is left to be stopped.
        run.stop()
        for helper in helpers:
            helper.join()
    if errors:
        raise errors[0]


def _weights_of(policy: Policy | None) -> NDArray[np.uint16] | None:
    """The weights of both sides in one array; None for uniform play."""
    sides = policy if isinstance(policy, tuple) else (policy, policy)
    if len(sides) != 2 or not all(isinstance(side, PlayoutPolicy | None) for side in sides):
        raise TypeError(
            f"policy is {shown(policy)}: expected a loa.PlayoutPolicy, None, or a pair of them"
        )
    if sides == (None, None):
        return None
    uniform = np.full(PlayoutPolicy.SHAPE, 65535, np.uint16)
    return np.concatenate(
        [(uniform if side is None else side.weights).reshape(-1) for side in sides]
    )
