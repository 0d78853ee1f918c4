"""`Games`: the rows of a batch, their memory and their lock, and how boards get in and out."""

cimport cython
from cpython.pythread cimport (
    NOWAIT_LOCK,
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
)
from libc.stdint cimport uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset
from libcpp.bit cimport countr_zero

from loa._batch_rows cimport (
    COMPLAINTS,
    NO_ACTION,
    NO_PLY,
    PASS_ACTION,
    REFUSE,
    copy_row,
    make_moves,
    read_actions,
    write_action_counts,
    write_actions,
)
from loa._bitboard cimport Position
from loa._fen cimport fen_of
from loa._history cimport ILLEGAL_MOVE, MAX_PLY, OVER, Frame, snapshot_of, over
from loa._reasons cimport why_illegal, why_illegal_towards
from loa._seen cimport Pieces, forget, remember, reserve_seen

from loa import notation
from loa.rules import Direction, IllegalMoveError, InvalidMoveError, LoaError, shown

cdef extern from "_batch_threads.h" namespace "loa" nogil:
    void share_rows(RowsFunction function, void* work, ptrdiff_t count, ptrdiff_t threads)

cdef enum:
    # Work on fewer rows is done before another thread could begin to use the GIL.
    ROWS_WITH_GIL = 32
    # Starting a thread takes as long as the work on some hundred rows.
    ROWS_PER_THREAD = 512
    # Rows start where cache lines do.
    ALIGNMENT = 64


