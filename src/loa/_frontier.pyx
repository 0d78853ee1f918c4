"""The distinct positions after some plies: making them from those before, and counting below them.

Entries are rows of three 64-bit numbers: the black and the white bitboard of a position, the least
of its symmetric images, and how many sequences of plies lead to any of the images. They are kept
in partitions by a hash of the bitboards, each sorted by bitboards, so that large frontiers can be
made a partition at a time; the order is the same however the work was divided.
"""

cimport cython
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

import numpy as np

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    Geometry,
    Position,
    canonical_pieces,
    geometry_of,
    list_moves,
    set_position,
    uint16_t,
    uint64_t,
)
from loa._board cimport Board
from loa._hash_table cimport Count, HashTable
from loa._history cimport snapshot_of
from loa._last_plies cimport may_pass
from loa._perft cimport _LeafCounter, check_depth, check_threads, is_over, make_table

from loa.rules import LoaError, check_size

cdef extern from "_frontier.h" namespace "loa" nogil:
    cdef cppclass Entry:
        uint64_t black
        uint64_t white
        uint64_t sequences

cdef enum:
    PARTITION_BITS = 8
    PARTITIONS = 256

_PARTITIONS = PARTITIONS


cdef inline int partition_of(uint64_t black, uint64_t white) noexcept nogil:
    cdef uint64_t mixed = black * <uint64_t>0xbf58476d1ce4e5b9
    mixed = (mixed ^ mixed >> 32 ^ white) * <uint64_t>0x94d049bb133111eb
    return <int>(mixed >> (64 - PARTITION_BITS))


cdef size_t merge_entries(Entry* entries, size_t count, bint* overflow) noexcept nogil:
    """Sorts entries and makes one of those for the same position; returns how many are left."""
    cdef size_t kept = 0, index
    sort(entries, entries + count)
    for index in range(1, count):
        if entries[index].black == entries[kept].black and (
            entries[index].white == entries[kept].white
        ):
            entries[kept].sequences += entries[index].sequences
            overflow[0] |= entries[kept].sequences < entries[index].sequences
        else:
            kept += 1
            entries[kept] = entries[index]
    return kept + 1 if count else 0


cdef int check_overflow(bint overflow) except -1:
    if overflow:
        raise LoaError("more than 2**64 - 1 sequences lead to one position: expected fewer plies")
    return 0


cdef int check_numbers(int size, int turn, int stuck) except -1:
    check_size(size)
    if not 0 <= turn <= 1:
        raise LoaError(f"turn is {turn}: expected 0 or 1")
    if not 0 <= stuck <= 2:
        raise LoaError(f"stuck is {stuck}: expected 0 to 2")
    return 0


cdef int check_entries(const uint64_t[:, ::1] entries, int size) except -1:
    """Rows may come from files and networks, and the kernels trust what they are given."""
    cdef uint64_t outside = ~geometry_of(size).board_mask
    cdef Py_ssize_t row
    cdef bint good = entries.shape[1] == 3
    if good:
        for row in range(entries.shape[0]):
            good &= not entries[row, 0] & entries[row, 1]
            good &= not (entries[row, 0] | entries[row, 1]) & outside
    if not good:
        raise LoaError(
            f"entries of shape ({entries.shape[0]}, {entries.shape[1]}): expected rows of two "
            f"disjoint bitboards of the {size}x{size} board and a number of sequences")
    return 0


def first_entry(Board board not None):
    """The frontier of no plies: an array of one row."""
    cdef Position position = snapshot_of(board).position
    cdef uint64_t black = position.pieces[0]
    cdef uint64_t white = position.pieces[1]
    canonical_pieces(&black, &white, position.geometry.size)
    return np.array([[black, white, 1]], dtype=np.uint64)


