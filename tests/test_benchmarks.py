"""The command `python -m benchmarks`: what it prints and writes, and that it checks its counts.

No test looks at how fast anything is.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, run_command

from loa.records import FORMATS
from loa.suite import read_suite

SUITE = ROOT / "tests" / "data" / "perft.txt"
TINY = ("--quick", "--depth", "2", "--repeats", "2")
HAS_OPENSPIEL = importlib.util.find_spec("pyspiel") is not None
ROWS = [
    ("loa.perft", "leaves/s"),
    ("perft in Python: len(legal_moves)", "leaves/s"),
    ("perft in Python: push, pop", "nodes/s"),
    ("perft in Python: push_unchecked, pop", "nodes/s"),
    ("push(move), pop()", "ns"),
    ("push_unchecked(move), pop()", "ns"),
    ("legal_moves", "ns"),
    ("list(legal_moves)", "ns"),
    ("len(legal_moves)", "ns"),
    ("move in legal_moves", "ns"),
    ("copy()", "ns"),
    ("is_game_over(), new position", "ns"),
    ("fen()", "ns"),
    ("random games: no repetition", "games/s"),
    ("random games: no repetition", "plies/s"),
    ("random games: OpenSpiel's rules", "games/s"),
    ("random games: OpenSpiel's rules", "plies/s"),
    ("loa.playouts: no repetition", "games/s"),
    ("loa.playouts: no repetition", "plies/s"),
    ("loa.playouts: OpenSpiel's rules", "games/s"),
    ("loa.playouts: OpenSpiel's rules", "plies/s"),
    ("BoardBatch: step, legal_mask", "board-steps/s"),
    ("Board: push, list(legal_moves)", "board-steps/s"),
]
WITHOUT_OPENSPIEL = "import sys; sys.modules['pyspiel'] = None"

run = functools.partial(run_command, "benchmarks.__main__")


@pytest.mark.parametrize("before", ["", WITHOUT_OPENSPIEL])
def test_table_and_json_have_every_figure(tmp_path: Path, before: str) -> None:
    path = tmp_path / "figures.json"
    finished = run(*TINY, "--json", str(path), before=before)
    assert (finished.returncode, finished.stderr) == (0, "")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))

    assert list(content) == ["machine", "repeats", "benchmarks"]
    about = content["machine"]
    assert about.keys() >= {"CPU", "cores", "Python", "compiler", "Cython", "numpy", "OpenSpiel"}
    assert all(about.values())
    assert content["repeats"] == 2

    rows = content["benchmarks"]
    assert [(row["title"], row["unit"]) for row in rows] == ROWS
    for row in rows:
        medians, ratios = row["medians"], row["ratios"]
        assert medians.keys() == row["repeats"].keys() == {"loa", *ratios}
        for engine, figures in row["repeats"].items():
            assert len(figures) == 2
            assert 0 < min(figures) <= medians[engine] <= max(figures)
        for engine, ratio in ratios.items():
            faster, slower = medians["loa"], medians[engine]
            if row["unit"] == "ns":
                faster, slower = slower, faster
            assert ratio == pytest.approx(faster / slower)
    engines = {engine for row in rows for engine in row["medians"]}
    assert engines == {"loa", "reference"} | (
        {"OpenSpiel"} if HAS_OPENSPIEL and not before else set()
    )

    lines = finished.stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if line.split()[:1] == ["work"])
    for line, row in zip(lines[first + 1 :], rows, strict=False):
        cells = re.split(r" {2,}", line)
        assert cells[:3] == [row["title"], row["work"], row["unit"]]
        assert len(cells) == 8
        for engine, cell in zip(("loa", "reference", "", "OpenSpiel"), cells[3:], strict=False):
            if engine:
                assert (cell == "-") == (engine not in row["medians"])


def test_module_runs_with_dash_m() -> None:
    command = [sys.executable, "-m", "benchmarks", "--help"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "--quick" in finished.stdout


def test_expected_leaves_are_those_of_the_suite() -> None:
    (start,) = (entry for entry in read_suite(SUITE) if entry.name == "start-8x8")
    finished = subprocess.run(
        [sys.executable, "-c", "from benchmarks.work import LEAVES; print(*LEAVES)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.split() == ["1", *map(str, start.leaves)]


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            "from benchmarks import work; work.LEAVES = (1, 36, 1245)",
            "wrong count: loa.perft: loa counted 1,244 leaves, expected 1,245\n",
        ),
        (
            "from benchmarks import work; work.reference_push_all = lambda game, depth: 37",
            "wrong count: perft in Python: push, pop: reference counted 37 leaves, expected 36\n",
        ),
        (
            "from benchmarks import work; work.GAMES = work.GAMES | {'loa': 0}",
            "wrong count: random games: no repetition: loa counted 0 plies, expected 105,102\n",
        ),
    ],
)
def test_wrong_count_fails(before: str, message: str) -> None:
    finished = run(*TINY, before=before)
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", message)


def test_file_that_cannot_be_written_fails_before_anything_is_timed(tmp_path: Path) -> None:
    finished = run("--json", str(tmp_path / "missing" / "figures.json"))
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith("error: ")


@pytest.mark.parametrize("arguments", [("--depth", "7"), ("--depth", "0"), ("--repeats", "0")])
def test_wrong_arguments_fail(arguments: tuple[str, str]) -> None:
    finished = run(*arguments)
    assert finished.returncode == 2
    assert arguments[0] in finished.stderr


def test_records_in_every_format() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.records", "--games", "45"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    titles = [line[:20].strip() for line in finished.stdout.splitlines()[1:-1]]
    works = [f"{name}: {work}" for name in FORMATS for work in ("write", "read")]
    assert titles == [*works, "positions: write", "statistics"]
