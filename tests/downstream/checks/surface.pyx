# cython: language_level=3
"""What the surface says of a board: each of its functions called, for tests to compare."""

cimport loa
from libc.stdint cimport uint16_t, uint64_t

loa.check_abi()


cdef dict described(const loa.Position* position):
    return {
        "black": position.pieces[0],
        "white": position.pieces[1],
        "turn": position.turn,
        "size": position.geometry.size,
        "key": position.key,
        "lines": [position.lines[line] for line in range(loa.LINES)],
    }


cdef loa.Position rebuilt(const loa.Position* position) noexcept nogil:
    cdef loa.Position other
    loa.set_position(
        &other, loa.geometry_of(position.geometry.size),
        position.pieces[0], position.pieces[1], position.turn)
    return other


def describe(loa.Board board not None):
    """The board's own position, not one set up again."""
    return described(board.position())


def after(loa.Board board not None, moves):
    """The position after moves and passes, made one by one, and the same set up at once."""
    cdef loa.Position position = board.position()[0]
    cdef loa.Position other
    cdef loa.Move move
    for move in moves:
        if move.code == loa.PASS_CODE:
            loa.make_pass(&position)
        else:
            loa.make_move(&position, move.from_square, move.to_square)
    other = rebuilt(&position)
    return described(&position), described(&other)


def captured(loa.Board board not None, loa.Move move not None):
    """The bitboard of what a move captures, and whether the move ends a game that goes on."""
    cdef loa.Position position = board.position()[0]
    cdef uint64_t taken = loa.move_pieces(&position, move.from_square, move.to_square)
    return taken, loa.ends_game(&position, move.to_square, taken)


def side(loa.Board board not None, int color):
    """Moves and groups of one side."""
    cdef loa.Position position = board.position()[0]
    cdef uint16_t moves[loa.MOVE_BUFFER]
    cdef uint64_t groups[16]
    cdef uint64_t pieces = position.pieces[color]
    cdef int count = loa.list_moves(&position, color, moves)
    cdef int group_count = loa.list_groups(pieces, groups)
    return {
        "count": loa.count_moves(&position, color),
        "has_move": loa.has_move(&position, color),
        "moves": [loa.move_of_code(moves[index]) for index in range(count)],
        "line_moves": {
            loa.move_of_code(64 * start + target)
            for start in range(64) for target in range(64)
            if loa.is_line_move(&position, color, start, target)
        },
        "connected": loa.is_connected(pieces),
        "groups": [groups[index] for index in range(group_count)],
        "first_group": loa.fill_group(pieces & -pieces, pieces),
        "around": loa.dilate(pieces) & position.geometry.board_mask,
    }


def judge(loa.Board board not None, bint repeated, long long ply):
    """Whether there are moves, a pass or an end; of an end, the winner and the termination."""
    cdef loa.Position position = board.position()[0]
    cdef loa.RuleValues rules = board.values
    cdef int verdict = loa.verdict_on(
        &position, &rules, loa.draw_by_history(&rules, repeated, ply),
        loa.is_connected(position.pieces[0]), loa.is_connected(position.pieces[1]))
    if verdict < loa.OVER:
        return {loa.HAS_MOVES: "moves", loa.MUST_PASS: "pass"}[verdict]
    return (
        {0: "black", 1: "white", loa.NOBODY: "nobody"}[loa.winner_of(verdict)],
        {
            loa.CONNECTION: "connection",
            loa.SIMULTANEOUS_CONNECTION: "simultaneous connection",
            loa.NO_LEGAL_MOVE: "no legal move",
            loa.REPETITION: "repetition",
            loa.PLY_LIMIT: "ply limit",
        }[loa.termination_of(verdict)],
    )


def image(loa.Board board not None, int symmetry):
    """A board made of a transformed position, and one of the least of all images."""
    cdef loa.Position position = board.position()[0]
    cdef int size = position.geometry.size
    cdef uint64_t black = position.pieces[0], white = position.pieces[1]
    loa.canonical_pieces(&black, &white, size)
    return (
        board.with_position(
            loa.transform_bitboard(position.pieces[0], symmetry, size),
            loa.transform_bitboard(position.pieces[1], symmetry, size),
            position.turn),
        board.with_position(black, white, position.turn),
    )
