"""Leaf counts of the last plies, for compiled code."""

from libc.stdint cimport uint64_t

from loa._bitboard cimport Position

# All three count below a position in which neither side is connected; `stuck` is one of STUCK_*.
cdef uint64_t count_one_ply(const Position* position, int stuck) noexcept nogil
cdef uint64_t count_two_plies(const Position* position, int stuck) noexcept nogil
cdef uint64_t count_three_plies(const Position* position, int stuck) noexcept nogil

# Whether a side that has no move along a line has a pass for its one legal ply.
cdef bint may_pass(const Position* position, int stuck) noexcept nogil
