"""The kernels: line tables, board geometry, Zobrist keys, groups and symmetries.

No game rules, no history, no Python objects. What inner loops need is inline in `_bitboard.pxd`;
here are the tables, built once when the module is imported, and the functions that are not hot.
"""

from libc.stdlib cimport abs

cdef extern from "_splitmix.h" namespace "loa" nogil:
    uint64_t GOLDEN
    uint64_t mix(uint64_t value)

cdef LineTables TABLES
cdef Geometry GEOMETRIES[9]


cdef int state_offset(int length) noexcept nogil:
    """Where the states of lines of this length start in the tables, after all shorter lines'."""
    cdef int power = 1
    cdef int _
    for _ in range(length):
        power *= 3
    return (power - 3) // 2


cdef void add_line_move(
    int color, int state, int from_digit, int to_digit
) noexcept nogil:
    cdef int slot = TABLES.counts[color][state]
    TABLES.moves[color][state][slot] = <uint16_t>(64 * from_digit + to_digit)
    TABLES.counts[color][state] += 1
    if to_digit > from_digit:
        TABLES.forward[color][state] |= <uint8_t>(1 << from_digit)
    else:
        TABLES.backward[color][state] |= <uint8_t>(1 << from_digit)


cdef bint may_move(const int* digits, int length, int from_digit, int to_digit) noexcept nogil:
    """Whether nothing on a line stops a piece: no enemy in between, no friend at the end."""
    cdef int own = digits[from_digit]
    cdef int step = 1 if to_digit > from_digit else -1
    cdef int digit = from_digit + step
    if to_digit < 0 or to_digit >= length or digits[to_digit] == own:
        return False
    while digit != to_digit:
        if digits[digit] == 3 - own:
            return False
        digit += step
    return True


cdef void build_tables() noexcept nogil:
    cdef int digits[8]
    cdef int length, code, codes, rest, index, state, pieces, color
    codes = 1
    for length in range(1, 9):
        codes *= 3
        for code in range(codes):
            state = state_offset(length) + code
            pieces = 0
            rest = code
            for index in range(length):
                digits[index] = rest % 3
                rest //= 3
                if digits[index]:
                    pieces += 1
            TABLES.pieces[state] = <uint8_t>pieces
            for index in range(length):
                if digits[index]:
                    color = digits[index] - 1
                    # The lower target first: moves are listed by from-square, then to-square.
                    if may_move(digits, length, index, index - pieces):
                        add_line_move(color, state, index, index - pieces)
                    if may_move(digits, length, index, index + pieces):
                        add_line_move(color, state, index, index + pieces)


cdef uint64_t splitmix64(uint64_t* state) noexcept nogil:
    state[0] += GOLDEN
    return mix(state[0])


cdef void add_line(
    Geometry* geometry, int orientation, int first, int step, int length
) noexcept nogil:
    cdef int line = geometry.line_count
    cdef int weight = 1
    cdef int digit, square, other, slot
    geometry.line_count += 1
    for slot in range(LINE_MOVES):
        geometry.line_first[line][slot] = <uint16_t>(65 * first)
        geometry.line_step[line][slot] = <uint16_t>step
    geometry.empty_states[line] = <uint16_t>state_offset(length)
    for digit in range(length):
        square = first + step * digit
        geometry.square_lines[square][orientation] = <uint8_t>line
        geometry.square_digits[square][orientation] = <uint8_t>digit
        geometry.square_weights[square][orientation] = <uint16_t>weight
        weight *= 3
        for other in range(length):
            if other != digit:
                geometry.orientations[square][first + step * other] = <uint8_t>orientation


cdef void build_geometry(Geometry* geometry, int size) noexcept nogil:
    cdef int index, rank, file, from_square, to_square
    geometry.size = size
    geometry.tables = &TABLES
    for rank in range(size):
        geometry.board_mask |= (((<uint64_t>1 << size) - 1) << 8 * rank)
    for from_square in range(64):
        for to_square in range(64):
            geometry.orientations[from_square][to_square] = NO_LINE
    # The order of these lines is the order of list_moves, which is documented.
    for rank in range(size):
        add_line(geometry, 2, 8 * rank, 1, size)
    for file in range(size):
        add_line(geometry, 0, file, 8, size)
    for index in range(1 - size, size):
        file = index if index > 0 else 0
        add_line(geometry, 1, file + 8 * (file - index), 9, size - abs(index))
    for index in range(2 * size - 1):
        rank = index - size + 1 if index >= size else 0
        add_line(geometry, 3, index - rank + 8 * rank, 7, size - abs(index - size + 1))


cdef void build_geometries() noexcept nogil:
    # The keys are a promise: this seed and this order of drawing never change.
    cdef uint64_t state = <uint64_t>0x4c696e65734f6641      # "LinesOfA" in ASCII
    cdef uint64_t piece_keys[2][64]
    cdef uint64_t turn_key
    cdef int color, square, size
    for color in range(2):
        for square in range(64):
            piece_keys[color][square] = splitmix64(&state)
    turn_key = splitmix64(&state)
    for size in range(3, 9):
        build_geometry(&GEOMETRIES[size], size)
        memcpy(GEOMETRIES[size].piece_keys, piece_keys, sizeof(piece_keys))
        GEOMETRIES[size].turn_key = turn_key
        GEOMETRIES[size].size_key = splitmix64(&state)


build_tables()
build_geometries()


