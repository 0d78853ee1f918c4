"""`Move`, an interned value, and `LegalMoves`, the sequence of a position's legal moves."""

cimport cython
from cpython.object cimport PyObject, newfunc
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

import sys
from collections.abc import Sequence
from operator import index as as_index

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    count_moves,
    is_line_move,
    list_moves,
)

from loa import notation
from loa.rules import InvalidMoveError, shown

cdef extern from "Python.h":
    ctypedef struct TypeObject "PyTypeObject":
        newfunc tp_new
        void* tp_vectorcall

# Borrowed references to every Move there is, by code; 0 for a square to itself. The objects live
# as long as the module: _intern_moves takes a reference that is never given back.
cdef PyObject* MOVES[4096]


cdef Move _intern_moves():
    """Makes every Move there will ever be; returns the pass."""
    cdef int from_square, to_square
    cdef Move move
    for from_square in range(64):
        for to_square in range(64):
            if from_square != to_square or from_square == 0:
                move = Move.__new__(Move)
                move.from_square = from_square
                move.to_square = to_square
                move.code = 64 * from_square + to_square
                Py_INCREF(move)
                MOVES[move.code] = <PyObject*>move
    return <Move>MOVES[PASS_CODE]


cdef Move move_of_code(int code):
    """The Move of a code that is known to be one."""
    return <Move>MOVES[code]


