"""The command `loa perft`: in this process, in other processes, on a cluster; and suites."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from loa import distributed
from loa._board import Board
from loa._cli_options import add_board_options, chosen_board, naming, whole_number
from loa._perft import divided, perft
from loa._statistics import perft_statistics
from loa._terminal import ProgressBar, number_text, print_line, print_table, share_text
from loa.rules import MAX_THREADS, LoaError, Rules, check_range
from loa.suite import SuiteResult, read_suite

_MAX_WORKERS = 61 if sys.platform == "win32" else MAX_THREADS
"""Windows cannot wait for more processes at a time."""


def add_perft(command: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    command.set_defaults(command=_perft)
    command.description = (
        "Count the sequences of exactly DEPTH legal plies, by threads of this process, by other "
        "processes or on a cluster; or check the counts of a suite."
    )
    command.add_argument(
        "depth", nargs="?", type=whole_number, metavar="DEPTH", help="plies to count"
    )
    command.add_argument("--fen", help="count from this position, not from the start")
    add_board_options(command)
    command.add_argument("--divide", action="store_true", help="also count below each move")
    command.add_argument(
        "--statistics", action="store_true", help="also say what the last plies did"
    )
    command.add_argument(
        "--threads", type=whole_number, metavar="N", help="threads to count with (1)"
    )
    command.add_argument(
        "--hash-mb",
        type=whole_number,
        metavar="M",
        help="megabytes for a hash table, in each worker where there are some (0)",
    )
    command.add_argument(
        "--workers", type=whole_number, metavar="N", help="processes to count with"
    )
    command.add_argument(
        "--scheduler", metavar="ADDRESS", help="count on the Dask cluster with this scheduler"
    )
    command.add_argument(
        "--checkpoint", metavar="FILE", help="keep what is counted in FILE and go on from there"
    )
    command.add_argument(
        "--plies",
        type=whole_number,
        metavar="K",
        help="share out the positions after K plies among workers or over a checkpoint",
    )
    command.add_argument(
        "--suite", metavar="FILE", help="check the counts of a suite, up to DEPTH where it is given"
    )
    command.add_argument(
        "--max-leaves",
        type=whole_number,
        metavar="N",
        help="leave out the counts of the suite that are greater",
    )


_CHUNK_OPTIONS = ("workers", "scheduler", "checkpoint")
"""With any of these the count goes chunk by chunk."""


def _perft(options: argparse.Namespace) -> int:
    _check_options(options)
    if options.suite is not None:
        return _perft_suite(options)
    # Perft looks neither at repetition nor at the length of a game, nor may the moves it starts
    # with when it is divided.
    rules = (options.rules or Rules.MSO).replace(repetition_draw=None, ply_limit=None)
    board = chosen_board(options, "native", rules)
    threads = 1 if options.threads is None else options.threads
    hash_mb = options.hash_mb or 0
    meter = _Meter(f"perft {options.depth}")
    if options.divide:
        _print_divided(board, options.depth, threads, hash_mb, meter)
    elif options.statistics:
        _print_statistics(board, options.depth, meter)
    else:
        with meter:
            if _in_chunks(options):
                _count_chunks(options, board, threads, hash_mb, meter)
            else:
                progress = meter.part(1.0)
                perft(board, options.depth, threads=threads, hash_mb=hash_mb, progress=progress)
        if not meter.interrupted:
            print_table(
                [(title, "right") for title in ("depth", "leaves", "seconds", "leaves/s")],
                [(str(options.depth), f"{meter.leaves:,}", meter.seconds_text, meter.rate_text)],
            )
    return meter.print_summary()


def _in_chunks(options: argparse.Namespace) -> list[str]:
    """Those of the options given with which the count goes chunk by chunk."""
    return [name for name in _CHUNK_OPTIONS if getattr(options, name) is not None]


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if options.suite is not None:
        for name in (
            *("fen", "size", "setup", "rules", "divide", "statistics", "threads", "hash_mb"),
            *(*_CHUNK_OPTIONS, "plies"),
        ):
            value = getattr(options, name)
            if value is not None and value is not False:
                option = name.replace("_", "-")
                raise LoaError(f"--{option} with --suite: expected one or the other")
        return
    if options.max_leaves is not None:
        raise LoaError("--max-leaves without --suite: expected both")
    if options.depth is None:
        raise LoaError("nothing to count: expected DEPTH or --suite FILE")
    in_chunks = _in_chunks(options)
    for name in ("divide", "statistics"):
        if getattr(options, name) and options.depth == 0:
            raise LoaError(f"--{name} at depth 0: expected a depth of 1 or more")
        if getattr(options, name) and in_chunks:
            raise LoaError(f"--{name} with --{in_chunks[0]}: expected one or the other")
    if options.statistics and (options.divide or options.threads or options.hash_mb):
        raise LoaError("--statistics with --divide, --threads or --hash-mb: expected it alone")
    if options.workers is not None and options.scheduler is not None:
        raise LoaError("--workers with --scheduler: expected one or the other")
    if options.plies is not None and not in_chunks:
        raise LoaError("--plies alone: expected --workers, --scheduler or --checkpoint with it")


def _print_divided(board: Board, depth: int, threads: int, hash_mb: int, meter: _Meter) -> None:
    """Count below each move and print a row for it; after Ctrl-C, those that are finished."""
    rows = []
    with meter:
        progress = meter.part(1.0)
        for move, leaves in divided(
            board, depth, threads=threads, hash_mb=hash_mb, progress=progress
        ):
            rows.append((board.move_text(move), f"{leaves:,}"))
    if rows or not meter.interrupted:
        print_table((("move", "left"), ("leaves", "right")), rows)


def _print_statistics(board: Board, depth: int, meter: _Meter) -> None:
    """Count the leaves by what the last ply did, and print the counts."""
    statistics = None
    with meter:
        statistics = perft_statistics(board, depth, progress=meter.part(1.0))
    if statistics is not None:
        rows = [
            (name.replace("_", " "), f"{count:,}")
            for name, count in dataclasses.asdict(statistics).items()
        ]
        print_table((("last ply", "left"), ("leaves", "right")), rows)


# In chunks --------------------------------------------------------------------------------------


def _count_chunks(
    options: argparse.Namespace, board: Board, threads: int, hash_mb: int, meter: _Meter
) -> None:
    progress = meter.part(1.0)
    with contextlib.ExitStack() as stack:
        if options.checkpoint is not None:
            stack.enter_context(naming(options.checkpoint))
            if os.path.exists(options.checkpoint):
                found = distributed.DistributedPerft.load(options.checkpoint)
                meter.leaves_before = found.leaves_so_far
        executor, in_flight = stack.enter_context(_executor(options, threads))
        count = distributed.perft(
            board,
            options.depth,
            executor,
            plies=options.plies,
            threads=threads,
            hash_mb=hash_mb,
            checkpoint=options.checkpoint,
            progress=progress,
            in_flight=in_flight,
        )
    progress(1.0, count.leaves)


@contextlib.contextmanager
def _executor(
    options: argparse.Namespace, threads: int
) -> Iterator[tuple[distributed.Executors, int]]:
    """What to count with, and how many chunks to hand out at a time."""
    if options.workers is not None:
        workers = check_range("workers", options.workers, 1, _MAX_WORKERS)
        # Fresh processes: a copy of this one could inherit locks that its threads hold.
        context = multiprocessing.get_context("spawn")

        def make() -> ProcessPoolExecutor:
            return ProcessPoolExecutor(workers, context, _die_on_interrupt)

        others = set(multiprocessing.active_children())
        try:
            yield make, 2 * workers
        except BaseException:
            # Nobody wants to know any more what they are counting.
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
    elif options.scheduler is not None:
        client = _dask_client(options.scheduler)
        with client:
            cores = sum(client.nthreads().values())
            # Workers may still be on their way.
            yield client.get_executor(pure=False), max(64, 2 * cores)
    else:
        check_range("threads", threads, 1, MAX_THREADS)
        with ThreadPoolExecutor(threads) as pool:
            yield pool, 2 * threads


def _die_on_interrupt() -> None:
    """Let Ctrl-C, which a terminal sends to the workers, too, end them without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _dask_client(address: str) -> Any:
    try:
        dask: Any = importlib.import_module("distributed")
        addresses: Any = importlib.import_module("distributed.comm")
    except ModuleNotFoundError as error:
        if error.name != "distributed":
            raise
        raise LoaError(
            f"--scheduler {address}: the package 'distributed' is not installed: expected "
            "loa with its extra, as in pip install 'loa[dask]'"
        ) from None
    try:
        # A client with an address that makes no sense would wait for itself when it is closed.
        addresses.resolve_address(address)
        return dask.Client(address, set_as_default=False)
    except (ValueError, OSError) as error:
        raise LoaError(
            f"--scheduler {address}: {error}: expected the address of a Dask scheduler, "
            "such as tcp://127.0.0.1:8786"
        ) from None


