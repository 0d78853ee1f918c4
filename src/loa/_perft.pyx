"""`perft` and `divide`: counting the sequences of legal plies, to prove and to time the rules."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector

import sys
from time import perf_counter

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    Position,
    canonical_pieces,
    is_connected,
    list_moves,
    make_child,
    make_pass,
    uint16_t,
    uint64_t,
)
from loa._board cimport Board
from loa._hash_table cimport Count, HashTable, Probe
from loa._history cimport Snapshot, snapshot_of
from loa._last_plies cimport count_one_ply, count_three_plies, count_two_plies, may_pass
from loa._moves cimport Move, move_of_code

from loa.rules import MAX_THREADS, LoaError, check_range

cdef enum:
    # A subtree of this depth is counted by one call, which takes about a microsecond.
    SUBTREE_DEPTH = 3
    # After so many subtrees Python is asked whether to go on.
    REPORT_SUBTREES = 2048
    # Deeper than anybody will count, and less than 128 KB of stack deep.
    MAX_DEPTH = 100
    # Parts of the tree for each thread, so that all of them end at about the same time.
    PARTS_PER_THREAD = 64

# Seconds between two calls of a progress callback.
cdef double PROGRESS_INTERVAL = 0.05


class _Stopped(Exception):
    """Ends the threads of a count that has failed elsewhere."""


cdef class _LeafCounter:
    """One thread's count: how far it is and whom to tell."""

    def __cinit__(self, int stuck, HashTable table, progress):
        self.stuck = stuck
        self.table = table
        self.progress = progress
        self.told = perf_counter()

    cdef object total(self):
        if self.overflow:
            raise LoaError("the leaves do not fit into 128 bits: expected less depth")
        return int_of(self.leaves)

    cdef void add(self, uint64_t low, uint64_t high) noexcept nogil:
        self.leaves.low += low
        high += self.leaves.low < low
        self.leaves.high += high
        self.overflow |= self.leaves.high < high

    cdef int count(self, const Position* position, int depth, double share) except -1 nogil:
        """Adds the leaves below a node, a share of the tree, where neither side is connected."""
        cdef uint16_t moves[MOVE_BUFFER]
        cdef Position child
        cdef Probe probe
        cdef Count leaves
        cdef int index, count
        cdef bint hashed = self.table is not None and depth >= SUBTREE_DEPTH
        if hashed:
            probe = self.table.probe(position, depth)
            if self.table.find(&probe, &leaves):
                self.add(leaves.low, leaves.high)
                return self.subtree_done(share)
            leaves = self.leaves
        if depth <= SUBTREE_DEPTH:
            if depth == 3:
                self.add(count_three_plies(position, self.stuck), 0)
            elif depth == 2:
                self.add(count_two_plies(position, self.stuck), 0)
            else:
                self.add(count_one_ply(position, self.stuck), 0)
            self.subtree_done(share)
        else:
            count = list_moves(position, position.turn, moves)
            if count == 0 and may_pass(position, self.stuck):
                child = position[0]
                make_pass(&child)
                self.count(&child, depth - 1, share)
            for index in range(count):
                if make_child(position, moves[index], &child):
                    self.subtree_done(share / count)
                else:
                    self.count(&child, depth - 1, share / count)
        if hashed and not self.overflow:
            leaves.high = self.leaves.high - leaves.high - (self.leaves.low < leaves.low)
            leaves.low = self.leaves.low - leaves.low
            self.table.store(&probe, leaves)
        return 0

    cdef int subtree_done(self, double share) except -1 nogil:
        self.fraction += share
        self.subtrees += 1
        if self.subtrees >= REPORT_SUBTREES:
            self.subtrees = 0
            with gil:
                self.report()
        return 0

    cdef int report(self) except -1:
        """Lets Python handle signals, and tells the callback now and then; either may raise."""
        PyErr_CheckSignals()
        if self.stopped.load():
            raise _Stopped
        leaves = self.total()
        with cython.critical_section(self):
            self.reported_leaves = self.leaves
            self.reported_fraction = self.fraction
        if self.progress is not None and perf_counter() - self.told >= PROGRESS_INTERVAL:
            self.progress(min(self.fraction, 1.0), leaves)
            self.told = perf_counter()
        return 0


cdef object int_of(Count count):
    return int(count.high) << 64 | count.low


cdef struct Part:
    # A subtree that one thread counts, its share of the tree, and how many there are like it.
    Position position
    double share
    uint64_t sequences


