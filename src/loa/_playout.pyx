"""Random games without the GIL: the kernels under `loa.playouts` and `Board.playout`.

A thread plays several games in turn, a step of a ply each, so that the processor works on the
next game while the last one waits for memory. A game keeps, beside its pieces and the states of
its lines, how many moves either side has on every line, which a ply changes on seven lines at
most. Picking one of all moves is then a search in 46 bytes for a number below their sum, without a
loop over moves and without a branch that is hard to predict. These steps are in `_playout.h`;
here is what is rare or not uniform: starts and ends of games, passes, repetitions, weights.

A side can be connected only if its Euler number (groups less holes) is 1 or less. A ply changes
that number by what stands round two squares, so the groups themselves are looked at about once a
game.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset
from libcpp.atomic cimport atomic
from libcpp.bit cimport countr_zero
from libcpp.vector cimport vector

from loa._bitboard cimport (
    LINES,
    MOVE_BUFFER,
    Geometry,
    Position,
    is_connected,
    list_moves,
)
from loa._board cimport Board
from loa._history cimport (
    MUST_PASS,
    NOBODY,
    OVER,
    Frame,
    RuleValues,
    draw_by_history,
    termination_of,
    verdict_on,
    winner_of,
)
from loa._playout_tables cimport (
    GAMES,
    GOLDEN,
    GamesInPlay,
    GameTables,
    RandomGame,
    Root,
    euler_change,
    form_in_use,
    make_moves,
    mix,
    pick_move,
    pick_moves,
    tables_of,
)
from loa._seen cimport Seen, copy_seen, count_seen, forget, remember, reserve_seen

from loa.rules import LoaError

cdef enum:
    # Rounds of plies between two looks at the outside world, some milliseconds.
    ROUNDS = 16384
    # The verdict on a game that has lasted for as long as the caller allows, beside History's.
    CAPPED = 100
    # Captures or not; towards the centre of mass, neither, away from it; from which ring of the
    # board (0 is the edge) to which.
    CATEGORIES = 96


cdef inline Position position_of(const RandomGame* game, const Geometry* geometry) noexcept nogil:
    """A game's position, but for its key."""
    cdef Position position
    position.pieces[game.turn] = game.own
    position.pieces[game.turn ^ 1] = game.enemy
    position.key = 0
    position.geometry = geometry
    memcpy(position.lines, game.lines, sizeof(position.lines))
    position.turn = <uint8_t>game.turn
    return position


cdef int make_room(Seen* seen, uint32_t count) except -1 nogil:
    if not reserve_seen(seen, count):
        with gil:
            raise MemoryError()
    return 0


