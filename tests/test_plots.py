"""The command `python -m benchmarks.plots`: what it writes, and that it checks its counts.

No test looks at how fast anything is.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from commands import ROOT, run_command

from loa.suite import read_suite

NAMES = {"depth", "forms", "threads", "hash"}
TINY = ("--depth", "3", "--repeats", "1")

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="draws with matplotlib"
)

run = functools.partial(run_command, "benchmarks.plots")


@needs_matplotlib
def test_command_draws_what_it_measured(tmp_path: Path) -> None:
    finished = run(*TINY, "--out", str(tmp_path))
    assert (finished.returncode, finished.stderr) == (0, "")
    content = json.loads((tmp_path / "performance.json").read_text(encoding="utf-8"))
    assert content["repeats"] == 1
    assert content["pictures"].keys() == NAMES
    lines = finished.stdout.splitlines()
    for name, picture in content["pictures"].items():
        root = ElementTree.fromstring((tmp_path / f"{name}.svg").read_bytes())
        texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {picture["title"], picture["x_label"], *picture["figures"]} <= texts
        for label, figures in picture["figures"].items():
            assert all(len(rates) == 1 and rates[0] > 0 for rates in figures.values())
            assert lines.pop(0).startswith(f"{name}, {label}: ")
    assert lines == []

    # The same figures make the same files.
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run("--redraw", "--out", str(tmp_path)).stdout == finished.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_wrong_count_fails(tmp_path: Path) -> None:
    before = "from benchmarks import plots; plots.LEAVES = (1, 36, 1245, *plots.LEAVES[3:])"
    finished = run(*TINY, "--out", str(tmp_path), before=before)
    assert finished.returncode == 1
    expected = "counted 1,244 leaves, expected 1,245\n"
    assert finished.stderr.startswith("wrong count: hashed, 64 MB: ")
    assert finished.stderr.endswith(expected)
    assert list(tmp_path.iterdir()) == []


def test_expected_leaves_are_those_of_the_suite() -> None:
    suite = read_suite(ROOT / "tests" / "data" / "start-positions.txt")
    (start,) = (entry for entry in suite if entry.name == "start-8x8")
    code = "from benchmarks.plots import LEAVES; print(*LEAVES)"
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    leaves = [int(word) for word in finished.stdout.split()]
    assert leaves == [1, *start.leaves[: len(leaves) - 1]]


@pytest.mark.parametrize("arguments", [("--depth", "2"), ("--repeats", "x")])
def test_wrong_arguments_fail(arguments: tuple[str, str]) -> None:
    finished = run(*arguments)
    assert finished.returncode == 2
    assert arguments[0] in finished.stderr


def test_document_shows_every_picture() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"!\[[^]]+\]\(images/(\w+)\.svg\)", text))
    assert shown == NAMES
    for name in NAMES:
        ElementTree.parse(ROOT / "docs" / "images" / f"{name}.svg")