cdef class _Parts:
    """The tree in parts of one depth, to be taken one after the other."""

    cdef vector[Part] parts
    cdef int depth
    cdef atomic[size_t] taken
    # The share of moves that ended the game above the parts.
    cdef double ended

    def __cinit__(self):
        self.ended = 0.0

    cdef void split(self, const Position* position, int depth, int stuck, size_t wanted) except *:
        """Splits a tree until there are so many parts, or no deeper ones to split."""
        cdef vector[Part] children
        cdef uint16_t moves[MOVE_BUFFER]
        cdef Part part, child
        cdef int index, count
        self.depth = depth
        part.position = position[0]
        part.share = 1.0
        part.sequences = 1
        self.parts.push_back(part)
        while self.depth > SUBTREE_DEPTH and self.parts.size() < wanted:
            children.clear()
            for part in self.parts:
                count = list_moves(&part.position, part.position.turn, moves)
                if count == 0 and may_pass(&part.position, stuck):
                    child = part
                    make_pass(&child.position)
                    children.push_back(child)
                elif count == 0:
                    self.ended += part.share
                for index in range(count):
                    child.share = part.share / count
                    child.sequences = part.sequences
                    if make_child(&part.position, moves[index], &child.position):
                        self.ended += child.share
                    else:
                        children.push_back(child)
            self.parts.swap(children)
            self.depth -= 1
            if self.parts.empty():
                return

    cdef int merge(self) except -1:
        """Leaves one part of those that are equal up to symmetry.

        A hash table is no help while two threads count the same at the same time.
        """
        cdef vector[Part] merged
        cdef dict places = {}
        cdef uint64_t black, white
        cdef size_t place
        cdef Part part
        for part in self.parts:
            black, white = part.position.pieces[0], part.position.pieces[1]
            canonical_pieces(&black, &white, part.position.geometry.size)
            place = places.setdefault((black, white), merged.size())
            if place == merged.size():
                merged.push_back(part)
            else:
                merged[place].sequences += part.sequences
                merged[place].share += part.share
        self.parts.swap(merged)
        return 0


def _count_parts(_Parts parts not None, _LeafCounter counter not None):
    """One thread's work: counts parts until none is left. Returns the leaves of all of them."""
    cdef Part part
    cdef size_t number
    leaves = before = 0
    while True:
        number = parts.taken.fetch_add(1)
        if number >= parts.parts.size():
            return leaves
        part = parts.parts[number]
        with nogil:
            counter.count(&part.position, parts.depth, part.share)
        leaves += (counter.total() - before) * part.sequences
        before = counter.total()


cdef object count_in_threads(
    const Position* position, int depth, int stuck, HashTable table, int threads, object progress
):
    """Counts with several threads, which share the parts and the table."""
    # Most programs count in one thread: the module is loaded by the first count that does not.
    from concurrent.futures import ThreadPoolExecutor, wait
    cdef _Parts parts = _Parts()
    cdef _LeafCounter counter
    cdef Count reported
    parts.split(position, depth, stuck, threads * PARTS_PER_THREAD)
    if table is not None:
        parts.merge()
    cdef list counters = [_LeafCounter(stuck, table, None) for _ in range(threads)]
    with ThreadPoolExecutor(threads, "loa.perft") as pool:
        try:
            futures = [pool.submit(_count_parts, parts, counter) for counter in counters]
            left = set(futures)
            while left:
                done, left = wait(left, PROGRESS_INTERVAL, "FIRST_EXCEPTION")
                for future in done:
                    future.result()
                if left and progress is not None:
                    fraction, leaves = parts.ended, 0
                    for counter in counters:
                        with cython.critical_section(counter):
                            reported = counter.reported_leaves
                            fraction += counter.reported_fraction
                        leaves += int_of(reported)
                    progress(min(fraction, 1.0), leaves)
        except BaseException:
            for counter in counters:
                counter.stopped.store(True)
            raise
    return sum([future.result() for future in futures])


cdef int check_depth(object depth, int least, str name="depth") except -1:
    return check_range(name, depth, least, MAX_DEPTH)


cdef int check_threads(object threads) except -1:
    return check_range("threads", threads, 1, MAX_THREADS)


cdef HashTable make_table(object hash_mb):
    """The table of that many megabytes, None for 0."""
    number = check_range("hash_mb", hash_mb, 0, (sys.maxsize >> 20) - 1)
    return HashTable(number) if number else None


cdef bint is_over(const Position* position) noexcept nogil:
    return is_connected(position.pieces[0]) or is_connected(position.pieces[1])


