"""The counts of all starts: the suite, docs/perft.md and the command that writes both."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from commands import ROOT, run_command
from positions import DATA

import loa
from loa.suite import SuiteEntry, read_suite

ENTRIES = read_suite(DATA / "start-positions.txt")
DOCUMENT = (ROOT / "docs" / "perft.md").read_text(encoding="utf-8")

MAX_LEAVES = 2 * 10**9

run = functools.partial(run_command, "benchmarks.tables")


def sections(text: str) -> dict[str, list[list[str]]]:
    """The cells of all table rows by the heading above them."""
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = part.partition("\n")
        lines = [line for line in rest.splitlines() if line.startswith("| ")]
        found[heading] = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return found


def number(cell: str) -> int:
    return int(cell.replace(",", ""))


def test_suite_has_every_start() -> None:
    expected = [
        (f"{name}-{size}x{size}", loa.Board(size=size, setup=setup).fen())
        for size in range(3, 9)
        for name, setup in (("start", "standard"), ("scrambled", "scrambled"))
    ]
    assert [(entry.name, entry.fen) for entry in ENTRIES] == expected
    assert all(len(entry.leaves) == 9 for entry in ENTRIES)
    # The suite's rules for a side without a move are those of MSO.
    assert {entry.rules for entry in ENTRIES} == {loa.Rules.MSO}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_counts(entry: SuiteEntry) -> None:
    results = entry.check(MAX_LEAVES)
    assert len(results) >= 6
    assert all(result.passed for result in results)


def test_known_counts() -> None:
    """Those that independent programs have published or found."""
    leaves = {entry.name: entry.leaves for entry in ENTRIES}
    assert leaves["start-8x8"][:8] == (
        *(36, 1244, 44952, 1563208, 55963132),
        *(1938494632, 68593739064, 2359740849708),
    )
    assert leaves["scrambled-8x8"][:6] == (32, 992, 32000, 1002260, 32396552, 1021094088)


def test_counts_are_those_of_the_other_suite() -> None:
    known = {(entry.fen, entry.rules): entry.leaves for entry in read_suite(DATA / "perft.txt")}
    compared = 0
    for entry in ENTRIES:
        other = known.get((entry.fen, entry.rules), ())
        assert entry.leaves[: len(other)] == other
        compared += len(other)
    assert compared > 30


def test_document_has_the_counts_of_the_suite() -> None:
    tables = sections(DOCUMENT)
    overview = [row for row in tables["All counts"] if row[0].isdecimal()]
    assert len(overview) == 18
    for index, entry in enumerate(ENTRIES):
        name, size = entry.name.split("-")
        setup = {"start": "standard"}.get(name, name)
        rows = [row for row in tables[f"{size.replace('x', '×')}, {setup}"] if row[0].isdecimal()]
        assert [int(row[0]) for row in rows] == list(range(1, 10))
        assert [number(row[1]) for row in rows] == list(entry.leaves)
        of_setup = overview[9 * (index % 2) :][:9]
        assert [number(row[1 + index // 2]) for row in of_setup] == list(entry.leaves)
        # Every command names the start that it counts.
        for row in rows:
            words = row[-1].strip("`").split()
            assert words[:3] == ["loa", "perft", row[0]]
            assert (setup in words) == (setup != "standard")
            assert ("--size" in words) == (entry.fen.count("/") != 7)


def test_document_has_divided_counts_that_sum_up() -> None:
    tables = sections(DOCUMENT)
    for entry in ENTRIES:
        name, size = entry.name.split("-")
        title = f"{size.replace('x', '×')}, {'standard' if name == 'start' else name}"
        rows = [row for row in tables[title] if re.match(r"[a-h][1-8][-x]", row[0])]
        board = loa.Board(entry.fen)
        moves = [move for row in rows for move in row[0].split()]
        assert sorted(moves) == sorted(board.move_text(move) for move in board.legal_moves)
        total = sum(len(row[0].split()) * number(row[2]) for row in rows)
        assert total in entry.leaves


@pytest.mark.parametrize(("size", "setup", "depth"), [(5, "standard", 5), (8, "scrambled", 4)])
def test_document_has_the_categories(size: int, setup: str, depth: int) -> None:
    rows = sections(DOCUMENT)[f"{size}×{size}, {setup}"]
    (row,) = (row for row in rows if row[0] == str(depth))
    found = loa.perft_statistics(loa.Board(size=size, setup=setup), depth)
    assert [number(cell) for cell in row[3:8]] == [
        found.captures,
        found.mover_connections,
        found.opponent_connections,
        found.simultaneous_connections,
        found.passes,
    ]


def test_command_writes_both_files_and_goes_on_from_its_journal(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("out", "suite", "journal")}
    arguments = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    arguments += ["--max-leaves", "1000", "--threads", "1"]
    finished = run(*arguments)
    assert finished.returncode == 0, finished.stderr
    entries = read_suite(paths["suite"])
    assert [entry.leaves for entry in entries] == [
        full.leaves[: len(entry.leaves)] for entry, full in zip(entries, ENTRIES, strict=True)
    ]
    assert [len(entry.leaves) for entry in entries] == [9, 9, 3, 4, 3, 3, 3, 3, 3, 3, 2, 3]
    assert sections(paths["out"].read_text(encoding="utf-8")).keys() == sections(DOCUMENT).keys()
    lines = paths["journal"].read_text(encoding="utf-8").splitlines()
    assert finished.stderr.count("\n") == len(lines)

    # What is in the journal is not counted again, and a wrong number there is noticed.
    wrong = [line.replace('"plain", 36]', '"plain", 37]') for line in lines[:-1]]
    paths["journal"].write_text("\n".join(wrong) + "\n", encoding="utf-8")
    finished = run(*arguments)
    assert finished.returncode == 1
    expected = "wrong count: start-8x8 at depth 1: plain 37, hashed 36, statistics 36\n"
    assert finished.stderr == expected

    # What is there can be written alone, and says which counts were found once only.
    once = [line for line in lines if '"plain"' not in line or '"start-8x8"' not in line]
    paths["journal"].write_text("\n".join(once) + "\n", encoding="utf-8")
    assert run(*arguments, "--only-known").returncode == 0
    rows = sections(paths["out"].read_text(encoding="utf-8"))
    methods = {title: {row[2] for row in rows[title] if row[0] == "1"} for title in rows}
    assert methods["8×8, standard"] == {"hashed only"}
    assert methods["8×8, scrambled"] == {"plain, hashed"}


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("plain", "wrong count: start-3x3 at depth 1: plain 5, hashed 4, statistics 4\n"),
        ("hashed", "wrong count: start-3x3 at depth 1: plain 4, hashed 5, statistics 4\n"),
    ],
)
def test_methods_that_differ_fail(tmp_path: Path, method: str, message: str) -> None:
    before = f"from benchmarks import tables; tables.METHODS[{method!r}] = lambda *_: 5"
    out, suite = str(tmp_path / "out"), str(tmp_path / "suite")
    finished = run("--max-leaves", "10", "--out", out, "--suite", suite, before=before)
    assert finished.returncode == 1
    assert finished.stderr.endswith(message)
    assert list(tmp_path.iterdir()) == []


def test_doctests_of_the_command() -> None:
    before = (
        "import doctest\nfrom benchmarks import tables\n"
        "raise SystemExit(doctest.testmod(tables).failed)"
    )
    assert run(before=before).returncode == 0
