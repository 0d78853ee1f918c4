"""The board, for compiled code: what it can do on the C level is its history's."""

from loa._bitboard cimport Position
from loa._history cimport History

cdef class Board(History):
    cdef bint allows(self, int from_square, int to_square, int code) noexcept
    cdef int check_square(self, object square) except -1
    cdef Board with_position(self, object black, object white, int turn)
