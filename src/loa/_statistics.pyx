"""`perft_statistics`: a perft that makes every move, the last ones too, and sorts the leaves."""

import dataclasses

from loa._bitboard cimport (
    MOVE_BUFFER,
    Position,
    is_connected,
    list_moves,
    make_child,
    make_pass,
    uint16_t,
    uint64_t,
)
from loa._board cimport Board
from loa._history cimport Snapshot, snapshot_of
from loa._last_plies cimport Groups, find_groups, may_pass
from loa._perft cimport _LeafCounter, check_depth, is_over


@dataclasses.dataclass(frozen=True)
class PerftStatistics:
    """The leaves of a perft by what their last ply did.

    `captures` and `passes` are leaves whose last ply is one; `mover_connections` those where it
    connected the mover's side only, `opponent_connections` the other side only and
    `simultaneous_connections` both, so that no leaf is in two of these three.

    >>> PerftStatistics(36, 8, 0, 0, 0, 0).captures
    8
    """

    leaves: int
    captures: int
    mover_connections: int
    opponent_connections: int
    simultaneous_connections: int
    passes: int


cdef class _Statistician(_LeafCounter):
    """A counter that looks at every leaf."""

    cdef uint64_t captures
    cdef uint64_t mover_connections
    cdef uint64_t opponent_connections
    cdef uint64_t simultaneous_connections
    cdef uint64_t passes

    cdef int visit(self, const Position* position, int depth, double share) except -1 nogil:
        """Adds the leaves below a node where neither side is connected."""
        cdef uint16_t moves[MOVE_BUFFER]
        cdef Position child
        cdef int index
        cdef int count = list_moves(position, position.turn, moves)
        if count == 0:
            if not may_pass(position, self.stuck):
                return self.subtree_done(share)
            if depth == 1:
                self.add(1, 0)
                self.passes += 1
                return self.subtree_done(share)
            child = position[0]
            make_pass(&child)
            return self.visit(&child, depth - 1, share)
        if depth == 1:
            self.sort_leaves(position, moves, count)
            return self.subtree_done(share)
        for index in range(count):
            if make_child(position, moves[index], &child):
                self.subtree_done(share / count)
            else:
                self.visit(&child, depth - 1, share / count)
        return 0

    cdef void sort_leaves(
        self, const Position* position, const uint16_t* moves, int count
    ) noexcept nogil:
        cdef uint64_t own = position.pieces[position.turn]
        cdef uint64_t enemy = position.pieces[position.turn ^ 1]
        cdef Groups groups = find_groups(own)
        cdef Groups enemy_groups = find_groups(enemy)
        # A capture connects the enemy only where it takes one of two groups away.
        cdef uint64_t interesting = groups.connecting | (enemy if enemy_groups.count <= 2 else 0)
        cdef uint64_t from_bit, to_bit
        cdef bint mover_connects, opponent_connects
        cdef int index
        self.add(<uint64_t>count, 0)
        for index in range(count):
            to_bit = <uint64_t>1 << (moves[index] & 63)
            self.captures += enemy >> (moves[index] & 63) & 1
            if to_bit & interesting:
                from_bit = <uint64_t>1 << (moves[index] >> 6)
                mover_connects = is_connected(own ^ from_bit | to_bit)
                opponent_connects = is_connected(enemy & ~to_bit)
                self.mover_connections += mover_connects and not opponent_connects
                self.opponent_connections += opponent_connects and not mover_connects
                self.simultaneous_connections += mover_connects and opponent_connects


def perft_statistics(Board board not None, depth, *, progress=None):
    """The leaves of `perft(board, depth)` by what the last ply did, as `PerftStatistics`.

    For those who look for an error in a move generator: two programs that differ in one category
    only need look at that one. `depth` is 1 to 100; `progress` is as for `perft`.

    >>> import loa
    >>> loa.perft_statistics(loa.Board(), 3)
    PerftStatistics(leaves=44952, captures=5980, mover_connections=0, opponent_connections=0, \
simultaneous_connections=0, passes=0)
    """
    cdef int plies = check_depth(depth, 1)
    cdef Snapshot snapshot = snapshot_of(board)
    cdef _Statistician counter = _Statistician(snapshot.rules.stuck, None, progress)
    if not is_over(&snapshot.position):
        with nogil:
            counter.visit(&snapshot.position, plies, 1.0)
    leaves = counter.total()
    if progress is not None:
        progress(1.0, leaves)
    return PerftStatistics(
        leaves,
        counter.captures,
        counter.mover_connections,
        counter.opponent_connections,
        counter.simultaneous_connections,
        counter.passes,
    )
