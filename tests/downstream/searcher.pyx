# cython: language_level=3, cdivision=True
"""Perft and alpha-beta over loa's positions, without the interpreter's lock."""

from libc.stdint cimport uint16_t, uint64_t

from loa cimport (
    MOVE_BUFFER,
    MUST_PASS,
    NOBODY,
    OVER,
    PASS_CODE,
    UNKNOWN,
    Board,
    Position,
    RuleValues,
    check_abi,
    count_moves,
    is_connected,
    list_moves,
    make_move,
    make_pass,
    move_of_code,
    verdict_on,
    winner_of,
)

check_abi()

cdef enum:
    WIN = 1000
    MAX_DEPTH = 100


cdef int judge(const Position* position, const RuleValues* rules) noexcept nogil:
    """The verdict on a position that has not occurred before, before any ply limit."""
    return verdict_on(
        position, rules, UNKNOWN,
        is_connected(position.pieces[0]), is_connected(position.pieces[1]))


cdef int list_plies(const Position* position, int verdict, uint16_t* codes) noexcept nogil:
    """Writes the legal moves of a position with this verdict, the pass too; returns how many."""
    if verdict >= OVER:
        return 0
    if verdict == MUST_PASS:
        codes[0] = PASS_CODE
        return 1
    return list_moves(position, position.turn, codes)


cdef Position after(const Position* position, int code) noexcept nogil:
    cdef Position child = position[0]
    if code == PASS_CODE:
        make_pass(&child)
    else:
        make_move(&child, code >> 6, code & 63)
    return child


cdef uint64_t count_leaves(
    const Position* position, const RuleValues* rules, int depth
) noexcept nogil:
    cdef uint16_t codes[MOVE_BUFFER]
    cdef Position child
    cdef uint64_t leaves = 0
    cdef int index, count
    if depth == 0:
        return 1
    count = list_plies(position, judge(position, rules), codes)
    for index in range(count):
        child = after(position, codes[index])
        leaves += count_leaves(&child, rules, depth - 1)
    return leaves


cdef int search(
    const Position* position, const RuleValues* rules, int depth, int alpha, int beta
) noexcept nogil:
    """The value for the side to move: the more so, the sooner it wins; else moves it has more."""
    cdef uint16_t codes[MOVE_BUFFER]
    cdef Position child
    cdef int index, count, value, winner
    cdef int verdict = judge(position, rules)
    if verdict >= OVER:
        winner = winner_of(verdict)
        if winner == NOBODY:
            return 0
        return WIN + depth if winner == position.turn else -WIN - depth
    if depth == 0:
        return count_moves(position, position.turn) - count_moves(position, position.turn ^ 1)
    count = list_plies(position, verdict, codes)
    for index in range(count):
        child = after(position, codes[index])
        value = -search(&child, rules, depth - 1, -beta, -alpha)
        if value > alpha:
            alpha = value
        if alpha >= beta:
            break
    return alpha


def perft(Board board not None, int depth):
    """The number of sequences of so many legal plies, 0 to 10."""
    if not 0 <= depth <= 10:
        raise ValueError(f"depth is {depth}: expected 0 to 10")
    # Copies: without the lock, another thread may push a move on the board meanwhile.
    cdef Position position = board.position()[0]
    cdef RuleValues rules = board.values
    cdef uint64_t leaves
    with nogil:
        leaves = count_leaves(&position, &rules, depth)
    return leaves


def best_move(Board board not None, int depth):
    """The best move by a search of so many plies, the first of equals, and its value."""
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth is {depth}: expected 1 to {MAX_DEPTH}")
    cdef Position position = board.position()[0]
    cdef Position child
    cdef RuleValues rules = board.values
    cdef uint16_t codes[MOVE_BUFFER]
    cdef int index, value, best = 0, alpha = -WIN - MAX_DEPTH - 1
    cdef int count = list_plies(&position, board.verdict(), codes)
    if count == 0:
        raise ValueError("the game is over: expected a position with a legal move")
    with nogil:
        for index in range(count):
            child = after(&position, codes[index])
            value = -search(&child, &rules, depth - 1, -WIN - MAX_DEPTH - 1, -alpha)
            if value > alpha:
                alpha = value
                best = index
    return move_of_code(codes[best]), alpha
