"""`BoardBatch`: many games at once, for learning programs."""

cimport cython
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy

import numpy as np

from loa._batch_games cimport MAX_BOARDS, Games, board_list, make_step
from loa._batch_rows cimport (
    ACTIONS,
    COLUMN_BLACK,
    COLUMN_KEYS,
    COLUMN_MUST_PASS,
    COLUMN_PLIES,
    COLUMN_REPETITIONS,
    COLUMN_TERMINATED,
    COLUMN_TERMINATIONS,
    COLUMN_TURNS,
    COLUMN_WHITE,
    COLUMN_WINNERS,
    NO_MEMORY,
    PLANES,
    Row,
    RowsFunction,
    Work,
    reset_rows,
    write_byte_planes,
    write_column,
    write_float_planes,
    write_legal_bitboards,
    write_mask,
    write_samples,
)
from loa._board cimport Board
from loa._history cimport ILLEGAL_MOVE, over

from loa.rules import MAX_PLIES, MAX_THREADS, TERMINATIONS, LoaError, Rules, check_range, shown

# Makes a batch without memory, for those that set up the rest themselves.
cdef object BARE = object()


@cython.final
@cython.no_gc
cdef class BoardBatch(Games):
    """BoardBatch(n, *, size=8, setup="standard", rules=loa.Rules.MSO, auto_reset=False, threads=1)

    `n` games under the same rules that are played side by side, one in each row.

    `n` is 1 to 2**24; `size`, `setup` and `rules` are as for `loa.Board`; `threads` (1 to 1024) is
    how many threads may work on a call, which makes no difference to what it does. With
    `auto_reset` a row starts a new game as soon as a step has ended one. Bad values raise
    `loa.LoaError`.

    Moves are the 513 action indices of `loa.encodings`: `8 * from_square + direction`, 512 for
    the pass. Every call sees a batch between two other calls: threads may share one, and other
    Python threads run while large batches work. (A process forked meanwhile must not use the
    batch: its lock is held for ever there.) Arrays are new ones, unless `out` is given: an
    array of the right shape and dtype, C-contiguous and writable (otherwise `TypeError` for the
    type, `LoaError` for the rest), which is filled and returned.

    >>> import loa
    >>> batch = loa.BoardBatch(3)
    >>> batch.step([468, -1, 467])
    >>> batch.plies, batch.to_boards()[0].peek()
    (array([1, 0, 1]), Move.from_text('c8-c6'))
    """

    TERMINATIONS = TERMINATIONS

    @cython.embedsignature(False)
    def __cinit__(
        self, n, *, size=8, setup="standard", rules=Rules.MSO, auto_reset=False, threads=1
    ):
        if n is BARE:
            return
        cdef Board start = Board(size=size, setup=setup, rules=rules)
        self.allocate(
            check_range("n", n, 1, MAX_BOARDS), 1, start.position().geometry, start.rules,
            &start.values, as_bool(auto_reset, "auto_reset"), check_threads(threads))
        self.set_starts([start])

    @staticmethod
    def from_boards(boards, *, auto_reset=False, threads=1):
        """The batch whose games go on from these boards, an iterable of at least one `loa.Board`.

        All have to have the same size and rules (`LoaError`). Positions since the last capture
        are kept, so that repetitions count on; earlier ones are forgotten. The boards are also
        what `reset` goes back to.

        >>> board = loa.Board()
        >>> move = board.push_text("c8-c6")
        >>> BoardBatch.from_boards([board, loa.Board()]).turns
        array([1, 0], dtype=uint8)
        """
        cdef list starts = board_list(boards)
        cdef BoardBatch batch = batch_like(
            starts[0], len(starts), len(starts), as_bool(auto_reset, "auto_reset"),
            check_threads(threads))
        batch.set_starts(starts)
        return batch

    cdef BoardBatch duplicate(self):
        cdef BoardBatch batch = BoardBatch.__new__(BoardBatch, BARE)
        cdef bint done
        batch.allocate(
            self.count, self.start_count, self.geometry, self.rules, &self.values,
            self.finals != NULL, self.threads)
        self.acquire()
        with nogil:
            done = batch.copy_games(self)
        self.release()
        if not done:
            raise MemoryError()
        return batch

    # Arrays ------------------------------------------------------------------------------------

    cdef object fill(
        self, RowsFunction function, Work* work, object out, tuple shape, object dtype
    ):
        """Runs a function that writes an array, a given one or a new one, and returns the array."""
        cdef Py_buffer buffer
        cdef Py_ssize_t length = np.dtype(dtype).itemsize
        for number in shape:
            length *= number
        out = array_to_fill(out, shape, dtype)
        get_buffer(np.asarray(out), &buffer, length, True)
        work.out = buffer.buf
        self.run(function, work)
        PyBuffer_Release(&buffer)
        return out

    cdef object column(self, int column, object dtype):
        cdef Work work = self.work()
        work.column = column
        return self.fill(write_column, &work, None, (self.count,), dtype)

    # Playing -----------------------------------------------------------------------------------

    def reset(self, mask=None):
        """Puts rows back to their start: all, or those for which `mask`, (n,) bool, is True.

        The start is that of the game, or in a batch from boards the row's board.

        >>> batch = BoardBatch(2)
        >>> batch.step([467, 467])
        >>> batch.reset([True, False])
        >>> batch.plies
        array([0, 1])
        """
        cdef Work work = self.work()
        cdef Py_buffer buffer
        if mask is None:
            self.run(reset_rows, &work)
            return
        mask = np.array(mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"mask has dtype {mask.dtype}: expected bool")
        self.check_shape(mask, "mask")
        get_buffer(mask, &buffer, self.count, False)
        work.mask = <const uint8_t*>buffer.buf
        self.run(reset_rows, &work)
        PyBuffer_Release(&buffer)

    def step(self, actions, *, illegal="raise"):
        """Makes a move in every row: `actions` is (n,) action indices of any integer dtype.

        The action -1 leaves its row alone; any other number that is no action raises
        `InvalidMoveError`. An action that is not legal, as none is in a game that is over, raises
        `IllegalMoveError`. Both name the first such rows and change no row. With `illegal="lose"`
        the side that tried an illegal action has lost at once, by `Termination.ILLEGAL_MOVE`, and
        games that are over ignore theirs.

        >>> batch = BoardBatch(2)
        >>> batch.step([467, 3])
        Traceback (most recent call last):
            ...
        loa.rules.IllegalMoveError: 1 of 2 actions is illegal and no move was made: row 1, action \
3 (a1 SE): black is to move and has no piece on a1
        >>> batch.step([467, 3], illegal="lose")
        >>> batch.winners
        array([-1,  1], dtype=int8)
        """
        cdef Work work = self.work()
        cdef Py_buffer buffer
        if not isinstance(illegal, str) or illegal not in ("raise", "lose"):
            raise LoaError(f"illegal is {shown(illegal)}: expected 'raise' or 'lose'")
        work.lose = illegal == "lose"
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions have dtype {actions.dtype}: expected integers")
        self.check_shape(actions, "actions")
        if actions.dtype == np.uint64:
            # Great numbers must not become negative ones.
            actions = np.minimum(actions, np.uint64(2**62))
        # A copy of our own that nobody can change between looking at an action and making it.
        actions = np.array(actions, dtype=np.int64, order="C")
        get_buffer(actions, &buffer, self.count * sizeof(int64_t), False)
        work.actions = <const int64_t*>buffer.buf
        self.run_task(make_step, &work)
        PyBuffer_Release(&buffer)
        if work.worst == NO_MEMORY:
            raise MemoryError()
        if work.refused:
            raise self.refusal(&work)

    def sample_actions(self, seed):
        """A legal action for each row, all equally likely: (n,) int32, -1 where a game is over.

        The seed, 0 to 2**64 - 1, the number of the row and its legal actions determine the
        action. Use another seed for every step.

        >>> batch = BoardBatch(1000, auto_reset=True)
        >>> for seed in range(100):
        ...     batch.step(batch.sample_actions(seed))
        >>> int(batch.plies.max())
        100
        """
        cdef Work work = self.work()
        work.seed = check_range("seed", seed, 0, 2**64 - 1)
        return self.fill(write_samples, &work, None, (self.count,), np.int32)

    @cython.embedsignature.format("python")
    def playouts(self, n=1, *, seed=None, max_plies=MAX_PLIES, policy=None):
        """`n` random games from each row's position on, which stays: `loa.Playouts`, (rows, n).

        The arguments are those of `loa.playouts`, with the batch's threads. Rows lost by an
        illegal move are played on from.

        >>> batch = BoardBatch(100)
        >>> batch.playouts(5, seed=1).winners.shape
        (100, 5)
        """
        # Most programs use batches or playouts: the module is loaded by the first that has both.
        from loa import random_games
        return random_games.playouts(
            self.to_boards(), n, seed=seed, threads=self.threads, max_plies=max_plies,
            policy=policy)

    # What may be done --------------------------------------------------------------------------

    def legal_mask(self, out=None):
        """Which actions are legal, (n, 513) bool; none are where a game is over.

        >>> BoardBatch(2).legal_mask().sum(axis=1)
        array([36, 36])
        """
        cdef Work work = self.work()
        return self.fill(write_mask, &work, out, (self.count, ACTIONS), np.bool_)

    def legal_bitboards(self, out=None):
        """The legal moves, packed: (n, 8) uint64, without the pass, for which see `must_pass`.

        Bit s in column d says that the piece on square s may move in the direction d, one of
        `loa.Direction`.

        >>> [hex(bitboard) for bitboard in BoardBatch(1).legal_bitboards()[0][:3]]
        ['0x7e', '0x3e', '0x200000000000002']
        """
        cdef Work work = self.work()
        return self.fill(write_legal_bitboards, &work, out, (self.count, 8), np.uint64)

    def legal_actions(self):
        """The legal actions as a pair of arrays `(indptr, actions)`, as sparse matrices have them.

        Row i has `actions[indptr[i]:indptr[i + 1]]`, in ascending order. `indptr` is (n + 1,)
        int64, `actions` int32.

        >>> indptr, actions = BoardBatch(2).legal_actions()
        >>> indptr, actions[:5]
        (array([ 0, 36, 72]), array([ 8,  9, 10, 16, 17], dtype=int32))
        """
        cdef Work work = self.work()
        cdef Py_buffer buffer
        cdef int64_t total
        cdef int32_t* actions
        indptr = np.zeros(self.count + 1, dtype=np.int64)
        get_buffer(indptr, &buffer, indptr.nbytes, True)
        self.acquire()
        with nogil:
            actions = self.list_actions(&work, <int64_t*>buffer.buf)
            total = (<int64_t*>buffer.buf)[self.count]
        self.release()
        PyBuffer_Release(&buffer)
        if actions == NULL:
            raise MemoryError()
        try:
            listed = np.empty(total, dtype=np.int32)
            get_buffer(listed, &buffer, total * sizeof(int32_t), True)
            memcpy(buffer.buf, actions, total * sizeof(int32_t))
            PyBuffer_Release(&buffer)
        finally:
            free(actions)
        return indptr, listed

    @property
    def must_pass(self):
        """Where the pass is the only legal action, (n,) bool.

        >>> BoardBatch(2).must_pass
        array([False, False])
        """
        return self.column(COLUMN_MUST_PASS, np.bool_)

    # What there is -----------------------------------------------------------------------------

    def planes(self, out=None, *, view="mover", dtype=None, final=False):
        """The observation planes of `loa.encodings`, (n, 8, size, size).

        `view` is `"mover"` (the first plane has the pieces of the side to move) or `"absolute"`
        (Black's). `dtype` is float32 or uint8; if it is None, that of `out`, and float32 without
        one. With `final` a row that the last step has ended and reset shows the finished game.

        >>> planes = BoardBatch(2).planes()
        >>> planes.shape, planes.dtype, int(planes[0, 0].sum())
        ((2, 8, 8, 8), dtype('float32'), 12)
        """
        cdef Work work = self.work()
        cdef int size = self.geometry.size
        if dtype is None:
            dtype = out.dtype if isinstance(out, np.ndarray) else np.float32
        dtype = _planes_dtype(view, dtype)
        work.absolute = view == "absolute"
        work.final = as_bool(final, "final")
        return self.fill(
            write_float_planes if dtype == np.float32 else write_byte_planes,
            &work, out, (self.count, PLANES, size, size), dtype)

    @property
    def black(self):
        """The bitboards of the black pieces, (n,) uint64.

        >>> hex(BoardBatch(1).black[0])
        '0x7e0000000000007e'
        """
        return self.column(COLUMN_BLACK, np.uint64)

    @property
    def white(self):
        """The bitboards of the white pieces, (n,) uint64.

        >>> hex(BoardBatch(1).white[0])
        '0x81818181818100'
        """
        return self.column(COLUMN_WHITE, np.uint64)

    @property
    def keys(self):
        """The Zobrist keys, as `Board.key`, (n,) uint64.

        >>> int(BoardBatch(1).keys[0]) == loa.Board().key
        True
        """
        return self.column(COLUMN_KEYS, np.uint64)

    @property
    def turns(self):
        """The sides to move, (n,) uint8: 0 Black, 1 White.

        >>> BoardBatch(2).turns
        array([0, 0], dtype=uint8)
        """
        return self.column(COLUMN_TURNS, np.uint8)

    @property
    def plies(self):
        """The numbers of plies made since the start of each game, (n,) int64.

        >>> BoardBatch(2).plies
        array([0, 0])
        """
        return self.column(COLUMN_PLIES, np.int64)

    @property
    def repetitions(self):
        """How often each current position has occurred, itself included, (n,) int32.

        >>> BoardBatch(2).repetitions
        array([1, 1], dtype=int32)
        """
        return self.column(COLUMN_REPETITIONS, np.int32)

    @property
    def terminated(self):
        """Which games are over, (n,) bool; with `auto_reset`, which the last step has ended.

        >>> BoardBatch(2).terminated
        array([False, False])
        """
        return self.column(COLUMN_TERMINATED, np.bool_)

    @property
    def winners(self):
        """Who has won the games that are `terminated`, (n,) int8: 0 Black, 1 White, -1 nobody.

        >>> BoardBatch(2).winners
        array([-1, -1], dtype=int8)
        """
        return self.column(COLUMN_WINNERS, np.int8)

    @property
    def terminations(self):
        """How the games that are `terminated` ended, (n,) int8, -1 for the others.

        The numbers are indices into `BoardBatch.TERMINATIONS`.

        >>> BoardBatch(2).terminations
        array([-1, -1], dtype=int8)
        """
        return self.column(COLUMN_TERMINATIONS, np.int8)

    @property
    def size(self):
        """The number of files, and of ranks, of all boards.

        >>> BoardBatch(2, size=5).size
        5
        """
        return self.geometry.size

    @property
    def auto_reset(self):
        """Whether a row starts again as soon as a step has ended its game.

        >>> BoardBatch(2).auto_reset
        False
        """
        return self.finals != NULL

    def __len__(self):
        return self.count

    def __repr__(self):
        reset = ", auto_reset" if self.auto_reset else ""
        return f"<BoardBatch of {self.count}: size {self.size}, {self.rules!r}{reset}>"

    # Out of the batch --------------------------------------------------------------------------

    def to_boards(self, *, final=False):
        """The games as a list of `loa.Board`, their moves since the last capture included.

        So repetitions and outcomes agree, except that a board knows nothing of a loss by an
        illegal move. `final` is as for `planes`.

        >>> BoardBatch(2).to_boards()[1] == loa.Board()
        True
        """
        cdef bint finals = as_bool(final, "final")
        cdef BoardBatch batch = self.duplicate()
        return [
            batch.board_of(
                &batch.finals[index] if finals and batch.rows[index].restarted
                else &batch.rows[index])
            for index in range(batch.count)]

    def copy(self):
        """An independent batch in the same state.

        >>> batch = BoardBatch(2)
        >>> other = batch.copy()
        >>> batch.step([467, 467])
        >>> other.plies
        array([0, 0])
        """
        return self.duplicate()

    def __copy__(self):
        return self.duplicate()

    def __deepcopy__(self, memo):
        return self.duplicate()

    def __reduce__(self):
        cdef BoardBatch batch = self.duplicate()
        cdef ptrdiff_t index
        cdef const Row* row
        starts = [batch.board_of(&batch.starts[index]) for index in range(batch.start_count)]
        boards = []
        finals = {}
        lost = []
        for index in range(batch.count):
            row = &batch.rows[index]
            boards.append(batch.board_of(row))
            if row.restarted:
                row = &batch.finals[index]
                finals[index] = batch.board_of(row)
            if row.verdict >= over(ILLEGAL_MOVE, 0):
                lost.append(index)
        return _restore, (
            starts, boards, finals, lost, batch.finals != NULL, batch.threads)

    cdef int check_shape(self, object array, str name) except -1:
        if array.shape != (self.count,):
            raise LoaError(f"{name} of shape {array.shape}: expected ({self.count},)")
        return 0


