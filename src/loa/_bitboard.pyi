"""The kernels, for compiled code: `from loa._bitboard cimport ...`. Nothing here is for Python."""