cdef int abi() noexcept nogil:
    """The ABI that this module was compiled with, which is the installed one."""
    return ABI


cdef const Geometry* geometry_of(int size) noexcept nogil:
    """The geometry of an n x n board, 3 <= n <= 8."""
    return &GEOMETRIES[size]


cdef void set_position(
    Position* position, const Geometry* geometry, uint64_t black, uint64_t white, int turn
) noexcept nogil:
    """Fills a position from disjoint bitboards that lie on the board."""
    cdef uint64_t pieces
    cdef int color, square, orientation
    position.pieces[0] = black
    position.pieces[1] = white
    position.geometry = geometry
    position.turn = <uint8_t>turn
    position.key = geometry.size_key ^ (geometry.turn_key if turn else 0)
    memcpy(position.lines, geometry.empty_states, sizeof(position.lines))
    for color in range(2):
        pieces = position.pieces[color]
        while pieces:
            square = countr_zero(pieces)
            pieces &= pieces - 1
            position.key ^= geometry.piece_keys[color][square]
            for orientation in range(4):
                position.lines[geometry.square_lines[square][orientation]] += <uint16_t>(
                    geometry.square_weights[square][orientation] << color)


cdef uint64_t transpose(uint64_t bitboard) noexcept nogil:
    """Files and ranks change places (a1, b2, ... h8 stay): three rounds of delta swaps."""
    cdef uint64_t swapped
    swapped = (bitboard ^ bitboard << 28) & <uint64_t>0x0f0f0f0f00000000
    bitboard ^= swapped ^ swapped >> 28
    swapped = (bitboard ^ bitboard << 14) & <uint64_t>0x3333000033330000
    bitboard ^= swapped ^ swapped >> 14
    swapped = (bitboard ^ bitboard << 7) & <uint64_t>0x5500550055005500
    return bitboard ^ swapped ^ swapped >> 7


cdef uint64_t flip_files(uint64_t bitboard) noexcept nogil:
    bitboard = (bitboard >> 1 & <uint64_t>0x5555555555555555) | (
        (bitboard & <uint64_t>0x5555555555555555) << 1)
    bitboard = (bitboard >> 2 & <uint64_t>0x3333333333333333) | (
        (bitboard & <uint64_t>0x3333333333333333) << 2)
    return (bitboard >> 4 & <uint64_t>0x0f0f0f0f0f0f0f0f) | (
        (bitboard & <uint64_t>0x0f0f0f0f0f0f0f0f) << 4)


cdef uint64_t flip_ranks(uint64_t bitboard) noexcept nogil:
    bitboard = (bitboard >> 8 & <uint64_t>0x00ff00ff00ff00ff) | (
        (bitboard & <uint64_t>0x00ff00ff00ff00ff) << 8)
    bitboard = (bitboard >> 16 & <uint64_t>0x0000ffff0000ffff) | (
        (bitboard & <uint64_t>0x0000ffff0000ffff) << 16)
    return bitboard >> 32 | bitboard << 32


cdef uint64_t transform_bitboard(uint64_t bitboard, int symmetry, int size) noexcept nogil:
    """A bitboard of an n x n board under one of the eight symmetries (the values of Symmetry)."""
    # Every symmetry is a transposition or not, then a flip of files or not, then one of ranks.
    # The flips are those of the 8x8 grid, so a small board has to be shifted back to a1.
    cdef int bit = 1 << symmetry
    if bit & 0b11001010:
        bitboard = transpose(bitboard)
    if bit & 0b10011100:
        bitboard = flip_files(bitboard) >> (8 - size)
    if bit & 0b10100110:
        bitboard = flip_ranks(bitboard) >> 8 * (8 - size)
    return bitboard


cdef void canonical_pieces(uint64_t* black, uint64_t* white, int size) noexcept nogil:
    """Replaces two bitboards by the least pair (black, white) of their eight symmetric images."""
    # A transposed image or not, and each of the two flipped one way, the other way and both ways.
    cdef int files = 8 - size
    cdef int ranks = 8 * (8 - size)
    cdef uint64_t blacks[8]
    cdef uint64_t whites[8]
    cdef int index, best = 0
    blacks[0] = black[0]
    whites[0] = white[0]
    blacks[4] = transpose(black[0])
    whites[4] = transpose(white[0])
    for index in range(0, 8, 4):
        blacks[index + 1] = flip_files(blacks[index]) >> files
        whites[index + 1] = flip_files(whites[index]) >> files
        blacks[index + 2] = flip_ranks(blacks[index]) >> ranks
        whites[index + 2] = flip_ranks(whites[index]) >> ranks
        blacks[index + 3] = flip_ranks(blacks[index + 1]) >> ranks
        whites[index + 3] = flip_ranks(whites[index + 1]) >> ranks
    for index in range(1, 8):
        if blacks[index] < blacks[best] or (
            blacks[index] == blacks[best] and whites[index] < whites[best]
        ):
            best = index
    black[0] = blacks[best]
    white[0] = whites[best]


cdef int list_groups(uint64_t pieces, uint64_t* groups) noexcept nogil:
    """Writes the groups of a bitboard, lowest square first, into a buffer of 16; returns how many.

    Two groups never touch, so each has a 2 x 2 block of the grid to itself: 16 at most.
    """
    cdef int count = 0
    while pieces:
        groups[count] = fill_group(pieces & (~pieces + 1), pieces)
        pieces ^= groups[count]
        count += 1
    return count
