# cython: language_level=3, cdivision=True, binding=False, freethreading_compatible=True
# Methods that Cython binds would trust what they are called on: UctBot.choose(3, board) crashes.
"""UCT, the Monte-Carlo tree search of Kocsis and Szepesvári (ECML 2006), without the GIL.

Tree and random games are made of loa's positions, which know no history. So the search follows
`rules` in what both sides connected and a side without a move mean and in the ply limit, and it
is blind to draws by repetition; a random game of a thousand plies counts as a draw.

    pip install ./examples/uct_cython

>>> import loa, uct_cython
>>> board = loa.Board(size=5)
>>> uct_cython.UctBot(1000, seed=1).choose(board) in board.legal_moves
True
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport log, sqrt
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from operator import index as as_index

from loa cimport (
    MOVE_BUFFER,
    MUST_PASS,
    NOBODY,
    OVER,
    PASS_CODE,
    Board,
    Position,
    RuleValues,
    check_abi,
    draw_by_history,
    ends_game,
    is_connected,
    list_moves,
    make_move,
    make_pass,
    move_of_code,
    verdict_on,
    winner_of,
)

from loa import LoaError

check_abi()

cdef enum:
    # A node's moves get nodes of their own when it is reached for this time.
    EXPANSION_VISITS = 2
    LONGEST_GAME = 1000
    # Between two looks for Ctrl-C.
    CHUNK = 1000
    MAX_ITERATIONS = 10000000

# The weight of curiosity, for results from 0 (lost) to 1 (won).
cdef double EXPLORATION = 0.7

cdef struct Node:
    # What the games through a node were worth to the side that moved there; its children follow
    # each other in the tree, and there are none before it is expanded.
    double value
    uint32_t visits
    uint32_t first_child
    uint16_t child_count
    uint16_t code


cdef uint64_t next_random(uint64_t* state) noexcept nogil:
    """The generator splitmix64 of Steele, Lea and Flood (OOPSLA 2014)."""
    state[0] += <uint64_t>0x9e3779b97f4a7c15
    cdef uint64_t value = state[0]
    value = (value ^ value >> 30) * <uint64_t>0xbf58476d1ce4e5b9
    value = (value ^ value >> 27) * <uint64_t>0x94d049bb133111eb
    return value ^ value >> 31


cdef int random_below(uint64_t* state, int bound) noexcept nogil:
    return <int>((next_random(state) >> 32) * <uint64_t>bound >> 32)


cdef bint play(Position* position, int code) noexcept nogil:
    """Makes a move or the pass; whether it has connected a side, where neither was before."""
    cdef int to_square = code & 63
    if code == PASS_CODE:
        make_pass(position)
        return False
    cdef uint64_t captured = position.pieces[position.turn ^ 1] & <uint64_t>1 << to_square
    make_move(position, code >> 6, to_square)
    return ends_game(position, to_square, captured)


cdef class Search:
    """One search: the tree below a position and the generator that its games draw from."""

    cdef Position root
    cdef RuleValues rules
    # Plies of the whole game at the root, and those after which a game is no longer played on.
    cdef long long root_ply
    cdef long long last_ply
    cdef uint64_t random
    cdef vector[Node] nodes
    cdef vector[uint32_t] path

    cdef int judge(self, const Position* position, long long ply) noexcept nogil:
        return verdict_on(
            position, &self.rules, draw_by_history(&self.rules, False, ply),
            is_connected(position.pieces[0]), is_connected(position.pieces[1]))

    cdef int finish(self, Position* position, long long ply) noexcept nogil:
        """Plays at random to the end, from a position that is not over; the winner or NOBODY."""
        cdef uint16_t codes[MOVE_BUFFER]
        cdef int count, verdict
        while True:
            count = list_moves(position, position.turn, codes)
            if count == 0:
                verdict = self.judge(position, ply)
                if verdict >= OVER:
                    return winner_of(verdict)
                codes[0] = PASS_CODE
                count = 1
            ply += 1
            if play(position, codes[random_below(&self.random, count)]) or ply >= self.last_ply:
                verdict = self.judge(position, ply)
                return winner_of(verdict) if verdict >= OVER else NOBODY

    cdef int expand(self, uint32_t index, const Position* position, int verdict) except -1 nogil:
        """Gives a node its children, in random order: those first in line are tried first."""
        cdef uint16_t codes[MOVE_BUFFER]
        cdef int count = 1, slot, other
        cdef Node child
        codes[0] = PASS_CODE
        if verdict != MUST_PASS:
            count = list_moves(position, position.turn, codes)
        child.value = 0.0
        child.visits = child.first_child = child.child_count = 0
        self.nodes[index].first_child = <uint32_t>self.nodes.size()
        for slot in range(count):
            other = slot + random_below(&self.random, count - slot)
            child.code = codes[other]
            codes[other] = codes[slot]
            self.nodes.push_back(child)
        self.nodes[index].child_count = <uint16_t>count
        return 0

    cdef uint32_t best_child(self, uint32_t index) noexcept nogil:
        """The child with the best upper confidence bound, one not yet visited before all others."""
        cdef const Node* parent = &self.nodes[index]
        cdef const Node* child
        cdef double curiosity = EXPLORATION * sqrt(log(<double>parent.visits))
        cdef double bound, best_bound = -1.0
        cdef uint32_t place, best = parent.first_child
        for place in range(parent.first_child, parent.first_child + parent.child_count):
            child = &self.nodes[place]
            if child.visits == 0:
                return place
            bound = child.value / child.visits + curiosity / sqrt(<double>child.visits)
            if bound > best_bound:
                best_bound = bound
                best = place
        return best

    cdef int iterate(self) except -1 nogil:
        """Down the tree, one random game, and its result back up."""
        cdef Position position = self.root
        cdef uint32_t index = 0
        cdef long long ply = self.root_ply
        cdef int verdict, winner
        cdef size_t depth
        self.path.clear()
        while True:
            self.path.push_back(index)
            verdict = self.judge(&position, ply)
            if verdict >= OVER:
                winner = winner_of(verdict)
                break
            if self.nodes[index].child_count == 0:
                if self.nodes[index].visits + 1 < EXPANSION_VISITS:
                    winner = self.finish(&position, ply)
                    break
                self.expand(index, &position, verdict)
            index = self.best_child(index)
            play(&position, self.nodes[index].code)
            ply += 1
        for depth in range(self.path.size()):
            index = self.path[depth]
            self.nodes[index].visits += 1
            # The side to move at the root has moved to the nodes at odd depths.
            if winner == NOBODY:
                self.nodes[index].value += 0.5
            elif winner == (self.root.turn ^ (depth + 1 & 1)):
                self.nodes[index].value += 1.0
        return 0

    cdef int run(self, int iterations) except -1 nogil:
        cdef int _
        for _ in range(iterations):
            self.iterate()
        return 0

    cdef int most_visited(self) noexcept:
        cdef const Node* root = &self.nodes[0]
        cdef uint32_t place, best = root.first_child
        for place in range(root.first_child, root.first_child + root.child_count):
            if self.nodes[place].visits > self.nodes[best].visits:
                best = place
        return self.nodes[best].code


cdef class UctBot:
    """A player that makes so many iterations (random games) for a move, 2 to 10 million.

    What it plays depends on the seed (0 to 2**64 - 1) and on the boards it was asked about
    before. A search takes about 500 bytes for an iteration and gives the GIL away.
    """

    cdef readonly int iterations
    cdef uint64_t random

    def __init__(self, iterations=1000, seed=0):
        count, state = as_index(iterations), as_index(seed)
        if not EXPANSION_VISITS <= count <= MAX_ITERATIONS:
            raise LoaError(
                f"iterations is {count}: expected {EXPANSION_VISITS} to {MAX_ITERATIONS}")
        if not 0 <= state < 2**64:
            raise LoaError(f"seed is {state}: expected 0 to 2**64 - 1")
        self.iterations = count
        self.random = state

    def choose(self, Board board not None):
        """The move most visited, a `loa.Move`; `LoaError` where the game is over."""
        # A board of our own: another thread may move on that one.
        cdef Board start = Board.copy(board)
        if start.verdict() >= OVER:
            raise LoaError(f"the game is over ({start.fen()}): expected a board with a legal move")
        cdef Search search = Search.__new__(Search)
        cdef int left = self.iterations
        search.root = start.position()[0]
        search.rules = start.values
        search.root_ply = start.ply
        search.last_ply = search.root_ply + LONGEST_GAME
        if search.rules.ply_limit >= 0:
            search.last_ply = min(search.last_ply, search.rules.ply_limit)
        search.random = self.random
        search.nodes.resize(1)
        while left > 0:
            with nogil:
                search.run(min(left, CHUNK))
            left -= CHUNK
            PyErr_CheckSignals()
        self.random = search.random
        return move_of_code(search.most_visited())
