"""The C surface of the engine: positions, lines, moves and groups, without the GIL.

Cython modules outside this package get it with `from loa cimport ...`. The functions that run in
inner loops are defined here, inline, and reach every table through the position itself, so they
compile into the module that uses them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy
from libcpp.bit cimport countr_zero

cdef enum:
    # The number of what gets compiled into modules of other packages: the layouts of the structs
    # and classes they can cimport, constants, what the tables hold. A change of any of it takes
    # the next number; tests/data/abi.json says what there is under each.
    ABI = 1

cdef enum:
    # 8 ranks, 8 files, 15 diagonals, 15 anti-diagonals.
    LINES = 46
    # Lines of 1 to 8 squares in base 3: 3 + 9 + ... + 6561 states.
    LINE_STATES = 9840
    # No line of n squares has more than n moves for one side (n - 1 for odd n): a piece moves as
    # far as there are pieces on the line, so p pieces have at most min(2 p, 2 (n - p)) moves.
    # Summed over the 46 lines of the 8x8 board that is 240.
    MAX_MOVES = 240
    LINE_MOVES = 8
    # list_moves writes whole lanes of LINE_MOVES codes, so it may write past the last move.
    MOVE_BUFFER = MAX_MOVES + LINE_MOVES
    # A move is 64 * from_square + to_square. a1-a1 is no move, so 0 is free for the pass.
    PASS_CODE = 0
    NO_LINE = 255

cdef struct LineTables:
    # What there is to know about a line, indexed by its state: the base-3 number whose digit i is
    # 0 for an empty square, 1 for a black piece and 2 for a white one, plus an offset by length.
    uint8_t counts[2][LINE_STATES]            # moves of a colour
    uint8_t pieces[LINE_STATES]               # pieces of both colours
    uint8_t forward[2][LINE_STATES]           # bit i: the piece on digit i may move up the line
    uint8_t backward[2][LINE_STATES]
    uint16_t moves[2][LINE_STATES][LINE_MOVES]  # 64 * from digit + to digit, counts[] of them

cdef struct Geometry:
    # One board size. Lines that a small board does not have stay in the empty state for ever.
    int size
    int line_count
    uint64_t board_mask
    uint64_t size_key
    uint64_t turn_key
    const LineTables* tables
    uint64_t piece_keys[2][64]
    # The four lines through a square, by orientation: file, diagonal, rank, anti-diagonal (the
    # order of Direction modulo 4), with the square's digit and that digit's weight 3 ** digit.
    uint8_t square_lines[64][4]
    uint8_t square_digits[64][4]
    uint16_t square_weights[64][4]
    # Orientation of the line that joins two squares of this board, or NO_LINE.
    uint8_t orientations[64][64]
    # For list_moves, once for each slot of a lane: 65 times a line's lowest square, and the step
    # to its next square.
    uint16_t line_first[LINES][LINE_MOVES]
    uint16_t line_step[LINES][LINE_MOVES]
    uint16_t empty_states[LINES]

cdef struct Position:
    # 128 bytes, copied rather than undone.
    uint64_t pieces[2]
    uint64_t key
    const Geometry* geometry
    uint16_t lines[LINES]
    uint8_t turn

cdef int abi() noexcept nogil
cdef const Geometry* geometry_of(int size) noexcept nogil
cdef void set_position(
    Position* position, const Geometry* geometry, uint64_t black, uint64_t white, int turn
) noexcept nogil
cdef uint64_t transform_bitboard(uint64_t bitboard, int symmetry, int size) noexcept nogil
cdef void canonical_pieces(uint64_t* black, uint64_t* white, int size) noexcept nogil
cdef int list_groups(uint64_t pieces, uint64_t* groups) noexcept nogil


cdef inline int check_abi() except -1:
    """Raises ImportError in a module that was compiled against another ABI than is installed."""
    if abi() != ABI:
        raise ImportError(
            f"compiled against ABI {ABI} of loa, but the installed loa has ABI {abi()}: "
            "expected the same, so compile this module again")
    return 0


cdef inline int count_moves(const Position* position, int color) noexcept nogil:
    """The number of moves along lines that a colour has; ends of games are not looked at."""
    cdef const uint8_t* counts = position.geometry.tables.counts[color]
    cdef int line, total = 0
    for line in range(LINES):
        total += counts[position.lines[line]]
    return total


cdef inline bint has_move(const Position* position, int color) noexcept nogil:
    cdef const uint8_t* counts = position.geometry.tables.counts[color]
    cdef int line
    for line in range(LINES):
        if counts[position.lines[line]]:
            return True
    return False


cdef inline int list_moves(
    const Position* position, int color, uint16_t* moves
) noexcept nogil:
    """Writes the moves of a colour, line by line, into a buffer of MOVE_BUFFER codes.

    Each line's whole lane is copied, used or not: a copy of fixed length has no branch to
    mispredict, and the next line's lane overwrites what was not used.
    """
    cdef const Geometry* geometry = position.geometry
    cdef const uint8_t* counts = geometry.tables.counts[color]
    cdef const uint16_t* digits
    cdef const uint16_t* first
    cdef const uint16_t* step
    cdef uint16_t lane[LINE_MOVES]
    cdef int line, slot, state, total = 0
    for line in range(LINES):
        state = position.lines[line]
        digits = geometry.tables.moves[color][state]
        first = geometry.line_first[line]
        step = geometry.line_step[line]
        # from = square + step * i and to = square + step * j, so the code 64 * from + to is
        # 65 * square + step * (64 * i + j).
        for slot in range(LINE_MOVES):
            lane[slot] = first[slot] + step[slot] * digits[slot]
        memcpy(moves + total, lane, sizeof(lane))
        total += counts[state]
    return total


cdef inline bint is_line_move(
    const Position* position, int color, int from_square, int to_square
) noexcept nogil:
    """Whether a colour's piece may move between two squares (each 0 to 63)."""
    cdef const Geometry* geometry = position.geometry
    cdef int orientation = geometry.orientations[from_square][to_square]
    if orientation == NO_LINE:
        return False
    cdef int state = position.lines[geometry.square_lines[from_square][orientation]]
    cdef int digit = geometry.square_digits[from_square][orientation]
    cdef int distance = geometry.square_digits[to_square][orientation] - digit
    cdef const LineTables* tables = geometry.tables
    if distance == tables.pieces[state]:
        return tables.forward[color][state] >> digit & 1
    if distance == -<int>tables.pieces[state]:
        return tables.backward[color][state] >> digit & 1
    return False


