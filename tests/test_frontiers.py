"""Frontiers against plain perft, against counting by hand, and in memory against in files."""

import collections
import threading

import numpy as np
import pytest
from comparing import without_history
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import BLACK_PASSES, DATA, boards

import loa
from loa import _frontier, frontiers, suite

GOLDEN_DIGESTS = [
    "08b3165974e502a5",
    "c576adc1689ced9f",
    "79e9f778bfe86f0e",
    "2a4fc29b299c8aff",
]


def by_hand(board, plies):
    """The canonical positions after some plies with their numbers of sequences, by pushing."""
    counts = collections.Counter()

    def walk(current, left):
        if left == 0:
            canonical = current.canonical()
            counts[canonical.black, canonical.white] += 1
            return
        for move in current.legal_moves:
            current.push(move)
            walk(current, left - 1)
            current.pop()

    walk(without_history(board), plies)
    return counts


def as_dict(frontier):
    return {(int(black), int(white)): int(count) for black, white, count in frontier.entries}


@pytest.mark.parametrize(
    ("plies", "positions", "sequences"),
    [(0, 1, 1), (1, 9, 36), (2, 311, 1244), (3, 8244, 44952), (4, 208846, 1563208)],
)
def test_known_frontiers(plies, positions, sequences):
    frontier = loa.frontier(loa.Board(), plies)
    assert (len(frontier), frontier.sequences) == (positions, sequences)
    assert frontier.turn == plies % 2
    assert frontier.perft(plies) == sequences


def test_golden_digest():
    """The rows and their order are a promise: checkpoints on disk depend on them."""
    digests = [loa.frontier(loa.Board(), plies).digest[:16] for plies in range(4)]
    assert digests == GOLDEN_DIGESTS


@settings(max_examples=50)
@given(boards(), st.integers(0, 2))
def test_any_position(board, plies):
    frontier = loa.frontier(board, plies)
    assert as_dict(frontier) == by_hand(board, plies)
    depth = plies + 1
    assert frontier.sequences == loa.perft(board, plies)
    assert frontier.perft(depth) == loa.perft(board, depth)


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("setup", ["standard", "scrambled"])
def test_every_ply_gives_the_same_perft(size, setup):
    board = loa.Board(size=size, setup=setup)
    depth = {3: 9, 4: 6, 5: 6, 6: 5, 7: 5, 8: 5}[size]
    expected = loa.perft(board, depth)
    for plies in range(depth + 1 if size < 7 else depth):
        frontier = loa.frontier(board, plies, threads=2)
        for way in ({}, {"threads": 2}, {"threads": 2, "hash_mb": 4}):
            assert frontier.perft(depth, **way) == expected


def test_suite():
    """Every position of the suite, every depth that is not large, from every frontier."""
    for entry in suite.read_suite(DATA / "perft.txt"):
        board = loa.Board(entry.fen, rules=entry.rules)
        for plies in range(len(entry.leaves) + 1):
            if plies and entry.leaves[plies - 1] > 5_000:
                break
            frontier = loa.frontier(board, plies)
            for depth, leaves in entry.counts(2_000_000):
                if depth >= plies:
                    assert frontier.perft(depth) == leaves, (entry.name, plies, depth)


def test_rules_and_ended_positions():
    for rules in loa.Rules.presets().values():
        board = loa.Board(BLACK_PASSES, rules=rules)
        for plies in range(3):
            frontier = loa.frontier(board, plies)
            assert frontier.sequences == loa.perft(board, plies)
            assert frontier.perft(3) == loa.perft(board, 3)
    over = loa.frontier(loa.Board("bb1/3/w1w w 1"), 2)
    assert (len(over), over.sequences, over.perft(4), list(over.boards())) == (0, 0, 0, [])


def test_counts_beyond_64_bits():
    board = loa.Board(size=3)
    assert loa.frontier(board, 70).perft(100, hash_mb=16) == loa.perft(board, 100, hash_mb=16)
    with pytest.raises(loa.LoaError, match="fewer plies"):
        loa.frontier(loa.Board(size=3), 100).perft(100)


def test_sequences_beyond_64_bits():
    board = loa.Board(size=3)
    entries = np.array([[1, 4, 2**63 + 1]] * 5, np.uint64)
    assert loa.Frontier(board, 100, entries).sequences == 5 * (2**63 + 1)


def test_boards():
    frontier = loa.frontier(loa.Board(rules=loa.Rules.OPENSPIEL), 2)
    boards = list(frontier.boards())
    assert sum(sequences for _, sequences in boards) == 1244
    for board, _ in boards[:50]:
        assert (board.ply, board.turn, board.rules) == (2, loa.BLACK, loa.Rules.OPENSPIEL)
        assert board == board.canonical()


