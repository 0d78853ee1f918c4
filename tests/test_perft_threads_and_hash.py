"""Threads and the hash table change how fast perft counts, and nothing else."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DATA, boards, games, play_on

import loa
from loa import suite

SUITE = suite.read_suite(DATA / "perft.txt")
WAYS = [
    {"threads": threads, "hash_mb": hash_mb}
    for threads in (1, 2, 4)
    for hash_mb in (0, 1, 16)
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_suite(way):
    for entry in SUITE:
        board = loa.Board(entry.fen, rules=entry.rules)
        for depth, leaves in entry.counts(60_000_000)[2:]:
            assert loa.perft(board, depth, **way) == leaves, (entry.name, depth)


def affordable_depth(board, most=40_000):
    depth = 1
    while depth < 6 and 0 < loa.perft(board, depth + 1) <= most:
        depth += 1
    return depth


@given(boards(), st.sampled_from(WAYS))
def test_any_position(board, way):
    depth = affordable_depth(board)
    assert loa.perft(board, depth, **way) == loa.perft(board, depth)
    assert loa.divide(board, depth, **way) == loa.divide(board, depth)


@given(games(), st.sampled_from(WAYS))
def test_random_games(start, way):
    board, generator = start
    play_on(board, generator, generator.randrange(120))
    depth = affordable_depth(board)
    assert loa.perft(board, depth, **way) == loa.perft(board, depth)


@settings(max_examples=20)
@given(st.integers(3, 5), st.sampled_from(["standard", "scrambled"]), st.integers(1, 4))
def test_one_small_table_for_a_deep_tree(size, setup, threads):
    """A megabyte is far too little here, so entries are fought for all the time."""
    board = loa.Board(size=size, setup=setup)
    depth = {3: 9, 4: 7, 5: 6}[size]
    expected = loa.perft(board, depth)
    assert loa.perft(board, depth, threads=threads, hash_mb=1) == expected


def test_hashing_goes_where_counting_cannot():
    """A hundred plies on the smallest board have more leaves than 64 bits hold."""
    board = loa.Board(size=3)
    depths = [4, 20, 40, 60, 80, 100]
    counts = [loa.perft(board, depth, hash_mb=16) for depth in depths]
    assert counts[0] == 108
    assert counts[-1] > 2**64
    assert counts == [loa.perft(board, depth, threads=2, hash_mb=16) for depth in depths]
    assert counts == [sum(loa.divide(board, depth, hash_mb=16).values()) for depth in depths]


def test_several_counts_at_once():
    results = []
    boards = [loa.Board(size=size) for size in (5, 6, 7, 8)]
    expected = [loa.perft(board, 5) for board in boards]

    def count(index):
        results.append((index, loa.perft(boards[index], 5, threads=2, hash_mb=4)))

    threads = [threading.Thread(target=count, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(enumerate(expected))


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_and_exceptions(threads):
    seen = []
    way = {"threads": threads, "hash_mb": 4}
    leaves = loa.perft(loa.Board(), 7, progress=lambda *state: seen.append(state), **way)
    assert leaves == 68593739064
    assert seen == sorted(seen)
    assert all(0 <= fraction <= 1 and 0 <= count <= leaves for fraction, count in seen)

    def stop(fraction, leaves):
        raise ZeroDivisionError

    for count in (loa.perft, loa.divide):
        with pytest.raises(ZeroDivisionError):
            count(loa.Board(), 12, progress=stop, **way)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("loa.")]


@pytest.mark.parametrize(
    ("arguments", "error", "fragment"),
    [
        ({"threads": 0}, loa.LoaError, "threads is 0"),
        ({"threads": -1}, loa.LoaError, "threads is -1"),
        ({"threads": 1025}, loa.LoaError, "threads is 1025"),
        ({"threads": 2**70}, loa.LoaError, "threads is"),
        ({"threads": None}, TypeError, "threads is None: expected an int"),
        ({"threads": 1.5}, TypeError, "threads is 1.5: expected an int"),
        ({"hash_mb": -1}, loa.LoaError, "hash_mb is -1"),
        ({"hash_mb": 2**50}, loa.LoaError, "hash_mb is"),
        ({"hash_mb": "64"}, TypeError, "hash_mb is '64': expected an int"),
        ({"hash_mb": 2**35}, MemoryError, "hash table"),
    ],
)
def test_bad_arguments(arguments, error, fragment):
    for count in (loa.perft, loa.divide):
        with pytest.raises(error, match=fragment):
            count(loa.Board(), 3, **arguments)
