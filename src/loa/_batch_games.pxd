"""The games of a batch, for compiled code."""

from cpython.pythread cimport PyThread_type_lock
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t

from loa._batch_rows cimport Complaint, Row, RowsFunction, Work
from loa._bitboard cimport Geometry
from loa._board cimport Board
from loa._history cimport RuleValues

cdef enum:
    # Four gigabytes of games; eleven with auto_reset where each has a start of its own.
    MAX_BOARDS = 1 << 24

cdef class Games

# What is done with all rows under the lock.
ctypedef void (*Task)(Games games, Work* work) noexcept nogil

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
        self,
        ptrdiff_t count,
        ptrdiff_t start_count,
        const Geometry* geometry,
        object rules,
        const RuleValues* values,
        bint auto_reset,
        int threads,
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
    cdef void run_task(self, Task task, Work* work) noexcept
    cdef void run(self, RowsFunction function, Work* work) noexcept
    cdef object refusal(self, const Work* work)
    cdef int32_t* list_actions(self, Work* work, int64_t* bounds) noexcept nogil
    cdef int load_row(self, Row* row, Board board) except -1
    cdef Board board_of(self, const Row* row)
    cdef int restore(self, list boards, dict finals, list lost) except -1
    cdef ptrdiff_t check_index(self, object number) except -1

cdef void make_step(Games games, Work* work) noexcept nogil
cdef list board_list(object boards)