def _restore(starts, boards, finals, lost, auto_reset, threads):
    """Rebuilds a pickled batch."""
    cdef list start_list = list(starts)
    cdef list row_list = list(boards)
    cdef dict final_boards = dict(finals)
    cdef BoardBatch batch
    board_list([*start_list, *row_list, *final_boards.values()])
    if not row_list or len(start_list) not in (1, len(row_list)):
        raise LoaError(
            f"{len(start_list)} starts of {len(row_list)} games: expected one or one for each")
    batch = batch_like(
        start_list[0], len(row_list), len(start_list), as_bool(auto_reset, "auto_reset"),
        check_threads(threads))
    batch.set_starts(start_list)
    batch.restore(row_list, final_boards, list(lost))
    return batch


cdef BoardBatch batch_like(
    Board board, ptrdiff_t count, ptrdiff_t start_count, bint auto_reset, int threads
):
    """A batch without starts, under the rules and of the size of a board."""
    cdef BoardBatch batch = BoardBatch.__new__(BoardBatch, BARE)
    with cython.critical_section(board):
        batch.allocate(
            count, start_count, board.position().geometry, board.rules, &board.values, auto_reset,
            threads)
    return batch


# Arguments -------------------------------------------------------------------------------------

def _planes_dtype(view, dtype):
    """The dtype of planes; raises the errors that a wrong view or dtype has everywhere."""
    if not isinstance(view, str) or view not in ("mover", "absolute"):
        raise LoaError(f"view is {shown(view)}: expected 'mover' or 'absolute'")
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.uint8):
        raise TypeError(f"dtype is {kind}: expected float32 or uint8")
    return kind