# How far it is ----------------------------------------------------------------------------------


class _Meter:
    """How far a count is: shows that once it takes time, and says at the end what was counted.

    `leaves_before` of the leaves were counted some other time. As a context it measures the time
    and ends quietly, `interrupted`, on Ctrl-C.
    """

    def __init__(self, label: str) -> None:
        self.leaves = 0
        self.leaves_before = 0
        self.fraction = 0.0
        self.seconds = 0.0
        self.interrupted = False
        self._label = label
        self._start = 0.0
        self._bar = ProgressBar(label, 1.0, "leaves")

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.seconds = time.perf_counter() - self._start
        self._bar.close()
        self.interrupted = isinstance(error, KeyboardInterrupt)
        return self.interrupted

    def part(self, share: float) -> Callable[[float, int], None]:
        """What to call with the progress of the next part, which is this share of the work."""
        fraction_before, leaves_before = self.fraction, self.leaves

        def progress(fraction: float, leaves: int) -> None:
            self.fraction = fraction_before + share * fraction
            self.leaves = leaves_before + leaves
            self._bar.update(self.fraction, self.leaves)

        return progress

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
            done = share_text(self.fraction)
            sys.stdout.flush()
            print(f"interrupted: at least {leaves} counted ({done})", file=sys.stderr)
            return 130
        before = f" ({self.leaves_before:,} of them before)" if self.leaves_before else ""
        speed = f"{self.seconds_text} s ({self.rate_text} leaves/s)"
        print_line(f"{self._label}: {leaves}{before} in {speed}")
        return 0


