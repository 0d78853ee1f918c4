"""Many Python threads at once get what one thread gets.

Each thread of these tests gives way to another one every few microseconds.
"""

import contextlib
import pickle
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import loa

THREADS = 8


@pytest.fixture(autouse=True)
def restless():
    """Threads take turns a thousand times as often as usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(interval)


def hammer(work, arguments):
    """The results of `work` for each argument, in as many threads, which start together."""
    barrier = threading.Barrier(len(arguments))

    def start(argument):
        barrier.wait()
        return work(argument)

    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(start, arguments))


@contextlib.contextmanager
def refusals():
    """Lets a move be refused, by an error that is right: the board it names does not allow it."""
    try:
        yield
    except loa.IllegalMoveError as error:
        over = "is illegal: the game is over" in str(error)
        assert over or not loa.Board(error.fen).is_legal(error.move)
        assert error.fen in str(error)


def play(seed):
    """A random game with much besides, and what was seen on the way."""
    generator = random.Random(seed)
    board = loa.Board(size=generator.randint(4, 8))
    seen = []
    while not board.is_game_over() and len(seen) < 400:
        moves = board.legal_moves
        board.push(generator.choice(moves))
        copy = pickle.loads(pickle.dumps(board)) if generator.random() < 0.1 else board.copy()
        assert copy.pop() is board.peek()
        with refusals():
            copy.push(generator.choice(board.legal_moves or [loa.Move.PASS]))
        seen.append((len(moves), board.key, copy.fen(), board.repetition_count()))
        if generator.random() < 0.3 and board.move_stack:
            board.pop()
    return seen, board.fen(), board.outcome(), [move.code for move in board.move_stack]


def test_independent_boards():
    seeds = list(range(8 * THREADS))
    expected = [play(seed) for seed in seeds]
    for first in range(0, len(seeds), THREADS):
        found = hammer(play, seeds[first : first + THREADS])
        assert found == expected[first : first + THREADS]


def look(board):
    """All that can be asked of a board."""
    return (
        board.fen(),
        board.key,
        list(board.legal_moves),
        board.groups(loa.BLACK),
        str(board),
        board.copy() == board,
        board.transform(3).key,
        board.canonical().fen(),
        board.move_stack,
        board.repetition_count(),
        board.outcome(),
        loa.perft(board, 2),
        pickle.loads(pickle.dumps(board)) == board,
        board.playout(seed=3),
        loa.encodings.planes(board).tobytes(),
        loa.encodings.legal_mask(board).tobytes(),
    )


def test_one_board_that_all_look_at():
    """A verdict, which is kept with the position, and a list of moves are found by all at once."""
    generator = random.Random(4)
    for _ in range(5):
        board = loa.Board()
        for _ in range(40):
            board.push(generator.choice(board.legal_moves))
        expected = look(board.copy())
        moves = board.legal_moves
        found = hammer(lambda _, board=board, moves=moves: (look(board), list(moves)), range(8))
        assert found == [(expected, list(moves))] * 8


def test_one_board_that_all_change():
    """Moves of several threads mix, but each is made wholly, on what was there before."""
    board = loa.Board()

    def change(seed):
        generator = random.Random(seed)
        pushed = 0
        for _ in range(20_000):
            if pushed and generator.random() < 0.5:
                board.pop()
                pushed -= 1
            else:
                moves = list(board.legal_moves)
                with refusals():
                    board.push(generator.choice(moves or [loa.Move.PASS]))
                    pushed += 1
            copy = board.copy()
            assert copy.black | copy.white == copy.occupied
            assert not copy.black & copy.white
        return pushed

    left = sum(hammer(change, range(THREADS)))
    assert len(board.move_stack) == left
    again = loa.Board()
    for move in board.move_stack:
        again.push(move)
    assert (again, again.key) == (board, board.key)


def test_one_board_that_all_use_in_every_way():
    """What comes out mixes the moves of all; each answer is one of a board, and nothing breaks."""
    board = loa.Board()
    texts = ["1b1/w1w/1b1 w 1", None, "8/8/8/3bb3/8/w6w/8/8 w 1"]

    def use(seed):
        generator = random.Random(seed)
        for turn in range(300):
            for _ in range(generator.randint(0, 30)):
                moves = list(board.legal_moves)
                with refusals():
                    board.push(generator.choice(moves or [loa.Move.PASS]))
            with contextlib.suppress(IndexError):
                for _ in range(generator.randint(0, 30)):
                    board.pop()
            with refusals():
                board.push_unchecked(loa.Move.from_code(generator.randint(1, 62)))
                board.push_text("c8-c6")
            if turn % 10 == 0:
                board.__init__(generator.choice(texts), rules=loa.Rules.MSO.replace(ply_limit=turn))
            copy = board.copy()
            assert not copy.black & copy.white
            assert (board == copy) in {True, False}
            assert loa.Board(board.fen()).size in {3, 8}
            moves = board.legal_moves
            assert len(moves) == len(list(moves)) == len(list(reversed(moves)))
            restored = pickle.loads(pickle.dumps(board))
            assert restored.ply == restored.root().ply + len(restored.move_stack)
            assert str(board).count("\n") in {3, 8}
            assert board.svg().startswith("<svg")
            assert loa.perft(board, 1) <= 240
            assert board.playout(seed=1, max_plies=5).plies <= 5
            # A batch that has begun with one size refuses another.
            with contextlib.suppress(loa.LoaError):
                assert len(loa.BoardBatch.from_boards([board])) == 1

    hammer(use, range(THREADS))
    board.__init__()
    assert look(board) == look(loa.Board())


def test_one_list_of_moves_that_all_read():
    """The moves are listed by the first who needs them."""
    expected = list(loa.Board().legal_moves)
    for _ in range(300):
        moves = loa.Board().legal_moves
        assert hammer(lambda _, moves=moves: list(moves), range(THREADS)) == [expected] * THREADS


def test_counts_at_once():
    """Each count has threads of its own, which share a table."""
    boards = [
        loa.Board(size=size, setup=setup)
        for size in (5, 6, 7, 8)
        for setup in ("standard", "scrambled")
    ]
    expected = [loa.perft(board, 5) for board in boards]
    below = [loa.divide(board, 4) for board in boards]

    def count(index):
        way = {"threads": 1 + index % 3, "hash_mb": index % 2 + 1}
        return loa.perft(boards[index], 5, **way), loa.divide(boards[index], 4, **way)

    for _ in range(3):
        found = hammer(count, range(len(boards)))
        assert found == list(zip(expected, below, strict=True))


def test_one_table_for_many_threads():
    """A megabyte is far too little here, so entries are fought for all the time."""
    board = loa.Board(size=4)
    expected = loa.perft(board, 8)
    ways = [{"threads": threads, "hash_mb": 1} for threads in (8, 16)]
    assert [loa.perft(board, 8, **way) for way in ways] == [expected] * 2


def test_other_counts_at_once():
    board = loa.Board(size=5)
    statistics = loa.perft_statistics(board, 4)
    leaves = loa.perft(board, 6)

    def count(index):
        if index % 2:
            return loa.perft_statistics(board, 4)
        return loa.frontier(board, 3, threads=2).perft(6, threads=2, hash_mb=1)

    assert hammer(count, range(6)) == [leaves, statistics] * 3


def test_one_batch_in_which_each_thread_plays_a_row():
    """Steps of the others leave a row alone, so that each game is that of a board."""
    batch = loa.BoardBatch(THREADS)

    def play_row(row):
        generator = random.Random(row)
        board = loa.Board()
        for _ in range(150):
            if board.is_game_over():
                break
            action = loa.encodings.action_of(board, generator.choice(board.legal_moves))
            board.push(loa.encodings.move_of(board, action))
            actions = np.full(THREADS, -1)
            actions[row] = action
            batch.step(actions)
            assert (batch.plies[row], batch.keys[row]) == (board.ply, board.key)
            assert (batch.legal_mask()[row] == loa.encodings.legal_mask(board)).all()
            assert batch.copy().to_boards()[row] == board
        return board

    assert hammer(play_row, range(THREADS)) == batch.to_boards()


def test_boards_that_are_set_up_again():
    """A call sees the pieces, the rules and the last move of one moment."""
    small = loa.Board(size=5, rules=loa.Rules.PLAYSTRATEGY)
    large = loa.Board(setup="scrambled")
    known = {repr(board): board._repr_svg_() for board in (small, large)}
    board = small.copy()

    def work(index):
        for _ in range(300):
            if index == 0:
                board.__init__(size=5, rules=loa.Rules.PLAYSTRATEGY)
                board.__init__(setup="scrambled")
            assert repr(board) in known
            assert board._repr_svg_() in known.values()
            assert pickle.loads(pickle.dumps(board)) in (small, large)
            assert not board.can_claim_draw()
            assert board != large or board.copy() in (small, large)

    hammer(work, range(THREADS))


def test_one_large_batch_with_threads_of_its_own():
    """Its rows are shared out among threads, without Python's lock, in one call at a time."""
    batch = loa.BoardBatch(4000, size=6, threads=3)
    lock = threading.Lock()
    steps = 15

    def step(_):
        for _ in range(steps):
            # An action has to be for the position that is there; whose it is does not matter.
            with lock:
                batch.step(batch.sample_actions(7))
            boards = batch.copy()
            # No step is seen half made: all games that go on are at one ply.
            assert len(set(boards.plies[~boards.terminated].tolist())) == 1
            assert not (boards.black & boards.white).any()
            assert (boards.planes().sum(axis=(1, 2, 3)) > 0).all()

    hammer(step, range(THREADS))
    expected = loa.BoardBatch(4000, size=6)
    for _ in range(THREADS * steps):
        expected.step(expected.sample_actions(7))
    assert (batch.keys == expected.keys).all()
    assert (batch.plies == expected.plies).all()
    assert (batch.planes() == expected.planes()).all()


def test_playouts_at_once():
    eager = loa.PlayoutPolicy.from_factors(capture=3)
    boards = [loa.Board(), loa.Board(setup="scrambled")]

    def arrays(index, threads):
        policy = eager if index % 2 else None
        games = loa.playouts(boards, 300, seed=index, threads=threads, policy=policy)
        return games.winners.tobytes(), games.terminations.tobytes(), games.plies.tobytes()

    expected = [arrays(index, 1) for index in range(THREADS)]
    assert hammer(lambda index: arrays(index, 1 + index % 3), range(THREADS)) == expected
