"""The commands `loa convert` and `loa stats`: files of games into other formats, and counted."""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, get_args

from loa._cli_options import add_rules_option, naming
from loa._terminal import is_rich, number_text, print_line, print_table
from loa.records import FORMATS, Game, GameReader, write_games
from loa.records.files import OnError
from loa.records.positions import export_positions
from loa.records.statistics import GameStatistics, plot_statistics, statistics
from loa.rules import InvalidRecordError, LoaError, Rules

if TYPE_CHECKING:
    from rich.progress import Progress

_STANDARD = "-"
"""What stands for standard input and standard output among the names of files."""
_POSITIONS = "npz"
_MAX_WARNINGS = 10
_MAX_FIRST_MOVES = 10
_BAR_DELAY = 0.5
"""Seconds before a progress bar appears: what is over sooner needs none."""
_BAR_INTERVAL = 0.1


def add_convert(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_convert)
    command.add_argument("source", metavar="IN", help="a file of games; - is standard input")
    command.add_argument(
        "target",
        metavar="OUT",
        help="the file to write; - is standard output; FILE.npz is positions to learn from",
    )
    _add_reading_options(command)
    command.add_argument(
        "--to",
        choices=(*FORMATS, _POSITIONS),
        metavar="FORMAT",
        help="the format to write (by the suffix of OUT)",
    )
    command.add_argument(
        "--lossy",
        action="store_true",
        help="leave out variations, comments and headers that the format does not hold",
    )


def add_stats(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_stats)
    command.add_argument("file", metavar="FILE", help="a file of games; - is standard input")
    _add_reading_options(command)
    command.add_argument("--json", action="store_true", help="print all figures as JSON")
    command.add_argument("--plot", metavar="OUT", help="draw a picture: OUT.png or OUT.svg")


def _add_reading_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--from",
        dest="format",
        choices=tuple(FORMATS),
        metavar="FORMAT",
        help=f"the format to read, one of {', '.join(FORMATS)} (found out)",
    )
    command.add_argument(
        "--on-error",
        choices=get_args(OnError),
        default="raise",
        help="what becomes of games that cannot be read (raise)",
    )
    add_rules_option(command)


# Reading ----------------------------------------------------------------------------------------


class _Reading(Iterator[Game]):
    """The games of the file that options name, with a progress bar while they are taken.

    Errors that are passed over are warnings on standard error, the first ones one by one.
    """

    def __init__(self, options: argparse.Namespace, path: str, stack: contextlib.ExitStack) -> None:
        self.path = path
        self.rules: Rules = options.rules or Rules.MSO
        self.games = 0
        self.warnings = 0
        self._size = 0
        self._next_drawing = time.perf_counter() + _BAR_DELAY
        self._bar: Progress | None = None
        self._file: IO[bytes]
        if path == _STANDARD:
            if sys.stdin is None:
                raise LoaError("standard input is closed: expected games")
            self._file = sys.stdin.buffer
        else:
            self._file = stack.enter_context(open(path, "rb"))  # noqa: SIM115
            self._size = os.fstat(self._file.fileno()).st_size
        stack.callback(self._stop)
        stack.enter_context(naming(path))
        self._reader = GameReader(
            self._file, format=options.format, rules=self.rules, on_error=options.on_error
        )

    def __next__(self) -> Game:
        game = next(self._reader, None)
        for error in self._reader.errors:
            self._warn(error)
        # So that they take no memory.
        self._reader.errors.clear()
        if time.perf_counter() >= self._next_drawing:
            self._draw()
            self._next_drawing = time.perf_counter() + _BAR_INTERVAL
        if game is None:
            self._stop()
            raise StopIteration
        self.games += 1
        return game

    def _warn(self, error: InvalidRecordError) -> None:
        self.warnings += 1
        if self.warnings <= _MAX_WARNINGS:
            self._stop()
            print(f"loa: warning: {self.path}: {error}", file=sys.stderr)

    def print_warnings(self) -> None:
        """Say how many warnings there were, where not all of them have been shown."""
        if self.warnings > _MAX_WARNINGS:
            more = number_text(self.warnings - _MAX_WARNINGS, "more game")
            print(f"loa: warning: {self.path}: {more} with errors", file=sys.stderr)

    def _draw(self) -> None:
        if not self._size or not is_rich(sys.stderr):
            return
        if self._bar is None:
            from rich import progress as widgets
            from rich.console import Console

            self._bar = widgets.Progress(
                widgets.TextColumn("{task.description}"),
                widgets.BarColumn(),
                widgets.TaskProgressColumn(),
                widgets.TextColumn("{task.fields[games]} games"),
                widgets.TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                auto_refresh=False,
                transient=True,
            )
            self._bar.add_task(os.path.basename(self.path), total=self._size, games="0")
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=self._file.tell(), games=f"{self.games:,}")
        self._bar.start()
        self._bar.refresh()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