def expand(const uint64_t[:, ::1] entries not None, int size, int turn, int stuck):
    """The entries one ply on: rows, partition after partition, and where each partition starts.

    Positions in which a side is connected have no continuation. A row for the same position is
    there once. Needs no lock.
    """
    cdef vector[vector[Entry]] partitions
    cdef vector[Entry]* partition
    cdef uint16_t moves[MOVE_BUFFER]
    cdef Position position
    cdef const Geometry* geometry
    cdef uint64_t black, white, from_bit, to_bit
    cdef uint64_t pieces[2]
    cdef Py_ssize_t row
    cdef size_t total = 0, kept
    cdef int index, count, part
    cdef bint overflow = False
    cdef Entry entry
    cdef uint64_t[:, ::1] view
    check_numbers(size, turn, stuck)
    check_entries(entries, size)
    geometry = geometry_of(size)
    with nogil:
        partitions.resize(PARTITIONS)
        for row in range(entries.shape[0]):
            set_position(&position, geometry, entries[row, 0], entries[row, 1], turn)
            if is_over(&position):
                continue
            count = list_moves(&position, turn, moves)
            if count == 0 and may_pass(&position, stuck):
                moves[0] = PASS_CODE
                count = 1
            for index in range(count):
                from_bit = <uint64_t>1 << (moves[index] >> 6)
                to_bit = <uint64_t>1 << (moves[index] & 63)
                pieces[0] = position.pieces[0]
                pieces[1] = position.pieces[1]
                if moves[index] != PASS_CODE:
                    pieces[turn] ^= from_bit | to_bit
                    pieces[turn ^ 1] &= ~to_bit
                black, white = pieces[0], pieces[1]
                canonical_pieces(&black, &white, size)
                entry.black = black
                entry.white = white
                entry.sequences = entries[row, 2]
                partitions[partition_of(black, white)].push_back(entry)
        for part in range(PARTITIONS):
            partition = &partitions[part]
            kept = merge_entries(partition.data(), partition.size(), &overflow)
            partition.resize(kept)
            total += kept
    check_overflow(overflow)
    rows = np.empty((total, 3), dtype=np.uint64)
    starts = np.zeros(PARTITIONS + 1, dtype=np.int64)
    total = 0
    for part in range(PARTITIONS):
        kept = partitions[part].size()
        if kept:
            view = rows[total:total + kept]
            memcpy(&view[0, 0], partitions[part].data(), kept * sizeof(Entry))
        total += kept
        starts[part + 1] = total
    return rows, starts


def merge(uint64_t[:, ::1] entries not None):
    """Sorts the entries of one partition in place, one for each position; returns their number."""
    cdef size_t kept = 0
    cdef bint overflow = False
    if entries.shape[1] != 3:
        raise LoaError(f"entries have {entries.shape[1]} columns: expected 3")
    if entries.shape[0]:
        with nogil:
            kept = merge_entries(<Entry*>&entries[0, 0], <size_t>entries.shape[0], &overflow)
    check_overflow(overflow)
    return kept


@cython.final
cdef class ChunkCounter:
    """Counts leaves below entries, each times its sequences: one thread's work, to be stopped.

    It counts `depth` plies below positions with this side to move; the table may be shared.
    """

    cdef _LeafCounter counter
    cdef int size
    cdef int turn
    cdef int depth

    def __cinit__(self, int size, int turn, int depth, int stuck, HashTable table):
        check_numbers(size, turn, stuck)
        self.counter = _LeafCounter(stuck, table, None)
        self.size = size
        self.turn = turn
        self.depth = check_depth(depth, 0)

    def stop(self):
        """Makes `count`, in another thread, end with an exception soon."""
        self.counter.stopped.store(True)

    def count(self, const uint64_t[:, ::1] entries not None):
        """The sum over these entries, an int of any size."""
        cdef Position position
        cdef const Geometry* geometry = geometry_of(self.size)
        cdef Count leaves, sum_
        cdef Py_ssize_t row
        cdef uint64_t sequences, product
        cdef double share = 1.0 / max(1, entries.shape[0])
        check_entries(entries, self.size)
        total = 0
        sum_.low = sum_.high = 0
        with nogil:
            for row in range(entries.shape[0]):
                set_position(&position, geometry, entries[row, 0], entries[row, 1], self.turn)
                leaves = self.counter.leaves
                if self.depth == 0:
                    self.counter.add(1, 0)
                elif not is_over(&position):
                    self.counter.count(&position, self.depth, share)
                leaves.high = (
                    self.counter.leaves.high - leaves.high - (self.counter.leaves.low < leaves.low))
                leaves.low = self.counter.leaves.low - leaves.low
                sequences = entries[row, 2]
                if leaves.high or leaves.low >> 32 or sequences >> 32:
                    with gil:
                        total += (int(leaves.high) << 64 | leaves.low) * sequences
                else:
                    product = leaves.low * sequences
                    sum_.low += product
                    sum_.high += sum_.low < product
        # Raises where the counter has overflowed.
        self.counter.total()
        return total + (int(sum_.high) << 64 | sum_.low)


def check_arguments(plies, threads, hash_mb, name="depth"):
    """The arguments as C knows them, or the error that `perft` raises for them."""
    return check_depth(plies, 0, name), check_threads(threads), make_table(hash_mb)


def stuck_of(Board board not None):
    """What a side without a move does under the board's rules, as the kernels number it."""
    return snapshot_of(board).rules.stuck
