"""The last plies of perft, counted without making their moves.

**Two plies as one sum.** Let C be the opponent's number of moves on a line and S their sum over
all lines. Taking a piece off changes C on the four lines through its square, putting it down
changes the four through the target, and the move's own line is both. Write rem(f) for what taking
the piece off f changes on a line, add(t) for what putting one on t changes, pair(m) for what the
move m does to its own line. All replies to all M moves are then

    M S + sum over moves of [pair(m) - rem(f) - add(t), on the move's own line]
        + sum over squares f of departures(f) * (sum over the four lines through f of rem(f))
        + sum over squares t of arrivals(t)   * (sum over the four lines through t of add(t)).

The bracket depends on one line only, so its sum over the line's moves is a number in a table, as
are departures, arrivals, rem and add by digit. So the sum needs each line's table entry once, and
no loop over moves.

**Three plies.** The positions after one move differ from each other in few lines: those through
the square that the piece leaves, the same for all moves of a piece, and the four through its
target. So the bytes of all squares are summed once for the parent, then brought up to date for
each piece, then for each move. That is the work of `_lanes.h`.

**Ends of games.** A move that connects a side has no replies, and the sum counted some for it.
Which moves these can be is known beforehand from the groups, nearly always none; the rest are
looked at one by one and taken out of the sum again.
"""

from libc.stdint cimport int8_t, int32_t, uint32_t
from libc.string cimport memset

from loa._bitboard cimport (
    LINE_STATES,
    LINES,
    MOVE_BUFFER,
    Geometry,
    Position,
    count_moves,
    countr_zero,
    fill_group,
    geometry_of,
    has_move,
    is_connected,
    list_moves,
    make_child,
    make_pass,
    move_pieces,
    uint8_t,
    uint16_t,
    uint64_t,
)
from loa._forms cimport boolean, exchange_form, list_forms
from loa._history cimport STUCK_PASSES

cdef extern from "_lanes.h" namespace "loa" nogil:
    cdef struct LineSums:
        uint8_t departures[8]
        uint8_t arrivals[8]
        int8_t removal[8]
        int8_t placement[8]

    cdef struct LinePlace:
        uint8_t mask[64]
        uint64_t squares
        int32_t shift

    cdef struct LineChange:
        uint16_t line
        uint16_t before
        uint16_t after

    cdef struct Child:
        LineChange changes[4]
        uint32_t piece

    cdef struct ChildSums:
        uint64_t arrivals
        uint32_t counts
        int32_t products

    cdef struct Parent:
        const LineSums* sums
        const uint32_t* counts
        const LinePlace* places
        const uint16_t* lines
        int rank_count
        int line_count
        const LineChange (*removals)[4]
        int pieces

    boolean has_form(int form)
    void sum_children(
        int form, const Parent& parent, const Child* children, int count, ChildSums* results)

cdef enum:
    RANK = 2                    # orientation of ranks, as in Geometry

# Tables by the side that moves in the children. COUNTS holds three numbers in one: moves in bits
# 0 to 7, replies in bits 8 to 15 (at most 240 each over all lines), the bracket from bit 16 on.
cdef LineSums SUMS[2][LINE_STATES]
cdef uint32_t COUNTS[2][LINE_STATES]
cdef LinePlace PLACES[9][LINES]


cdef void build_sums() noexcept nogil:
    """Fills the tables from the moves and counts of `_bitboard`."""
    cdef const Geometry* geometry = geometry_of(8)
    cdef int digits[8]
    cdef int weights[8]
    cdef int length, codes, code, index, rest, mover, offset
    weights[0] = 1
    for index in range(1, 8):
        weights[index] = 3 * weights[index - 1]
    offset = 0
    codes = 1
    for length in range(1, 9):
        codes *= 3
        for code in range(codes):
            rest = code
            for index in range(length):
                digits[index] = rest % 3
                rest //= 3
            for mover in range(2):
                build_state(geometry, mover, offset + code, digits, weights, length)
        offset += codes


