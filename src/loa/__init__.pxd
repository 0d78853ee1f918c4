"""The C surface of the package: `cimport loa`, or `from loa cimport Position, list_moves`.

What compiled code of other packages may rely on, under the number ABI. docs/embedding.md says what
each name is for and what it asks of its caller; names that are not here are the package's own.
"""

from loa._bitboard cimport (
    ABI,
    LINE_MOVES,
    LINE_STATES,
    LINES,
    MAX_MOVES,
    MOVE_BUFFER,
    NO_LINE,
    PASS_CODE,
    Geometry,
    LineTables,
    Position,
    canonical_pieces,
    check_abi,
    count_moves,
    dilate,
    ends_game,
    fill_group,
    geometry_of,
    has_move,
    is_connected,
    is_line_move,
    list_groups,
    list_moves,
    make_move,
    make_pass,
    move_pieces,
    set_position,
    transform_bitboard,
)
from loa._board cimport Board
from loa._history cimport (
    CONNECTION,
    HAS_MOVES,
    MUST_PASS,
    NO_LEGAL_MOVE,
    NOBODY,
    OVER,
    PLY_LIMIT,
    REPETITION,
    SIMULTANEOUS_CONNECTION,
    STUCK_DRAWS,
    STUCK_LOSES,
    STUCK_PASSES,
    UNKNOWN,
    RuleValues,
    draw_by_history,
    termination_of,
    verdict_on,
    winner_of,
)
from loa._moves cimport Move, move_of_code
