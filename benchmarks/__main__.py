"""The command `python -m benchmarks`.

Results go to standard output, progress and errors to standard error. The exit status is 0; 1 for
a wrong count or a file that cannot be written; 2 for wrong arguments; 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence

from benchmarks import report, work
from benchmarks.command import exit_status, positive_int, show_progress
from benchmarks.timing import Result, measure


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status."""
    return exit_status(_run, _parser().parse_args(argv))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time loa beside its reference and OpenSpiel, and check all counts.",
    )
    depths = range(1, len(work.LEAVES))
    parser.add_argument(
        "--depth",
        type=int,
        choices=depths,
        default=depths[-1],
        help="of loa.perft (default: %(default)s); no other perft goes deeper",
    )
    parser.add_argument(
        "--repeats",
        type=positive_int,
        metavar="N",
        help="of each timing (default: 15, or 3 if --quick)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="take ten seconds or so, not two minutes"
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")
    return parser


def _run(options: argparse.Namespace) -> None:
    scale = work.QUICK if options.quick else work.FULL
    repeats = options.repeats or (3 if options.quick else 15)
    with contextlib.ExitStack() as stack:
        # A file that cannot be written is better known before than after two minutes.
        file = options.json and stack.enter_context(open(options.json, "w", encoding="utf-8"))
        results: list[Result] = []
        for benchmark in work.all_benchmarks(scale, options.depth, work.load_openspiel()):
            show_progress(benchmark.title)
            results += measure(benchmark, repeats)
        show_progress("")
        about = report.machine()
        report.print_report(results, about)
        if file:
            report.write_json(file, results, about, repeats)


if __name__ == "__main__":
    sys.exit(main())