def perft(Board board not None, depth, *, threads=1, hash_mb=0, progress=None):
    """The number of sequences of exactly `depth` legal plies from a position, an int.

    A connection ends a game, which has no continuation then. Under `NoLegalMove.PASS` a forced
    pass is a ply, unless neither side has a move; under the other rules a side without a move
    ends the game. Repetitions and ply limits are ignored. Counts are exact: there are no
    approximate keys, and a count that does not fit into 128 bits raises `LoaError`.

    `depth` is 0 to 100, `threads` 1 to 1024; `hash_mb` is the size of a hash table in megabytes,
    which all threads share, 0 for none. Anything else raises `LoaError`. `progress(fraction,
    leaves)` is called some twenty times a second with the share of the tree that is done (0.0 to
    1.0) and the leaves counted so far, the last time with 1.0 and the result. An exception from it,
    or Ctrl-C, stops the count. Other Python threads run meanwhile, and the board may be changed:
    the count is of the position when it started. Great depths need 128 KB of stack, which threads
    have unless `threading.stack_size` was told otherwise.

    >>> import loa
    >>> [loa.perft(loa.Board(), depth) for depth in range(5)]
    [1, 36, 1244, 44952, 1563208]
    >>> loa.perft(loa.Board(), 6, threads=2, hash_mb=16)
    1938494632
    """
    cdef int plies = check_depth(depth, 0)
    cdef int thread_count = check_threads(threads)
    cdef HashTable table = make_table(hash_mb)
    cdef Snapshot snapshot = snapshot_of(board)
    cdef Position position = snapshot.position
    cdef int stuck = snapshot.rules.stuck
    cdef _LeafCounter counter
    if plies == 0:
        leaves = 1
    elif is_over(&position):
        leaves = 0
    elif thread_count > 1:
        leaves = count_in_threads(&position, plies, stuck, table, thread_count, progress)
    else:
        counter = _LeafCounter(stuck, table, progress)
        with nogil:
            counter.count(&position, plies, 1.0)
        leaves = counter.total()
    if progress is not None:
        progress(1.0, leaves)
    return leaves


def divide(Board board not None, depth, *, threads=1, hash_mb=0, progress=None):
    """The perft below each move: a dict from `Move` to the leaves that start with it.

    The moves are those of perft, which knows no draws by repetition or ply limit, in the order of
    `legal_moves`; the values sum to `perft(board, depth)`.
    `depth` is 1 to 100; `threads`, `hash_mb` and `progress` are as for `perft`.

    >>> import loa
    >>> for move, leaves in loa.divide(loa.Board(size=3), 3).items():
    ...     print(move, leaves)
    b1-a1 10
    b1-c1 10
    b3-a3 10
    b3-c3 10
    """
    return dict(divided(board, depth, threads=threads, hash_mb=hash_mb, progress=progress))


def divided(Board board not None, depth, *, threads=1, hash_mb=0, progress=None):
    """The items of `divide`, each of them as soon as it has been counted.

    >>> import loa
    >>> next(divided(loa.Board(), 3))
    (Move.from_text('b1-h1'), 1171)
    """
    cdef int plies = check_depth(depth, 1)
    cdef int thread_count = check_threads(threads)
    cdef HashTable table = make_table(hash_mb)
    cdef Snapshot snapshot = snapshot_of(board)
    cdef Position position = snapshot.position
    cdef Position child
    cdef int stuck = snapshot.rules.stuck
    cdef _LeafCounter counter
    cdef int code
    cdef bint ended
    before = 0
    moves = moves_of(&position, stuck)
    for index, move in enumerate(moves):
        code = (<Move>move).code
        if code == PASS_CODE:
            child = position
            make_pass(&child)
            ended = False
        else:
            ended = make_child(&position, code, &child)
        below = None if progress is None else _part_of(progress, index, len(moves), before)
        if plies == 1:
            total = 1
        elif ended:
            total = 0
        elif thread_count > 1:
            total = count_in_threads(&child, plies - 1, stuck, table, thread_count, below)
        else:
            counter = _LeafCounter(stuck, table, below)
            with nogil:
                counter.count(&child, plies - 1, 1.0)
            total = counter.total()
        if below is not None:
            below(1.0, total)
        before += total
        yield move, total
    if progress is not None and not moves:
        progress(1.0, 0)


cdef list moves_of(const Position* position, int stuck):
    """The moves that perft knows in a position."""
    cdef uint16_t codes[MOVE_BUFFER]
    cdef int index, count
    if is_over(position):
        return []
    count = list_moves(position, position.turn, codes)
    if count == 0 and may_pass(position, stuck):
        return [Move.PASS]
    return [move_of_code(codes[index]) for index in range(count)]


def _part_of(progress, index, count, leaves_before):
    """The progress callback of one move among several."""
    def report(fraction, leaves):
        progress((index + fraction) / count, leaves_before + leaves)
    return report
