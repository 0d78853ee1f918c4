"""The command `loa`: perft, a look at a position, recorded games replayed, converted, counted.

Results go to standard output, progress and errors to standard error. On a terminal, and with the
package `rich` installed, tables are drawn and a progress bar shows; otherwise all output is plain
text. The exit status is 0; 1 after bad input or a failed check; 130 after Ctrl-C; 141 where the
reader of the output went away.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from loa import __version__
from loa._cli_options import add_board_options, add_rules_option, board_of, naming
from loa._cli_perft import add_perft
from loa._cli_records import add_convert, add_stats
from loa._terminal import (
    abandon_output,
    number_text,
    print_board,
    print_line,
    print_table,
    print_wrapped,
)
from loa._words import outcome_text
from loa.notation import DIALECTS, square_name
from loa.records import Game, read_games
from loa.rules import Color, LoaError, Rules, Termination

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status.

    >>> main(["perft", "9", "--size", "nine"])  # one line on standard error
    1
    """
    for name in ("stdout", "stderr"):
        # A stream that was closed before the start is None, and nobody reads it.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        abandon_output()
        return 141
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (LoaError, OSError, MemoryError) as error:
        message = str(error) or "out of memory"
        if isinstance(error, OSError) and error.strerror:
            place = "" if error.filename is None else f"{error.filename}: "
            message = place + error.strerror
        print("loa: error:", " ".join(message.splitlines()), file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            abandon_output()
        return 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LoaError(message)


def _run(argv: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(argv)
    except SystemExit:  # --help and --version have printed what was asked for
        return 0
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="loa", description="Lines of Action.", allow_abbrev=False)
    version = f"loa {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser(
        "perft", help="count the leaves of the game tree", allow_abbrev=False
    )
    add_perft(command)

    command = commands.add_parser("show", help="show a position", allow_abbrev=False)
    command.set_defaults(command=_show)
    command.add_argument("fen", nargs="?", metavar="FEN", help="the position; else the start")
    add_board_options(command)
    command.add_argument(
        "--dialect", choices=DIALECTS, default=DIALECTS[0], help="how FEN is written"
    )

    command = commands.add_parser("replay", help="play recorded games", allow_abbrev=False)
    command.set_defaults(command=_replay)
    command.add_argument("file", metavar="FILE", help="a file of games")
    command.add_argument("--show", action="store_true", help="show the board after each move")
    command.add_argument(
        "--game", metavar="ID", help="play this game alone: by its id, or its number in the file"
    )
    command.add_argument("--html", metavar="OUT", help="write a page that replays the game")
    add_rules_option(command)

    command = commands.add_parser(
        "convert", help="write recorded games in another format", allow_abbrev=False
    )
    add_convert(command)

    command = commands.add_parser("stats", help="count what games have", allow_abbrev=False)
    add_stats(command)
    return parser


def _show(options: argparse.Namespace) -> int:
    board = board_of(options, options.dialect, options.rules or Rules.MSO)
    outcome = board.outcome()
    fields = [("FEN", board.fen())]
    fields += [
        ("rules", repr(board.rules)),
        ("to move", f"{_color_name(board.turn)} (ply {board.ply})"),
        ("key", f"{board.key:#018x}"),
    ]
    for color, pieces in ((Color.BLACK, board.black), (Color.WHITE, board.white)):
        groups = board.groups(color)
        squares = " | ".join(" ".join(_square_names(group)) for group in groups)
        count = f"{number_text(pieces.bit_count(), 'piece')}, {number_text(len(groups), 'group')}"
        fields.append((_color_name(color), f"{count}: {squares}"))
    moves = [board.move_text(move) for move in board.legal_moves]
    fields.append(("legal moves", f"{len(moves)}: {' '.join(moves)}" if moves else "0"))
    fields.append(("outcome", "none" if outcome is None else outcome_text(outcome)))
    print_board(board)
    print_line()
    for name, text in fields:
        print_wrapped(f"{name:<13}", text)
    if options.dialect != "native":
        # Apart from the fields, ready to be copied: some dialects have many lines.
        print_line(f"\n{options.dialect}\n{board.fen(options.dialect)}")
    return 0


def _replay(options: argparse.Namespace) -> int:
    rules = options.rules or Rules.MSO
    with naming(options.file):
        games: Sequence[Game] = read_games(options.file, rules=rules)
    if not games:
        raise LoaError(f"{options.file}: no games: expected some")
    if options.game is not None:
        games = [_find_game(games, options.game, options.file)]
    if options.html is not None:
        if len(games) > 1:
            expected = "expected --game with the id or the number of one"
            raise LoaError(f"--html with {len(games)} games in {options.file}: {expected}")
        # Most runs of the command write no page: the module is loaded by those that do.
        from loa.replay import write_replay

        write_replay(options.html, games[0], rules=rules)
    rows = []
    contradictions = []
    ends: collections.Counter[str] = collections.Counter()
    for game in games:
        if options.show:
            _print_game(game, rules)
        outcome = game.outcome(rules)
        if outcome is None:
            end = "unfinished" + ("" if game.result == "*" else f" (record says {game.result})")
            ends["unfinished"] += 1
        else:
            end = outcome_text(outcome)
            if outcome.termination is Termination.RESIGNATION:
                end += " (record)"
            if game.result not in ("*", outcome.result):
                end += f", but the record says {game.result}"
                contradictions.append(f"{game.id}: {end}")
            ends[outcome.result] += 1
        rows.append((game.id, _players(game), str(len(game.moves)), end))
    print_table((("game", "left"), ("players", "left"), ("plies", "right"), ("end", "left")), rows)
    plies = sum(len(game.moves) for game in games)
    print_line(
        f"{number_text(len(games), 'game')}, {number_text(plies, 'ply', 'plies')}: "
        f"{ends['1-0']} won by Black, {ends['0-1']} won by White, {ends['1/2-1/2']} drawn, "
        f"{ends['unfinished']} unfinished"
    )
    if contradictions:
        more = "" if len(contradictions) == 1 else f" (and {len(contradictions) - 1} more)"
        raise LoaError(f"{options.file}: {contradictions[0]}{more}")
    return 0


def _find_game(games: Sequence[Game], name: str, path: str) -> Game:
    """The game with this id or, where there is none, with this number (from 1)."""
    named = [game for game in games if game.id == name]
    if len(named) > 1:
        raise LoaError(f"{path} has {len(named)} games with the id {name!r}: expected one")
    if named:
        return named[0]
    if name.isdecimal() and len(name) < 18 and 1 <= int(name) <= len(games):
        return games[int(name) - 1]
    expected = f"an id in {path}, or a number from 1 to {len(games)}"
    raise LoaError(f"--game is {name!r}: expected {expected}")


def _print_game(game: Game, rules: Rules) -> None:
    print_line(f"{game.id}: {_players(game)}")
    board = game.board_at(0, rules)
    print_board(board)
    print_line()
    for move in game.moves:
        print_line(f"ply {board.ply + 1}, {_color_name(board.turn)}: {board.move_text(move)}")
        board.push(move)
        print_board(board, move)
        print_line()


def _players(game: Game) -> str:
    return " - ".join(game.headers.get(color) or "?" for color in ("black", "white"))


def _color_name(color: Color) -> str:
    return color.name.capitalize()


def _square_names(bitboard: int) -> Iterator[str]:
    return (square_name(square) for square in range(64) if bitboard >> square & 1)