# convert ----------------------------------------------------------------------------------------


def _convert(options: argparse.Namespace) -> int:
    target: str = options.target
    format = options.to or _format_of_path(target)
    if format == _POSITIONS and target == _STANDARD:
        raise LoaError("npz on standard output: expected the name of a file")
    with contextlib.ExitStack() as stack:
        games = _Reading(options, options.source, stack)
        named = _Named(games, format == "paragraphs")
        if format == _POSITIONS:
            count = export_positions(games, target, games.rules)
            what = f"{number_text(count, 'position')} of {number_text(games.games, 'game')}"
        else:
            # Files of games are UTF-8, whatever the terminal is.
            file = sys.stdout.buffer if target == _STANDARD else target
            count = write_games(named, file, format, lossy=options.lossy)
            what = number_text(count, "game")
    games.print_warnings()
    if named.names:
        print(
            f"loa: warning: {options.source}: {number_text(named.names, 'game')} without an id: "
            "named after the number in the file",
            file=sys.stderr,
        )
    if target != _STANDARD:
        print_line(f"{target}: {what} ({format})")
    return 0


class _Named(Iterator[Game]):
    """Games that have an id each, where a format cannot do without; `names` were given one."""

    def __init__(self, games: _Reading, needs_id: bool) -> None:
        self.names = 0
        self._games = games
        self._needs_id = needs_id

    def __next__(self) -> Game:
        game = next(self._games)
        if self._needs_id and not game.id:
            self.names += 1
            game = copy.copy(game)
            game.headers = {**game.headers, "id": f"game-{self._games.games}"}
        return game


def _format_of_path(path: str) -> str:
    name = path.lower()
    if name.endswith(f".{_POSITIONS}"):
        return _POSITIONS
    for each in FORMATS.values():
        if name.endswith(each.suffixes):
            return each.name
    suffixes = ", ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
    raise LoaError(
        f"no format for {path}: expected --to FORMAT or one of the suffixes {suffixes}, "
        f".{_POSITIONS}"
    )


# stats ------------------------------------------------------------------------------------------


def _stats(options: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        games = _Reading(options, options.file, stack)
        found = statistics(games, games.rules)
    games.print_warnings()
    if not found.games:
        raise LoaError(f"{options.file}: no games: expected some")
    if options.plot is not None:
        try:
            plot_statistics(found, options.plot)
        except ImportError as error:
            raise LoaError(f"--plot {options.plot}: {error}") from None
    if options.json:
        print_line(json.dumps(found.as_dict(), indent=1))
    else:
        _print_statistics(found)
    return 0


def _print_statistics(found: GameStatistics) -> None:
    quantiles = [found.length_quantile(each) for each in (0, 0.25, 0.5, 0.75, 1)]
    rows = [
        ("games", f"{found.games:,}", ""),
        ("plies", f"{found.plies:,}", ""),
        ("captures", f"{found.captures:,}", _share(found.captures, found.plies)),
        ("passes", f"{found.passes:,}", _share(found.passes, found.plies)),
        ("plies a game, mean", f"{found.mean_length:.1f}", ""),
        ("least, quartiles, most", " ".join(map(str, quantiles)), ""),
        ("legal moves, mean", f"{found.mean_branching:.1f}", ""),
    ]
    titles = {"1-0": "won by Black", "0-1": "won by White", "1/2-1/2": "drawn", "*": "unknown"}
    rows += [
        (f"result: {titles[result]}", f"{games:,}", _share(games, found.games))
        for result, games in found.results.items()
    ]
    rows += [
        (f"end: {end}", f"{games:,}", _share(games, found.games))
        for end, games in found.ends.items()
    ]
    first_moves = list(found.first_moves.items())
    rows += [
        (f"first move: {text}", f"{games:,}", _share(games, found.games))
        for text, games in first_moves[:_MAX_FIRST_MOVES]
    ]
    others = sum(games for _, games in first_moves[_MAX_FIRST_MOVES:])
    if others:
        rows.append(("first move: others", f"{others:,}", _share(others, found.games)))
    print_table((("what", "left"), ("number", "right"), ("share", "right")), rows)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""
