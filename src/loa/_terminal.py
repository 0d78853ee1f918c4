"""What the command `loa` puts on the terminal: lines, boards, tables, a progress bar.

Only the command uses this module. `rich` is optional: it draws the tables and the progress bar on
a terminal, and is imported when that happens. Boards have colours without it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TextIO

from loa._board import Board
from loa._moves import Move
from loa._perft import perft

if TYPE_CHECKING:
    from rich.progress import Progress

_BAR_DELAY = 0.5
"""Seconds before a progress bar appears: what is over sooner needs none."""
_BAR_INTERVAL = 0.1
"""Seconds between two drawings of the progress bar."""

# Numbers among the 256 colours that terminals have had since xterm. White and black pieces have a
# contrast of 3 and more with every square, which 16 colours of unknown shades could not promise.
_SQUARE_COLORS = (94, 137)
_LAST_MOVE_COLOR = 67
_PIECE_COLORS = (16, 231)


class Meter:
    """Counts leaves, shows a progress bar once that takes time, and holds what was counted.

    `leaves_before` of its leaves were counted some other time.

    As a context it measures the time and ends quietly, `interrupted`, on Ctrl-C.
    """

    def __init__(self, label: str) -> None:
        self.leaves = 0
        self.leaves_before = 0
        self.fraction = 0.0
        self.seconds = 0.0
        self.interrupted = False
        self._label = label
        self._start = 0.0
        self._next_drawing = 0.0
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        self._next_drawing = self._start + _BAR_DELAY
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.seconds = time.perf_counter() - self._start
        if self._bar is not None:
            self._bar.stop()
        self.interrupted = isinstance(error, KeyboardInterrupt)
        return self.interrupted

    def count(self, board: Board, depth: int, share: float, threads: int, hash_mb: int) -> int:
        """The leaves below this board, whose counting is this share of the work to do."""
        progress = self.part(share)
        return perft(board, depth, threads=threads, hash_mb=hash_mb, progress=progress)

    def part(self, share: float) -> Callable[[float, int], None]:
        """What to call with the progress of the next part, which is this share of the work."""
        fraction_before, leaves_before = self.fraction, self.leaves

        def progress(fraction: float, leaves: int) -> None:
            self.fraction = fraction_before + share * fraction
            self.leaves = leaves_before + leaves
            if time.perf_counter() >= self._next_drawing:
                self._draw()
                self._next_drawing = time.perf_counter() + _BAR_INTERVAL

        return progress

    def _draw(self) -> None:
        if not is_rich(sys.stderr):
            return
        if self._bar is None:
            from rich import progress as widgets
            from rich.console import Console

            self._bar = widgets.Progress(
                widgets.TextColumn("{task.description}"),
                widgets.BarColumn(),
                widgets.TaskProgressColumn(),
                widgets.TextColumn("{task.fields[leaves]} leaves"),
                widgets.TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                auto_refresh=False,
                transient=True,
            )
            self._bar.add_task(self._label, total=1.0, leaves="0")
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=self.fraction, leaves=f"{self.leaves:,}")
        self._bar.start()
        self._bar.refresh()

    @property
    def seconds_text(self) -> str:
        """The seconds, with as many digits as tell something."""
        digits = 1 if self.seconds >= 1 else 3 if self.seconds >= 0.01 else 6
        return f"{self.seconds:.{digits}f}"

    @property
    def rate_text(self) -> str:
        """Leaves a second as in 1.6e9."""
        counted = self.leaves - self.leaves_before
        if not counted:
            return "0"
        mantissa, exponent = f"{counted / max(self.seconds, 1e-9):.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"

    def print_summary(self) -> int:
        """Print what was counted; return the exit status."""
        leaves = number_text(self.leaves, "leaf", "leaves")
        if self.interrupted:
            percent = 100 * self.fraction
            done = f"{percent:.1f} %" if percent >= 0.1 else "under 0.1 %"
            sys.stdout.flush()
            print(f"interrupted: at least {leaves} counted ({done})", file=sys.stderr)
            return 130
        before = f" ({self.leaves_before:,} of them before)" if self.leaves_before else ""
        speed = f"{self.seconds_text} s ({self.rate_text} leaves/s)"
        print_line(f"{self._label}: {leaves}{before} in {speed}")
        return 0


def number_text(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 leaf`, `1,244 leaves`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


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


def _encodable(text: str) -> str:
    """The text with escapes for what standard output cannot show, such as names in its encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def print_line(text: str = "") -> None:
    """Print a line, with escapes for what standard output cannot show."""
    sys.stdout.write(_encodable(text) + "\n")


def print_board(board: Board, last_move: Move | None = None) -> None:
    """Print the board: on what has colours in these, with the squares of the last move marked."""
    if not has_color(sys.stdout):
        print_line(str(board))
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
        print_line(f"{rank + 1} {''.join(cells)}\x1b[0m")
    print_line("  " + "".join(f" {file} " for file in "abcdefgh"[: board.size]).rstrip())


def print_wrapped(name: str, text: str) -> None:
    """Print a named text: wrapped on a terminal, on one line for other programs to read."""
    if sys.stdout.isatty():
        width = max(40, shutil.get_terminal_size().columns)
        indent = " " * len(name)
        text = textwrap.fill(name + text, width, subsequent_indent=indent, break_on_hyphens=False)
        print_line(text)
    else:
        print_line(name + text)


def print_table(
    columns: Sequence[tuple[str, Literal["left", "right"]]], rows: Iterable[Sequence[str]]
) -> None:
    """Print rows of texts below their titles, each column adjusted to its side."""
    cells = [[_encodable(text) for text in row] for row in rows]
    if is_rich(sys.stdout):
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for title, side in columns:
            table.add_column(title, justify=side)
        for row in cells:
            table.add_row(*(Text(text) for text in row))
        Console(file=sys.stdout).print(table)
        return
    lines = [[title for title, _ in columns], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        texts = (
            text.rjust(width) if side == "right" else text.ljust(width)
            for text, width, (_, side) in zip(line, widths, columns, strict=True)
        )
        print_line("  ".join(texts).rstrip())


def abandon_output() -> None:
    """Keep the interpreter from writing at its exit what nobody can read any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