cdef inline uint64_t move_pieces(
    Position* position, int from_square, int to_square
) noexcept nogil:
    """Moves the mover's piece, captures, passes the turn; leaves the key as it was.

    The from-square holds a piece of the side to move, the to-square is another square of the
    board that does not. Returns the captured piece's bit, 0 where nothing was captured.
    """
    cdef const Geometry* geometry = position.geometry
    cdef int mover = position.turn
    cdef uint64_t from_bit = <uint64_t>1 << from_square
    cdef uint64_t to_bit = <uint64_t>1 << to_square
    cdef uint64_t captured = position.pieces[mover ^ 1] & to_bit
    # A black piece is the digit 1, a white one 2.
    cdef int own_digit = 1 << mover
    cdef int change = own_digit - (2 >> mover if captured else 0)
    cdef int orientation
    position.pieces[mover] ^= from_bit | to_bit
    position.pieces[mover ^ 1] ^= captured
    position.turn = <uint8_t>(mover ^ 1)
    for orientation in range(4):
        position.lines[geometry.square_lines[from_square][orientation]] -= <uint16_t>(
            geometry.square_weights[from_square][orientation] * own_digit)
    for orientation in range(4):
        position.lines[geometry.square_lines[to_square][orientation]] += <uint16_t>(
            geometry.square_weights[to_square][orientation] * change)
    return captured


cdef inline void make_move(Position* position, int from_square, int to_square) noexcept nogil:
    """move_pieces, with the key kept up to date."""
    cdef const Geometry* geometry = position.geometry
    cdef int mover = position.turn
    position.key ^= (
        geometry.piece_keys[mover][from_square]
        ^ geometry.piece_keys[mover][to_square]
        ^ geometry.turn_key)
    if move_pieces(position, from_square, to_square):
        position.key ^= geometry.piece_keys[mover ^ 1][to_square]


cdef inline void make_pass(Position* position) noexcept nogil:
    position.turn ^= 1
    position.key ^= position.geometry.turn_key


cdef inline uint64_t beside(uint64_t bitboard) noexcept nogil:
    """The neighbours on the same rank."""
    return (
        (bitboard << 1 & <uint64_t>0xfefefefefefefefe)
        | (bitboard >> 1 & <uint64_t>0x7f7f7f7f7f7f7f7f))


cdef inline uint64_t dilate(uint64_t bitboard) noexcept nogil:
    """A bitboard with all neighbours, in the eight directions, added."""
    cdef uint64_t wide = bitboard | beside(bitboard)
    return wide | wide << 8 | wide >> 8


cdef inline uint64_t fill_group(uint64_t seed, uint64_t pieces) noexcept nogil:
    """The pieces that are connected with the pieces of the seed, seed included."""
    cdef uint64_t grown = dilate(seed) & pieces
    while grown != seed:
        seed = grown
        grown = dilate(seed) & pieces
    return seed


cdef inline bint is_connected(uint64_t pieces) noexcept nogil:
    """Whether pieces form one group (none at all do too, as a single one does)."""
    cdef uint64_t sides = beside(pieces)
    cdef uint64_t wide = pieces | sides
    # In most positions some piece stands alone, which tells at once.
    if pieces & ~(sides | wide << 8 | wide >> 8):
        return pieces & (pieces - 1) == 0
    return fill_group(pieces & (~pieces + 1), pieces) == pieces


cdef inline bint ends_game(
    const Position* position, int to_square, uint64_t captured
) noexcept nogil:
    """Whether the move just made has connected a side, where neither side was before.

    Without a capture the side to move has not changed, so it is not looked at.
    """
    cdef uint64_t mover_pieces = position.pieces[position.turn ^ 1]
    if fill_group(<uint64_t>1 << to_square, mover_pieces) == mover_pieces:
        return True
    return captured != 0 and is_connected(position.pieces[position.turn])


cdef inline bint make_child(const Position* position, int code, Position* child) noexcept nogil:
    """Makes the position after a move of its list, without a key; whether that ends the game."""
    cdef int to_square = code & 63
    child[0] = position[0]
    return ends_game(child, to_square, move_pieces(child, code >> 6, to_square))
