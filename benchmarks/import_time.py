"""The command `python -m benchmarks.import_time`: what `import loa` takes beyond `import numpy`.

Each sample is a new process, which times both imports itself; the figure is the median of a
number of them. Python files are compiled and in the cache of the disk by then, as they are for
everybody but the first.

The exit status is 0; 1 where the time is more than `--most` allows; 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.command import positive_int

PROGRAM = """\
import time
start = time.perf_counter()
import numpy
between = time.perf_counter()
import loa
end = time.perf_counter()
print(1e3 * (between - start), 1e3 * (end - between))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status."""
    options = _parser().parse_args(argv)
    sample()
    numpy, loa = zip(*(sample() for _ in range(options.repeats)), strict=True)
    print(f"import numpy: {statistics.median(numpy):.1f} ms")
    print(f"import loa after it: {statistics.median(loa):.1f} ms, at least {min(loa):.1f} ms")
    if options.most is not None and statistics.median(loa) > options.most:
        print(f"error: expected at most {options.most:g} ms", file=sys.stderr)
        return 1
    return 0


def sample() -> tuple[float, float]:
    """Return the milliseconds that a new process takes to import NumPy, and then loa."""
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    numpy, loa = result.stdout.split()
    return float(numpy), float(loa)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.import_time",
        description="Time `import loa` after `import numpy` in new processes.",
    )
    parser.add_argument(
        "--repeats",
        type=positive_int,
        default=15,
        metavar="N",
        help="new processes (default: %(default)s)",
    )
    parser.add_argument(
        "--most", type=float, metavar="MS", help="fail where the median is more milliseconds"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
