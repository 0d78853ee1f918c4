"""Reading and checking perft suites: the shipped one, malformed ones and random ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DATA
from record_files import changed

import loa
from fuzz.texts import suites
from loa.suite import SuiteEntry, SuiteResult, read_suite

LINE = "start-3x3 | 1b1/w1w/1b1 b 1 | pass | 4 16 40 108"


@pytest.fixture(scope="module")
def entries() -> list[SuiteEntry]:
    return read_suite(DATA / "perft.txt")


@pytest.fixture
def read(tmp_path):
    """Reads a suite from a text or bytes."""

    def read(content):
        path = tmp_path / "suite.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_suite(path)

    return read


def test_the_shipped_suite_is_read(entries):
    lines = (DATA / "perft.txt").read_text(encoding="utf-8").splitlines()
    assert len(entries) == sum(not line.startswith("#") for line in lines)
    names = {rule.value: rule for rule in loa.NoLegalMove}
    for entry in entries:
        name, fen, rule, leaves = lines[entry.line - 1].split(" | ")
        assert (entry.name, entry.fen) == (name, fen)
        assert entry.rules == loa.Rules.MSO.replace(no_legal_move=names[rule])
        assert " ".join(map(str, entry.leaves)) == leaves
    assert entries[0].leaves[-1] == 1_938_494_632


def test_the_shipped_suite_passes(entries):
    results = [result for entry in entries for result in entry.check(max_leaves=100_000)]
    assert len(results) > 500
    assert [result for result in results if not result.passed] == []


def test_layouts(read):
    (entry,) = read(LINE)
    assert entry == SuiteEntry("start-3x3", "1b1/w1w/1b1 b 1", loa.Rules.MSO, (4, 16, 40, 108), 1)
    assert read(f"# a\n\n \t\n  # b\n{LINE}\r\n") == [
        SuiteEntry(entry.name, entry.fen, entry.rules, entry.leaves, 5)
    ]
    assert read(LINE.replace(" | ", "|") + "\n") == [entry]
    assert read("\ufeff\t" + LINE.replace("4 16", "4\t 16 ")) == [entry]
    assert read(LINE.replace("pass", "draw"))[0].rules.no_legal_move is loa.NoLegalMove.DRAW
    assert read(LINE.replace("108", str(2**64 - 1)))[0].leaves[-1] == 2**64 - 1
    assert read("") == read("# nothing\n") == []


MALFORMED = [
    # what is wrong, line, column, a part of the message
    ("start-3x3", 1, 10, "end of line after 'start-3x3': expected | FEN"),
    ("a | 1b1/w1w/1b1 b 1", 1, 20, "end of line after '1b1/w1w/1b1 b 1': expected | rule"),
    ("\n\na | 1b1/w1w/1b1 b 1 | pass", 3, 27, "end of line after 'pass': expected | leaves"),
    (" | 1b1/w1w/1b1 b 1 | pass | 4", 1, 2, "empty field in"),
    ("a |  | pass | 4", 1, 6, "expected FEN"),
    ("a | 1b1/w1w/1b1 b 1 || 4", 1, 22, "expected rule"),
    (LINE + "\na | 1b1/w1w/1b1 b 1 | pass | ", 2, 30, "expected leaves"),
    (LINE + " | 5", 1, 52, "field '5' after the leaves: expected name | FEN | rule | leaves"),
    (LINE + " |", 1, 51, "field '' after the leaves"),
    ("a | 1b1/w1w/1b1 b 1 | resign | 4", 1, 23, "rule 'resign': expected one of pass, loss, draw"),
    ("a | 1b1/w1w/1b1 b 1 | Pass | 4", 1, 23, "rule 'Pass': expected one of"),
    ("a | 1b1/w1w/1b1 c | pass | 4", 1, 5, "FEN '1b1/w1w/1b1 c': expected a position ("),
    ("a | 1b1/w1w/1b b 1 | pass | 4", 1, 5, "FEN '1b1/w1w/1b b 1': expected a position ("),
    ("a | 3/3/1b1 b 1 | pass | 4", 1, 5, "FEN '3/3/1b1 b 1': expected a position ("),
    ("a | " + "b" * 5000 + " | pass | 4", 1, 5, "FEN '" + "b" * 40 + "…'"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4 16 -40", 1, 35, "leaves '-40' at depth 3: expected a whole"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4, 16", 1, 30, "leaves '4,' at depth 1: expected a whole"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4 016", 1, 32, "leaves '016' at depth 2"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4 1_6", 1, 32, "leaves '1_6' at depth 2"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4 ١٦", 1, 32, "leaves '١٦' at depth 2"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4e0", 1, 30, "leaves '4e0' at depth 1"),
    ("a | 1b1/w1w/1b1 b 1 | pass | 4 # four", 1, 32, "leaves '#' at depth 2"),
    (f"a | 1b1/w1w/1b1 b 1 | pass | {2**64}", 1, 30, "expected a whole number from 0 to 2**64 - 1"),
    ("a | 1b1/w1w/1b1 b 1 | pass | " + "9" * 5000, 1, 30, "9…' at depth 1"),
    ("a | 1b1/w1w/1b1 b 1 | pass |" + " 1" * 101, 1, 230, "'1' at depth 101: expected 100 at mo"),
    ("# r\u00e9sum\u00e9\n".encode("latin-1"), 1, 4, "byte 0xe9: expected UTF-8 text"),
]


@pytest.mark.parametrize(("content", "line", "column", "fragment"), MALFORMED)
def test_malformed(read, content, line, column, fragment):
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(content)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_suite(tmp_path / "none.txt")
    with pytest.raises(TypeError):
        read_suite(None)


# Checking ---------------------------------------------------------------------------------------


def test_check(read):
    (entry,) = read(LINE.replace("16", "17"))
    assert entry.check() == [
        SuiteResult(1, 4, 4),
        SuiteResult(2, 17, 16),
        SuiteResult(3, 40, 40),
        SuiteResult(4, 108, 108),
    ]
    assert [result.passed for result in entry.check()] == [True, False, True, True]


@pytest.mark.parametrize(
    ("max_leaves", "max_depth", "depths"),
    [(None, None, 4), (108, None, 4), (107, None, 3), (None, 2, 2), (20, 3, 2), (3, None, 0)],
)
def test_limits(read, max_leaves, max_depth, depths):
    (entry,) = read(LINE)
    counts = entry.counts(max_leaves, max_depth=max_depth)
    assert counts == list(enumerate(entry.leaves[:depths], start=1))
    results = entry.check(max_leaves, max_depth=max_depth)
    assert [(result.depth, result.expected) for result in results] == counts


def test_counts_under_a_cap_need_not_be_the_first(read):
    (entry,) = read("a | w7/8/8/3b4/4w3/8/8/7b b 1 | pass | 99 84 99")
    assert entry.counts(90) == [(2, 84)]


def test_rules_of_an_entry_matter(entries):
    blocked = {
        entry.rules.no_legal_move: [result.counted for result in entry.check()]
        for entry in entries
        if entry.name == "blocked-0-b"
    }
    assert blocked == {loa.NoLegalMove.PASS: [1, 28, 28], loa.NoLegalMove.LOSS: [0, 0, 0]}


def test_progress_covers_the_whole_entry(entries):
    entry = entries[0]
    calls: list[tuple[float, int]] = []
    entry.check(max_leaves=100_000_000, progress=lambda *call: calls.append(call))
    assert len(calls) >= 5
    assert calls == sorted(calls)
    assert all(0 <= fraction <= 1 and leaves > 0 for fraction, leaves in calls)
    assert calls[-1] == (1.0, sum(entry.leaves[:5]))


def test_progress_of_several_depths(monkeypatch, read):
    """With a count that reports at its half and at its end, as long counts do many times."""

    def perft(board, depth, *, progress):
        leaves = loa.perft(board, depth)
        progress(0.5, leaves // 2)
        progress(1.0, leaves)
        return leaves

    monkeypatch.setattr("loa.suite.perft", perft)
    (entry,) = read(LINE)
    calls: list[tuple[float, int]] = []
    entry.check(progress=lambda *call: calls.append(call))
    assert [leaves for _, leaves in calls] == [2, 4, 12, 20, 40, 60, 114, 168]
    assert [fraction for fraction, _ in calls] == pytest.approx(
        [part / 172 for part in (2.5, 5, 13.5, 22, 42.5, 63, 117.5, 172)]
    )


def test_progress_can_stop_a_check(monkeypatch, read):
    def perft(board, depth, *, progress):
        progress(0.0, 0)
        raise AssertionError("the count goes on")

    def stop(fraction, leaves):
        raise KeyboardInterrupt

    monkeypatch.setattr("loa.suite.perft", perft)
    with pytest.raises(KeyboardInterrupt):
        read(LINE)[0].check(progress=stop)


# Random files -----------------------------------------------------------------------------------


@given(st.binary(max_size=200))
def test_random_bytes(content):
    suites(content)


@given(st.text(max_size=200))
def test_random_text(text):
    suites(text.encode())


@given(
    st.lists(st.sampled_from([*LINE.split(" "), " | ", "|", " ", "\n", "#"]) | st.text(max_size=3))
)
def test_random_pieces(pieces):
    suites("".join(pieces).encode())


@settings(max_examples=300)
@given(st.data())
def test_changed_suites(data):
    """A valid file with some stretches replaced."""
    content = f"# comment\n{LINE}\n{LINE}\n".encode()
    pieces = st.sampled_from(["|", " ", "0", "9", "\t"])
    suites(changed(data, content, pieces))
