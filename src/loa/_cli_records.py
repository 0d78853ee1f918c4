"""The commands for files of games: `loa replay`, `loa convert` and `loa stats`."""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import IO, get_args

from loa._cli_options import add_rules_option, naming
from loa._terminal import ProgressBar, number_text, print_board, print_line, print_table, printable
from loa.records import (
    FORMATS,
    Game,
    GameReader,
    GameStatistics,
    export_positions,
    plot_statistics,
    statistics,
    write_games,
)
from loa.records.files import OnError, formats_of_path, named
from loa.records.game_statistics import UNFINISHED
from loa.rules import InvalidRecordError, LoaError, Rules, Termination, shown

_STANDARD = "-"
"""What stands for standard input and standard output among the names of files."""
_POSITIONS = "npz"
_MAX_WARNINGS = 10
_MAX_FIRST_MOVES = 10


def add_replay(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_replay)
    command.description = (
        "Play recorded games, check every move, and say how each game ends: on the board, or by a "
        "resignation that the record tells of. A game whose moves stop before is unfinished, "
        "whatever result the record has (`loa stats` takes that result). A record that contradicts "
        "the board is an error."
    )
    command.add_argument("file", metavar="FILE", help="a file of games; - is standard input")
    command.add_argument("--show", action="store_true", help="show the board after each move")
    command.add_argument(
        "--game", metavar="ID", help="play this game alone: by its id, or its number in the file"
    )
    command.add_argument("--html", metavar="OUT", help="write a page that replays the game")
    _add_reading_options(command)


def add_convert(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_convert)
    command.description = (
        "Write recorded games in another format, or their positions as arrays. Every move is "
        "checked; nothing is left out unless --lossy allows it."
    )
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
        help="the format to write (by the suffix of OUT); "
        + "; ".join(f"{each.name}: {each.description}" for each in FORMATS.values())
        + f"; {_POSITIONS}: positions to learn from",
    )
    command.add_argument(
        "--lossy",
        action="store_true",
        help="leave out what the format does not hold: variations, comments, headers, games "
        "without moves",
    )


def add_stats(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_stats)
    command.description = (
        "Count results, lengths, first moves and ends of recorded games. The result of a game is "
        "that on the board and, where its moves stop before the end, that of the record (`loa "
        "replay` calls such a game unfinished)."
    )
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
    add_rules_option(command, "those that the header rules of each game names, else MSO")


# Reading ----------------------------------------------------------------------------------------


class _Reading(Iterator[Game]):
    """The games of the file that options name, with a progress bar while they are taken.

    Errors that are passed over are warnings on standard error, the first ones one by one.
    """

    def __init__(self, options: argparse.Namespace, path: str, stack: contextlib.ExitStack) -> None:
        self.path = path
        self.rules: Rules | None = options.rules
        self.games = 0
        self.warnings = 0
        self._bar: ProgressBar | None = None
        self._file: IO[bytes]
        if path == _STANDARD:
            if sys.stdin is None:
                raise LoaError("standard input is closed: expected games")
            self._file = sys.stdin.buffer
        else:
            self._file = stack.enter_context(open(path, "rb"))  # noqa: SIM115
            size = os.fstat(self._file.fileno()).st_size
            if size:
                self._bar = ProgressBar(os.path.basename(path), size, "games")
                stack.callback(self._bar.close)
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
        if self._bar is not None:
            self._bar.update(self._file.tell(), self.games)
        if game is None:
            self._close_bar()
            if not self.games:
                raise LoaError(f"{self.path}: no games: expected some")
            raise StopIteration
        self.games += 1
        return game

    def _warn(self, error: InvalidRecordError) -> None:
        self.warnings += 1
        if self.warnings <= _MAX_WARNINGS:
            self.print_warning(str(error))

    def print_warnings(self) -> None:
        """Say how many warnings there were, where not all of them have been shown."""
        if self.warnings > _MAX_WARNINGS:
            more = number_text(self.warnings - _MAX_WARNINGS, "more game")
            self.print_warning(f"{more} with errors")

    def print_warning(self, text: str) -> None:
        """Print a line about the file on standard error."""
        self._close_bar()
        print("loa: warning:", printable(f"{self.path}: {text}"), file=sys.stderr)

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()


# replay -----------------------------------------------------------------------------------------


