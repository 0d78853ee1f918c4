"""The history of a game, for compiled code."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from loa._bitboard cimport Position, has_move

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
    ILLEGAL_MOVE = 5

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

cdef struct Snapshot:
    # A position, its rules and its ply as they were at one moment.
    Position position
    RuleValues rules
    long long ply

cdef object DEFAULT_RULES

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


cdef inline Snapshot snapshot_of(History history) noexcept:
    """What there is now, copied, whatever other threads do with the history meanwhile."""
    cdef Snapshot snapshot
    with cython.critical_section(history):
        snapshot.position = history.position()[0]
        snapshot.rules = history.values
        snapshot.ply = history.root_ply + history.count - 1
    return snapshot


cdef inline int over(int termination, int winner) noexcept nogil:
    return OVER + 3 * termination + winner


cdef inline int winner_of(int verdict) noexcept nogil:
    """Who has won, 0 or 1, or NOBODY, by a verdict from OVER on."""
    return (verdict - OVER) % 3


cdef inline int termination_of(int verdict) noexcept nogil:
    """How the game has ended, by a verdict from OVER on: a place in `loa.rules.TERMINATIONS`."""
    return (verdict - OVER) // 3


cdef inline int draw_by_history(
    const RuleValues* rules, bint repeated, long long ply
) noexcept nogil:
    """The draw by repetition, where one is known, or by the ply limit; or UNKNOWN."""
    if repeated:
        return over(REPETITION, NOBODY)
    if 0 <= rules.ply_limit <= ply:
        return over(PLY_LIMIT, NOBODY)
    return UNKNOWN


cdef inline int verdict_on(
    const Position* position,
    const RuleValues* rules,
    int draw,
    bint black_connected,
    bint white_connected,
) noexcept nogil:
    """How a game stands: HAS_MOVES, MUST_PASS or its end.

    `draw` is what `draw_by_history` says. Where both sides are connected, the side that is not to
    move counts as the mover.
    """
    cdef int turn = position.turn
    if draw != UNKNOWN and rules.draws_precede_connection:
        return draw
    if black_connected and white_connected:
        return over(SIMULTANEOUS_CONNECTION, turn ^ 1 if rules.mover_wins else NOBODY)
    if black_connected or white_connected:
        return over(CONNECTION, 0 if black_connected else 1)
    if has_move(position, turn):
        return HAS_MOVES if draw == UNKNOWN else draw
    if rules.stuck == STUCK_LOSES:
        return over(NO_LEGAL_MOVE, turn ^ 1)
    if rules.stuck == STUCK_DRAWS or not has_move(position, turn ^ 1):
        return over(NO_LEGAL_MOVE, NOBODY)
    return MUST_PASS if draw == UNKNOWN else draw
