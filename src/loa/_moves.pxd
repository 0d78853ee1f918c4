"""Moves for compiled code: objects by their codes, and the legal moves of a position."""

from libc.stdint cimport uint16_t

from loa._bitboard cimport Position

cdef class Move:
    cdef readonly int code
    """`64 * from_square + to_square`, 0 for the pass."""
    cdef readonly int from_square
    """The square the piece leaves, 0 (a1) to 63 (h8)."""
    cdef readonly int to_square
    """The square the piece reaches, 0 (a1) to 63 (h8)."""

cdef class LegalMoves:
    cdef Position position
    # Whether the moves along lines are the legal moves; if not, there is the pass or nothing.
    cdef bint listed
    cdef bint must_pass
    cdef tuple moves

    cdef int length(self) noexcept
    cdef tuple as_tuple(self)
    cdef tuple listed_moves(self)

cdef Move move_of_code(int code)
cdef Move require_move(object value)
