"""A table of leaf counts that many threads share without locks, and that never errs.

An entry is four words: the bitboards of a position (the least of its symmetric images), the lower
half of its leaf count, and a tail. From bit 0 up the tail holds the depth (7 bits), the side to
move, whether somebody is writing, the number of times the entry was written (23 bits) and the
rest of the count (32 bits).

An entry is believed only if both bitboards, depth and side are those asked for: no key stands for
them. And only if its tail was the same before and after the words were read: whoever writes takes
the entry by setting the writing bit, which only one thread at a time can, and leaves it with a new
tail. A reader or writer who finds the entry taken goes on without it.
"""

cimport cython
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport (
    atomic,
    memory_order,
    memory_order_acquire,
    memory_order_relaxed,
    memory_order_release,
)

from loa._bitboard cimport Position, canonical_pieces

cdef extern from "<atomic>" namespace "std" nogil:
    void atomic_thread_fence(memory_order order)

cdef enum:
    ENTRY_WORDS = 4
    BUCKET_WORDS = 8
    BUCKET_BYTES = 64

    BLACK_WORD = 0
    WHITE_WORD = 1
    LOW_WORD = 2
    TAIL_WORD = 3

    TURN_SHIFT = 7
    WRITING_SHIFT = 8
    VERSION_SHIFT = 9
    HIGH_SHIFT = 32

cdef uint64_t TAG_MASK = 0xff
cdef uint64_t DEPTH_MASK = 0x7f
cdef uint64_t WRITING = <uint64_t>1 << WRITING_SHIFT
cdef uint64_t VERSION_MASK = 0xfffffe00


@cython.final
cdef class HashTable:
    """A table of at most so many megabytes (2 ** 20 bytes); `MemoryError` where there are not."""

    def __cinit__(self, size_t megabytes):
        cdef size_t buckets = 1
        while 2 * buckets * BUCKET_BYTES <= megabytes << 20:
            buckets *= 2
        # One bucket more than there are, so that all can start at the start of a cache line.
        self.memory = calloc(buckets + 1, BUCKET_BYTES)
        if self.memory == NULL:
            raise MemoryError(f"no memory for a hash table of {megabytes} MB")
        self.words = <atomic[uint64_t]*>(
            (<uintptr_t>self.memory + BUCKET_BYTES - 1) & ~<uintptr_t>(BUCKET_BYTES - 1))
        self.bucket_mask = buckets - 1

    def __dealloc__(self):
        free(self.memory)

    cdef Probe probe(self, const Position* position, int depth) noexcept nogil:
        cdef Probe probe
        cdef uint64_t mixed
        probe.black = position.pieces[0]
        probe.white = position.pieces[1]
        canonical_pieces(&probe.black, &probe.white, position.geometry.size)
        probe.tag = <uint64_t>depth | <uint64_t>position.turn << TURN_SHIFT
        # Multiplications by odd constants with the high bits folded down, as in splitmix64.
        mixed = (probe.black + probe.tag) * <uint64_t>0xbf58476d1ce4e5b9
        mixed = (mixed ^ mixed >> 32 ^ probe.white) * <uint64_t>0x94d049bb133111eb
        mixed ^= mixed >> 29
        probe.bucket = <size_t>mixed & self.bucket_mask
        return probe

    cdef bint find(self, const Probe* probe, Count* count) noexcept nogil:
        """Fetches the count of a position, if the table has it."""
        cdef atomic[uint64_t]* entry
        cdef uint64_t tail, black, white, low
        cdef int slot
        for slot in range(2):
            entry = self.words + probe.bucket * BUCKET_WORDS + slot * ENTRY_WORDS
            tail = entry[TAIL_WORD].load(memory_order_acquire)
            if (tail & (TAG_MASK | WRITING)) != probe.tag:
                continue
            black = entry[BLACK_WORD].load(memory_order_relaxed)
            white = entry[WHITE_WORD].load(memory_order_relaxed)
            low = entry[LOW_WORD].load(memory_order_relaxed)
            atomic_thread_fence(memory_order_acquire)
            if (
                black == probe.black
                and white == probe.white
                and entry[TAIL_WORD].load(memory_order_relaxed) == tail
            ):
                count.low = low
                count.high = tail >> HIGH_SHIFT
                return True
        return False

    cdef void store(self, const Probe* probe, Count count) noexcept nogil:
        """Keeps a count: in the bucket's first entry, or in the second if the first is deeper.

        It is not kept if it has more than 96 bits or if somebody else is writing there.
        """
        cdef atomic[uint64_t]* entry = self.words + probe.bucket * BUCKET_WORDS
        cdef uint64_t tail = entry[TAIL_WORD].load(memory_order_relaxed)
        if count.high >> 32:
            return
        if (tail & DEPTH_MASK) > (probe.tag & DEPTH_MASK):
            entry += ENTRY_WORDS
            tail = entry[TAIL_WORD].load(memory_order_relaxed)
        if tail & WRITING:
            return
        if not entry[TAIL_WORD].compare_exchange_strong(
            tail, tail | WRITING, memory_order_acquire, memory_order_relaxed
        ):
            return
        atomic_thread_fence(memory_order_release)
        entry[BLACK_WORD].store(probe.black, memory_order_relaxed)
        entry[WHITE_WORD].store(probe.white, memory_order_relaxed)
        entry[LOW_WORD].store(count.low, memory_order_relaxed)
        tail = (tail + (<uint64_t>1 << VERSION_SHIFT)) & VERSION_MASK
        entry[TAIL_WORD].store(
            tail | probe.tag | count.high << HIGH_SHIFT, memory_order_release)
