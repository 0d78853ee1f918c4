"""The rows of a batch, for compiled code: games of 192 bytes each, played without the GIL."""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from loa._bitboard cimport Position
from loa._history cimport RuleValues

cdef enum:
    ACTIONS = 513
    PASS_ACTION = 512
    PLANES = 8
    MAX_REPETITIONS = 3

cdef enum:
    # What a step does in a row where it makes no move: codes of moves are 0 and more.
    SKIP = -1
    LOSE = -2
    REFUSE = -3
    NO_PLY = -4
    NO_MEMORY = -5

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

cdef struct Pieces:
    uint64_t black
    uint64_t white

cdef struct Row:
    Position position
    # A bit for each of `history`, by a hash, so that few new positions have to be looked up.
    uint64_t seen[4]
    # The positions since the last capture, which may come again; the current one is not in it.
    Pieces* history
    uint32_t count
    uint32_t capacity
    int32_t ply
    # How often the current position has occurred since the last capture, itself included.
    int32_t repetitions
    uint8_t verdict
    # Whether the last step ended a game here, and the row has been reset since.
    uint8_t restarted

cdef struct Work:
    # What a function for rows is given: the batch, and the arguments and the result of a call.
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
    uint64_t seed
    int column
    bint lose
    bint absolute
    bint final

# Functions for the rows from `first` to `last` of a `Work`, for `share_rows`.
ctypedef void (*RowsFunction)(void* work, ptrdiff_t first, ptrdiff_t last) noexcept nogil

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


cdef inline bint reserve_history(Row* row, uint32_t count) noexcept nogil:
    """Makes room for so many positions in all; False, and nothing changed, where there is none."""
    cdef uint32_t capacity = 16 if row.capacity == 0 else row.capacity
    cdef void* history
    if count <= row.capacity:
        return True
    while capacity < count:
        capacity *= 2
    history = realloc(row.history, capacity * sizeof(Pieces))
    if history == NULL:
        return False
    row.history = <Pieces*>history
    row.capacity = capacity
    return True


cdef inline void copy_row(Row* target, const Row* source) noexcept nogil:
    """Makes one row like another; the target's history has room for the source's."""
    cdef Pieces* history = target.history
    cdef uint32_t capacity = target.capacity
    target[0] = source[0]
    target.history = history
    target.capacity = capacity
    if source.count:
        memcpy(history, source.history, source.count * sizeof(Pieces))


cdef inline uint64_t hash_of_pieces(const Position* position) noexcept nogil:
    return position.key ^ (position.geometry.turn_key if position.turn else 0)


cdef inline void remember(Row* row, Pieces pieces, uint64_t hash_) noexcept nogil:
    """Adds a position to the history, which has room for it."""
    row.history[row.count] = pieces
    row.count += 1
    row.seen[hash_ >> 62] |= <uint64_t>1 << (hash_ >> 56 & 63)
