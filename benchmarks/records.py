"""The command `python -m benchmarks.records`: files of many games, in every format.

It repeats the recorded games, writes them to a file in each format, and reads that again, each
move played and checked; then come `loa.records.statistics` and the export of positions. It prints
games a second by the time of the processor, which other programs that want its cores disturb less
than a clock on the wall, and what memory the process took at most.

The exit status is 0; 1 for a wrong count or a file that cannot be written; 2 for wrong arguments;
130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.command import exit_status, positive_int
from benchmarks.timing import WrongCountError
from loa.records import (
    FORMATS,
    Game,
    export_positions,
    iter_games,
    read_games,
    statistics,
    write_games,
)

RECORDED = Path(__file__).parent.parent / "tests" / "data" / "games.txt"

COLUMNS = ("work", "games/s", "plies/s", "MB", "peak MB")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status."""
    return exit_status(_run, _parser().parse_args(argv))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.records",
        description="Time the reading and writing of many games in every format.",
    )
    parser.add_argument(
        "--games", type=positive_int, default=100_000, metavar="N", help="how many (%(default)s)"
    )
    return parser


def _run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _print_row(COLUMNS)
        for row in rows(options.games, Path(folder)):
            _print_row(row)
    print(report.machine_text(report.machine()))


def rows(count: int, folder: Path) -> Iterator[tuple[str, ...]]:
    """The lines of the table, one after the other."""
    recorded = read_games(RECORDED)
    plies = sum(len(game.moves) for game in itertools.islice(itertools.cycle(recorded), count))

    def games() -> Iterator[Game]:
        return itertools.islice(itertools.cycle(recorded), count)

    def row(
        title: str, work: Callable[[], tuple[int, int]], path: Path | None = None
    ) -> tuple[str, ...]:
        """Do the work, which gives the games and the plies it has counted."""
        start = time.process_time()
        counted = work()
        seconds = max(time.process_time() - start, 1e-9)
        if counted != (count, plies):
            raise WrongCountError(f"{title}: {counted} games and plies, expected {(count, plies)}")
        size = "" if path is None else f"{path.stat().st_size / 1e6:.1f}"
        return title, f"{count / seconds:,.0f}", f"{plies / seconds:,.0f}", size, _peak()

    for name in FORMATS:
        path = folder / name

        def write(path: Path = path, name: str = name) -> tuple[int, int]:
            return write_games(games(), path, format=name, lossy=True), plies

        def read(path: Path = path, name: str = name) -> tuple[int, int]:
            lengths = 0
            found = 0
            with iter_games(path, format=name) as reader:
                for game in reader:
                    found += 1
                    lengths += len(game.moves)
            return found, lengths

        yield row(f"{name}: write", write, path)
        yield row(f"{name}: read", read, path)

    def count_all() -> tuple[int, int]:
        found = statistics(games())
        return found.games, found.plies

    path = folder / "positions.npz"
    yield row("positions: write", lambda: (count, export_positions(games(), path)), path)
    yield row("statistics", count_all)


def _peak() -> str:
    """Megabytes that the process has taken at most so far; empty where the system does not say."""
    try:
        import resource
    except ImportError:
        return ""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit:.0f}"


def _print_row(row: Sequence[str]) -> None:
    texts = (text.rjust(12) for text in row[1:])
    print(f"{row[0]:<20}", *texts, flush=True)


if __name__ == "__main__":
    sys.exit(main())
