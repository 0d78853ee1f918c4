"""Why a move is illegal, in words, for compiled code."""

from loa._bitboard cimport Position

cdef str why_illegal(const Position* position, int verdict, int from_square, int to_square)
cdef str why_illegal_towards(const Position* position, int verdict, int from_square, int direction)
