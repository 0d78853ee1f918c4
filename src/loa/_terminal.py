"""What the command `loa` puts on the terminal: lines, boards, tables, progress.

Only the command uses this module, and the benchmarks do. `rich` is optional: it draws the tables
and the progress bar on a terminal, and is imported when that happens. Boards have colours without
it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TextIO

from loa._board import Board
from loa._moves import Move

if TYPE_CHECKING:
    from rich.progress import Progress

_BAR_DELAY = 0.5
"""Seconds before a progress bar appears: what is over sooner needs none."""
_BAR_INTERVAL = 0.1
"""Seconds between two drawings of the progress bar."""
_LINE_INTERVAL = 30.0
"""Seconds between two lines of progress, where there is no bar: logs are to stay short."""

# Numbers among the 256 colours that terminals have had since xterm. White and black pieces have a
# contrast of 3 and more with every square, which 16 colours of unknown shades could not promise.
_SQUARE_COLORS = (94, 137)
_LAST_MOVE_COLOR = 67
_PIECE_COLORS = (16, 231)


class ProgressBar:
    """A progress bar on standard error, which appears once the work has taken a while.

    `total` is the work, and `unit` what is counted meanwhile. Where standard error is no terminal
    or rich is not there, a line is written now and then instead.
    """

    def __init__(self, label: str, total: float, unit: str) -> None:
        self._label = printable(label)
        self._total = total
        self._unit = unit
        start = time.perf_counter()
        self._next_drawing = start + _BAR_DELAY
        self._next_line = start + _LINE_INTERVAL
        self._bar: Progress | None = None

    def update(self, done: float, count: int) -> None:
        """Show how much of the work is done, and the count, if it is time to."""
        now = time.perf_counter()
        if now < self._next_drawing:
            return
        self._next_drawing = now + _BAR_INTERVAL
        if is_rich(sys.stderr):
            self._draw(done, count)
        elif now >= self._next_line:
            self._next_line = now + _LINE_INTERVAL
            text = f"{self._label}: {share_text(done / self._total)}, {count:,} {self._unit} so far"
            print(text, file=sys.stderr)

    def _draw(self, done: float, count: int) -> None:
        if self._bar is None:
            from rich import progress as widgets
            from rich.console import Console

            self._bar = widgets.Progress(
                widgets.TextColumn("{task.description}", markup=False),
                widgets.BarColumn(),
                widgets.TaskProgressColumn(),
                widgets.TextColumn(f"{{task.fields[count]}} {self._unit}"),
                widgets.TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                auto_refresh=False,
                transient=True,
            )
            self._bar.add_task(self._label, total=self._total, count="0")
        self._bar.update(self._bar.task_ids[0], completed=done, count=f"{count:,}")
        self._bar.start()
        self._bar.refresh()

    def close(self) -> None:
        """Take the bar away, as before a line is written; it may come back."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def number_text(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 leaf`, `1,244 leaves`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def share_text(share: float) -> str:
    """A share of the work, 0.0 to 1.0, as `37.5 %`."""
    percent = 100 * share
    return f"{percent:.1f} %" if percent >= 0.1 else "under 0.1 %"


def is_rich(stream: TextIO) -> bool:
    """Whether to draw on this stream: it is a terminal, and rich is there to draw with."""
    return stream.isatty() and importlib.util.find_spec("rich") is not None


def has_color(stream: TextIO) -> bool:
    """Whether to use colours on this stream, by what people have agreed on.

    Not where the variable `NO_COLOR` is set (no-color.org); wherever `FORCE_COLOR` is
    (force-color.org); else on a terminal that is not called dumb.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    # Windows has consoles that show the codes of colours as text; those that do not say who they
    # are.
    known = sys.platform != "win32" or "WT_SESSION" in os.environ or "TERM" in os.environ
    return stream.isatty() and os.environ.get("TERM") != "dumb" and known


# What moves the cursor, changes the terminal or turns the order of letters, in names from files.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text on one line, with escapes for all that would do something to the terminal."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _encodable(text: str) -> str:
    """The text with escapes for what standard output cannot show, such as names in its encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def print_line(text: str = "") -> None:
    """Print a line, with escapes for what standard output cannot show or should not do."""
    _write_line(printable(text))


def _write_line(text: str) -> None:
    sys.stdout.write(_encodable(text) + "\n")


def print_board(board: Board, last_move: Move | None = None) -> None:
    """Print the board: on what has colours in these, with the squares of the last move marked."""
    if not has_color(sys.stdout):
        _write_line(str(board))
        return
    letters = ("●", "●") if _encodable("●") == "●" else ("b", "w")
    marked = set()
    if last_move is not None and not last_move.is_pass:
        marked = {last_move.from_square, last_move.to_square}
    for rank in reversed(range(board.size)):
        cells = []
        for file in range(board.size):
            square = 8 * rank + file
            color = board.piece_at(square)
            ground = _LAST_MOVE_COLOR if square in marked else _SQUARE_COLORS[(rank + file) % 2]
            cell = f"\x1b[48;5;{ground}m"
            if color is None:
                cell += "   "
            else:
                cell += f"\x1b[38;5;{_PIECE_COLORS[color]}m {letters[color]} "
            cells.append(cell)
        _write_line(f"{rank + 1} {''.join(cells)}\x1b[0m")
    print_line("  " + "".join(f" {file} " for file in "abcdefgh"[: board.size]).rstrip())


def print_wrapped(name: str, text: str) -> None:
    """Print a named text: wrapped on a terminal, on one line for other programs to read."""
    if sys.stdout.isatty():
        width = max(40, shutil.get_terminal_size().columns)
        indent = " " * len(name)
        text = textwrap.fill(
            name + printable(text), width, subsequent_indent=indent, break_on_hyphens=False
        )
        _write_line(text)
    else:
        print_line(name + text)


Column = tuple[str, Literal["left", "right"]]
"""The title of a column, and the side that what is in it is adjusted to."""


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of texts below their titles, each column adjusted to its side.

    Where a terminal is too narrow, what is on the left is folded and what is on the right, which is
    numbers, stays whole.
    """
    cells = [[_encodable(printable(text)) for text in row] for row in rows]
    lines = [[title for title, _ in columns], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if is_rich(sys.stdout):
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for (title, side), width in zip(columns, widths, strict=True):
            if side == "left":
                table.add_column(title, overflow="fold")
            else:
                table.add_column(title, justify="right", no_wrap=True, min_width=width)
        for row in cells:
            table.add_row(*(Text(text) for text in row))
        Console(file=sys.stdout).print(table)
        return
    for line in lines:
        texts = (
            text.rjust(width) if side == "right" else text.ljust(width)
            for text, width, (_, side) in zip(line, widths, columns, strict=True)
        )
        print_line("  ".join(texts).rstrip())


def abandon_output() -> None:
    """Keep the interpreter from writing at its exit what nobody can read any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