@cython.no_gc
cdef class Games:
    """What `loa.BoardBatch` stands on, for compiled code; Python code sees the attributes only.

    >>> import loa
    >>> loa.BoardBatch(2).rules, loa.BoardBatch(2).threads
    (Rules.MSO, 1)
    """

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError()

    def __dealloc__(self):
        self.free_all()
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    # Memory ------------------------------------------------------------------------------------

    cdef int allocate(
        self,
        ptrdiff_t count,
        ptrdiff_t start_count,
        const Geometry* geometry,
        object rules,
        const RuleValues* values,
        bint auto_reset,
        int threads,
    ) except -1:
        """Makes room for rows, all of them empty."""
        cdef ptrdiff_t rows = count + start_count + (count if auto_reset else 0)
        # One row more than there are, to align them in. The product may be more than a size_t of
        # 32 bits holds, which calloc looks out for.
        self.memory = calloc(rows + 1, sizeof(Row))
        self.codes = <int32_t*>malloc(count * sizeof(int32_t))
        if self.memory == NULL or self.codes == NULL:
            raise MemoryError()
        self.rows = <Row*>((<uintptr_t>self.memory + ALIGNMENT - 1) & ~<uintptr_t>(ALIGNMENT - 1))
        self.starts = self.rows + count
        self.finals = self.starts + start_count if auto_reset else NULL
        self.count = count
        self.start_count = start_count
        self.geometry = geometry
        self.rules = rules
        self.values = values[0]
        self.threads = threads
        return 0

    cdef void free_all(self) noexcept:
        cdef ptrdiff_t index
        if self.memory != NULL:
            for index in range(self.count):
                free(self.rows[index].seen.positions)
                if self.finals != NULL:
                    free(self.finals[index].seen.positions)
            for index in range(self.start_count):
                free(self.starts[index].seen.positions)
        free(self.memory)
        free(self.codes)
        self.memory = NULL
        self.codes = NULL
        self.count = self.start_count = 0

    cdef int set_starts(self, list boards) except -1:
        """Fills the starts, and every row from its start."""
        cdef ptrdiff_t index
        cdef Board board
        for index in range(self.start_count):
            board = boards[index]
            self.load_row(&self.starts[index], board)
            if self.finals != NULL and self.starts[index].verdict >= OVER:
                raise LoaError(
                    f"the game of board {index} is over ({board.fen()}): expected games that go "
                    "on, as auto_reset has no others to start")
        if not self.copy_rows(self.rows, self.starts, self.start_count > 1):
            raise MemoryError()
        if self.finals != NULL and not self.copy_rows(
            self.finals, self.starts, self.start_count > 1
        ):
            raise MemoryError()
        return 0

    cdef bint copy_rows(self, Row* rows, const Row* sources, ptrdiff_t step) noexcept nogil:
        """Copies rows, and makes room in each for its start; False where there is no memory."""
        cdef ptrdiff_t index
        cdef const Row* source
        for index in range(self.count):
            source = &sources[index * step]
            if not reserve_seen(
                &rows[index].seen, max(source.seen.count, self.start_of(index).seen.count)
            ):
                return False
            copy_row(&rows[index], source)
        return True

    cdef bint copy_games(self, Games other) noexcept nogil:
        """Copies all of a batch that has as many rows and starts; False where there is no memory.

        Nobody may change the other one meanwhile.
        """
        cdef ptrdiff_t index
        for index in range(self.start_count):
            if not reserve_seen(&self.starts[index].seen, other.starts[index].seen.count):
                return False
            copy_row(&self.starts[index], &other.starts[index])
        return self.copy_rows(self.rows, other.rows, 1) and (
            self.finals == NULL or self.copy_rows(self.finals, other.finals, 1))

    cdef const Row* start_of(self, ptrdiff_t index) noexcept nogil:
        return &self.starts[index if self.start_count > 1 else 0]

    # Calls -------------------------------------------------------------------------------------

    cdef void acquire(self) noexcept:
        """Takes the lock. Until it is given back no Python runs in this thread, nor can fail."""
        if not PyThread_acquire_lock(self.lock, NOWAIT_LOCK):
            with nogil:
                PyThread_acquire_lock(self.lock, WAIT_LOCK)

    cdef void release(self) noexcept:
        PyThread_release_lock(self.lock)

    cdef Work work(self) noexcept:
        cdef Work work
        memset(&work, 0, sizeof(work))
        work.rows = self.rows
        work.finals = self.finals
        work.starts = self.starts
        work.start_step = self.start_count > 1
        work.rules = &self.values
        work.codes = self.codes
        return work

    cdef void share(self, RowsFunction function, Work* work) noexcept nogil:
        cdef ptrdiff_t threads = min(<ptrdiff_t>self.threads, self.count // ROWS_PER_THREAD)
        share_rows(function, work, self.count, max(threads, 1))

    cdef void run_task(self, Task task, Work* work) noexcept:
        self.acquire()
        if self.count < ROWS_WITH_GIL:
            task(self, work)
        else:
            with nogil:
                task(self, work)
        self.release()

    cdef void run(self, RowsFunction function, Work* work) noexcept:
        work.function = function
        self.run_task(share_work, work)

    cdef object refusal(self, const Work* work):
        """The error for a step that was refused."""
        cdef const Complaint* first = &work.complaints[0]
        cdef ptrdiff_t index
        one, many = WRONGS[work.worst]
        reasons = [
            complaint_text(&work.complaints[index], work.worst)
            for index in range(min(work.refused, COMPLAINTS))]
        if work.refused > COMPLAINTS:
            reasons.append(f"and {work.refused - COMPLAINTS} more")
        message = (
            f"{work.refused} of {self.count} actions {one if work.refused == 1 else many} and no "
            f"move was made: {'; '.join(reasons)}")
        if work.worst == REFUSE:
            return IllegalMoveError(message, first.action, fen_of(&first.position, first.ply))
        return InvalidMoveError(message) if work.worst == NO_ACTION else LoaError(message)

    cdef int32_t* list_actions(self, Work* work, int64_t* bounds) noexcept nogil:
        """Writes the bounds; returns memory with the actions, to be freed, or NULL."""
        cdef ptrdiff_t index
        work.out = bounds
        self.share(write_action_counts, work)
        for index in range(self.count):
            bounds[index + 1] += bounds[index]
        work.out = malloc(bounds[self.count] * sizeof(int32_t) + 1)
        work.bounds = bounds
        if work.out != NULL:
            self.share(write_actions, work)
        return <int32_t*>work.out

    cdef int load_row(self, Row* row, Board board) except -1:
        """Makes a row of a board, with the positions since the last capture."""
        cdef const Frame* last
        cdef const Frame* frame
        cdef uint32_t index
        with cython.critical_section(board):
            last = &board.frames[board.count - 1]
            if last.position.geometry != self.geometry:
                size = last.position.geometry.size
                raise LoaError(
                    f"a board has changed its size to {size}: expected {self.geometry.size}")
            if not reserve_seen(&row.seen, last.reversible):
                raise MemoryError()
            forget(&row.seen)
            for index in range(last.reversible):
                frame = last - (last.reversible - index)
                remember(&row.seen, frame.position.pieces[0], frame.position.pieces[1])
            row.position = last.position
            row.ply = <int32_t>(board.root_ply + board.count - 1)
            row.repetitions = board.occurrences(MAX_PLY)
            row.verdict = <uint8_t>board.verdict()
            row.restarted = False
        return 0

    cdef Board board_of(self, const Row* row):
        """A row of a batch that no other thread knows, as a board."""
        cdef Board board = Board.__new__(Board)
        cdef Pieces current = Pieces(row.position.pieces[0], row.position.pieces[1])
        cdef const Pieces* before = row.seen.positions
        cdef const Pieces* after
        cdef uint64_t left, reached
        cdef int from_square, to_square
        cdef uint32_t index
        cdef uint32_t count = row.seen.count
        cdef int turn = row.position.turn ^ (count & 1)
        board.use_rules(self.rules)
        board.reserve(count + 1)
        if count == 0:
            before = &current
        board.set_root(
            row.position.geometry.size, before.black, before.white, turn, row.ply - count)
        for index in range(count):
            before = &row.seen.positions[index]
            after = &row.seen.positions[index + 1] if index + 1 < count else &current
            # Without captures a move changes the pieces of one side on two squares, a pass none.
            left = (before.black & ~after.black) | (before.white & ~after.white)
            reached = (after.black & ~before.black) | (after.white & ~before.white)
            from_square = countr_zero(left) if left else 0
            to_square = countr_zero(reached) if left else 0
            board.append(64 * from_square + to_square, from_square, to_square)
        return board

    cdef int restore(self, list boards, dict finals, list lost) except -1:
        """Puts what a pickle says into a batch that has its starts."""
        cdef ptrdiff_t index
        cdef Row* row
        if finals and self.finals == NULL:
            raise LoaError(f"{len(finals)} finished games that were reset without auto_reset")
        for index in range(self.count):
            self.load_row(&self.rows[index], boards[index])
        for number, board in finals.items():
            index = self.check_index(number)
            self.load_row(&self.finals[index], board)
            self.rows[index].restarted = True
        for number in lost:
            index = self.check_index(number)
            row = &self.finals[index] if self.rows[index].restarted else &self.rows[index]
            row.verdict = <uint8_t>over(ILLEGAL_MOVE, row.position.turn ^ 1)
        return 0

    cdef ptrdiff_t check_index(self, object number) except -1:
        if not 0 <= number < self.count:
            raise LoaError(f"row {shown(number)}: expected 0 to {self.count - 1}")
        return number


cdef void share_work(Games games, Work* work) noexcept nogil:
    games.share(work.function, work)


cdef void make_step(Games games, Work* work) noexcept nogil:
    """Makes all moves or none, and says in the work which actions are refused."""
    cdef ptrdiff_t index
    cdef Complaint* complaint
    cdef int32_t worst = 0
    games.share(read_actions, work)
    for index in range(games.count):
        worst = min(worst, work.codes[index])
    work.worst = worst
    work.refused = 0
    if worst > REFUSE:
        games.share(make_moves, work)
        return
    for index in range(games.count):
        if work.codes[index] == worst:
            if work.refused < COMPLAINTS:
                complaint = &work.complaints[work.refused]
                complaint.row = index
                complaint.action = work.actions[index]
                complaint.position = work.rows[index].position
                complaint.ply = work.rows[index].ply
                complaint.verdict = work.rows[index].verdict
            work.refused += 1


cdef list board_list(object boards):
    """An iterable of boards as a list: at least one, all of one size and under the same rules."""
    cdef list starts = list(boards)
    cdef Board first
    if not starts:
        raise LoaError("no boards: expected at least one")
    if len(starts) > MAX_BOARDS:
        raise LoaError(f"{len(starts)} boards: expected 1 to 2**24")
    for index, board in enumerate(starts):
        if not isinstance(board, Board):
            raise TypeError(f"board {index} is {shown(board)}: expected a loa.Board")
    first = starts[0]
    expected = snapshot_of(first).position.geometry.size
    for index, board in enumerate(starts):
        size = snapshot_of(board).position.geometry.size
        if size != expected:
            raise LoaError(
                f"board {index} has size {size}: expected {expected} as the first one has")
        if (<Board>board).rules != first.rules:
            raise LoaError(
                f"board {index} has rules {(<Board>board).rules!r}: expected {first.rules!r} as "
                "the first one has")
    return starts


# What is wrong with an action ------------------------------------------------------------------

cdef dict WRONGS = {
    REFUSE: ("is illegal", "are illegal"),
    NO_PLY: ("leads beyond the last ply", "lead beyond the last ply"),
    NO_ACTION: ("is no action", "are no actions"),
}


cdef str complaint_text(const Complaint* complaint, int wrong):
    cdef const Position* position = &complaint.position
    cdef int action, from_square
    text = f"row {complaint.row}, action {complaint.action}"
    if wrong == NO_ACTION:
        return f"{text}: expected -1 to {PASS_ACTION}"
    action = <int>complaint.action
    from_square = action // 8
    if action == PASS_ACTION:
        text += " (pass)"
    else:
        text += f" ({notation.square_name(from_square)} {Direction(action % 8).name})"
    if wrong == NO_PLY:
        return f"{text}: expected no game beyond ply {MAX_PLY}"
    if action == PASS_ACTION:
        return f"{text}: {why_illegal(position, complaint.verdict, 0, 0)}"
    return f"{text}: {why_illegal_towards(position, complaint.verdict, from_square, action % 8)}"
