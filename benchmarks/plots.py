"""The command `python -m benchmarks.plots`: the pictures of docs/performance.md.

It writes SVG files, what they show as `performance.json` beside them, and a table of ratios to
standard output. The exit status is 0; 1 for a wrong count or a file that cannot be written; 2 for
wrong arguments; 130 after Ctrl-C. It needs matplotlib, the extra `plots`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import loa
from benchmarks import report, work
from benchmarks.command import exit_status, positive_int, show_progress
from benchmarks.timing import WrongCountError
from loa import _last_plies, reference

LEAVES = (*work.LEAVES, 68593739064, 2359740849708)
"""Perft of the standard start by depth, as in tests/data/start-positions.txt."""

FORMS = ("plain loops", "16-byte vectors", "AVX2", "AVX-512")
"""The forms of the kernel of the last plies, by number."""

DEPTH_HASH_MB = 64
"""Megabytes of hash table in the picture of rates by depth."""

MIN_SECONDS = 0.02
"""A count that takes less is repeated until it does, to be longer than the clock's steps."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line in a picture: how to count by what the x axis shows.

    `count` takes a value of x and gives the leaves, `expected(x)` of them. Time is that of the
    processor, which other programs that want its cores disturb less than a clock on the wall.
    Where x is a number of `threads`, their times are taken to run side by side, as on a machine
    with a core for each.
    """

    label: str
    xs: tuple[int, ...]
    count: Callable[[int], int]
    expected: Callable[[int], int]
    threads: bool = False

    def rate(self, x: int) -> float:
        """Leaves a second, measured once."""
        loops = 0
        start = time.process_time()
        while True:
            counted = self.count(x)
            loops += 1
            seconds = time.process_time() - start
            if counted != self.expected(x):
                raise WrongCountError(
                    f"{self.label}: counted {counted:,} leaves, expected {self.expected(x):,}"
                )
            if seconds >= MIN_SECONDS:
                return loops * counted / seconds * (x if self.threads else 1)


@dataclass(frozen=True, slots=True)
class Picture:
    """Some lines over one x axis; `repeats` is how often each point is measured."""

    name: str
    title: str
    x_label: str
    lines: tuple[Line, ...]
    repeats: int


Figures = Mapping[str, Mapping[int, Sequence[float]]]
"""All rates measured for a picture, by line and x."""


# What is measured


def pictures(depth: int, repeats: int, openspiel: Any) -> list[Picture]:
    """All pictures.

    Plain counts by depth and by form go to this depth, all others one ply deeper: threads and
    hash tables need counts that take a while.
    """
    return [
        _depth_picture(depth, repeats, openspiel),
        _forms_picture(depth, repeats),
        _threads_picture(depth + 1, repeats),
        _hash_picture(depth + 1, repeats),
    ]


def _leaves(depth: int) -> int:
    return LEAVES[depth]


def _depths(most: int) -> tuple[int, ...]:
    return tuple(range(1, most + 1))


def _depth_picture(depth: int, repeats: int, openspiel: Any) -> Picture:
    board = loa.Board()
    position = reference.Position.start()
    # By label, how deep to go at most, and the function.
    counts: dict[str, tuple[int, Callable[[int], int]]] = {
        f"hashed, {DEPTH_HASH_MB} MB": (
            depth + 1,
            partial(loa.perft, board, hash_mb=DEPTH_HASH_MB),
        ),
        "loa.perft": (depth, partial(loa.perft, board)),
        "len(board.legal_moves)": (min(depth, 5), partial(work.count_last_ply, board)),
    }
    if openspiel:
        state = openspiel.new_initial_state()
        counts["OpenSpiel, legal_actions()"] = (
            min(depth, 4),
            partial(work.openspiel_count_last_ply, state),
        )
    counts["loa.reference"] = (min(depth, 3), partial(work.reference_count_last_ply, position))
    lines = [Line(label, _depths(most), count, _leaves) for label, (most, count) in counts.items()]
    return Picture("depth", "Leaves a second, one thread", "depth", tuple(lines), repeats)


def _count_in_form(board: loa.Board, form: int, depth: int) -> int:
    before = _last_plies._use_form(form)
    try:
        return loa.perft(board, depth)
    finally:
        _last_plies._use_form(before)


def _forms_picture(depth: int, repeats: int) -> Picture:
    count = partial(_count_in_form, loa.Board())
    lines = [
        Line(FORMS[form], _depths(depth), partial(count, form), _leaves)
        for form in reversed(_last_plies._forms())
    ]
    return Picture("forms", "Leaves a second by form of the kernel", "depth", tuple(lines), repeats)


def _threads_picture(depth: int, repeats: int) -> Picture:
    board = loa.Board()
    most = 2 * (os.cpu_count() or 1)
    threads = tuple(2**power for power in range(most.bit_length()))

    def count(hash_mb: int, number: int) -> int:
        return loa.perft(board, depth, threads=number, hash_mb=hash_mb)

    lines = [
        Line(label, threads, partial(count, hash_mb), lambda _: LEAVES[depth], threads=True)
        for label, hash_mb in (("plain", 0), ("hashed, 64 MB", 64))
    ]
    title = f"Times as fast as one thread, depth {depth}, a core for each"
    return Picture("threads", title, "threads", tuple(lines), repeats)


def _hash_picture(depth: int, repeats: int) -> Picture:
    board = loa.Board()

    def line(plies: int, *sizes: int) -> Line:
        return Line(
            f"depth {plies}",
            # Without a table first: what the other rates are divided by.
            (0, *sizes),
            lambda size: loa.perft(board, plies, hash_mb=size),
            lambda _: LEAVES[plies],
        )

    lines = (line(depth, 1, 2, 4, 8, 16, 32, 64, 128), line(depth - 1, 1, 2, 4, 8, 16, 32, 64, 128))
    title = "Times as fast as without a hash table"
    return Picture("hash", title, "megabytes of hash table", lines, repeats)


def measure(picture: Picture, progress: Callable[[str], None]) -> dict[str, dict[int, list[float]]]:
    """All rates, in rounds, so that what disturbs the machine for a while disturbs all lines."""
    rates: dict[str, dict[int, list[float]]] = {
        line.label: {x: [] for x in line.xs} for line in picture.lines
    }
    for repeat in range(picture.repeats):
        for line in picture.lines:
            progress(f"{picture.name}, {line.label}, {repeat + 1} of {picture.repeats}")
            for x in line.xs:
                rates[line.label][x].append(line.rate(x))
    return rates


# Drawing


# Colours that people who see few of them tell apart, dark enough for white pages and light enough
# for black ones; each line has a mark of its own as well.
COLORS = ("#0b7fcf", "#d95f02", "#119a6c", "#b65fa5", "#8a7a1f")
MARKS = ("o", "s", "^", "D", "v")
GREY = "#7d838c"


def _plain_number(value: float, _: object = None) -> str:
    """A number in words that are read at a glance.

    >>> [_plain_number(value) for value in (0.5, 8, 20_000, 33e9, 1e12)]
    ['0.5', '8', '20 thousand', '33 billion', '1 trillion']
    """
    for size, name in (
        (1e12, " trillion"),
        (1e9, " billion"),
        (1e6, " million"),
        (1e3, " thousand"),
    ):
        if value >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"


def medians(figures: Figures, label: str, *, ratios: bool = False) -> dict[int, float]:
    """The median rates of a line by x, or how many times that of its first x they are."""
    rates = {int(x): statistics.median(values) for x, values in figures[label].items()}
    if not ratios:
        return rates
    first, *others = rates
    return {x: rates[x] / rates[first] for x in ((first, *others) if first else others)}


def draw(name: str, title: str, x_label: str, figures: Figures, path: Path) -> None:
    """Draw one picture as SVG."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot, ticker

    style: Any = {
        # Text stays text, in the reader's own type.
        "svg.fonttype": "none",
        # The same file for the same figures.
        "svg.hashsalt": "loa",
        "font.family": "sans-serif",
        "font.size": 11,
        "text.color": GREY,
        "axes.edgecolor": GREY,
        "axes.labelcolor": GREY,
        "xtick.color": GREY,
        "ytick.color": GREY,
        # Room beside the labels, for readers whose letters are wider.
        "figure.constrained_layout.w_pad": 0.2,
    }
    ratios = name in ("threads", "hash")
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(figsize=(7.6, 4.2), layout="constrained")
        axes.set_title(title, loc="left", fontsize=13)
        axes.set_xlabel(x_label)
        if not ratios:
            axes.set_yscale("log")
        if name == "hash":
            axes.set_xscale("log", base=2)
        ends: list[tuple[float, float, str, str]] = []
        for label, color, mark in zip(figures, COLORS, MARKS, strict=False):
            points = medians(figures, label, ratios=ratios)
            xs, ys = list(points), list(points.values())
            axes.plot(xs, ys, color=color, marker=mark, markersize=6, linewidth=2)
            ends.append((xs[-1], ys[-1], label, color))
        if name == "threads":
            xs = [int(x) for x in next(iter(figures.values()))]
            axes.plot(xs, xs, color=GREY, linestyle=":", linewidth=1.5)
            ends.append((xs[-1], xs[-1], "nothing lost", GREY))
        ticks = sorted({x for label in figures for x in medians(figures, label, ratios=ratios)})
        axes.set_xticks(ticks, [str(x) for x in ticks])
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(_plain_number))
        if ratios:
            axes.set_ylim(bottom=0)
        axes.grid(axis="y", color=GREY, alpha=0.3, linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        _label_ends(axes, ends)
        figure.savefig(path, transparent=True, metadata={"Date": None})
        pyplot.close(figure)


def _label_ends(axes: Any, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write each line's label where it ends, labels of ends close to each other further apart."""
    least = 15.0
    axes.figure.canvas.draw()
    heights = [axes.transData.transform((x, y))[1] * 72 / axes.figure.dpi for x, y, *_ in ends]
    order = sorted(range(len(ends)), key=heights.__getitem__)
    placed = list(heights)
    for lower, upper in itertools.pairwise(order):
        placed[upper] = max(placed[upper], placed[lower] + least)
    for (x, y, label, color), height, new in zip(ends, heights, placed, strict=True):
        axes.annotate(
            label,
            (x, y),
            (9, new - height),
            textcoords="offset points",
            color=color,
            verticalalignment="center",
            fontweight="bold",
            annotation_clip=False,
        )


def ratio_lines(figures: Mapping[str, Figures]) -> list[str]:
    """What docs/performance.md quotes: each picture's figures, as ratios."""
    lines = []
    for name, of_picture in figures.items():
        for label in of_picture:
            points = medians(of_picture, label, ratios=name in ("threads", "hash"))
            texts = ", ".join(f"{x}: {report.figure_text(y)}" for x, y in points.items())
            lines.append(f"{name}, {label}: {texts}")
    return lines


# The command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status."""
    return exit_status(_run, _parser().parse_args(argv))


def _run(options: argparse.Namespace) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "performance.json"
    if not options.redraw:
        chosen = pictures(options.depth, options.repeats, work.load_openspiel())
        content = {
            "machine": report.machine(),
            "repeats": options.repeats,
            "pictures": {
                picture.name: {
                    "title": picture.title,
                    "x_label": picture.x_label,
                    "figures": measure(picture, show_progress),
                }
                for picture in chosen
            },
        }
        show_progress("")
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")
    drawn = json.loads(path.read_text(encoding="utf-8"))["pictures"]
    for name, picture in drawn.items():
        image = options.out / f"{name}.svg"
        draw(name, picture["title"], picture["x_label"], picture["figures"], image)
    print("\n".join(ratio_lines({name: picture["figures"] for name, picture in drawn.items()})))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.plots",
        description="Time loa beside its reference and OpenSpiel, and draw the figures.",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("docs/images"), metavar="FOLDER", help="(%(default)s)"
    )
    depths = range(3, len(LEAVES) - 1)
    parser.add_argument(
        "--depth",
        type=int,
        choices=depths,
        default=6,
        help="of plain counts (%(default)s)",
    )
    parser.add_argument(
        "--repeats", type=positive_int, default=7, metavar="N", help="of each timing (%(default)s)"
    )
    parser.add_argument(
        "--redraw", action="store_true", help="draw what performance.json holds, measure nothing"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
