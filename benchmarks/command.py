"""What the commands of this package share: exit statuses, numbers as arguments, progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from benchmarks.timing import WrongCountError


def exit_status(work: Callable[[argparse.Namespace], None], options: argparse.Namespace) -> int:
    """Do the work and return the exit status; where that is not 0, standard error says why.

    It is 1 for a wrong count, for a file that cannot be written and for a package that is not
    installed; 130 after Ctrl-C.
    """
    try:
        work(options)
    except WrongCountError as error:
        print(f"wrong count: {error}", file=sys.stderr)
        return 1
    except (ImportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def positive_int(text: str) -> int:
    """Read an argument that is 1 or more.

    >>> positive_int("15")
    15
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected 1 or more")
    return number


def show_progress(text: str) -> None:
    """Write what is being timed over what was there before, if anybody is looking."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
