"""The positions of a game that may come again, those since the last capture, for compiled code."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memset

cdef struct Pieces:
    uint64_t black
    uint64_t white

cdef struct Seen:
    # A bit for each position, by a hash: one whose bit is not set has not occurred.
    uint64_t filter[8]
    Pieces* positions
    uint32_t count
    uint32_t capacity


cdef inline bint reserve_seen(Seen* seen, uint32_t count) noexcept nogil:
    """Makes room for so many positions in all; False, and nothing changed, where there is none."""
    cdef uint32_t capacity = 16 if seen.capacity == 0 else seen.capacity
    cdef void* positions
    if count <= seen.capacity:
        return True
    while capacity < count:
        capacity *= 2
    positions = realloc(seen.positions, capacity * sizeof(Pieces))
    if positions == NULL:
        return False
    seen.positions = <Pieces*>positions
    seen.capacity = capacity
    return True


cdef inline void copy_seen(Seen* target, const Seen* source) noexcept nogil:
    """Copies all positions to where there is room for them."""
    memcpy(target.filter, source.filter, sizeof(source.filter))
    target.count = source.count
    if source.count:
        memcpy(target.positions, source.positions, source.count * sizeof(Pieces))


cdef inline void forget(Seen* seen) noexcept nogil:
    seen.count = 0
    memset(seen.filter, 0, sizeof(seen.filter))


cdef inline uint64_t hash_of(uint64_t black, uint64_t white) noexcept nogil:
    # An odd number with random bits, that of splitmix64.
    return (black ^ (white << 23 | white >> 41)) * <uint64_t>0x9e3779b97f4a7c15


cdef inline void remember(Seen* seen, uint64_t black, uint64_t white) noexcept nogil:
    """Adds a position where there is room for it."""
    cdef uint64_t hash_ = hash_of(black, white)
    seen.positions[seen.count] = Pieces(black, white)
    seen.count += 1
    seen.filter[hash_ >> 61] |= <uint64_t>1 << (hash_ >> 55 & 63)


cdef inline int count_seen(
    const Seen* seen, uint64_t black, uint64_t white, bint side_to_move
) noexcept nogil:
    """How often the position after the last one seen is among them."""
    cdef uint64_t hash_ = hash_of(black, white)
    # Every ply changes the side to move, so positions that agree in it are two plies apart.
    cdef long long step = 2 if side_to_move else 1
    cdef long long index = seen.count
    cdef int found = 0
    if seen.filter[hash_ >> 61] >> (hash_ >> 55 & 63) & 1:
        while index >= step:
            index -= step
            found += seen.positions[index].black == black and seen.positions[index].white == white
    return found
