"""The command `loa`: perft, a look at a position, recorded games replayed, converted, counted.

Results go to standard output, progress and errors to standard error. On a terminal, and with the
package `rich` installed, tables are drawn and a progress bar shows; otherwise all output is plain
text, and what takes long writes a line about its progress every half minute. The exit status is 0;
1 after bad input or a failed check; 130 after Ctrl-C; 141 where the reader of the output went away;
143 after SIGTERM, which ends the command as Ctrl-C does: other processes that count are ended too.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import NoReturn

from loa import __version__
from loa._cli_options import add_board_options, chosen_board
from loa._cli_perft import add_perft
from loa._cli_records import add_convert, add_replay, add_stats
from loa._terminal import (
    abandon_output,
    number_text,
    print_board,
    print_line,
    print_wrapped,
    printable,
)
from loa.notation import DIALECTS, square_name
from loa.rules import Color, LoaError, Rules

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
        print("loa: error:", printable(" ".join(message.splitlines())), file=sys.stderr)
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
    with _cleaning_up_on_sigterm():
        return command(options)


@contextlib.contextmanager
def _cleaning_up_on_sigterm() -> Iterator[None]:
    """Have SIGTERM raise `SystemExit`, so that no process and no unfinished file is left behind."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    in_main_thread = threading.current_thread() is threading.main_thread()
    # Whoever has set something else, or has it ignored, means it.
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


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
    command.description = (
        "Show a position: the board, its groups, its legal moves and, if it ends the game, how."
    )
    command.add_argument("fen", nargs="?", metavar="FEN", help="the position; else the start")
    add_board_options(command)
    command.add_argument(
        "--dialect", choices=DIALECTS, default=DIALECTS[0], help="how FEN is written"
    )

    command = commands.add_parser("replay", help="play recorded games", allow_abbrev=False)
    add_replay(command)

    command = commands.add_parser(
        "convert", help="write recorded games in another format", allow_abbrev=False
    )
    add_convert(command)

    command = commands.add_parser("stats", help="count what games have", allow_abbrev=False)
    add_stats(command)
    return parser


def _show(options: argparse.Namespace) -> int:
    board = chosen_board(options, options.dialect, options.rules or Rules.MSO)
    outcome = board.outcome()
    fields = [("FEN", board.fen())]
    fields += [
        ("rules", repr(board.rules)),
        ("to move", f"{board.turn} (ply {board.ply})"),
        ("key", f"{board.key:#018x}"),
    ]
    for color, pieces in ((Color.BLACK, board.black), (Color.WHITE, board.white)):
        groups = board.groups(color)
        squares = " | ".join(" ".join(_square_names(group)) for group in groups)
        count = f"{number_text(pieces.bit_count(), 'piece')}, {number_text(len(groups), 'group')}"
        fields.append((str(color), f"{count}: {squares}"))
    moves = [board.move_text(move) for move in board.legal_moves]
    fields.append(("legal moves", f"{len(moves)}: {' '.join(moves)}" if moves else "0"))
    fields.append(("outcome", "none" if outcome is None else str(outcome)))
    print_board(board)
    print_line()
    for name, text in fields:
        print_wrapped(f"{name:<13}", text)
    if options.dialect != "native":
        # Apart from the fields, ready to be copied: some dialects have many lines.
        for line in ("", options.dialect, *board.fen(options.dialect).split("\n")):
            print_line(line)
    return 0


def _square_names(bitboard: int) -> Iterator[str]:
    return (square_name(square) for square in range(64) if bitboard >> square & 1)
