"""`perft` and `divide`: counting the sequences of legal plies, to prove and to time the rules."""

from cpython.exc cimport PyErr_CheckSignals

from operator import index as as_index
from time import perf_counter

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    Position,
    ends_game,
    is_connected,
    list_moves,
    make_pass,
    move_pieces,
    uint16_t,
    uint64_t,
)
from loa._board cimport Board
from loa._last_plies cimport count_one_ply, count_three_plies, count_two_plies, may_pass
from loa._moves cimport move_of_code

from loa.rules import LoaError

cdef enum:
    # Subtrees of this depth are counted without a break, which takes milliseconds: the start has
    # 1.6 million leaves at depth 4.
    UNBROKEN_DEPTH = 4
    # After so many leaves or so many small subtrees Python is asked whether to go on.
    REPORT_LEAVES = 20_000_000
    REPORT_SUBTREES = 256
    # Deeper than anybody will count; keeps the recursion well inside any thread's stack.
    MAX_DEPTH = 100

# Seconds between two calls of a progress callback.
cdef double PROGRESS_INTERVAL = 0.05


cdef uint64_t count_leaves(const Position* position, int depth, int stuck) noexcept nogil:
    """perft to a depth of 1 or more, where neither side is connected. Keys are not kept up."""
    cdef uint16_t moves[MOVE_BUFFER]
    cdef Position child
    cdef uint64_t captured, leaves = 0
    cdef int index, count, to_square
    if depth == 1:
        return count_one_ply(position, stuck)
    if depth == 2:
        return count_two_plies(position, stuck)
    if depth == 3:
        return count_three_plies(position, stuck)
    count = list_moves(position, position.turn, moves)
    if count == 0:
        if not may_pass(position, stuck):
            return 0
        child = position[0]
        make_pass(&child)
        return count_leaves(&child, depth - 1, stuck)
    for index in range(count):
        to_square = moves[index] & 63
        child = position[0]
        captured = move_pieces(&child, moves[index] >> 6, to_square)
        if not ends_game(&child, to_square, captured):
            leaves += count_leaves(&child, depth - 1, stuck)
    return leaves


cdef class _Counter:
    """One count under way: how far it is and whom to tell."""

    cdef int stuck
    # Leaves and subtrees counted since the last report, and the share of the tree done so far.
    cdef uint64_t leaves
    cdef int subtrees
    cdef double fraction
    # Leaves counted before the last report: a Python int, since no 64 bits hold every count.
    cdef object total
    cdef object progress
    cdef double told

    def __cinit__(self, int stuck, progress):
        self.stuck = stuck
        self.total = 0
        self.progress = progress
        self.told = perf_counter()

    cdef int count(self, const Position* position, int depth, double share) except -1 nogil:
        """Adds the leaves below a node, a share of the tree, where neither side is connected."""
        cdef uint16_t moves[MOVE_BUFFER]
        cdef Position child
        cdef uint64_t captured
        cdef int index, count, to_square
        if depth <= UNBROKEN_DEPTH:
            self.leaves += count_leaves(position, depth, self.stuck)
            return self.subtree_done(share)
        count = list_moves(position, position.turn, moves)
        if count == 0 and may_pass(position, self.stuck):
            child = position[0]
            make_pass(&child)
            return self.count(&child, depth - 1, share)
        for index in range(count):
            to_square = moves[index] & 63
            child = position[0]
            captured = move_pieces(&child, moves[index] >> 6, to_square)
            if ends_game(&child, to_square, captured):
                self.subtree_done(share / count)
            else:
                self.count(&child, depth - 1, share / count)
        return 0

    cdef int subtree_done(self, double share) except -1 nogil:
        self.fraction += share
        self.subtrees += 1
        if self.leaves >= REPORT_LEAVES or self.subtrees >= REPORT_SUBTREES:
            with gil:
                self.report()
        return 0

    cdef int report(self) except -1:
        """Lets Python handle signals, and tells the callback now and then; either may raise."""
        self.total += self.leaves
        self.leaves = 0
        self.subtrees = 0
        PyErr_CheckSignals()
        if self.progress is not None and perf_counter() - self.told >= PROGRESS_INTERVAL:
            self.progress(min(self.fraction, 1.0), self.total)
            self.told = perf_counter()
        return 0


cdef int check_depth(object depth, int least) except -1:
    number = as_index(depth)
    if not least <= number <= MAX_DEPTH:
        raise LoaError(f"depth is {depth}: expected {least} to {MAX_DEPTH}")
    return number


cdef bint is_over(const Position* position) noexcept nogil:
    return is_connected(position.pieces[0]) or is_connected(position.pieces[1])


def perft(Board board not None, depth, *, progress=None):
    """The number of sequences of exactly `depth` legal plies from a position, an int.

    A connection ends a game, which has no continuation then. Under `NoLegalMove.PASS` a forced
    pass is a ply, unless neither side has a move; under the other rules a side without a move
    ends the game. Repetitions and ply limits are ignored. Counts are exact, however large.

    `depth` is 0 to 100; anything else raises `LoaError`. `progress(fraction, leaves)` is called
    some twenty times a second with the share of the tree that is done (0.0 to 1.0) and the leaves
    counted so far. An exception from it, or Ctrl-C, stops the count. Other Python threads run
    meanwhile, and the board may be changed: the count is of the position when it started.

    >>> import loa
    >>> [loa.perft(loa.Board(), depth) for depth in range(5)]
    [1, 36, 1244, 44952, 1563208]
    """
    cdef int plies = check_depth(depth, 0)
    cdef Position position = board.position()[0]
    cdef _Counter counter = _Counter(board.stuck, progress)
    if plies == 0:
        return 1
    if is_over(&position):
        return 0
    with nogil:
        counter.count(&position, plies, 1.0)
    return counter.total + counter.leaves


def divide(Board board not None, depth, *, progress=None):
    """The perft below each legal move: a dict from `Move` to the leaves that start with it.

    The moves are in the order of `legal_moves` and the values sum to `perft(board, depth)`.
    `depth` is 1 to 100; `progress` is as for `perft`.

    >>> import loa
    >>> for move, leaves in loa.divide(loa.Board(size=3), 3).items():
    ...     print(move, leaves)
    b1-a1 10
    b1-c1 10
    b3-a3 10
    b3-c3 10
    """
    cdef int plies = check_depth(depth, 1)
    cdef Position position = board.position()[0]
    cdef Position child
    cdef _Counter counter = _Counter(board.stuck, progress)
    cdef uint16_t moves[MOVE_BUFFER]
    cdef int index, count, to_square
    cdef uint64_t captured = 0
    cdef bint ended
    cdef dict leaves = {}
    if is_over(&position):
        return leaves
    count = list_moves(&position, position.turn, moves)
    if count == 0 and may_pass(&position, counter.stuck):
        moves[0] = PASS_CODE
        count = 1
    for index in range(count):
        child = position
        if moves[index] == PASS_CODE:
            make_pass(&child)
            ended = False
        else:
            to_square = moves[index] & 63
            captured = move_pieces(&child, moves[index] >> 6, to_square)
            ended = ends_game(&child, to_square, captured)
        before = counter.total + counter.leaves
        if plies == 1:
            counter.leaves += 1
        elif not ended:
            with nogil:
                counter.count(&child, plies - 1, 1.0 / count)
        leaves[move_of_code(moves[index])] = counter.total + counter.leaves - before
    return leaves
