"""A table of leaf counts that many threads share without locks, and that never errs."""

from libc.stdint cimport uint64_t
from libcpp.atomic cimport atomic

from loa._bitboard cimport Position

cdef struct Count:
    # A number of leaves below 2 ** 128.
    uint64_t low
    uint64_t high

cdef struct Probe:
    # A position of a table: its least symmetric image, its depth and side to move, its place.
    uint64_t black
    uint64_t white
    uint64_t tag
    size_t bucket

cdef class HashTable:
    # Entries of four words, two to a bucket of 64 bytes; see the module for their layout.
    cdef atomic[uint64_t]* words
    cdef void* memory
    cdef size_t bucket_mask

    cdef Probe probe(self, const Position* position, int depth) noexcept nogil
    cdef bint find(self, const Probe* probe, Count* count) noexcept nogil
    cdef void store(self, const Probe* probe, Count count) noexcept nogil
