"""The tables of random games, built once when the module is imported, and the form in use."""

from libc.string cimport memcpy

from loa._bitboard cimport LINE_STATES, Geometry, LineTables, dilate, geometry_of
from loa._forms cimport exchange_form, list_forms

cdef uint8_t COUNTS[LINE_STATES]
cdef uint32_t MOVES[2][LINE_STATES]
cdef int8_t EULER_CHANGES[512]
cdef GameTables TABLES[9]

# The fastest form that this processor has; tests choose the others.
cdef int form = 0


cdef const GameTables* tables_of(int size) noexcept nogil:
    return &TABLES[size]


cdef int form_in_use() noexcept nogil:
    return form


cdef void build_states() noexcept:
    """Fills the tables by line states from those of `_bitboard`."""
    cdef const LineTables* tables = geometry_of(8).tables
    cdef int color, state, move, from_digit
    for state in range(LINE_STATES):
        COUNTS[state] = <uint8_t>(tables.counts[0][state] | tables.counts[1][state] << 4)
        for color in range(2):
            for move in range(tables.counts[color][state]):
                from_digit = tables.moves[color][state][move] >> 6
                if tables.moves[color][state][move] & 63 < from_digit:
                    from_digit |= 8
                MOVES[color][state] |= <uint32_t>from_digit << 4 * move


cdef int quad_weight(int quad) noexcept:
    """What a block of 2 x 2 squares adds to four times the Euler number.

    S. B. Gray, "Local properties of binary images in two dimensions", IEEE Transactions on
    Computers C-20 (1971), for groups connected through all eight neighbours.
    """
    cdef int pieces = (quad & 1) + (quad >> 1 & 1) + (quad >> 2 & 1) + (quad >> 3 & 1)
    if pieces == 1:
        return 1
    if pieces == 3:
        return -1
    return -2 if quad == 0b0110 or quad == 0b1001 else 0


cdef void build_euler_changes() noexcept:
    cdef int around, row, column, quad, middle, change
    for around in range(512):
        change = 0
        for row in range(2):
            for column in range(2):
                # Bit 4 of the 3 x 3 squares is the middle one, which the block has in this place.
                middle = 1 << 3 - 2 * row - column
                quad = around >> 3 * row + column
                quad = (quad & 0b11 | quad >> 1 & 0b1100) & ~middle
                change += quad_weight(quad | middle) - quad_weight(quad)
        EULER_CHANGES[around] = <int8_t>(change // 4)


cdef void build_tables(GameTables* tables, const Geometry* geometry) noexcept:
    cdef int square, orientation, line, digit
    tables.counts = COUNTS
    tables.pieces = &geometry.tables.pieces[0]
    tables.moves[0] = MOVES[0]
    tables.moves[1] = MOVES[1]
    memcpy(tables.euler_changes, EULER_CHANGES, sizeof(EULER_CHANGES))
    for square in range(64):
        if geometry.board_mask >> square & 1:
            tables.neighbours[square] = (
                dilate(<uint64_t>1 << square) ^ <uint64_t>1 << square)
            for orientation in range(4):
                line = geometry.square_lines[square][orientation]
                digit = geometry.square_digits[square][orientation]
                tables.square_lines[square][orientation] = <uint8_t>line
                tables.weights[square][line] = geometry.square_weights[square][orientation]
                tables.squares[line][digit] = <uint8_t>square
                tables.steps[line] = geometry.line_step[line][0]


def _forms():
    """The forms of `_playout.h` that this processor can run, the fastest last."""
    return list_forms(has_form)


def _use_form(int other):
    """Chooses a form; returns the one in use before."""
    return exchange_form(&form, other, has_form)


cdef int size
build_states()
build_euler_changes()
for size in range(3, 9):
    build_tables(&TABLES[size], geometry_of(size))
_use_form(max(_forms()))
