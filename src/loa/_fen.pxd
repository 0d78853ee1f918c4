"""Positions as text, for compiled code, in the native dialect of `loa.notation`."""

from libc.stdint cimport uint64_t

from loa._bitboard cimport Position


cdef inline str fen_of(const Position* position, long long ply):
    """What `loa.notation.format_fen` writes for a position after so many plies."""
    # At most eight letters and a slash for each of eight ranks, and the side to move.
    cdef char text[80]
    cdef int length = 0
    cdef int size = position.geometry.size
    cdef int rank, file
    cdef uint64_t square
    for rank in range(size - 1, -1, -1):
        for file in range(size):
            square = <uint64_t>1 << (8 * rank + file)
            if position.pieces[0] & square:
                text[length] = c"b"
            elif position.pieces[1] & square:
                text[length] = c"w"
            elif file > 0 and c"1" <= text[length - 1] <= c"7":
                # One more in a run of empty squares.
                text[length - 1] += 1
                continue
            else:
                text[length] = c"1"
            length += 1
        text[length] = c"/" if rank else c" "
        length += 1
    text[length] = c"w" if position.turn else c"b"
    return f"{text[:length + 1].decode('ascii')} {ply // 2 + 1}"
