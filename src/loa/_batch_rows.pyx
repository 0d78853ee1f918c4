"""What a batch does with its rows, range after range: functions in which no Python runs."""

from libc.stdint cimport int8_t, uint16_t
from libc.string cimport memset
from libcpp.bit cimport countr_zero, popcount

from loa._bitboard cimport (
    LINE_STATES,
    LINES,
    PASS_CODE,
    Geometry,
    Position,
    count_moves,
    geometry_of,
    is_connected,
    make_move,
    make_pass,
)
from loa._forms cimport boolean, exchange_form, list_forms
from loa._history cimport (
    HAS_MOVES,
    ILLEGAL_MOVE,
    MAX_PLY,
    MUST_PASS,
    NOBODY,
    OVER,
    RuleValues,
    draw_by_history,
    over,
    termination_of,
    verdict_on,
    winner_of,
)
from loa._seen cimport count_seen, forget, remember, reserve_seen

from loa.rules import Direction

cdef extern from "_splitmix.h" namespace "loa" nogil:
    uint64_t GOLDEN
    uint64_t mix(uint64_t value)

cdef extern from "_batch_kernels.h" namespace "loa::batch" nogil:
    enum: LANES

    cdef struct LinePlaces:
        uint8_t lines[LINES]
        uint64_t factors[LANES // 4]

    ctypedef uint16_t LineDirections

    cdef cppclass Observation:
        const uint16_t* states
        const uint8_t* pieces
        uint64_t first
        uint64_t second
        uint8_t side_to_move
        uint8_t repetitions

    boolean has_form(int form)
    void legal_planes(
        int form, const uint16_t* states, const LineDirections* directions,
        const uint64_t* factors, uint64_t* planes)
    void legal_words(
        int form, const uint16_t* states, const LineDirections* directions,
        const uint64_t* factors, uint64_t* words)
    void legal_bytes(
        int form, const uint16_t* states, const LineDirections* directions,
        const uint64_t* factors, uint8_t* bytes_)
    void write_planes[Value](const Observation& observation, int size, Value* values)

# From square to square, by Direction; digits of lines go up where squares do.
cdef int STEPS[8]
cdef LineDirections DIRECTIONS[2][LINE_STATES]
cdef LinePlaces PLACES[9]
# The fastest form of the kernels that this processor has; tests choose the other.
cdef int form = 0


cdef int build_steps() except -1:
    for direction in Direction:
        files, ranks = direction.step
        STEPS[<int>direction] = files + 8 * ranks
    return 0


cdef void build_directions() noexcept:
    cdef int color, state
    for color in range(2):
        for state in range(LINE_STATES):
            DIRECTIONS[color][state] = <LineDirections>(
                geometry_of(8).tables.forward[color][state]
                | geometry_of(8).tables.backward[color][state] << 8)


cdef void build_places(LinePlaces* places, const Geometry* geometry) noexcept:
    cdef int rank, file, square, diagonal, anti_diagonal
    # A small board has fewer lines than there are, and the last one is among those it lacks.
    memset(places.lines, LINES - 1, sizeof(places.lines))
    for rank in range(geometry.size):
        for file in range(geometry.size):
            square = 8 * rank + file
            diagonal = file - rank + 7
            anti_diagonal = file + rank
            places.lines[8 + file] = geometry.square_lines[square][0]
            places.lines[16 + diagonal] = geometry.square_lines[square][1]
            places.lines[rank] = geometry.square_lines[square][2]
            places.lines[31 + anti_diagonal] = geometry.square_lines[square][3]
            set_factor(places, rank, 0)
            set_factor(places, 8 + file, 0)
            if geometry.square_digits[square][1] == 0:
                set_factor(places, 16 + diagonal, rank)
            if geometry.square_digits[square][3] == 0:
                set_factor(places, 32 + anti_diagonal, rank)


cdef void set_factor(LinePlaces* places, int lane, int rank) noexcept:
    places.factors[lane // 4] |= <uint64_t>1 << (16 * (lane % 4) + rank)


cdef void build_all_places() noexcept:
    cdef int size
    for size in range(3, 9):
        build_places(&PLACES[size], geometry_of(size))


def _forms():
    """The forms of `_batch_kernels.h` that this processor can run, the fastest last."""
    return list_forms(has_form)


def _use_form(int other):
    """Chooses a form; returns the one in use before."""
    return exchange_form(&form, other, has_form)


build_steps()
build_directions()
build_all_places()
_use_form(max(_forms()))


cdef inline const Row* shown_row(const Work* work, ptrdiff_t index) noexcept nogil:
    """The row, or the finished game that the last step has reset, where that is asked for."""
    if work.final and work.rows[index].restarted:
        return &work.finals[index]
    return &work.rows[index]


cdef inline const uint16_t* all_states(
    const Position* position, uint16_t* states
) noexcept nogil:
    """The states of all lines that the 8x8 board has, in its order."""
    cdef const uint8_t* lines
    cdef int line
    if position.geometry.size == 8:
        return position.lines
    lines = PLACES[position.geometry.size].lines
    for line in range(LINES):
        states[line] = position.lines[lines[line]]
    return states


cdef inline void play(Row* row, int code, const RuleValues* rules) noexcept nogil:
    """Makes a legal move in a row that has room for one more position seen."""
    cdef uint64_t black = row.position.pieces[0]
    cdef uint64_t white = row.position.pieces[1]
    cdef int mover = row.position.turn
    cdef uint64_t other_pieces = row.position.pieces[mover ^ 1]
    cdef bint captured
    cdef bint connected[2]
    connected[0] = connected[1] = False
    if code == PASS_CODE:
        make_pass(&row.position)
    else:
        make_move(&row.position, code >> 6, code & 63)
        connected[mover] = is_connected(row.position.pieces[mover])
    captured = row.position.pieces[mover ^ 1] != other_pieces
    if captured:
        # Before the move neither side was connected: only a capture changes the other one.
        connected[mover ^ 1] = is_connected(row.position.pieces[mover ^ 1])
        forget(&row.seen)
        row.repetitions = 1
    else:
        remember(&row.seen, black, white)
        row.repetitions = 1 + count_seen(
            &row.seen, row.position.pieces[0], row.position.pieces[1],
            rules.repetition_side_to_move)
    row.ply += 1
    row.verdict = <uint8_t>verdict_on(
        &row.position,
        rules,
        draw_by_history(
            rules,
            rules.repetition_draw != 0 and row.repetitions >= rules.repetition_draw,
            row.ply),
        connected[0],
        connected[1])


cdef inline int32_t code_of(const Row* row, int64_t action, bint lose) noexcept nogil:
    """The code of the move that an action is in a row, or what to do instead."""
    cdef const Position* position = &row.position
    cdef const Geometry* geometry = position.geometry
    cdef int from_square, direction, orientation, digit, state
    cdef int refusal = REFUSE
    if action == -1:
        return SKIP
    if not 0 <= action < ACTIONS:
        return NO_ACTION
    if lose:
        refusal = SKIP if row.verdict >= OVER else LOSE
    if row.verdict != HAS_MOVES or action == PASS_ACTION:
        return PASS_CODE if action == PASS_ACTION and row.verdict == MUST_PASS else refusal
    from_square = <int>action >> 3
    direction = <int>action & 7
    orientation = direction & 3
    if not position.pieces[position.turn] >> from_square & 1:
        return refusal
    state = position.lines[geometry.square_lines[from_square][orientation]]
    digit = geometry.square_digits[from_square][orientation]
    if STEPS[direction] < 0:
        digit += 8
    if not DIRECTIONS[position.turn][state] >> digit & 1:
        return refusal
    return 65 * from_square + STEPS[direction] * geometry.tables.pieces[state]


cdef void read_actions(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    """Makes codes of actions, and room for the moves: nothing can fail after this."""
    cdef const Work* work = <const Work*>pointer
    cdef ptrdiff_t index
    cdef Row* row
    cdef int32_t code
    for index in range(first, last):
        row = &work.rows[index]
        code = code_of(row, work.actions[index], work.lose)
        if code >= 0:
            if row.ply == MAX_PLY:
                code = NO_PLY
            elif row.seen.count == row.seen.capacity and not reserve_seen(
                &row.seen, row.seen.count + 1
            ):
                code = NO_MEMORY
        work.codes[index] = code


cdef void make_moves(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef ptrdiff_t index
    cdef Row* row
    cdef Row finished
    cdef int32_t code
    for index in range(first, last):
        row = &work.rows[index]
        row.restarted = False
        code = work.codes[index]
        if code == SKIP:
            continue
        if code == LOSE:
            row.verdict = <uint8_t>over(ILLEGAL_MOVE, row.position.turn ^ 1)
        else:
            play(row, code, work.rules)
        if work.finals != NULL and row.verdict >= OVER:
            finished = row[0]
            row[0] = work.finals[index]
            work.finals[index] = finished
            copy_row(row, &work.starts[index * work.start_step])
            row.restarted = True


cdef void reset_rows(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef ptrdiff_t index
    for index in range(first, last):
        if work.mask == NULL or work.mask[index]:
            copy_row(&work.rows[index], &work.starts[index * work.start_step])


cdef void write_mask(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef uint8_t* out = <uint8_t*>work.out + ACTIONS * first
    cdef uint16_t states[LINES]
    cdef const Position* position
    cdef ptrdiff_t index
    for index in range(first, last):
        position = &work.rows[index].position
        if work.rows[index].verdict == HAS_MOVES:
            legal_bytes(
                form, all_states(position, states), DIRECTIONS[position.turn],
                PLACES[position.geometry.size].factors, out)
        else:
            memset(out, 0, PASS_ACTION)
        out[PASS_ACTION] = work.rows[index].verdict == MUST_PASS
        out += ACTIONS


cdef void write_legal_bitboards(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef uint64_t* out = <uint64_t*>work.out + 8 * first
    cdef uint16_t states[LINES]
    cdef const Position* position
    cdef ptrdiff_t index
    for index in range(first, last):
        position = &work.rows[index].position
        if work.rows[index].verdict == HAS_MOVES:
            legal_planes(
                form, all_states(position, states), DIRECTIONS[position.turn],
                PLACES[position.geometry.size].factors, out)
        else:
            memset(out, 0, 8 * sizeof(uint64_t))
        out += 8


cdef inline int count_actions(const Row* row) noexcept nogil:
    if row.verdict == HAS_MOVES:
        return count_moves(&row.position, row.position.turn)
    return row.verdict == MUST_PASS


cdef inline void load_legal_words(const Row* row, uint64_t* words) noexcept nogil:
    """The legal actions but for the pass, as bits in the order of their indices."""
    cdef uint16_t states[LINES]
    legal_words(
        form, all_states(&row.position, states), DIRECTIONS[row.position.turn],
        PLACES[row.position.geometry.size].factors, words)


cdef void write_action_counts(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef ptrdiff_t index
    for index in range(first, last):
        (<int64_t*>work.out)[index + 1] = count_actions(&work.rows[index])


cdef void write_actions(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef int32_t* out = <int32_t*>work.out + work.bounds[first]
    cdef uint64_t words[8]
    cdef ptrdiff_t index
    cdef int rank
    for index in range(first, last):
        if work.rows[index].verdict == MUST_PASS:
            out[0] = PASS_ACTION
            out += 1
        elif work.rows[index].verdict == HAS_MOVES:
            load_legal_words(&work.rows[index], words)
            for rank in range(8):
                while words[rank]:
                    out[0] = 64 * rank + countr_zero(words[rank])
                    out += 1
                    words[rank] &= words[rank] - 1


cdef inline int32_t pick_action(const uint64_t* words, int number) noexcept nogil:
    """The action that so many legal ones come before."""
    cdef uint64_t word = words[0]
    cdef int rank = 0
    while number >= popcount(word):
        number -= popcount(word)
        rank += 1
        word = words[rank]
    while number:
        word &= word - 1
        number -= 1
    return 64 * rank + countr_zero(word)


cdef void write_samples(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef int32_t* out = <int32_t*>work.out
    cdef uint64_t words[8]
    cdef uint64_t random
    cdef ptrdiff_t index
    for index in range(first, last):
        if work.rows[index].verdict == HAS_MOVES:
            load_legal_words(&work.rows[index], words)
            random = mix(mix(work.seed) + (<uint64_t>index + 1) * GOLDEN) >> 8
            # A number below 2**56 times a count of at most 240 fits into 64 bits.
            out[index] = pick_action(
                words, <int>(random * <uint64_t>count_actions(&work.rows[index]) >> 56))
        else:
            out[index] = PASS_ACTION if work.rows[index].verdict == MUST_PASS else -1


cdef inline void observe(
    const Work* work, ptrdiff_t index, uint16_t* states, Observation* observation
) noexcept nogil:
    cdef const Row* row = shown_row(work, index)
    cdef int first = 0 if work.absolute else row.position.turn
    observation.states = all_states(&row.position, states)
    observation.pieces = &row.position.geometry.tables.pieces[0]
    observation.first = row.position.pieces[first]
    observation.second = row.position.pieces[first ^ 1]
    observation.side_to_move = row.position.turn
    observation.repetitions = <uint8_t>min(row.repetitions - 1, MAX_REPETITIONS)


cdef void write_float_planes(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef int size = work.rows.position.geometry.size
    cdef uint16_t states[LINES]
    cdef Observation observation
    cdef ptrdiff_t index
    for index in range(first, last):
        observe(work, index, states, &observation)
        write_planes[float](observation, size, <float*>work.out + PLANES * size * size * index)


cdef void write_byte_planes(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef int size = work.rows.position.geometry.size
    cdef uint16_t states[LINES]
    cdef Observation observation
    cdef ptrdiff_t index
    for index in range(first, last):
        observe(work, index, states, &observation)
        write_planes[uint8_t](observation, size, <uint8_t*>work.out + PLANES * size * size * index)


cdef void write_column(void* pointer, ptrdiff_t first, ptrdiff_t last) noexcept nogil:
    cdef const Work* work = <const Work*>pointer
    cdef const Row* row
    cdef ptrdiff_t index
    cdef int verdict, winner
    for index in range(first, last):
        row = &work.rows[index]
        if work.column == COLUMN_BLACK:
            (<uint64_t*>work.out)[index] = row.position.pieces[0]
        elif work.column == COLUMN_WHITE:
            (<uint64_t*>work.out)[index] = row.position.pieces[1]
        elif work.column == COLUMN_KEYS:
            (<uint64_t*>work.out)[index] = row.position.key
        elif work.column == COLUMN_TURNS:
            (<uint8_t*>work.out)[index] = row.position.turn
        elif work.column == COLUMN_PLIES:
            (<int64_t*>work.out)[index] = row.ply
        elif work.column == COLUMN_REPETITIONS:
            (<int32_t*>work.out)[index] = row.repetitions
        elif work.column == COLUMN_MUST_PASS:
            (<uint8_t*>work.out)[index] = row.verdict == MUST_PASS
        else:
            verdict = work.finals[index].verdict if row.restarted else row.verdict
            if work.column == COLUMN_TERMINATED:
                (<uint8_t*>work.out)[index] = verdict >= OVER
            elif work.column == COLUMN_TERMINATIONS:
                (<int8_t*>work.out)[index] = <int8_t>(
                    termination_of(verdict) if verdict >= OVER else -1)
            else:
                winner = winner_of(verdict) if verdict >= OVER else NOBODY
                (<int8_t*>work.out)[index] = <int8_t>(-1 if winner == NOBODY else winner)