@cython.final
cdef class Move:
    """A move from one square to another, or the pass: an immutable, interned value.

    There is one object for each pair of squares, so equal moves are the same object and a `Move`
    can be compared with `is`, hashed and pickled cheaply. Whether a move is legal is a question
    for a board. `Move(from_square, to_square)` takes two different squares, 0 (a1) to 63 (h8);
    anything else raises `InvalidMoveError`, or `TypeError` where it is not an integer.

    >>> import loa
    >>> move = loa.Move.from_text("c8-c6")
    >>> move.from_square, move.to_square, move.code
    (58, 42, 3754)
    >>> loa.Move(58, 42) is move
    True
    """

    PASS = _intern_moves()

    @staticmethod
    def from_text(text):
        """The move a text names: two squares with `-`, `x`, `:`, spaces or nothing between.

        Case does not matter; `pass` is the pass. Raises `InvalidMoveError` for any other text.

        >>> Move.from_text("D1 A4")
        Move.from_text('d1-a4')
        """
        cdef int from_square, to_square
        from_square, to_square = notation.parse_move(text)
        return move_of_code(64 * from_square + to_square)

    @staticmethod
    def from_code(code):
        """The move of a code, `64 * from_square + to_square`; 0 is the pass.

        Raises `InvalidMoveError` for a number that is not a move's code.

        >>> Move.from_code(0) is Move.PASS
        True
        """
        number = as_index(code)
        if not 0 <= number < 4096 or MOVES[<int>number] == NULL:
            raise InvalidMoveError(
                f"{shown(number)} is not the code of a move: expected 64 * from_square + to_square "
                "with two different squares 0 to 63, or 0 for the pass")
        return move_of_code(number)

    @property
    def is_pass(self):
        """Whether this is the pass, whose squares are both 0.

        >>> Move.PASS.is_pass
        True
        """
        return self.code == PASS_CODE

    def __hash__(self):
        return self.code

    def __reduce__(self):
        return _restore_move, (self.code,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __str__(self):
        return notation.format_move(self.from_square, self.to_square)

    def __repr__(self):
        if self.code == PASS_CODE:
            return "Move.PASS"
        return f"Move.from_text('{self}')"


cdef object _new_move(type cls, PyObject* arguments, PyObject* keywords):
    """`Move(...)`: looks the object up instead of making one."""
    # Python parses the arguments, and names them in its errors as the caller knows them.
    def Move(from_square, to_square):
        return as_index(from_square), as_index(to_square)

    from_square, to_square = Move(
        *<object>arguments, **(<object>keywords if keywords != NULL else {}))
    if not (0 <= from_square < 64 and 0 <= to_square < 64) or from_square == to_square:
        raise InvalidMoveError(
            f"{shown(from_square)}, {shown(to_square)} is not a move: "
            "expected two different squares, 0 to 63")
    return move_of_code(64 * from_square + to_square)


# Interning has to happen where objects are made, and Cython has no __new__ for its classes, so the
# slot is set by hand. A vectorcall slot, which Cython 3.3 fills, would be called instead of it.
(<TypeObject*>Move).tp_new = <newfunc>_new_move
(<TypeObject*>Move).tp_vectorcall = NULL


@cython.final
@cython.freelist(16)
@cython.no_gc
cdef class LegalMoves:
    """The legal moves of a position: an immutable sequence of `Move`, taken when it was asked for.

    Pushing and popping on the board leaves it as it is. Moves are listed by line, in this order:
    ranks from the first up, files from a on, diagonals (rising to the right) from the upper left
    corner's on, anti-diagonals from the lower left corner's on; on one line by from-square, then
    by to-square. The order is the same on every machine and in every release.

    `len` counts without listing, `in` tests one move without listing; a game that is over has no
    legal moves, and where the pass is legal it is the only move. It is equal to any other
    `LegalMoves`, list or tuple of the same moves in the same order.

    Only a `Move` can be in it: `in`, `index` and `count` raise `TypeError` for anything else, as
    `Board.is_legal` does. A text or a number is no move, and False would look like an answer.

    >>> import loa
    >>> moves = loa.Board().legal_moves
    >>> len(moves), moves[0], loa.Move.from_text("c8-c6") in moves
    (36, Move.from_text('b1-h1'), True)
    >>> "c8-c6" in moves
    Traceback (most recent call last):
        ...
    TypeError: move is 'c8-c6': expected a loa.Move, as of loa.Move.from_text('c8-c6')
    """

    def __init__(self):
        raise TypeError("LegalMoves cannot be made directly: ask for Board.legal_moves")

    cdef int length(self) noexcept:
        if self.listed:
            return count_moves(&self.position, self.position.turn)
        return self.must_pass

    cdef tuple as_tuple(self):
        with cython.critical_section(self):
            if self.moves is None:
                self.moves = self.listed_moves()
            return self.moves

    cdef tuple listed_moves(self):
        cdef uint16_t codes[MOVE_BUFFER]
        cdef int count, index
        cdef PyObject* move
        codes[0] = PASS_CODE
        count = self.must_pass
        if self.listed:
            count = list_moves(&self.position, self.position.turn, codes)
        moves = PyTuple_New(count)
        for index in range(count):
            move = MOVES[codes[index]]
            Py_INCREF(<object>move)
            PyTuple_SET_ITEM(moves, index, <object>move)
        return moves

    def __len__(self):
        return self.length()

    def __bool__(self):
        return self.length() != 0

    def __contains__(self, move):
        cdef Move candidate = require_move(move)
        if candidate.code == PASS_CODE:
            return self.must_pass
        return self.listed and is_line_move(
            &self.position, self.position.turn, candidate.from_square, candidate.to_square)

    def __iter__(self):
        return iter(self.as_tuple())

    def __reversed__(self):
        return reversed(self.as_tuple())

    def __getitem__(self, index):
        try:
            return self.as_tuple()[index]
        except IndexError:
            raise IndexError(
                f"index {shown(index)}: expected an index into {self.length()} legal moves"
            ) from None

    def __eq__(self, other):
        if isinstance(other, LegalMoves):
            return self.as_tuple() == (<LegalMoves>other).as_tuple()
        if isinstance(other, (list, tuple)):
            return self.as_tuple() == tuple(other)
        return NotImplemented

    def index(self, move, start=0, stop=sys.maxsize):
        """The position of a move in the sequence, from `start` up to `stop` like that of a list.

        Raises `ValueError` where the move is not there.

        >>> import loa
        >>> moves = loa.Board().legal_moves
        >>> moves.index(moves[7])
        7
        """
        checked = require_move(move)
        try:
            return self.as_tuple().index(checked, start, stop)
        except ValueError:
            moves = ", ".join(map(str, self.as_tuple()[start:stop]))
            expected = f"one of {moves}" if moves else "some moves to look among"
            raise ValueError(f"move is {checked}: expected {expected}") from None

    def count(self, move):
        """1 for a legal move, 0 for any other.

        >>> import loa
        >>> loa.Board().legal_moves.count(Move.PASS)
        0
        """
        return int(move in self)

    def __reduce__(self):
        return tuple, (self.as_tuple(),)

    def __repr__(self):
        return f"<LegalMoves ({', '.join(map(str, self.as_tuple()))})>"


cdef Move require_move(object value):
    """The value as a Move; `TypeError` where it is none."""
    if isinstance(value, Move):
        return <Move>value
    text = shown(value)
    hint = f", as of loa.Move.from_text({text})" if isinstance(value, str) else ""
    raise TypeError(f"move is {text}: expected a loa.Move{hint}")


def _restore_move(code):
    """Unpickles a move: the one there is."""
    return Move.from_code(code)


Sequence.register(LegalMoves)
