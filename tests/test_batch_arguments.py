"""`BoardBatch` and bad arguments: illegal actions, arrays of all kinds, other threads."""

import contextlib
import gc
import re
import threading

import numpy as np
import pytest

import loa
from loa import BoardBatch

LEGAL, ILLEGAL = 468, 3


def plies(batch: BoardBatch) -> list[int]:
    return batch.plies.tolist()


# Illegal actions


@pytest.mark.parametrize(
    ("fen", "action", "reason"),
    [
        (None, 3, r"action 3 \(a1 SE\): black is to move and has no piece on a1"),
        (None, 9 * 8, r"\(b2 N\): black is to move and has no piece on b2"),
        (None, 512, r"action 512 \(pass\): black has a move to make"),
        (None, 8 + 6, r"\(b1 W\): b1 moves 6 squares along this line, and the board ends before"),
        (None, 8 + 4, r"\(b1 S\): b1 moves 2 squares along this line, and the board ends before"),
        ("b1b1/4/w3/3w b 1", 2, r"\(a1 E\): black is to move and has no piece on a1"),
        ("w3/3w/4/b1b1 b 1", 2, r"\(a1 E\): black has a piece on c1 already"),
        ("w3/4/4/bwb1 b 1", 2, r"\(a1 E\): an enemy piece stands between a1 and d1"),
        ("w3/4/4/bwb1 b 1", 7 * 8, r"\(h1 N\): h1 is not on the 4x4 board"),
        ("w3/4/4/bwb1 b 1", 63 * 8 + 5, r"\(h8 SW\): h8 is not on the 4x4 board"),
        ("4/4/4/bbw1 b 1", 0, r"\(a1 N\): the game is over by simultaneous connection"),
        ("bwb/wbw/bwb w 1", 8, r"\(b1 N\): the game is over by"),
    ],
)
def test_why_an_action_is_illegal(fen, action, reason):
    board = loa.Board() if fen is None else loa.Board(fen)
    batch = BoardBatch.from_boards([board])
    with pytest.raises(loa.IllegalMoveError, match=reason) as caught:
        batch.step([action])
    assert caught.value.move == action
    assert caught.value.fen == board.fen()
    assert batch.to_boards() == [board]


def position_with_forced_pass() -> loa.Board:
    """Black has to pass; found by trying."""
    generator = np.random.default_rng(1)
    while True:
        black, white = (int(word) & 0x0F0F0F0F for word in generator.integers(0, 2**32, 2))
        black &= ~white
        if black and white:
            board = loa.Board.from_bitboards(black, white, size=4)
            if list(board.legal_moves) == [loa.Move.PASS]:
                return board


def test_forced_pass():
    passing = position_with_forced_pass()
    batch = BoardBatch.from_boards([passing])
    assert batch.must_pass.tolist() == [True]
    with pytest.raises(loa.IllegalMoveError, match="black has no move and must pass"):
        square = (passing.black & -passing.black).bit_length() - 1
        batch.step([8 * square])
    batch.step([512])
    passing.push(loa.Move.PASS)
    assert batch.to_boards() == [passing]
    assert batch.to_boards()[0].peek() is loa.Move.PASS


@pytest.mark.parametrize("count", [4, 100])
def test_illegal_actions_change_nothing(count):
    batch = BoardBatch(count)
    actions = np.full(count, LEGAL)
    actions[[1, 2]] = ILLEGAL
    message = f"^2 of {count} actions are illegal and no move was made: row 1, .*; row 2, action 3 "
    with pytest.raises(loa.IllegalMoveError, match=message):
        batch.step(actions)
    assert plies(batch) == [0] * count
    actions[:] = ILLEGAL
    with pytest.raises(loa.IllegalMoveError, match=f"; and {count - 3} more$"):
        batch.step(actions)
    assert plies(batch) == [0] * count