# Suites -----------------------------------------------------------------------------------------


def _perft_suite(options: argparse.Namespace) -> int:
    with naming(options.suite):
        entries = read_suite(options.suite)
    max_leaves, max_depth = options.max_leaves, options.depth
    wanted = [(entry, entry.counts(max_leaves, max_depth=max_depth)) for entry in entries]
    whole = sum(leaves + 1 for _, counts in wanted for _, leaves in counts)
    if not whole:
        raise LoaError(f"{options.suite}: no counts to check: expected some within the limits")

    meter = _Meter("perft suite")
    rows: list[tuple[str, ...]] = []
    failures: list[str] = []
    checked = 0
    with meter:
        for entry, counts in wanted:
            progress = meter.part(sum(leaves + 1 for _, leaves in counts) / whole)
            results = entry.check(max_leaves, max_depth=max_depth, progress=progress)
            leaves = sum(result.counted for result in results)
            progress(1.0, leaves)
            bad = [_failure_text(result) for result in results if not result.passed]
            failures += [f"line {entry.line}: {entry.name}: {text}" for text in bad]
            checked += len(results)
            rows.append(
                (
                    entry.name,
                    entry.rules.no_legal_move.value,
                    f"{len(results)} of {len(entry.leaves)}",
                    f"{leaves:,}",
                    "; ".join(bad) or "ok",
                )
            )
    print_table(
        (
            ("position", "left"),
            ("no move", "left"),
            ("depths", "right"),
            ("leaves", "right"),
            ("result", "left"),
        ),
        rows,
    )
    print_line(f"{checked - len(failures)} of {number_text(checked, 'count')} right")
    status = meter.print_summary()
    if failures:
        more = "" if len(failures) == 1 else f" (and {len(failures) - 1} more)"
        raise LoaError(f"{options.suite}: {failures[0]}{more}")
    return status


def _failure_text(result: SuiteResult) -> str:
    return f"depth {result.depth}: counted {result.counted:,}, expected {result.expected:,}"