cdef void build_state(
    const Geometry* geometry, int mover, int state, const int* digits, const int* weights,
    int length
) noexcept nogil:
    cdef const uint8_t* replies = geometry.tables.counts[mover ^ 1]
    cdef LineSums* sums = &SUMS[mover][state]
    cdef int own = 1 + mover
    cdef int count = geometry.tables.counts[mover][state]
    cdef int bracket = 0
    cdef int index, from_digit, to_digit, change
    for index in range(length):
        if digits[index] == own:
            sums.removal[index] = <int8_t>(
                replies[state - own * weights[index]] - replies[state])
        else:
            change = (own - digits[index]) * weights[index]
            sums.placement[index] = <int8_t>(replies[state + change] - replies[state])
    for index in range(count):
        from_digit = geometry.tables.moves[mover][state][index] >> 6
        to_digit = geometry.tables.moves[mover][state][index] & 63
        sums.departures[from_digit] += 1
        sums.arrivals[to_digit] += 1
        change = (own - digits[to_digit]) * weights[to_digit] - own * weights[from_digit]
        bracket += replies[state + change] - replies[state]
        bracket -= sums.removal[from_digit] + sums.placement[to_digit]
    COUNTS[mover][state] = <uint32_t>(count | replies[state] << 8) + (<uint32_t>bracket << 16)


cdef void build_places() noexcept nogil:
    cdef const Geometry* geometry
    cdef LinePlace* place
    cdef int size, square, orientation, line
    for size in range(3, 9):
        geometry = geometry_of(size)
        for square in range(64):
            if geometry.board_mask >> square & 1:
                for orientation in range(4):
                    line = geometry.square_lines[square][orientation]
                    place = &PLACES[size][line]
                    if not place.squares and orientation != RANK:
                        place.shift = square // 8 * 8
                    place.squares |= <uint64_t>1 << square
                    place.mask[square] = 255


build_sums()
build_places()

# The fastest form that this processor has; tests choose the others.
cdef int form = 0


def _forms():
    """The forms of `_lanes.h` that this processor can run, the fastest last."""
    return list_forms(has_form)


def _use_form(int other):
    """Chooses a form; returns the one in use before."""
    return exchange_form(&form, other, has_form)


_use_form(max(_forms()))


cdef bint may_pass(const Position* position, int stuck) noexcept nogil:
    return stuck == STUCK_PASSES and has_move(position, position.turn ^ 1)


cdef uint64_t count_one_ply(const Position* position, int stuck) noexcept nogil:
    cdef int count = count_moves(position, position.turn)
    return count if count else may_pass(position, stuck)


cdef uint64_t count_two_plies(const Position* position, int stuck) noexcept nogil:
    """Move by move, each with the changes on the seven lines that it touches."""
    cdef uint16_t moves[MOVE_BUFFER]
    cdef Position child
    cdef const Geometry* geometry = position.geometry
    cdef int mover = position.turn
    cdef const uint8_t* counts = geometry.tables.counts[mover ^ 1]
    cdef int own_digit = 1 << mover
    cdef int enemy_digit = 2 >> mover
    cdef int replies_now = count_moves(position, mover ^ 1)
    cdef int index, count, from_square, to_square, shared, orientation, state, change, replies
    cdef int weight
    cdef uint64_t own, enemy, to_bit, captured, leaves = 0
    count = list_moves(position, mover, moves)
    if count == 0:
        return replies_now if stuck == STUCK_PASSES else 0
    for index in range(count):
        from_square = moves[index] >> 6
        to_square = moves[index] & 63
        to_bit = <uint64_t>1 << to_square
        own = position.pieces[mover] ^ (<uint64_t>1 << from_square | to_bit)
        captured = position.pieces[mover ^ 1] & to_bit
        enemy = position.pieces[mover ^ 1] ^ captured
        if fill_group(to_bit, own) == own or (captured and is_connected(enemy)):
            continue
        change = own_digit - (enemy_digit if captured else 0)
        shared = geometry.orientations[from_square][to_square]
        replies = replies_now
        for orientation in range(4):
            state = position.lines[geometry.square_lines[from_square][orientation]]
            weight = geometry.square_weights[from_square][orientation] * own_digit
            replies -= counts[state]
            state -= weight
            if orientation == shared:
                state += geometry.square_weights[to_square][orientation] * change
            replies += counts[state]
        for orientation in range(4):
            if orientation != shared:
                state = position.lines[geometry.square_lines[to_square][orientation]]
                weight = geometry.square_weights[to_square][orientation] * change
                replies += counts[state + weight] - counts[state]
        if replies == 0:
            child = position[0]
            move_pieces(&child, from_square, to_square)
            replies = may_pass(&child, stuck)
        leaves += <uint64_t>replies
    return leaves


