"""What many games have in common: results, lengths, branching, first moves, ends."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from loa.records.game import Game, board_of
from loa.rules import LoaError, Rules

__all__ = ["UNFINISHED", "GameStatistics", "plot_statistics", "statistics"]

UNFINISHED = "unfinished"
"""The end of a game whose moves stop before there is one on the board."""


@dataclasses.dataclass(frozen=True, slots=True)
class GameStatistics:
    """What `statistics` finds in games. Of each game the main line counts.

    - `games`, `plies`, `captures`, `passes`: how many there are.
    - `results`: games by result: `"1-0"` (Black won), `"0-1"`, `"1/2-1/2"`, `"*"`. It is that on
      the board, and of an unfinished game that of the record.
    - `ends`: games by how they ended on the board, or in the record by a resignation: the values
      of `loa.Termination`, and `UNFINISHED`.
    - `lengths`: games by their number of plies, from short to long.
    - `first_moves`: games by the text of their first move, the most frequent first.
    - `moves`: by ply (0 before the first move), how many positions there are in which a move was
      made, and how many legal moves they have together.
    """

    games: int
    plies: int
    captures: int
    passes: int
    results: Mapping[str, int]
    ends: Mapping[str, int]
    lengths: Mapping[int, int]
    first_moves: Mapping[str, int]
    moves: Mapping[int, tuple[int, int]]

    @property
    def mean_length(self) -> float:
        """The mean number of plies of a game; 0 where there are no games."""
        return self.plies / self.games if self.games else 0.0

    @property
    def mean_branching(self) -> float:
        """The mean number of legal moves where a move was made; 0 where none was."""
        legal = sum(legal for _, legal in self.moves.values())
        return legal / self.plies if self.plies else 0.0

    def length_quantile(self, fraction: float) -> int:
        """The least length that this fraction (0 to 1) of the games does not exceed.

        Raises `LoaError` for another fraction, and where there are no games.

        >>> import loa
        >>> games = [loa.Game(), loa.Game({}, [loa.Move.from_text("c8-c6")])]
        >>> [statistics(games).length_quantile(fraction) for fraction in (0, 0.5, 1)]
        [0, 0, 1]
        """
        if not 0 <= fraction <= 1:
            raise LoaError(f"fraction is {fraction!r}: expected 0 to 1")
        counted = 0
        for length, games in self.lengths.items():
            counted += games
            if counted >= fraction * self.games:
                return length
        raise LoaError("no games: expected one at least")

    def as_dict(self) -> dict[str, Any]:
        """All of it as values that JSON has, with the means and some quantiles of the lengths.

        >>> statistics([Game()]).as_dict()["results"]
        {'1-0': 0, '0-1': 0, '1/2-1/2': 0, '*': 1}
        """
        fractions = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1) if self.games else ()
        return {
            "games": self.games,
            "plies": self.plies,
            "captures": self.captures,
            "passes": self.passes,
            "results": dict(self.results),
            "ends": dict(self.ends),
            "length": {
                "mean": self.mean_length,
                "quantiles": {f"{each:g}": self.length_quantile(each) for each in fractions},
                "games": {str(length): games for length, games in self.lengths.items()},
            },
            "branching": {
                "mean": self.mean_branching,
                "by_ply": {
                    str(ply): legal / positions for ply, (positions, legal) in self.moves.items()
                },
            },
            "first_moves": dict(self.first_moves),
        }


def statistics(
    games: Iterable[Game],
    rules: Rules = Rules.MSO,
    *,
    progress: Callable[[int], None] | None = None,
) -> GameStatistics:
    """Play games under some rules, one after the other, and count what is in them.

    `progress` is called with the number of games so far, after each. What is kept does not grow
    with the number of games. Raises `IllegalMoveError` at a move that the rules do not allow.

    >>> import loa
    >>> game = loa.Game()
    >>> node = game.add_variation(0, "c8-c6 a6-c4 e8-b5 h3xf1")
    >>> found = statistics([game])
    >>> found.plies, found.captures, found.mean_branching, found.first_moves
    (4, 1, 35.0, {'c8-c6': 1})
    """
    results = dict.fromkeys(("1-0", "0-1", "1/2-1/2", "*"), 0)
    ends: collections.Counter[str] = collections.Counter()
    lengths: collections.Counter[int] = collections.Counter()
    first_moves: collections.Counter[str] = collections.Counter()
    positions: list[int] = []
    legal: list[int] = []
    count = captures = passes = 0
    for count, game in enumerate(games, start=1):
        board = board_of(game.start, rules)
        length = 0
        for length, move in enumerate(game.mainline(), start=1):
            if length > len(legal):
                legal.append(0)
                positions.append(0)
            legal[length - 1] += len(board.legal_moves)
            positions[length - 1] += 1
            if length == 1:
                # A move that is not legal has no text: it is refused below.
                first = board.move_text(move) if board.is_legal(move) else ""
                first_moves[first] += 1
            captures += board.is_capture(move)
            passes += move.is_pass
            board.push(move)
        outcome = board.outcome()
        if outcome is None and game.resigned is not None:
            outcome = game.outcome(rules)
        results[game.result if outcome is None else outcome.result] += 1
        ends[UNFINISHED if outcome is None else outcome.termination.value] += 1
        lengths[length] += 1
        if progress is not None:
            progress(count)
    return GameStatistics(
        games=count,
        plies=sum(positions),
        captures=captures,
        passes=passes,
        results=results,
        ends=dict(ends.most_common()),
        lengths=dict(sorted(lengths.items())),
        first_moves=dict(sorted(first_moves.items(), key=lambda item: (-item[1], item[0]))),
        moves=dict(enumerate(zip(positions, legal, strict=True))),
    )


# The picture ------------------------------------------------------------------------------------

_MAX_BARS = 30
_LEAST_POSITIONS = 0.01
"""What share of the games a ply has to be in, for its branching to be drawn: few say little."""


def plot_statistics(found: GameStatistics, path: str | Path) -> None:
    """Draw lengths, branching by ply, ends and first moves; the suffix of the path says as what.

    It is `.png`, `.svg` or what else matplotlib knows. Needs matplotlib, as the extra `plots`
    brings it; raises `ImportError` without, `LoaError` for a suffix that it does not know or
    where there are no games, and `OSError` where the file cannot be written.
    """
    try:
        from matplotlib import figure as figures
    except ImportError:
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install 'loa[plots]'"
        ) from None
    if not found.games:
        raise LoaError("no games: expected one at least")
    figure = figures.Figure(figsize=(10, 7), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in kinds:
        raise LoaError(
            f"suffix {suffix!r} of a picture: expected one of {', '.join(sorted(kinds))}"
        )
    (lengths, branching), (ends, first_moves) = figure.subplots(2, 2)

    longest = max(found.lengths)
    width = longest // _MAX_BARS + 1
    bars: collections.Counter[int] = collections.Counter()
    for length, games in found.lengths.items():
        bars[length // width] += games
    lengths.bar([(bar + 0.5) * width - 0.5 for bar in bars], list(bars.values()), width=0.9 * width)
    lengths.axvline(found.mean_length, color="black", linewidth=1)
    lengths.yaxis.get_major_locator().set_params(integer=True)
    lengths.set(xlabel="plies", ylabel="games", title=f"length, mean {found.mean_length:.1f}")

    shown = {
        ply: legal / positions
        for ply, (positions, legal) in found.moves.items()
        if positions >= _LEAST_POSITIONS * found.games
    }
    branching.plot(list(shown), list(shown.values()))
    branching.set_ylim(bottom=0)
    branching.set(xlabel="ply", title=f"legal moves, mean {found.mean_branching:.1f}")

    names = [*("Black wins", "White wins", "draw", "unknown"), *found.ends]
    counts = [*found.results.values(), *found.ends.values()]
    colors = ["C0"] * len(found.results) + ["C1"] * len(found.ends)
    ends.barh(names, counts, color=colors)
    ends.invert_yaxis()
    ends.set(xlabel="games", title="results and ends")

    most = list(found.first_moves.items())[:12]
    first_moves.barh([text for text, _ in most], [games for _, games in most], color="C2")
    first_moves.invert_yaxis()
    first_moves.set(xlabel="games", title="first moves")
    for axes in (lengths, branching, ends, first_moves):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if suffix == "svg" else None)
