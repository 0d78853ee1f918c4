"""What many games have in common: results, lengths, branching, first moves, ends."""

from __future__ import annotations

import collections
import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from loa._whole_files import whole_file
from loa.records.game import Game, outcome_of, require_game, result_of
from loa.rules import LoaError, Rules, shown

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
    - `branching`: by ply (0 before the first move), how many positions there are in which a move
      was made, and how many legal moves they have together.

    >>> found = statistics([Game({"result": "1-0"})])
    >>> found.games, found.results["1-0"], found.ends
    (1, 1, {'unfinished': 1})
    """

    games: int
    plies: int
    captures: int
    passes: int
    results: Mapping[str, int]
    ends: Mapping[str, int]
    lengths: Mapping[int, int]
    first_moves: Mapping[str, int]
    branching: Mapping[int, tuple[int, int]]

    @property
    def mean_length(self) -> float:
        """The mean number of plies of a game; 0 where there are no games.

        >>> statistics([Game()]).mean_length
        0.0
        """
        return self.plies / self.games if self.games else 0.0

    @property
    def mean_branching(self) -> float:
        """The mean number of legal moves where a move was made; 0 where none was.

        >>> statistics([Game()]).mean_branching
        0.0
        """
        legal = sum(legal for _, legal in self.branching.values())
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
            raise LoaError(f"fraction is {shown(fraction)}: expected 0 to 1")
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
                    str(ply): legal / positions
                    for ply, (positions, legal) in self.branching.items()
                },
            },
            "first_moves": dict(self.first_moves),
        }


def statistics(games: Iterable[Game], rules: Rules | None = None) -> GameStatistics:
    """Play games, one after the other, and count what is in them.

    Each is played under `rules`, or under its own (`Game.rules`) where these are None.
    What is kept does not grow with the number of games. Raises `IllegalMoveError` at a move that
    the rules do not allow and `TypeError` at what is no `Game`.

    >>> import loa
    >>> game = loa.Game()
    >>> node = game.root.add_line("c8-c6 a6-c4 e8-b5 h3xf1")
    >>> found = statistics([game])
    >>> found.plies, found.captures, found.mean_branching, found.first_moves
    (4, 1, 35.0, {'c8-c6': 1})
    """
    results: dict[str, int] = dict.fromkeys(("1-0", "0-1", "1/2-1/2", "*"), 0)
    ends: collections.Counter[str] = collections.Counter()
    lengths: collections.Counter[int] = collections.Counter()
    first_moves: collections.Counter[str] = collections.Counter()
    positions: list[int] = []
    legal: list[int] = []
    count = captures = passes = 0
    for game in games:
        count += 1
        board = require_game(game).root.board(rules)
        length = 0
        for length, move in enumerate(game.moves, start=1):
            if length > len(legal):
                legal.append(0)
                positions.append(0)
            legal[length - 1] += len(board.legal_moves)
            positions[length - 1] += 1
            if length == 1:
                first_moves[board.move_text(move)] += 1
            captures += board.is_capture(move)
            passes += move.is_pass
            board.push(move)
        outcome = outcome_of(game, board)
        results[result_of(game, outcome)] += 1
        ends[UNFINISHED if outcome is None else outcome.termination.value] += 1
        lengths[length] += 1
    return GameStatistics(
        games=count,
        plies=sum(positions),
        captures=captures,
        passes=passes,
        results=results,
        ends=dict(ends.most_common()),
        lengths=dict(sorted(lengths.items())),
        first_moves=dict(sorted(first_moves.items(), key=lambda item: (-item[1], item[0]))),
        branching=dict(enumerate(zip(positions, legal, strict=True))),
    )


# The picture ------------------------------------------------------------------------------------

_MAX_BARS = 30
_MIN_POSITIONS = 0.01
"""What share of the games a ply has to be in, for its branching to be drawn: few say little."""


def plot_statistics(found: GameStatistics, path: str | os.PathLike[str]) -> None:
    """Draw lengths, branching by ply, ends and first moves; the suffix of the path says as what.

    It is `.png`, `.svg` or what else matplotlib knows. Needs matplotlib, as the extra `plots`
    brings it; raises `ImportError` without, `LoaError` for a suffix that it does not know or
    where there are no games, and `OSError` where the file cannot be written.

    >>> plot_statistics(statistics([]), "games.svg")
    Traceback (most recent call last):
    loa.rules.LoaError: no games: expected one at least
    """
    if not found.games:
        raise LoaError("no games: expected one at least")
    try:
        from matplotlib import figure as figures
        from matplotlib import rc_context
    except ImportError:
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install 'loa[plots]'"
        ) from None
    figure = figures.Figure(figsize=(10, 7), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in kinds:
        raise LoaError(
            f"suffix {shown(suffix)} of a picture: expected one of {', '.join(sorted(kinds))}"
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

    drawn = {
        ply: legal / positions
        for ply, (positions, legal) in found.branching.items()
        if positions >= _MIN_POSITIONS * found.games
    }
    branching.plot(list(drawn), list(drawn.values()))
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
    # The same games make the same file.
    metadata = {"Date": None} if suffix == "svg" else None
    with rc_context({"svg.hashsalt": "loa"}), whole_file(path, binary=True) as file:
        figure.savefig(file, format=suffix, metadata=metadata)
