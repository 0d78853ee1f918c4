"""The rows of a batch, for compiled code: games of 224 bytes each, played without the GIL."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from loa._bitboard cimport Position
from loa._history cimport RuleValues
from loa._seen cimport Seen, copy_seen

cdef enum:
    ACTIONS = 513
    PASS_ACTION = 512
    PLANES = 8
    MAX_REPETITIONS = 3

cdef enum:
    # What a step does in a row where it makes no move: codes of moves are 0 and more. From REFUSE
    # down no move is made in any row, and what is lowest is what is wrong with the step.
    SKIP = -1
    LOSE = -2
    REFUSE = -3
    NO_PLY = -4
    NO_ACTION = -5
    NO_MEMORY = -6
    # How many refused actions an error tells of.
    COMPLAINTS = 3

cdef enum:
    COLUMN_BLACK
    COLUMN_WHITE
    COLUMN_KEYS
    COLUMN_TURNS
    COLUMN_PLIES
    COLUMN_REPETITIONS
    COLUMN_MUST_PASS
    COLUMN_TERMINATED
    COLUMN_WINNERS
    COLUMN_TERMINATIONS

cdef struct Row:
    Position position
    # The positions since the last capture; the current one is not among them.
    Seen seen
    int32_t ply
    # How often the current position has occurred since the last capture, itself included.
    int32_t repetitions
    uint8_t verdict
    # Whether the last step ended a game here, and the row has been reset since.
    uint8_t restarted

cdef struct Complaint:
    # An action that a step has refused, and the game it was for.
    ptrdiff_t row
    int64_t action
    Position position
    int32_t ply
    uint8_t verdict

# Functions for the rows from `first` to `last` of a `Work`, for `share_rows`.
ctypedef void (*RowsFunction)(void* work, ptrdiff_t first, ptrdiff_t last) noexcept nogil

cdef struct Work:
    # What a function for rows is given: the batch, and the arguments and the result of a call.
    RowsFunction function
    Row* rows
    Row* finals
    const Row* starts
    ptrdiff_t start_step
    const RuleValues* rules
    const int64_t* actions
    const uint8_t* mask
    int32_t* codes
    const int64_t* bounds
    void* out
    # What a step has refused: the lowest of the codes, how many rows have it, and the first ones.
    Complaint complaints[COMPLAINTS]
    ptrdiff_t refused
    int32_t worst
    uint64_t seed
    int column
    bint lose
    bint absolute
    bint final

cdef void read_actions(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void make_moves(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void reset_rows(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_mask(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_legal_bitboards(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_action_counts(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_actions(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_samples(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_float_planes(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_byte_planes(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil
cdef void write_column(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil


cdef inline void copy_row(Row* target, const Row* source) noexcept nogil:
    """Makes one row like another; the target has room for the positions the source has seen."""
    cdef Seen seen = target.seen
    target[0] = source[0]
    target.seen = seen
    copy_seen(&target.seen, &source.seen)
