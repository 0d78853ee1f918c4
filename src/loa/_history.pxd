"""The history of a game, for compiled code."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from loa._bitboard cimport Position

cdef enum:
    # What is known of a position's end. From OVER on the game is over, and the value is
    # OVER + 3 * termination + winner, the winner NOBODY standing for a draw.
    UNKNOWN = 0
    HAS_MOVES = 1
    MUST_PASS = 2
    OVER = 3
    NOBODY = 2
    CONNECTION = 0
    SIMULTANEOUS_CONNECTION = 1
    NO_LEGAL_MOVE = 2
    REPETITION = 3
    PLY_LIMIT = 4

cdef enum:
    # What a side without a move does: the values of RuleValues.stuck.
    STUCK_PASSES = 0
    STUCK_LOSES = 1
    STUCK_DRAWS = 2

cdef enum:
    # The move number of a FEN goes to 2 ** 30; this is White's ply there.
    MAX_PLY = 2147483647

cdef struct RuleValues:
    # Rules as C values; 0 and -1 stand for "none".
    bint mover_wins
    int stuck
    int repetition_draw
    bint repetition_side_to_move
    long long ply_limit
    bint draws_precede_connection

cdef struct Frame:
    # One ply of a game: the position, the move that led to it, and its verdict once it is known.
    Position position
    uint16_t move
    uint8_t verdict
    # How many frames before this one can hold the same pieces: those since the last capture.
    uint32_t reversible

cdef class History:
    # The current position is the last of the frames; there is always one.
    cdef Frame* frames
    cdef Py_ssize_t count
    cdef Py_ssize_t capacity
    cdef long long root_ply
    cdef readonly object rules
    """The `loa.Rules` of this board."""
    cdef RuleValues values

    cdef const Position* position(self) noexcept
    cdef int use_rules(self, object rules) except -1
    cdef void set_root(
        self, int size, uint64_t black, uint64_t white, int turn, long long ply
    ) noexcept
    cdef int reserve(self, Py_ssize_t count) except -1
    cdef int append(self, int code, int from_square, int to_square) except -1
    cdef int occurrences(self, int enough) noexcept
    cdef int draw_verdict(self) noexcept
    cdef int judge(self) noexcept
    cdef int verdict(self) noexcept