@pytest.mark.parametrize("illegal", ["raise", "lose"])
@pytest.mark.parametrize("action", [-2, 513, 2**62, -(2**63), 2**63 - 1])
def test_numbers_that_are_no_actions(action, illegal):
    """They are told of before any action that is illegal, and never lose a game."""
    batch = BoardBatch(3)
    message = f"^1 of 3 actions is no action and .*: row 2, action {action}: expected -1 to 512$"
    with pytest.raises(loa.InvalidMoveError, match=message):
        batch.step([LEGAL, ILLEGAL, action], illegal=illegal)
    with pytest.raises(loa.InvalidMoveError, match=r"^3 of 3 actions are no actions and no move"):
        batch.step([action] * 3, illegal=illegal)
    assert plies(batch) == [0, 0, 0]
    assert not batch.terminated.any()


def test_great_unsigned_numbers_are_not_minus_one():
    batch = BoardBatch(1)
    with pytest.raises(loa.InvalidMoveError, match="expected -1 to 512"):
        batch.step(np.array([2**64 - 1], dtype=np.uint64))
    batch.step(np.array([LEGAL], dtype=np.uint64))
    assert plies(batch) == [1]


def test_illegal_actions_lose():
    batch = BoardBatch(4)
    batch.step([LEGAL, ILLEGAL, -1, 512], illegal="lose")
    assert plies(batch) == [1, 0, 0, 0]
    assert batch.terminated.tolist() == [False, True, False, True]
    assert batch.winners.tolist() == [-1, 1, -1, 1]
    (number,) = set(batch.terminations.tolist()) - {-1}
    assert BoardBatch.TERMINATIONS[number] is loa.Termination.ILLEGAL_MOVE
    assert not batch.legal_mask()[1].any()
    assert batch.sample_actions(0).tolist()[1] == -1
    # Games that are over ignore their actions.
    batch.step([-1, LEGAL, -1, 3], illegal="lose")
    assert batch.winners.tolist() == [-1, 1, -1, 1]
    assert plies(batch) == [1, 0, 0, 0]
    with pytest.raises(loa.IllegalMoveError, match="the game is over by illegal move"):
        batch.step([-1, LEGAL, -1, -1])
    # White to move loses for Black.
    batch.step([ILLEGAL, -1, -1, -1], illegal="lose")
    assert batch.winners.tolist() == [0, 1, -1, 1]
    batch.reset()
    assert not batch.terminated.any()


def test_illegal_actions_lose_and_start_again():
    batch = BoardBatch(3, auto_reset=True)
    batch.step([LEGAL] * 3)
    batch.step([ILLEGAL, -1, ILLEGAL], illegal="lose")
    assert batch.winners.tolist() == [0, -1, 0]
    assert plies(batch) == [0, 1, 0]
    assert [board.ply for board in batch.to_boards(final=True)] == [1, 1, 1]
    batch.step([LEGAL, -1, LEGAL])
    assert not batch.terminated.any()


def test_no_ply_beyond_the_last():
    last = 2**31 - 1
    start = loa.Board()
    board = loa.Board.from_bitboards(start.black, start.white, turn=loa.WHITE, ply=last)
    batch = BoardBatch.from_boards([start, board])
    for illegal in ("raise", "lose"):
        actions = batch.sample_actions(1)
        if illegal == "raise":
            actions[0] = ILLEGAL
        message = f"^1 of 2 .*row 1, .*: expected no game beyond ply {last}$"
        with pytest.raises(loa.LoaError, match=message) as caught:
            batch.step(actions, illegal=illegal)
        assert type(caught.value) is loa.LoaError
        assert batch.plies.tolist() == [0, last]


# Arguments


def test_number_of_boards_out_of_range():
    numbers = {number: str(number) for number in (0, -1, 2**24 + 1, 10**30)}
    for number, shown in (numbers | {10**5000: "a 16610-bit number"}).items():
        with pytest.raises(loa.LoaError, match=rf"^n is {shown}: expected 1 to 2\*\*24$"):
            BoardBatch(number)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"size": 9}, loa.LoaError, "size is 9: expected 3 to 8"),
        ({"size": "8"}, TypeError, "size is '8': expected an int"),
        ({"setup": "other"}, loa.LoaError, "unknown setup 'other': expected"),
        ({"rules": "MSO"}, TypeError, "rules is 'MSO': expected a loa.Rules"),
        ({"auto_reset": 1}, TypeError, "auto_reset is 1: expected a bool"),
        ({"threads": 0}, loa.LoaError, "threads is 0: expected 1 to 1024"),
        ({"threads": 1025}, loa.LoaError, "threads is 1025: expected 1 to 1024"),
        ({"threads": 1.5}, TypeError, "threads is 1.5: expected an int"),
        ({"threads": True}, TypeError, "threads is True: expected an int"),
        ({"other": 1}, TypeError, "unexpected keyword argument 'other'"),
    ],
)
def test_options(options, error, message):
    with pytest.raises(error, match=message):
        BoardBatch(2, **options)


