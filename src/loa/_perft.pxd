"""One thread's perft, for compiled code."""

from libc.stdint cimport uint64_t
from libcpp.atomic cimport atomic

from loa._bitboard cimport Position
from loa._hash_table cimport Count, HashTable

cdef class _LeafCounter:
    cdef int stuck
    cdef HashTable table
    # The leaves so far, whether they have outgrown Count, and the share of the tree that is done.
    cdef Count leaves
    cdef bint overflow
    cdef double fraction
    cdef int subtrees
    cdef object progress
    cdef double told
    # For other threads: leaves and fraction at the last report, which are read and written within
    # the counter's critical section, and whether this thread is to stop.
    cdef Count reported_leaves
    cdef double reported_fraction
    cdef atomic[bint] stopped

    cdef object total(self)
    cdef void add(self, uint64_t low, uint64_t high) noexcept nogil
    cdef int count(self, const Position* position, int depth, double share) except -1 nogil
    cdef int subtree_done(self, double share) except -1 nogil
    cdef int report(self) except -1

cdef int check_depth(object depth, int least, str name=*) except -1
cdef int check_threads(object threads) except -1
cdef HashTable make_table(object hash_mb)
cdef bint is_over(const Position* position) noexcept nogil