def test_folder(tmp_path, monkeypatch):
    """Files hold the same rows in the same order, however the work is cut up."""
    expected = loa.frontier(loa.Board(), 3)
    monkeypatch.setattr(frontiers, "_ROWS_AT_ONCE", 100)
    in_memory = loa.frontier(loa.Board(), 3, threads=2)
    in_files = loa.frontier(loa.Board(), 3, threads=2, folder=tmp_path / "new")
    assert isinstance(in_files.entries, np.memmap)
    for other in (in_memory, in_files):
        assert np.array_equal(other.entries, expected.entries)
        assert other.digest == expected.digest
    assert in_files.perft(5) == 55963132
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["frontier-3.u64"]
    data = np.fromfile(tmp_path / "new" / "frontier-3.u64", "<u8").reshape(-1, 3)
    assert np.array_equal(data, expected.entries)
    over = loa.frontier(loa.Board("bb1/3/w1w w 1"), 2, folder=tmp_path / "over")
    assert over.entries.shape == (0, 3)


def test_progress_and_exceptions(monkeypatch):
    monkeypatch.setattr(frontiers, "_ROWS_AT_ONCE", 100)
    seen = []
    loa.frontier(loa.Board(), 3, progress=lambda *state: seen.append(state))
    # The 311 positions of the ply before; to merge what they lead to is the rest of the work.
    assert [positions for _, positions in seen] == [100, 200, 300, 311]
    assert [fraction for fraction, _ in seen] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    frontier = loa.frontier(loa.Board(), 4)
    told = []
    assert frontier.perft(6, threads=2, progress=lambda *state: told.append(state)) == 1938494632
    assert told == sorted(told)
    assert told[-1] == (1.0, 1938494632)

    def stop(fraction, leaves):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        frontier.perft(9, threads=2, progress=stop)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("loa.")]


def test_later_changes_of_the_board_do_not_matter():
    board = loa.Board()
    frontier = loa.frontier(board, 2)
    board.push_text("c8-c6")
    assert frontier.perft(3) == 44952


@pytest.mark.parametrize(
    ("arguments", "options", "error", "fragment"),
    [
        ((None, 2), {}, TypeError, "loa.Board"),
        ((loa.Board(), -1), {}, loa.LoaError, "plies is -1"),
        ((loa.Board(), 101), {}, loa.LoaError, "plies is 101"),
        ((loa.Board(), "2"), {}, TypeError, "plies is '2': expected an int"),
        ((loa.Board(), 2), {"threads": 0}, loa.LoaError, "threads is 0"),
    ],
)
def test_bad_arguments(arguments, options, error, fragment):
    with pytest.raises(error, match=fragment):
        loa.frontier(*arguments, **options)


def test_bad_depth():
    frontier = loa.frontier(loa.Board(), 2)
    with pytest.raises(loa.LoaError, match="depth is 1: expected 2 or more"):
        frontier.perft(1)
    with pytest.raises(loa.LoaError, match="depth is 101"):
        frontier.perft(101)


ROW = [0x7E0000000000007E, 0x0081818181818100, 1]


@pytest.mark.parametrize(
    ("rows", "size", "turn", "stuck", "message"),
    [
        ([ROW], 2, 0, 0, "size is 2"),
        ([ROW], 9, 0, 0, "size is 9"),
        ([ROW], -1, 0, 0, "size is -1"),
        ([ROW], 8, 2, 0, "turn is 2"),
        ([ROW], 8, -1, 0, "turn is -1"),
        ([ROW], 8, 0, 3, "stuck is 3"),
        ([ROW], 8, 0, -1, "stuck is -1"),
        ([ROW], 5, 0, 0, "expected rows of two disjoint bitboards of the 5x5 board"),
        ([[3, 2, 1]], 8, 0, 0, "expected rows of two disjoint bitboards of the 8x8 board"),
        ([[3, 4]], 8, 0, 0, "entries of shape .1, 2.: expected rows"),
        ([[3, 4, 1, 1]], 8, 0, 0, "entries of shape .1, 4.: expected rows"),
        ([[1, 2**63, 1]], 3, 0, 0, "expected rows of two disjoint bitboards of the 3x3 board"),
    ],
)
def test_kernels_refuse_rows_that_are_no_positions(rows, size, turn, stuck, message):
    """Rows come from files and networks, and a wrong one must not reach memory it should not."""
    entries = np.array(rows, dtype=np.uint64)
    with pytest.raises(loa.LoaError, match=message):
        _frontier.expand(entries, size, turn, stuck)
    with pytest.raises(loa.LoaError, match=message):
        _frontier.ChunkCounter(size, turn, 3, stuck, None).count(entries)
    if entries.shape[1] != 3:
        with pytest.raises(loa.LoaError, match=r"entries have \d columns: expected 3"):
            _frontier.merge(entries)


def test_kernels_take_rows_without_pieces_for_ended():
    entries = np.array([[0, 0, 5], [1, 0, 5], [0, 1, 5]], dtype=np.uint64)
    assert len(_frontier.expand(entries, 8, 0, 0)[0]) == 0
    assert _frontier.ChunkCounter(8, 0, 3, 0, None).count(entries) == 0
    transposed = np.zeros((3, 2), np.uint64).T
    for wrong in (np.zeros((2, 3), np.int64), np.zeros(3, np.uint64), transposed, [[1, 2, 3]]):
        with pytest.raises((TypeError, ValueError)):
            _frontier.expand(wrong, 8, 0, 0)