def test_boards_that_make_no_batch():
    with pytest.raises(loa.LoaError, match="no boards: expected at least one"):
        BoardBatch.from_boards([])
    with pytest.raises(TypeError, match=r"board 1 is None: expected a loa\.Board"):
        BoardBatch.from_boards([loa.Board(), None])
    with pytest.raises(loa.LoaError, match="board 1 has size 7: expected 8"):
        BoardBatch.from_boards([loa.Board(), loa.Board(size=7)])
    with pytest.raises(loa.LoaError, match=r"board 1 has rules Rules.OPENSPIEL: expected Rules.MS"):
        BoardBatch.from_boards([loa.Board(), loa.Board(rules=loa.Rules.OPENSPIEL)])
    with pytest.raises(TypeError, match="not iterable"):
        BoardBatch.from_boards(3)
    for call in (BoardBatch, lambda: BoardBatch.__new__(BoardBatch)):
        with pytest.raises(TypeError, match="1 positional argument"):
            call()


def test_setup_size_and_repr():
    rules = loa.Rules.OPENSPIEL
    batch = BoardBatch(2, size=6, setup="scrambled", rules=rules, threads=2)
    assert batch.to_boards() == [loa.Board(size=6, setup="scrambled", rules=rules)] * 2
    assert (len(batch), batch.size, batch.rules, batch.threads, batch.auto_reset) == (
        2, 6, rules, 2, False,
    )  # fmt: skip
    assert repr(batch) == "<BoardBatch of 2: size 6, Rules.OPENSPIEL>"
    assert repr(BoardBatch(1, auto_reset=True)) == (
        "<BoardBatch of 1: size 8, Rules.MSO, auto_reset>"
    )
    for name in ("rules", "threads", "size"):
        with pytest.raises(AttributeError):
            setattr(batch, name, 1)


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8", "<i2"]
)
def test_actions_of_any_integer_type(dtype):
    batch = BoardBatch.from_boards([loa.Board("3/w1w/b1b b 1")] * 3)
    action = int(batch.sample_actions(1)[0])
    batch.step(np.array([action] * 3).astype(dtype))
    assert plies(batch) == [1, 1, 1]


def test_actions_that_are_not_contiguous():
    batch = BoardBatch(3)
    actions = np.array([[LEGAL, ILLEGAL]] * 3)
    batch.step(actions[::-1, 0])
    assert plies(batch) == [1, 1, 1]
    actions = np.array([LEGAL] * 3)
    actions.flags.writeable = False
    batch.reset()
    batch.step(actions)
    batch.reset()
    batch.step([LEGAL] * 3)
    batch.step(np.int64(-1) * np.ones(3, dtype=np.int64))
    assert plies(batch) == [1, 1, 1]


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([1.0, 2.0], TypeError, "dtype float64: expected integers"),
        ([True, False], TypeError, "dtype bool: expected integers"),
        (["1", "2"], TypeError, "dtype <U1: expected integers"),
        (None, TypeError, "dtype object: expected integers"),
        ([None, None], TypeError, "dtype object: expected integers"),
        ([10**30, 1], TypeError, "dtype object: expected integers"),
        ([], TypeError, "dtype float64: expected integers"),
        (LEGAL, loa.LoaError, "shape (): expected (2,)"),
        ([LEGAL], loa.LoaError, "shape (1,): expected (2,)"),
        ([LEGAL] * 3, loa.LoaError, "shape (3,): expected (2,)"),
        ([[LEGAL, LEGAL]], loa.LoaError, "shape (1, 2): expected (2,)"),
        (np.zeros((2, 0), dtype=int), loa.LoaError, "shape (2, 0): expected (2,)"),
    ],
)
def test_actions_of_the_wrong_kind(actions, error, message):
    batch = BoardBatch(2)
    with pytest.raises(error, match=re.escape(message)):
        batch.step(actions)
    assert plies(batch) == [0, 0]


