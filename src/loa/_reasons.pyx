"""Why a move is illegal: the rule that it breaks, as the errors of boards and batches say it."""

from loa._bitboard cimport NO_LINE, Geometry, Position
from loa._history cimport MUST_PASS, OVER, termination_of

from loa.notation import square_name
from loa.rules import TERMINATIONS, Color, Direction


cdef str why_illegal(const Position* position, int verdict, int from_square, int to_square):
    """Why a move that is not legal is not; the pass, as Move has it, is from a1 to a1."""
    if from_square == to_square:
        return why_over(verdict) or f"{side_of(position)} has a move to make"
    return (
        why_not_from(position, verdict, from_square)
        or why_not_to(position, from_square, to_square))


cdef str why_illegal_towards(const Position* position, int verdict, int from_square, int direction):
    """Why no piece may move from a square in a direction."""
    cdef int size = position.geometry.size
    cdef int distance, file, rank
    reason = why_not_from(position, verdict, from_square)
    if reason is not None:
        return reason
    files, ranks = Direction(direction).step
    distance = pieces_on_line(position, from_square, direction % 4)
    file = from_square % 8 + distance * files
    rank = from_square // 8 + distance * ranks
    if not (0 <= file < size and 0 <= rank < size):
        return (
            f"{square_name(from_square)} moves {distance} square{'s' if distance > 1 else ''} "
            "along this line, and the board ends before")
    return why_not_to(position, from_square, file + 8 * rank)


cdef str side_of(const Position* position):
    return Color(position.turn).name.lower()


cdef int pieces_on_line(const Position* position, int square, int orientation) noexcept:
    cdef const Geometry* geometry = position.geometry
    return geometry.tables.pieces[position.lines[geometry.square_lines[square][orientation]]]


cdef str why_over(int verdict):
    """None where the game goes on."""
    if verdict < OVER:
        return None
    return f"the game is over by {TERMINATIONS[termination_of(verdict)].value}"


cdef str why_not_from(const Position* position, int verdict, int square):
    """Why no move may begin on a square; None where there is a piece that may perhaps move."""
    if verdict >= OVER:
        return why_over(verdict)
    if verdict == MUST_PASS:
        return f"{side_of(position)} has no move and must pass"
    if not position.geometry.board_mask >> square & 1:
        return why_off_board(position, square)
    if not position.pieces[position.turn] >> square & 1:
        return f"{side_of(position)} is to move and has no piece on {square_name(square)}"
    return None


cdef str why_off_board(const Position* position, int square):
    cdef int size = position.geometry.size
    return f"{square_name(square)} is not on the {size}x{size} board"


cdef str why_not_to(const Position* position, int from_square, int to_square):
    """Why the piece on a square may not move to another."""
    cdef const Geometry* geometry = position.geometry
    cdef int orientation = geometry.orientations[from_square][to_square]
    cdef int count, distance
    start, target = map(square_name, (from_square, to_square))
    if not geometry.board_mask >> to_square & 1:
        return why_off_board(position, to_square)
    if position.pieces[position.turn] >> to_square & 1:
        return f"{side_of(position)} has a piece on {target} already"
    if orientation == NO_LINE:
        return f"{start} and {target} are not on one line"
    count = pieces_on_line(position, from_square, orientation)
    distance = abs(
        geometry.square_digits[to_square][orientation]
        - geometry.square_digits[from_square][orientation])
    if count != distance:
        return (
            f"the line {start}-{target} has {count} piece{'s' if count > 1 else ''}, so {start} "
            f"moves {count} square{'s' if count > 1 else ''} along it, not {distance}")
    return f"an enemy piece stands between {start} and {target}"