def _replay(options: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        reading = _Reading(options, options.file, stack)
        games = list(reading)
    reading.print_warnings()
    rules = reading.rules
    if options.game is not None:
        games = [_find_game(games, options.game, options.file)]
    if options.html is not None:
        if len(games) > 1:
            expected = "expected --game with the id or the number of one"
            raise LoaError(f"--html with {len(games)} games in {options.file}: {expected}")
        _require_other_file("--html", options.html, options.file)
    rows = []
    contradictions = []
    ends: collections.Counter[str] = collections.Counter()
    for game in games:
        if options.show:
            _print_game(game, rules)
        outcome = game.outcome(rules)
        if outcome is None:
            end = UNFINISHED + ("" if game.result == "*" else f" (record says {game.result})")
            ends[UNFINISHED] += 1
        else:
            end = str(outcome)
            if outcome.termination is Termination.RESIGNATION:
                end += " (record)"
            if game.result not in ("*", outcome.result):
                end += f", but the record says {game.result}"
                contradictions.append(f"{game.id}: {end}")
            ends[outcome.result] += 1
        rows.append((game.id, _players(game), str(len(game.moves)), end))
    if options.html is not None and not contradictions:
        # Most runs of the command write no page: the module is loaded by those that do.
        from loa.replay import write_replay

        write_replay(games[0], options.html, rules=rules)
    print_table((("game", "left"), ("players", "left"), ("plies", "right"), ("end", "left")), rows)
    plies = sum(len(game.moves) for game in games)
    print_line(
        f"{number_text(len(games), 'game')}, {number_text(plies, 'ply', 'plies')}: "
        f"{ends['1-0']} won by Black, {ends['0-1']} won by White, {ends['1/2-1/2']} drawn, "
        f"{ends[UNFINISHED]} unfinished"
    )
    if contradictions:
        more = "" if len(contradictions) == 1 else f" (and {len(contradictions) - 1} more)"
        raise LoaError(f"{options.file}: {contradictions[0]}{more}")
    return 0


def _require_other_file(option: str, path: str, source: str) -> None:
    """Refuse to put what is no file of games in the place of the games."""
    if path == _STANDARD:
        raise LoaError(f"{option} on standard output: expected the name of a file")
    if source != _STANDARD and os.path.exists(path) and os.path.samefile(path, source):
        raise LoaError(f"{option} {path} would replace the games: expected another file")


def _find_game(games: Sequence[Game], name: str, path: str) -> Game:
    """The game with this id or, where there is none, with this number (from 1)."""
    found = [game for game in games if game.id == name]
    if len(found) > 1:
        raise LoaError(f"{path} has {len(found)} games with the id {shown(name)}: expected one")
    if found:
        return found[0]
    if name.isdecimal() and len(name) < 18 and 1 <= int(name) <= len(games):
        return games[int(name) - 1]
    expected = f"an id in {path}, or a number from 1 to {len(games)}"
    raise LoaError(f"--game is {shown(name)}: expected {expected}")


def _print_game(game: Game, rules: Rules | None) -> None:
    print_line(f"{game.id}: {_players(game)}")
    board = game.board_at(0, rules)
    print_board(board)
    print_line()
    for move in game.moves:
        print_line(f"ply {board.ply + 1}, {board.turn}: {board.move_text(move)}")
        board.push(move)
        print_board(board, move)
        print_line()


def _players(game: Game) -> str:
    return " - ".join(game.headers.get(color) or "?" for color in ("black", "white"))


# convert ----------------------------------------------------------------------------------------


def _convert(options: argparse.Namespace) -> int:
    target: str = options.target
    format = options.to or _format_of_path(target)
    if format == _POSITIONS:
        _require_other_file(f"--to {_POSITIONS}", target, options.source)
    warnings: list[tuple[int, str]] = []
    with contextlib.ExitStack() as stack:
        games = _Reading(options, options.source, stack)
        if format == _POSITIONS:
            count = export_positions(games, target, games.rules)
            what = f"{number_text(count, 'position')} of {number_text(games.games, 'game')}"
        else:
            with_ids = _WithIds(games, FORMATS[format].needs_id)
            # Files of games are UTF-8, whatever the terminal is.
            file = sys.stdout.buffer if target == _STANDARD else target
            count = write_games(with_ids, file, format=format, lossy=options.lossy)
            what = number_text(count, "game")
            warnings = [
                (with_ids.names, "without an id: named after the number in the file"),
                (games.games - count, f"without moves, which {format} does not hold: left out"),
            ]
    games.print_warnings()
    for number, text in warnings:
        if number:
            games.print_warning(f"{number_text(number, 'game')} {text}")
    if target != _STANDARD:
        print_line(f"{target}: {what} ({format})")
    return 0


class _WithIds(Iterator[Game]):
    """Games that have an id each, where a format cannot do without; `names` were given one."""

    def __init__(self, games: _Reading, needs_id: bool) -> None:
        self.names = 0
        self._games = games
        self._needs_id = needs_id

    def __next__(self) -> Game:
        game = next(self._games)
        if self._needs_id and not game.id:
            self.names += 1
            game = named(game, self._games.games)
        return game


def _format_of_path(path: str) -> str:
    if path.lower().endswith(f".{_POSITIONS}"):
        return _POSITIONS
    for each in formats_of_path(path):
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
    if options.plot is not None:
        _require_other_file("--plot", options.plot, options.file)
        try:
            plot_statistics(found, options.plot)
        except ImportError as error:
            raise LoaError(f"--plot {options.plot}: {error}") from None
    if options.json:
        for line in json.dumps(found.as_dict(), indent=1).splitlines():
            print_line(line)
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