@cython.final
cdef class Run:
    """The games of one call, which any number of threads may play together.

    A game depends on the seed, its number and the position it starts from, not on who plays it.
    """

    # The positions that games start from: as many games, one after the other, from each.
    cdef vector[Root] roots
    cdef vector[Seen] root_seen
    cdef const Geometry* geometry
    cdef const GameTables* tables
    cdef RuleValues rules
    cdef int max_plies
    cdef bint weighted
    cdef uint16_t weights[2][CATEGORIES]
    cdef uint8_t rings[64]
    cdef uint64_t seed
    cdef int64_t games
    cdef int64_t games_of_root
    cdef atomic[int64_t] next_game
    cdef atomic[bint] stopped
    cdef int8_t[::1] winners
    cdef int8_t[::1] terminations
    cdef int32_t[::1] plies
    cdef int64_t[::1] choices

    def __cinit__(
        self,
        list boards not None,
        uint64_t seed,
        int max_plies,
        const uint16_t[:] weights,
        int8_t[::1] winners not None,
        int8_t[::1] terminations not None,
        int32_t[::1] plies not None,
        int64_t[::1] choices not None,
    ):
        """A run of as many games as each of the arrays, where the results go, has entries.

        The boards have one size and one set of rules, and the number of games is a multiple of
        theirs. `weights` has CATEGORIES entries for either side, or is None for a
        uniform choice.
        """
        cdef int category
        cdef Board board
        cdef int64_t count = len(boards)
        self.games = len(winners)
        if not len(terminations) == len(plies) == len(choices) == self.games:
            raise ValueError("expected arrays of the same length")
        if self.games and (count == 0 or self.games % count):
            raise ValueError("expected a number of games for each board")
        self.winners, self.terminations = winners, terminations
        self.plies, self.choices = plies, choices
        self.seed = seed
        self.max_plies = max_plies
        self.games_of_root = self.games // count if count else 0
        for board in boards:
            if board is None:
                raise TypeError("expected boards, not None")
            with cython.critical_section(board):
                self.add_root(board)
        self.weighted = weights is not None
        if self.weighted:
            if len(weights) != 2 * CATEGORIES:
                raise ValueError(f"expected {2 * CATEGORIES} weights")
            for category in range(CATEGORIES):
                self.weights[0][category] = weights[category]
                self.weights[1][category] = weights[CATEGORIES + category]

    def __dealloc__(self):
        cdef size_t index
        for index in range(self.root_seen.size()):
            free(self.root_seen[index].positions)

    cdef int add_root(self, Board board) except -1:
        cdef int verdict = board.verdict()
        cdef const Frame* frame = &board.frames[board.count - 1]
        cdef const Frame* earlier = frame - frame.reversible
        cdef const Position* position = &frame.position
        cdef Root root
        cdef RandomGame* game = &root.game
        cdef Seen seen
        cdef int line
        if self.roots.empty():
            self.rules = board.values
            self.geometry = position.geometry
            self.tables = tables_of(position.geometry.size)
            self.set_rings()
        elif position.geometry != self.geometry:
            size = position.geometry.size
            raise LoaError(
                f"boards of sizes {self.geometry.size} and {size}: expected boards of one size")
        memset(&root, 0, sizeof(root))
        memcpy(game.lines, position.lines, sizeof(position.lines))
        for line in range(LINES):
            game.counts[line] = self.tables.counts[position.lines[line]]
        game.turn = position.turn
        game.own = position.pieces[position.turn]
        game.enemy = position.pieces[position.turn ^ 1]
        game.own_euler = self.euler(game.own)
        game.enemy_euler = self.euler(game.enemy)
        game.limit = self.max_plies
        game.root = self.roots.size()
        root.ply = board.root_ply + board.count - 1
        root.verdict = CAPPED if verdict < OVER and self.max_plies == 0 else verdict
        if 0 <= self.rules.ply_limit < root.ply + self.max_plies:
            game.limit = max(0, <int>(self.rules.ply_limit - root.ply))
        self.roots.push_back(root)
        memset(&seen, 0, sizeof(seen))
        self.root_seen.push_back(seen)
        if self.rules.repetition_draw:
            make_room(&self.root_seen.back(), frame.reversible + 1)
            while earlier <= frame:
                remember(
                    &self.root_seen.back(), earlier.position.pieces[0], earlier.position.pieces[1])
                earlier += 1
        return 0

    cdef int euler(self, uint64_t pieces) noexcept:
        cdef uint64_t placed = 0
        cdef int square, euler = 0
        while pieces:
            square = countr_zero(pieces)
            euler += euler_change(self.tables[0], placed, square)
            placed |= <uint64_t>1 << square
            pieces &= pieces - 1
        return euler

    cdef void set_rings(self) noexcept:
        """The ring of each square: how far it is from the nearest edge."""
        cdef int last = self.geometry.size - 1
        cdef int rank, file
        for rank in range(last + 1):
            for file in range(last + 1):
                self.rings[8 * rank + file] = <uint8_t>min(file, rank, last - file, last - rank)

    def stop(self):
        """Makes the threads return soon, without having played all games."""
        self.stopped.store(True)

    def play(self):
        """Plays games until there are no more."""
        cdef GamesInPlay* play = new GamesInPlay()
        cdef Seen seen[GAMES]
        cdef int index
        memset(seen, 0, sizeof(seen))
        try:
            with nogil:
                self.play_all(play, seen)
        finally:
            for index in range(GAMES):
                free(seen[index].positions)
            del play

    cdef int play_all(self, GamesInPlay* play, Seen* seen) except -1 nogil:
        cdef int playing = 0, _
        while playing < GAMES and self.start(play, seen, playing):
            playing += 1
        while playing:
            for _ in range(ROUNDS):
                playing = self.play_round(play, seen, playing)
                if playing == 0:
                    break
            if self.is_stopped():
                break
        return 0

    cdef bint is_stopped(self) except -1 nogil:
        """Whether to leave the games that are not over; raises what signals raise."""
        with gil:
            PyErr_CheckSignals()
            return self.stopped.load()

    cdef int play_round(self, GamesInPlay* play, Seen* seen, int playing) except -1 nogil:
        """Plays a ply of each game and starts new ones for those that end; how many go on."""
        cdef uint64_t enemies[GAMES]
        cdef bint repetition = self.rules.repetition_draw != 0
        cdef bint recurred = False
        cdef RandomGame* game
        cdef int index, verdict
        if self.weighted:
            for index in range(playing - 1, -1, -1):
                if not self.pick(play, index):
                    playing = self.leave_stuck(play, seen, index, playing)
        elif not pick_moves(form_in_use(), self.tables[0], play[0], playing):
            for index in range(playing - 1, -1, -1):
                if play.moves[index].from_square == play.moves[index].to_square:
                    playing = self.leave_stuck(play, seen, index, playing)
        if repetition:
            for index in range(playing):
                enemies[index] = play.games[index].enemy
        if not make_moves(form_in_use(), self.tables[0], play[0], playing) and not repetition:
            return playing
        for index in range(playing - 1, -1, -1):
            game = &play.games[index]
            if repetition:
                if game.own != enemies[index]:
                    forget(&seen[index])
                recurred = self.recurs(game, &seen[index])
            if play.moves[index].look or recurred:
                verdict = self.judge(game, recurred)
                if verdict >= OVER:
                    playing = self.end(play, seen, index, playing, verdict)
        return playing

    cdef bint pick(self, GamesInPlay* play, int index) noexcept nogil:
        """Picks a move for a game; False where there is none."""
        if self.weighted:
            return self.pick_weighted(play, index)
        return pick_move(self.tables[0], play[0], index) != 0

    cdef bint pick_weighted(self, GamesInPlay* play, int index) noexcept nogil:
        cdef RandomGame* game = &play.games[index]
        cdef Position position = position_of(game, self.geometry)
        cdef uint16_t moves[MOVE_BUFFER]
        cdef uint32_t sums[MOVE_BUFFER]
        cdef int file_distances[8]
        cdef int rank_distances[8]
        cdef uint64_t left = game.own
        cdef uint64_t random
        cdef int square, from_square, to_square, before, after, approach, number
        cdef int pieces = 0, files = 0, ranks = 0, chosen = 0
        cdef int count = list_moves(&position, game.turn, moves)
        cdef uint32_t total = 0, below
        play.states[index] += GOLDEN
        random = mix(play.states[index]) >> 32
        if count == 0:
            return False
        game.choices += count
        while left:
            square = countr_zero(left)
            left &= left - 1
            files += square & 7
            ranks += square >> 3
            pieces += 1
        # Squared distances from the centre of mass, times the square of the number of pieces.
        for number in range(8):
            file_distances[number] = (pieces * number - files) * (pieces * number - files)
            rank_distances[number] = (pieces * number - ranks) * (pieces * number - ranks)
        for number in range(count):
            from_square = moves[number] >> 6
            to_square = moves[number] & 63
            before = file_distances[from_square & 7] + rank_distances[from_square >> 3]
            after = file_distances[to_square & 7] + rank_distances[to_square >> 3]
            approach = 1 + (after > before) - (after < before)
            total += self.weights[game.turn][
                48 * <int>(game.enemy >> to_square & 1) + 16 * approach
                + 4 * self.rings[from_square] + self.rings[to_square]]
            sums[number] = total
        if total == 0:
            # No move has a weight: all are alike.
            chosen = <int>(random * <uint64_t>count >> 32)
        else:
            below = <uint32_t>(random * total >> 32)
            for number in range(count):
                chosen += below >= sums[number]
        play.moves[index].from_square = <uint8_t>(moves[chosen] >> 6)
        play.moves[index].to_square = <uint8_t>(moves[chosen] & 63)
        return True

    cdef int leave_stuck(
        self, GamesInPlay* play, Seen* seen, int index, int playing
    ) except -1 nogil:
        """Goes on where the side to move has no move: passes, or ends the game and starts another.

        Returns how many games go on; if this one does, or another in its place, it has a move.
        """
        cdef int verdict
        cdef bint recurred = False
        cdef RandomGame* game = &play.games[index]
        while True:
            verdict = self.judge(game, False)
            if verdict == MUST_PASS:
                game.choices += 1
                game.plies += 1
                game.turn ^= 1
                game.own, game.enemy = game.enemy, game.own
                game.own_euler, game.enemy_euler = game.enemy_euler, game.own_euler
                if self.rules.repetition_draw:
                    recurred = self.recurs(game, &seen[index])
                verdict = self.judge(game, recurred)
            if verdict >= OVER:
                if self.end(play, seen, index, playing, verdict) < playing:
                    return playing - 1
                game = &play.games[index]
            if self.pick(play, index):
                return playing

    cdef inline bint recurs(self, const RandomGame* game, Seen* seen) except -1 nogil:
        """Whether the position draws the game; adds it to those seen."""
        cdef uint64_t black = game.enemy if game.turn else game.own
        cdef uint64_t white = game.own if game.turn else game.enemy
        cdef int before = count_seen(seen, black, white, self.rules.repetition_side_to_move)
        if seen.count == seen.capacity:
            make_room(seen, seen.count + 1)
        remember(seen, black, white)
        return before + 1 >= self.rules.repetition_draw

    cdef int judge(self, const RandomGame* game, bint recurred) noexcept nogil:
        cdef Position position = position_of(game, self.geometry)
        cdef int draw = draw_by_history(
            &self.rules, recurred, self.roots[game.root].ply + game.plies)
        cdef int verdict = verdict_on(
            &position,
            &self.rules,
            draw,
            is_connected(position.pieces[0]),
            is_connected(position.pieces[1]))
        return CAPPED if verdict < OVER and game.plies >= self.max_plies else verdict

    cdef bint start(self, GamesInPlay* play, Seen* seen, int index) except -1 nogil:
        """Starts the next game in a place; False where there are no more."""
        cdef RandomGame* game = &play.games[index]
        cdef int64_t number, root
        while True:
            number = self.next_game.fetch_add(1)
            if number >= self.games:
                return False
            root = number // self.games_of_root
            game[0] = self.roots[root].game
            game.number = number
            if self.roots[root].verdict < OVER:
                break
            self.record(game, self.roots[root].verdict)
            if number % ROUNDS == 0 and self.is_stopped():
                return False
        play.states[index] = mix(self.seed ^ mix(<uint64_t>number))
        if self.rules.repetition_draw:
            make_room(&seen[index], self.root_seen[root].count)
            copy_seen(&seen[index], &self.root_seen[root])
        return True

    cdef void record(self, const RandomGame* game, int verdict) noexcept nogil:
        cdef int winner = winner_of(verdict)
        self.plies[game.number] = game.plies
        self.choices[game.number] = game.choices
        if verdict == CAPPED:
            self.winners[game.number] = -1
            self.terminations[game.number] = -1
        else:
            self.winners[game.number] = <int8_t>(-1 if winner == NOBODY else winner)
            self.terminations[game.number] = <int8_t>termination_of(verdict)

    cdef int end(
        self, GamesInPlay* play, Seen* seen, int index, int playing, int verdict
    ) except -1 nogil:
        """Writes down a result and starts a game in its place, or moves the last one there."""
        cdef Seen spare
        self.record(&play.games[index], verdict)
        if self.start(play, seen, index):
            return playing
        playing -= 1
        play.games[index] = play.games[playing]
        play.states[index] = play.states[playing]
        play.moves[index] = play.moves[playing]
        spare = seen[index]
        seen[index] = seen[playing]
        seen[playing] = spare
        return playing
