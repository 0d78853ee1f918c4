"""`perft` and `divide`: counting the sequences of legal plies, to prove and to time the rules."""

from cpython.exc cimport PyErr_CheckSignals

from operator import index as as_index
from time import perf_counter

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    Geometry,
    Position,
    count_moves,
    ends_game,
    fill_group,
    has_move,
    is_connected,
    list_moves,
    make_pass,
    move_pieces,
    uint8_t,
    uint16_t,
    uint64_t,
)
from loa._board cimport Board
from loa._history cimport STUCK_PASSES
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


cdef bint may_pass(const Position* position, int stuck) noexcept nogil:
    """Whether a side that has no move along a line has a pass for its one legal ply."""
    return stuck == STUCK_PASSES and has_move(position, position.turn ^ 1)


cdef uint64_t count_two_plies(const Position* position, int stuck) noexcept nogil:
    """perft to depth 2, where neither side is connected, without making a move.

    A move touches seven lines. So the replies to it are the opponent's moves now, plus what
    taking the piece off changes on the four lines through its square, plus what putting it down
    changes on the four lines through the target; the move's own line is both and counted once.
    """
    cdef uint16_t moves[MOVE_BUFFER]
    cdef Position child
    cdef const Geometry* geometry = position.geometry
    cdef int mover = position.turn
    cdef const uint8_t* counts = geometry.tables.counts[mover ^ 1]
    cdef int own_digit = 1 << mover
    cdef int enemy_digit = 2 >> mover
    cdef int replies_now = count_moves(position, mover ^ 1)
    cdef int index, count, from_square, to_square, shared, orientation, state, change, replies
    cdef int weight
    cdef uint64_t own, enemy, to_bit, captured, leaves = 0
    count = list_moves(position, mover, moves)
    if count == 0:
        return replies_now if may_pass(position, stuck) else 0
    for index in range(count):
        from_square = moves[index] >> 6
        to_square = moves[index] & 63
        to_bit = <uint64_t>1 << to_square
        own = position.pieces[mover] ^ (<uint64_t>1 << from_square | to_bit)
        captured = position.pieces[mover ^ 1] & to_bit
        enemy = position.pieces[mover ^ 1] ^ captured
        if fill_group(to_bit, own) == own or (captured and is_connected(enemy)):
            continue
        change = own_digit - (enemy_digit if captured else 0)
        shared = geometry.orientations[from_square][to_square]
        replies = replies_now
        for orientation in range(4):
            state = position.lines[geometry.square_lines[from_square][orientation]]
            weight = geometry.square_weights[from_square][orientation] * own_digit
            replies -= counts[state]
            state -= weight
            if orientation == shared:
                state += geometry.square_weights[to_square][orientation] * change
            replies += counts[state]
        for orientation in range(4):
            if orientation != shared:
                state = position.lines[geometry.square_lines[to_square][orientation]]
                weight = geometry.square_weights[to_square][orientation] * change
                replies += counts[state + weight] - counts[state]
        if replies == 0:
            child = position[0]
            move_pieces(&child, from_square, to_square)
            replies = may_pass(&child, stuck)
        leaves += <uint64_t>replies
    return leaves


cdef uint64_t count_leaves(const Position* position, int depth, int stuck) noexcept nogil:
    """perft to a depth of 1 or more, where neither side is connected. Keys are not kept up."""
    cdef uint16_t moves[MOVE_BUFFER]
    cdef Position child
    cdef uint64_t captured, leaves = 0
    cdef int index, count, to_square
    if depth == 1:
        count = count_moves(position, position.turn)
        return count if count else may_pass(position, stuck)
    if depth == 2:
        return count_two_plies(position, stuck)
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