cdef int check_threads(object threads) except -1:
    return check_range("threads", threads, 1, MAX_THREADS)


cdef bint as_bool(object value, str name) except -1:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {shown(value)}: expected a bool")
    return bool(value)


cdef object array_to_fill(object out, tuple shape, object dtype):
    """A new array, or the one that is given if it is what is expected."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}: expected a numpy.ndarray")
    # Classes derived from ndarray may say anything of their objects.
    array = np.asarray(out)
    if array.dtype != dtype:
        raise TypeError(f"out has dtype {array.dtype}: expected {np.dtype(dtype)}")
    if array.shape != shape:
        raise LoaError(f"out has shape {array.shape}: expected {shape}")
    for name, flag in (
        ("C-contiguous", array.flags.c_contiguous),
        ("writable", array.flags.writeable),
        ("aligned", array.flags.aligned),
    ):
        if not flag:
            raise LoaError(f"out is not {name}: expected an array that is")
    return out


cdef int get_buffer(
    object array, Py_buffer* buffer, Py_ssize_t length, bint writable
) except -1:
    """The memory of an array, which stays while the buffer is held.

    NumPy itself takes it away only where it is told not to check (`resize(refcheck=False)`).
    """
    PyObject_GetBuffer(
        array, buffer, PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0))
    if buffer.len != length:
        # Somebody has changed the array since it was looked at.
        PyBuffer_Release(buffer)
        raise LoaError(f"an array of {buffer.len} bytes: expected {length}")
    return 0
