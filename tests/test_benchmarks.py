"""The command `python -m benchmarks`: what it prints and writes, and that it checks its counts.

No test looks at how fast anything is.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loa.suite import read_suite

ROOT = Path(__file__).parent.parent
TINY = ("--quick", "--depth", "2", "--repeats", "1")
HAS_OPENSPIEL = importlib.util.find_spec("pyspiel") is not None
TITLES = [
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
]


def run(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with some Python before it."""
    code = f"{before}\nimport sys\nfrom benchmarks.__main__ import main\nsys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_json_has_every_figure_and_ratio(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    arguments = ["-m", "benchmarks", *TINY, "--repeats", "2", "--json", str(path)]
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert list(content) == ["machine", "repeats", "benchmarks"]
    assert content["repeats"] == 2
    assert content["machine"].keys() >= {"CPU", "cores", "Python", "compiler", "numpy", "OpenSpiel"}
    assert [(row["title"], row["unit"]) for row in content["benchmarks"]] == TITLES
    for row in content["benchmarks"]:
        medians, ratios = row["medians"], row["ratios"]
        assert "loa" in medians
        assert medians.keys() == row["repeats"].keys() == {"loa", *ratios}
        assert all(len(figures) == 2 and min(figures) > 0 for figures in row["repeats"].values())
        for engine, ratio in ratios.items():
            # The median of two rates is not the inverse of that of two times, but is near it.
            speeds = [1 / medians[name] if row["unit"] == "ns" else medians[name]
                      for name in ("loa", engine)]  # fmt: skip
            assert math.isfinite(ratio)
            assert ratio > 0
            assert speeds
    engines = {engine for row in content["benchmarks"] for engine in row["medians"]}
    assert engines == {"loa", "reference"} | ({"OpenSpiel"} if HAS_OPENSPIEL else set())