cdef inline bint always_leaves_replies(const Position* position, int side) noexcept nogil:
    """Whether a side still has a move however both sides make one move each now.

    Two moves touch four of the lines of one orientation at most, so five that have moves do.
    """
    cdef const uint8_t* counts = position.geometry.tables.counts[side]
    cdef int lines[4]
    cdef int orientation, rank, size = position.geometry.size
    memset(lines, 0, sizeof(lines))
    for rank in range(size):
        lines[0] += counts[position.lines[rank]] != 0
        lines[1] += counts[position.lines[size + rank]] != 0
    for rank in range(2 * size - 1):
        lines[2] += counts[position.lines[2 * size + rank]] != 0
        lines[3] += counts[position.lines[4 * size - 1 + rank]] != 0
    for orientation in range(4):
        if lines[orientation] > 4:
            return True
    return False


cdef uint64_t count_ending_replies(
    const Position* position, uint64_t targets, uint64_t last_pieces
) noexcept nogil:
    """The replies that the sum has counted for moves that end the game.

    Only moves to `targets` can end it. Those to `last_pieces` surely do: they capture the one
    enemy piece that was not connected.
    """
    cdef const Geometry* geometry = position.geometry
    cdef int mover = position.turn
    cdef Position child
    cdef uint64_t own, to_bit, replies = 0
    cdef int to_square, from_square, orientation, line, state, digit, distance, way, source
    while targets:
        to_square = countr_zero(targets)
        to_bit = <uint64_t>1 << to_square
        targets ^= to_bit
        for orientation in range(4):
            line = geometry.square_lines[to_square][orientation]
            state = position.lines[line]
            digit = geometry.square_digits[to_square][orientation]
            distance = geometry.tables.pieces[state]
            for way in range(2):
                source = digit - distance if way == 0 else digit + distance
                if source < 0 or source > 7:
                    continue
                if way == 0 and not geometry.tables.forward[mover][state] >> source & 1:
                    continue
                if way == 1 and not geometry.tables.backward[mover][state] >> source & 1:
                    continue
                from_square = to_square + (source - digit) * geometry.line_step[line][0]
                own = position.pieces[mover] ^ (<uint64_t>1 << from_square | to_bit)
                if last_pieces & to_bit or fill_group(to_bit, own) == own:
                    child = position[0]
                    move_pieces(&child, from_square, to_square)
                    replies += <uint64_t>count_moves(&child, mover ^ 1)
    return replies