@pytest.mark.parametrize("illegal", ["other", None, 1, b"lose"])
def test_illegal_option(illegal):
    with pytest.raises(loa.LoaError, match="expected 'raise' or 'lose'"):
        BoardBatch(1).step([LEGAL], illegal=illegal)


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ([1, 0], TypeError, ": expected bool"),
        ([0.0, 1.0], TypeError, "dtype float64: expected bool"),
        ("ab", TypeError, "dtype <U2: expected bool"),
        (True, loa.LoaError, "shape (): expected (2,)"),
        ([True], loa.LoaError, "shape (1,): expected (2,)"),
        ([[True, False]], loa.LoaError, "shape (1, 2): expected (2,)"),
    ],
)
def test_reset_masks_of_the_wrong_kind(mask, error, message):
    batch = BoardBatch(2)
    batch.step([LEGAL, LEGAL])
    with pytest.raises(error, match=re.escape(message)):
        batch.reset(mask)
    assert plies(batch) == [1, 1]


def test_reset_masks():
    batch = BoardBatch(3)
    for mask, expected in (
        ([False, False, True], [1, 1, 0]),
        (np.array([[True, False], [False, False], [False, True]])[:, 0], [0, 1, 1]),
        ((False, True, False), [1, 0, 1]),
        (np.zeros(3, dtype=bool), [1, 1, 1]),
    ):
        batch.reset()
        batch.step([LEGAL] * 3)
        batch.reset(mask)
        assert plies(batch) == expected


# Arrays to fill

FILLERS = {
    "legal_mask": (513,),
    "legal_bitboards": (8,),
    "planes": (8, 8, 8),
}
DTYPES = {"legal_mask": np.bool_, "legal_bitboards": np.uint64, "planes": np.float32}


@pytest.mark.parametrize("name", FILLERS)
def test_arrays_are_filled_and_returned(name):
    batch = BoardBatch(3)
    batch.step([LEGAL, -1, 467])
    fill, dtype = getattr(batch, name), DTYPES[name]
    expected = fill()
    assert (expected.shape, expected.dtype) == ((3, *FILLERS[name]), dtype)
    # Memory around the array stays as it is.
    around = np.full((5, *FILLERS[name]), 1, dtype=dtype)
    out = around[1:4]
    assert fill(out) is out
    assert np.array_equal(out, expected)
    assert (around[[0, 4]] == 1).all()
    assert fill(out=out) is out


@pytest.mark.parametrize("name", FILLERS)
def test_arrays_that_cannot_be_filled(name):
    batch = BoardBatch(3)
    fill, dtype, shape = getattr(batch, name), DTYPES[name], (3, *FILLERS[name])
    for wrong in ((2, *FILLERS[name]), (4, *FILLERS[name]), FILLERS[name], (1, *shape), ()):
        with pytest.raises(loa.LoaError, match="out has shape"):
            fill(np.zeros(wrong, dtype=dtype))
    for wrong in (np.int8, np.complex64, np.dtype(">u8"), object, "V8"):
        with pytest.raises(TypeError, match=r"out has dtype|expected float32 or uint8"):
            fill(np.zeros(shape, dtype=wrong))
    double = np.zeros((*shape[:-1], 2 * shape[-1]), dtype=dtype)
    for wrong in (double[..., ::2], np.asfortranarray(np.zeros(shape, dtype=dtype))):
        with pytest.raises(loa.LoaError, match="out is not C-contiguous"):
            fill(wrong)
    frozen = np.zeros(shape, dtype=dtype)
    frozen.flags.writeable = False
    with pytest.raises(loa.LoaError, match="out is not writable"):
        fill(frozen)
    for wrong in ([0], bytearray(10**4), memoryview(b""), 3, "out"):
        with pytest.raises(TypeError, match=r"expected a numpy\.ndarray"):
            fill(wrong)
    if dtype != np.bool_:
        size = np.dtype(dtype).itemsize
        raw = np.zeros(int(np.prod(shape)) * size + 1, dtype=np.uint8)
        with pytest.raises(loa.LoaError, match="out is not aligned"):
            fill(raw[1:].view(dtype).reshape(shape))


