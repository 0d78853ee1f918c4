"""What several commands share: options with what they stand for, and errors in files."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator

from loa._board import Board
from loa.rules import InvalidRecordError, LoaError, Rules, shown


def add_board_options(command: argparse.ArgumentParser) -> None:
    """Add the options that `chosen_board` needs, but for the FEN."""
    command.add_argument(
        "--size", type=whole_number, metavar="N", help="ranks and files, 3 to 8 (8)"
    )
    command.add_argument(
        "--setup", choices=("standard", "scrambled"), help="which start (standard)"
    )
    add_rules_option(command)


def add_rules_option(command: argparse.ArgumentParser, default: str = "MSO") -> None:
    """Add the choice of rules: a `Rules`, or None, which the help calls `default`."""
    names = ", ".join(Rules.presets())
    command.add_argument("--rules", type=_rules, metavar="NAME", help=f"one of {names} ({default})")


def whole_number(text: str) -> int:
    """Read the number that an option's text stands for."""
    # Eighteen digits are within 64 bits, and far beyond all that anyone can count.
    if re.fullmatch(r"[0-9]{1,18}", text) is None:
        raise argparse.ArgumentTypeError(f"{shown(text)}: expected a whole number, 0 or more")
    return int(text)


def _rules(name: str) -> Rules:
    try:
        return Rules.by_name(name)
    except LoaError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def chosen_board(options: argparse.Namespace, dialect: str, rules: Rules) -> Board:
    """Make the board that the options describe."""
    if options.fen is None:
        size = 8 if options.size is None else options.size
        return Board(size=size, setup=options.setup or "standard", rules=rules)
    for name in ("size", "setup"):
        if getattr(options, name) is not None:
            raise LoaError(f"--{name} with a FEN: expected one or the other")
    return Board.from_fen(options.fen, dialect=dialect, rules=rules)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Put the name of the file before what is wrong in it."""
    try:
        yield
    except InvalidRecordError as error:
        raise LoaError(f"{path}: {error}") from None