cdef uint64_t count_three_plies(const Position* position, int stuck) noexcept nogil:
    cdef uint16_t moves[MOVE_BUFFER]
    cdef LineChange removals[64][4]
    cdef Child children[MOVE_BUFFER]
    cdef ChildSums results[MOVE_BUFFER]
    cdef uint16_t kept[MOVE_BUFFER]
    # Squares where a move of the child's mover captures the one enemy piece that is not
    # connected, and squares where one may connect its own side.
    cdef uint64_t last_pieces[MOVE_BUFFER]
    cdef uint64_t targets[MOVE_BUFFER]
    cdef uint8_t numbers[64]
    cdef const Geometry* geometry = position.geometry
    cdef Position child
    cdef Parent parent
    cdef Groups mover_groups, other_groups
    cdef int mover = position.turn
    cdef int own_digit = 1 << mover
    cdef int enemy_digit = 2 >> mover
    cdef int count, index, from_square, to_square, orientation, line, state, change, shared
    cdef int child_count = 0
    cdef uint64_t pieces, to_bit, own, captured, group, rest, leaves = 0
    cdef uint64_t move_count, reply_count, ending
    cdef Child* entry
    count = list_moves(position, mover, moves)
    if count == 0:
        if not may_pass(position, stuck):
            return 0
        child = position[0]
        make_pass(&child)
        return count_two_plies(&child, stuck)
    if stuck == STUCK_PASSES and not always_leaves_replies(position, mover):
        # A move without a reply may be followed by a pass, of which the sum knows nothing.
        for index in range(count):
            if not make_child(position, moves[index], &child):
                leaves += count_two_plies(&child, stuck)
        return leaves

    parent.sums = SUMS[mover ^ 1]
    parent.counts = COUNTS[mover ^ 1]
    parent.places = PLACES[geometry.size]
    parent.lines = &position.lines[0]
    parent.rank_count = geometry.size
    parent.line_count = geometry.line_count
    parent.removals = removals
    parent.pieces = 0
    pieces = position.pieces[mover]
    while pieces:
        from_square = countr_zero(pieces)
        pieces &= pieces - 1
        numbers[from_square] = <uint8_t>parent.pieces
        for orientation in range(4):
            line = geometry.square_lines[from_square][orientation]
            state = position.lines[line]
            removals[parent.pieces][orientation].line = <uint16_t>line
            removals[parent.pieces][orientation].before = <uint16_t>state
            removals[parent.pieces][orientation].after = <uint16_t>(
                state - geometry.square_weights[from_square][orientation] * own_digit)
        parent.pieces += 1

    mover_groups = find_groups(position.pieces[mover])
    other_groups = find_groups(position.pieces[mover ^ 1])
    for index in range(count):
        from_square = moves[index] >> 6
        to_square = moves[index] & 63
        to_bit = <uint64_t>1 << to_square
        captured = position.pieces[mover ^ 1] & to_bit
        last_pieces[child_count] = 0
        if mover_groups.joining & to_bit:
            own = position.pieces[mover] ^ (<uint64_t>1 << from_square | to_bit)
            group = fill_group(to_bit, own)
            if group == own:
                continue
            rest = own ^ group
            if rest & (rest - 1) == 0:
                last_pieces[child_count] = rest
            if group == to_bit and is_connected(rest):
                last_pieces[child_count] |= to_bit
        if (
            captured
            and other_groups.count <= 2
            and is_connected(position.pieces[mover ^ 1] ^ captured)
        ):
            continue
        targets[child_count] = last_pieces[child_count] | (
            other_groups.connecting_after_capture if captured else other_groups.connecting)
        kept[child_count] = moves[index]
        entry = &children[child_count]
        entry.piece = numbers[from_square]
        change = own_digit - (enemy_digit if captured else 0)
        shared = geometry.orientations[from_square][to_square]
        for orientation in range(4):
            line = geometry.square_lines[to_square][orientation]
            state = position.lines[line]
            if orientation == shared:
                state -= geometry.square_weights[from_square][orientation] * own_digit
            entry.changes[orientation].line = <uint16_t>line
            entry.changes[orientation].before = <uint16_t>state
            entry.changes[orientation].after = <uint16_t>(
                state + geometry.square_weights[to_square][orientation] * change)
        child_count += 1

    sum_children(form, parent, children, child_count, results)
    for index in range(child_count):
        move_count = results[index].counts & 255
        reply_count = results[index].counts >> 8 & 255
        if move_count == 0:
            # The child's mover has to pass where it may.
            if stuck == STUCK_PASSES:
                leaves += reply_count
            continue
        leaves += move_count * reply_count
        leaves += <uint64_t>(<int32_t>results[index].counts >> 16)
        leaves += <uint64_t>results[index].products
        ending = targets[index] & results[index].arrivals
        if ending:
            child = position[0]
            move_pieces(&child, kept[index] >> 6, kept[index] & 63)
            leaves -= count_ending_replies(&child, ending, last_pieces[index])
    return leaves
