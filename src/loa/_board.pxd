"""The board, for compiled code: what it can do on the C level is its history's."""

from libc.stdint cimport uint64_t

from loa._bitboard cimport Position
from loa._history cimport History
from loa._moves cimport Move

cdef struct Refusal:
    # What there was when a move was refused.
    Position position
    long long ply
    int verdict

cdef class Board(History):
    cdef bint allows(self, int from_square, int to_square, int code) noexcept
    cdef int check_square(self, object square) except -1
    cdef int set_placement(self, object placement) except -1
    cdef int make(self, Move move) except -1
    cdef Refusal refusal(self) noexcept
    cdef Board with_position(self, uint64_t black, uint64_t white, int turn)
