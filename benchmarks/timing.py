"""Timing the same work on several engines in turn, so that noise hits all of them alike."""

from __future__ import annotations

import math
import statistics
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

ENGINES = ("loa", "reference", "OpenSpiel")
"""What is timed; the first is what the others are compared with."""

MIN_SECONDS = 1e-10
"""No call from Python is so short: a difference of two times below this is noise."""


class WrongCountError(Exception):
    """The work timed gave another count than the one it has to give."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One repeat: how long it took, and how much was done, by unit."""

    seconds: float
    amounts: Mapping[str, int]


class Job(Protocol):
    """Work for one engine that can be timed again and again."""

    def measure(self) -> Sample:
        """Do the work once; `WrongCountError` where it counts something wrong."""
        ...


@dataclass(frozen=True, slots=True)
class Count:
    """A function that counts something: `unit`, of which there are `expected` if that is known.

    `others` says how much of other units is done meanwhile.
    """

    count: Callable[[], int]
    unit: str
    expected: int | None
    others: Mapping[str, int]

    def measure(self) -> Sample:
        """Call the function once and check what it counts."""
        start = time.perf_counter()
        counted = self.count()
        seconds = time.perf_counter() - start
        if self.expected is not None and counted != self.expected:
            raise WrongCountError(f"counted {counted:,} {self.unit}, expected {self.expected:,}")
        return Sample(seconds, {**self.others, self.unit: counted})


class Calls:
    """A statement, timed for each `move` of `variables["moves"]`, over and over.

    The time of the same loop round the statement `less` is taken off: round `pass` it is that of
    the loop alone. Timing the statement takes about so many `seconds`.
    """

    def __init__(
        self, statement: str, less: str, variables: Mapping[str, Any], seconds: float
    ) -> None:
        self._timer = _loop_timer(statement, variables)
        self._less_timer = _loop_timer(less, variables)
        self._loops = _loops_for(self._timer, seconds)
        self._calls = self._loops * len(variables["moves"])

    def measure(self) -> Sample:
        """Time both loops; the difference is the statement's own."""
        less = self._less_timer.timeit(self._loops)
        seconds = self._timer.timeit(self._loops) - less
        return Sample(max(seconds, self._calls * MIN_SECONDS), {"call": self._calls})


def _loop_timer(statement: str, variables: Mapping[str, Any]) -> timeit.Timer:
    # The set-up makes local variables of all names: globals would take longer to look up.
    return timeit.Timer(
        f"for move in moves:\n    {statement}",
        "\n".join(f"{name} = variables[{name!r}]" for name in variables),
        globals={"variables": variables},
    )


def _loops_for(timer: timeit.Timer, seconds: float) -> int:
    loops = 1
    while (taken := timer.timeit(loops)) < seconds / 10:
        loops *= 10
    return max(1, math.ceil(loops * seconds / taken))


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The same work for each engine that can do it.

    `work` tells how much each of them has to do; `units` are what a result is given in.
    """

    title: str
    work: str
    units: tuple[str, ...]
    jobs: Mapping[str, Job]


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table: by engine, the seconds per `unit` of every repeat."""

    title: str
    work: str
    unit: str
    samples: Mapping[str, Sequence[float]]

    @property
    def figure_unit(self) -> str:
        """What figures are in: nanoseconds for calls, a rate for all else."""
        return "ns" if self.unit == "call" else f"{self.unit}/s"

    def figures(self, engine: str) -> list[float]:
        """The figure of every repeat, empty where the engine has not done this work."""
        return [self._figure(seconds) for seconds in self.samples.get(engine, ())]

    def median(self, engine: str) -> float | None:
        """The figure of the median time."""
        seconds = self._median_seconds(engine)
        return None if seconds is None else self._figure(seconds)

    def ratio(self, engine: str) -> float | None:
        """How many times faster than this engine the first one is, by the median times."""
        first, other = self._median_seconds(ENGINES[0]), self._median_seconds(engine)
        return None if first is None or other is None else other / first

    def _median_seconds(self, engine: str) -> float | None:
        return statistics.median(self.samples[engine]) if engine in self.samples else None

    def _figure(self, seconds: float) -> float:
        return 1e9 * seconds if self.unit == "call" else 1 / seconds


def measure(benchmark: Benchmark, repeats: int) -> Iterator[Result]:
    """Give every engine its turn, `repeats` times, and yield a result for each unit.

    Raises `WrongCountError` for the first wrong count.
    """
    samples: dict[str, list[Sample]] = {engine: [] for engine in benchmark.jobs}
    for _ in range(repeats):
        for engine, job in benchmark.jobs.items():
            try:
                samples[engine].append(job.measure())
            except WrongCountError as error:
                raise WrongCountError(f"{benchmark.title}: {engine} {error}") from None
    for unit in benchmark.units:
        seconds = {
            engine: [sample.seconds / sample.amounts[unit] for sample in taken]
            for engine, taken in samples.items()
        }
        yield Result(benchmark.title, benchmark.work, unit, seconds)
