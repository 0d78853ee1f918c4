"""Leaf counts of the last plies, and what their moves can connect, for compiled code."""

from libc.stdint cimport uint64_t
from libc.string cimport memset

from loa._bitboard cimport Position, dilate, fill_group

# All three count below a position in which neither side is connected; `stuck` is one of STUCK_*.
cdef uint64_t count_one_ply(const Position* position, int stuck) noexcept nogil
cdef uint64_t count_two_plies(const Position* position, int stuck) noexcept nogil
cdef uint64_t count_three_plies(const Position* position, int stuck) noexcept nogil

# Whether a side that has no move along a line has a pass for its one legal ply.
cdef bint may_pass(const Position* position, int stuck) noexcept nogil

cdef enum:
    # With more groups than this no square touches all of them but two: at most four groups that
    # do not touch each other fit round a square.
    MOST_GROUPS = 6

cdef struct Groups:
    # How the groups of a side lie: what its next moves can and cannot connect.
    int count
    # Squares from which a move of the side could connect it; the same where one of its pieces,
    # whichever, is captured first; and squares whose occupation may leave it two groups or one.
    uint64_t connecting
    uint64_t connecting_after_capture
    uint64_t joining


cdef inline Groups find_groups(uint64_t pieces) noexcept nogil:
    """Which squares touch all groups of a side, all but one, all but two.

    A move connects its side only if the target touches every group of the side without the piece
    that moved. All of the side's groups are groups then, but for a piece that was alone: so all
    have to be touched, or all but one where some piece is alone. A capture can take one more
    group away or leave a piece alone. And a move that leaves its side with two groups touches all
    but two of those before.
    """
    cdef uint64_t touching[MOST_GROUPS + 1]
    cdef uint64_t rest = pieces, group, wide
    cdef bint alone = False
    cdef int level
    cdef Groups groups
    memset(&groups, 0, sizeof(groups))
    memset(touching, 0, sizeof(touching))
    # touching[k]: the squares that touch k groups at least.
    touching[0] = ~<uint64_t>0
    while rest:
        if groups.count == MOST_GROUPS:
            groups.count += 1
            return groups
        group = fill_group(rest & (~rest + 1), rest)
        rest ^= group
        alone = alone or group & (group - 1) == 0
        wide = dilate(group)
        for level in range(MOST_GROUPS, 0, -1):
            touching[level] |= touching[level - 1] & wide
        groups.count += 1
    level = groups.count - 1 if alone else groups.count
    groups.connecting = touching[level]
    groups.connecting_after_capture = touching[level - 1 if level else 0]
    groups.joining = touching[groups.count - 2 if groups.count > 2 else 0]
    return groups
