"""What random games are played with: the kernels of `_playout.h` and the tables they use."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from loa._forms cimport boolean

cdef extern from "_splitmix.h" namespace "loa" nogil:
    uint64_t GOLDEN
    uint64_t mix(uint64_t value)

cdef extern from "_playout.h" namespace "loa::games" nogil:
    enum: GAMES
    enum: LANES

    cdef cppclass RandomGame:
        uint16_t lines[LANES]
        uint64_t own
        uint64_t enemy
        int32_t turn
        int32_t own_euler
        int32_t enemy_euler
        int32_t plies
        uint8_t counts[64]
        int64_t choices
        int64_t number
        int64_t root
        int32_t limit

    cdef struct RandomMove:
        uint8_t from_square
        uint8_t to_square
        bint look

    cdef cppclass GamesInPlay:
        RandomGame games[GAMES]
        uint64_t states[GAMES]
        RandomMove moves[GAMES]

    cdef cppclass Root:
        RandomGame game
        int64_t ply
        int verdict

    cdef cppclass GameTables:
        const uint8_t* counts
        const uint8_t* pieces
        const uint32_t* moves[2]
        int8_t euler_changes[512]
        uint64_t neighbours[64]
        uint8_t square_lines[64][4]
        uint16_t weights[64][64]
        uint8_t squares[LANES][8]
        int32_t steps[LANES]

    boolean has_form(int form)
    int euler_change(const GameTables& tables, uint64_t pieces, unsigned int square)
    bint pick_moves(int form, const GameTables& tables, GamesInPlay& play, int count)
    unsigned int pick_move(const GameTables& tables, GamesInPlay& play, int index)
    bint make_moves(int form, const GameTables& tables, GamesInPlay& play, int count)

cdef const GameTables* tables_of(int size) noexcept nogil
cdef int form_in_use() noexcept nogil
