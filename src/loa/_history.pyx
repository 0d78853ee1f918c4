"""`History`: the plies of one game, and whether and how it has ended under its rules."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Realloc

from loa._bitboard cimport (
    PASS_CODE,
    Position,
    geometry_of,
    is_connected,
    make_move,
    make_pass,
    set_position,
)

from loa.rules import (
    LoaError,
    NoLegalMove,
    Rules,
    SimultaneousConnection,
    shown,
    starting_bitboards,
)

cdef enum:
    INITIAL_FRAMES = 8

cdef dict STUCK = {
    NoLegalMove.PASS: STUCK_PASSES,
    NoLegalMove.LOSS: STUCK_LOSES,
    NoLegalMove.DRAW: STUCK_DRAWS,
}


# Rules that a history has had and has no more, by their ids: another thread may be about to take
# hold of them.
cdef dict FORMER_RULES = {}


cdef RuleValues values_of(object rules) except *:
    """Rules as C values; `TypeError` for anything else."""
    cdef RuleValues values
    if not isinstance(rules, Rules):
        raise TypeError(f"rules is {shown(rules)}: expected a loa.Rules")
    values.mover_wins = rules.simultaneous_connection is SimultaneousConnection.MOVER_WINS
    values.stuck = STUCK[rules.no_legal_move]
    values.repetition_draw = rules.repetition_draw or 0
    values.repetition_side_to_move = rules.repetition_side_to_move
    values.ply_limit = -1 if rules.ply_limit is None else rules.ply_limit
    values.draws_precede_connection = rules.draws_precede_connection
    return values


# Boards say themselves how they are pickled.
@cython.auto_pickle(False)
cdef class History:
    """What `loa.Board` stands on, for compiled code; Python code sees nothing here but `rules`.

    >>> import loa
    >>> loa.Board().rules
    Rules.MSO
    """

    def __cinit__(self):
        # A Board is a valid board from here on, whatever an __init__ does or leaves out.
        self.frames = NULL
        self.rules = DEFAULT_RULES
        self.values = DEFAULT_VALUES
        self.reserve(INITIAL_FRAMES)
        self.frames[0] = START
        self.count = 1

    def __dealloc__(self):
        PyMem_Free(self.frames)

    cdef const Position* position(self) noexcept:
        return &self.frames[self.count - 1].position

    cdef int use_rules(self, object rules) except -1:
        cdef RuleValues values
        if rules is not DEFAULT_RULES or self.rules is not DEFAULT_RULES:
            values = values_of(rules)
            former = self.rules
            self.rules = rules
            self.values = values
            if former is not DEFAULT_RULES and former is not rules:
                FORMER_RULES[id(former)] = former
        return 0

    cdef void set_root(
        self, int size, uint64_t black, uint64_t white, int turn, long long ply
    ) noexcept:
        """Makes a position the start of the history: disjoint bitboards that fit the size."""
        set_position(&self.frames[0].position, geometry_of(size), black, white, turn)
        self.frames[0].move = PASS_CODE
        self.frames[0].verdict = UNKNOWN
        self.frames[0].reversible = 0
        self.count = 1
        self.root_ply = ply

    cdef int reserve(self, Py_ssize_t count) except -1:
        """Makes room for so many frames; on failure the board stays as it was."""
        cdef Frame* frames
        if count > self.capacity:
            frames = <Frame*>PyMem_Realloc(self.frames, count * sizeof(Frame))
            if frames == NULL:
                raise MemoryError()
            self.frames = frames
            self.capacity = count
        return 0

    cdef int append(self, int code, int from_square, int to_square) except -1:
        cdef Frame* frame
        cdef const Frame* last
        cdef int other
        if self.root_ply + self.count > MAX_PLY:
            raise LoaError(f"ply {self.root_ply + self.count}: expected no game beyond {MAX_PLY}")
        if self.count == self.capacity:
            self.reserve(2 * self.capacity)
        last = &self.frames[self.count - 1]
        frame = &self.frames[self.count]
        frame.position = last.position
        frame.move = <uint16_t>code
        frame.verdict = UNKNOWN
        frame.reversible = last.reversible + 1
        if code == PASS_CODE:
            make_pass(&frame.position)
        else:
            make_move(&frame.position, from_square, to_square)
            other = frame.position.turn
            if frame.position.pieces[other] != last.position.pieces[other]:
                frame.reversible = 0
        self.count += 1
        return 0

    cdef int occurrences(self, int enough) noexcept:
        """How often the current position has occurred, itself included; stops at `enough`."""
        cdef const Frame* top = &self.frames[self.count - 1]
        cdef const Frame* frame = top
        # Every ply changes the side to move, so positions that agree in it are two plies apart.
        cdef int step = 2 if self.values.repetition_side_to_move else 1
        cdef long long left = top.reversible
        cdef int found = 1
        while left >= step and found < enough:
            left -= step
            frame -= step
            if (
                frame.position.pieces[0] == top.position.pieces[0]
                and frame.position.pieces[1] == top.position.pieces[1]
            ):
                found += 1
        return found

    cdef int draw_verdict(self) noexcept:
        """The draw by repetition or by the ply limit, or UNKNOWN."""
        cdef int limit = self.values.repetition_draw
        return draw_by_history(
            &self.values,
            limit and self.occurrences(limit) >= limit,
            self.root_ply + self.count - 1)

    cdef int judge(self) noexcept:
        # Either side may be connected, whoever moved: a capture can join the enemy's pieces.
        cdef const Position* position = self.position()
        return verdict_on(
            position,
            &self.values,
            self.draw_verdict(),
            is_connected(position.pieces[0]),
            is_connected(position.pieces[1]))

    cdef int verdict(self) noexcept:
        """The verdict on the current position, worked out once and kept with it."""
        cdef Frame* frame = &self.frames[self.count - 1]
        if frame.verdict == UNKNOWN:
            frame.verdict = <uint8_t>self.judge()
        return frame.verdict


DEFAULT_RULES = Rules.MSO
cdef RuleValues DEFAULT_VALUES = values_of(DEFAULT_RULES)
cdef Frame START
cdef object BLACK_START, WHITE_START
BLACK_START, WHITE_START = starting_bitboards()
set_position(&START.position, geometry_of(8), BLACK_START, WHITE_START, 0)
