"""What the benchmarks say: the machine, the table, the figures as JSON."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from benchmarks.timing import ENGINES, Result
from loa._terminal import Column, print_table

NOTES = (
    "Figures are medians of all repeats, and a ratio is how many times faster loa is than the "
    f"engine before it. Work is given in the order {', '.join(ENGINES)}; beside loa.perft the "
    "others count the last ply in Python too. Calls are timed at the start of the game, without "
    "the loop round them. OpenSpiel has to copy where loa takes back; it lists the moves and looks "
    "for the end of the game when a move is made, and legal_actions() hands out that list."
)

WIDTH = 100
"""Of text, in characters; the table takes what it needs."""


def machine() -> dict[str, str]:
    """What the figures depend on, by name; what cannot be found out is `unknown`."""
    compiler, cython = _built_by("loa._board")
    return {
        "CPU": _cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "loa": _version("loa"),
        "compiler": compiler,
        "Cython": cython,
        "numpy": _version("numpy"),
        "OpenSpiel": _version("open_spiel"),
    }


def machine_text(about: dict[str, str]) -> str:
    """What `machine` gives, on one line.

    >>> machine_text({"cores": "2", "Python": "CPython 3.11.7"})
    'cores 2, Python CPython 3.11.7'
    """
    return ", ".join(f"{name} {value}" for name, value in about.items())


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _cpu_model() -> str:
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or "unknown"


def _built_by(module: str) -> tuple[str, str]:
    """The compiler and the Cython that made a module, from the names that they leave in it.

    ELF files name their compilers; one that clang made may name GCC too, for its start-up code.
    """
    spec = importlib.util.find_spec(module)
    content = Path(spec.origin).read_bytes() if spec and spec.origin else b""
    clang = re.search(rb"clang version ([0-9.]+)", content)
    gcc = re.search(rb"GCC: \([^)]*\) ([0-9.]+)", content)
    cython = re.search(rb"_cython_([0-9]+(?:_[0-9]+)+)", content)
    compiler = f"clang {clang[1].decode()}" if clang else f"GCC {gcc[1].decode()}" if gcc else ""
    return compiler or "unknown", cython[1].decode().replace("_", ".") if cython else "unknown"


def figure_text(figure: float | None) -> str:
    """Three digits that say something, `-` for None.

    >>> figure_text(1938494632), figure_text(23.456), figure_text(0.5), figure_text(None)
    ('1,940,000,000', '23.5', '0.500', '-')
    """
    if figure is None:
        return "-"
    digits = 2 - math.floor(math.log10(figure))
    return f"{round(figure, digits):,.{max(digits, 0)}f}"


def print_report(results: Sequence[Result], about: dict[str, str]) -> None:
    """Print all that is to be read: drawn on a terminal where `rich` is installed, else plain."""
    columns: list[Column] = [("", "left"), ("work", "left"), ("unit", "left")]
    columns.append((ENGINES[0], "right"))
    for engine in ENGINES[1:]:
        columns.append((engine, "right"))
        columns.append(("ratio", "right"))
    rows = []
    for result in results:
        row = [result.title, result.work, result.figure_unit]
        row.append(figure_text(result.median(ENGINES[0])))
        for engine in ENGINES[1:]:
            row += [figure_text(result.median(engine)), figure_text(result.ratio(engine))]
        rows.append(row)
    print(textwrap.fill(machine_text(about), WIDTH))
    print()
    print_table(columns, rows)
    print()
    print(textwrap.fill(NOTES, WIDTH))


def write_json(
    file: TextIO, results: Sequence[Result], about: dict[str, str], repeats: int
) -> None:
    """Write all figures, those of every repeat too, and how many times faster loa is."""
    benchmarks = [
        {
            "title": result.title,
            "work": result.work,
            "unit": result.figure_unit,
            "medians": {engine: result.median(engine) for engine in result.samples},
            "ratios": {
                engine: result.ratio(engine) for engine in result.samples if engine != ENGINES[0]
            },
            "repeats": {engine: result.figures(engine) for engine in result.samples},
        }
        for result in results
    ]
    content = {"machine": about, "repeats": repeats, "benchmarks": benchmarks}
    json.dump(content, file, indent=1)
    file.write("\n")
