"""The games of a batch, for compiled code."""

from cpython.pythread cimport PyThread_type_lock
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t

from loa._batch_rows cimport Row, RowsFunction, Work
from loa._bitboard cimport Geometry, Position
from loa._board cimport Board
from loa._history cimport RuleValues

cdef enum:
    # Three gigabytes of games.
    MAX_BOARDS = 1 << 24
    # How many refused actions an error tells of.
    COMPLAINTS = 3

cdef struct Complaint:
    # An action that a step has refused, and the game it was for.
    ptrdiff_t row
    int64_t action
    Position position
    int32_t ply
    uint8_t verdict

cdef class Games:
    # The rows, the finished games that were reset (NULL without auto_reset), and one start for
    # all rows or one for each.
    cdef void* memory
    cdef Row* rows
    cdef Row* finals
    cdef Row* starts
    cdef ptrdiff_t start_count
    cdef ptrdiff_t count
    # What a step does in each row.
    cdef int32_t* codes
    cdef PyThread_type_lock lock
    cdef const Geometry* geometry
    cdef RuleValues values
    cdef readonly object rules
    """The `loa.Rules` of all games."""
    cdef readonly int threads
    """How many threads may work on a call."""

    cdef int allocate(
        self, ptrdiff_t count, ptrdiff_t start_count, Board board, bint auto_reset, int threads
    ) except -1
    cdef void free_all(self) noexcept
    cdef int set_starts(self, list boards) except -1
    cdef const Row* start_of(self, ptrdiff_t index) noexcept nogil
    cdef bint copy_rows(self, Row* rows, const Row* sources, ptrdiff_t step) noexcept nogil
    cdef bint copy_games(self, Games other) noexcept nogil
    cdef void acquire(self) noexcept
    cdef void release(self) noexcept
    cdef Work work(self) noexcept
    cdef void share(self, RowsFunction function, Work* work) noexcept nogil
    cdef void run(self, RowsFunction function, Work* work) noexcept
    cdef ptrdiff_t step_all(self, Work* work, Complaint* complaints) noexcept
    cdef ptrdiff_t make_step(self, Work* work, Complaint* complaints) noexcept nogil
    cdef object refusal(self, const Complaint* complaints, ptrdiff_t refused)
    cdef int32_t* list_actions(self, Work* work, int64_t* bounds) noexcept nogil
    cdef int load_row(self, Row* row, Board board) except -1
    cdef Board board_of(self, const Row* row)
    cdef int restore(self, list boards, dict finals, list lost) except -1
    cdef ptrdiff_t check_index(self, object number) except -1

cdef list board_list(object boards)