def test_subclasses_of_arrays_are_filled(tmp_path):
    class Lying(np.ndarray):
        shape = (2, 513)
        dtype = np.dtype(bool)

    batch = BoardBatch(2)
    file = np.memmap(tmp_path / "masks", dtype=bool, mode="w+", shape=(2, 513))
    assert batch.legal_mask(file) is file
    assert np.array_equal(file, batch.legal_mask())
    with pytest.raises(loa.LoaError, match="out has shape"):
        batch.legal_mask(np.zeros(1, dtype=bool).view(Lying))


def test_plane_options():
    batch = BoardBatch(2, size=5)
    assert batch.planes().dtype == np.float32
    assert batch.planes(dtype="uint8").dtype == np.uint8
    out = np.empty((2, 8, 5, 5), dtype=np.uint8)
    assert batch.planes(out) is out
    assert batch.planes(out, dtype=np.uint8) is out
    with pytest.raises(TypeError, match="out has dtype uint8: expected float32"):
        batch.planes(out, dtype=np.float32)
    for dtype in (np.float64, int, bool, ">f4"):
        with pytest.raises(TypeError, match="expected float32 or uint8"):
            batch.planes(dtype=dtype)
    for view in ("other", None, 1, np.zeros(2)):
        with pytest.raises(loa.LoaError, match="expected 'mover' or 'absolute'"):
            batch.planes(view=view)
    for call in (batch.planes, batch.to_boards):
        with pytest.raises(TypeError, match="final is 1: expected a bool"):
            call(final=1)


# Other threads and Python code meanwhile


def test_threads_share_a_batch():
    """Every call is made as a whole: plies and keys always fit together."""
    batch = BoardBatch(600, size=5, auto_reset=True, threads=2)
    errors = []

    def play(first):
        try:
            for seed in range(first, first + 60):
                batch.step(batch.sample_actions(seed), illegal="lose")
                boards = batch.copy()
                assert np.array_equal(boards.plies % 2, boards.turns)
                assert not (boards.black & boards.white).any()
                if seed % 20 == 0:
                    batch.reset(boards.turns == 1)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=play, args=(1000 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_actions_changed_by_another_thread():
    batch = BoardBatch(2000, auto_reset=True)
    actions = np.full(2000, LEGAL, dtype=np.int64)
    stop = threading.Event()

    def change():
        generator = np.random.default_rng(1)
        while not stop.is_set():
            actions[generator.integers(2000, size=50)] = generator.integers(-(2**62), 2**62, 50)
            actions[:] = LEGAL

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(100):
            with contextlib.suppress(loa.InvalidMoveError):
                batch.step(actions, illegal="lose")
            black, white = batch.black, batch.white
            assert not (black & white).any()
            assert (black != 0).all()
            assert (white != 0).all()
    finally:
        stop.set()
        thread.join()


def test_arguments_that_use_the_batch_while_they_are_read():
    batch = BoardBatch(2)

    class Actions:
        def __array__(self, dtype=None, copy=None):
            batch.step([LEGAL, LEGAL])
            batch.legal_mask()
            return np.array([-1, -1])

    batch.step(Actions())
    assert plies(batch) == [1, 1]

    def boards():
        for _ in range(2):
            batch.reset()
            yield from batch.to_boards()

    assert len(BoardBatch.from_boards(boards())) == 4


def test_garbage_collection_meanwhile():
    """Finalizers that use the batch run whenever objects are made, and find it unlocked."""
    batch = BoardBatch(50)
    uses = []

    class Node:
        def __init__(self):
            self.itself = self

        def __del__(self):
            batch.legal_mask()
            uses.append(len(batch))

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(20):
            Node()
            batch.legal_actions()
            batch.copy()
            with pytest.raises(loa.IllegalMoveError):
                batch.step([ILLEGAL] * 50)
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert uses
