"""`Board`: a position with its history under one set of rules."""

cimport cython
from libc.string cimport memcpy

from copy import deepcopy
from operator import index as as_index

from loa._bitboard cimport (
    MOVE_BUFFER,
    PASS_CODE,
    Geometry,
    Position,
    canonical_pieces,
    geometry_of,
    is_connected,
    is_line_move,
    list_groups,
    list_moves,
    transform_bitboard,
    uint16_t,
    uint64_t,
)
from loa._fen cimport fen_of
from loa._history cimport (
    DEFAULT_RULES,
    HAS_MOVES,
    MAX_PLY,
    MUST_PASS,
    OVER,
    UNKNOWN,
    Frame,
    History,
    Snapshot,
    snapshot_of,
)
from loa._moves cimport LegalMoves, Move, move_of_code, require_move
from loa._reasons cimport why_illegal

from loa import notation
from loa.rules import (
    BLACK,
    MAX_PLIES,
    TERMINATIONS,
    WHITE,
    IllegalMoveError,
    InvalidFenError,
    LoaError,
    Outcome,
    Rules,
    Symmetry,
    check_range,
    check_size,
    shown,
    starting_bitboards,
)

# By verdict, from OVER on.
cdef tuple OUTCOMES = tuple(
    Outcome(winner, termination)
    for termination in TERMINATIONS
    for winner in (BLACK, WHITE, None)
)
cdef tuple COLORS = (BLACK, WHITE)
cdef int TRANSPOSITION = Symmetry.TRANSPOSE


cdef int color_of(object color) except -1:
    """0 or 1 for a Color or an int that equals one."""
    try:
        number = as_index(color)
    except TypeError:
        raise TypeError(
            f"{shown(color)} is not a colour: expected loa.BLACK or loa.WHITE") from None
    if not 0 <= number <= 1:
        raise LoaError(f"{shown(color)} is not a colour: expected loa.BLACK or loa.WHITE")
    return number


# A critical section keeps other threads from the board, and is nothing where Python has its lock.
# Whatever waits for something lets go of it, so pointers into the frames are for C code alone.

cdef Board copy_of(Board board, bint history):
    """An independent board of the same class, with or without its history."""
    cdef Board copy = <Board>Board.__new__(type(board))
    cdef Py_ssize_t first, count
    with cython.critical_section(board):
        first = 0 if history else board.count - 1
        count = board.count - first
        copy.rules = board.rules
        copy.values = board.values
        copy.reserve(count)
        memcpy(copy.frames, board.frames + first, count * sizeof(Frame))
        copy.count = count
        copy.root_ply = board.root_ply + first
    if not history:
        copy.frames[0].reversible = 0
        copy.frames[0].verdict = UNKNOWN
    return copy


cdef object added_to(Board board):
    """What a subclass keeps in a board, as pickles have it: None, a dict, or that and the slots."""
    state = board.__getstate__()
    # The dict is the board's own, which others may change meanwhile.
    if isinstance(state, dict):
        return dict(state)
    # A class may say anything of its own.
    if isinstance(state, tuple) and type(board).__getstate__ is object.__getstate__:
        attributes, slots = state
        return attributes and dict(attributes), slots
    return state


cdef int give_added(Board board, object state) except -1:
    """Gives a copy what `added_to` says of its original, as unpickling would."""
    cdef object attributes = state, slots = None
    if state is None:
        return 0
    if hasattr(board, "__setstate__"):
        board.__setstate__(state)
        return 0
    if isinstance(state, tuple):
        attributes, slots = state
    if attributes:
        board.__dict__.update(attributes)
    if slots:
        for name, value in slots.items():
            setattr(board, name, value)
    return 0


cdef Board with_pieces(Board board, uint64_t black, uint64_t white, int turn):
    """A board that nobody else has, without history, with other pieces at its move number."""
    board.set_root(
        board.position().geometry.size, black, white, turn, board.root_ply // 2 * 2 + turn)
    return board


cdef object error_of(Move move, const Refusal* refusal):
    """The error for a move that is not legal, with the reason a person wants to read."""
    cdef const Position* position = &refusal.position
    fen = fen_of(position, refusal.ply)
    reason = why_illegal(position, refusal.verdict, move.from_square, move.to_square)
    return IllegalMoveError(f"{move} is illegal: {reason} ({fen})", move, fen)


cdef bint may_carry(const Position* position, int from_square, int to_square) noexcept:
    """Whether a piece of the side to move can be put down elsewhere, line or no line."""
    cdef uint64_t own = position.pieces[position.turn]
    cdef uint64_t enemy = position.pieces[position.turn ^ 1]
    cdef uint64_t targets = position.geometry.board_mask & ~own
    if enemy & (enemy - 1) == 0:
        targets &= ~enemy
    return bool(own >> from_square & 1) and bool(targets >> to_square & 1)


@cython.auto_pickle(False)
cdef class Board(History):
    """Board(fen=None, *, size=8, setup="standard", rules=loa.Rules.MSO)

    A position, its history and its rules.

    `Board()` is the start of a game. `fen` sets up any other position; `size` (3 to 8) and
    `setup` (`"standard"` or `"scrambled"`) choose another start and cannot be given with a FEN.
    `rules` is a `loa.Rules`. Bad values raise `loa.LoaError` (a bad FEN: `InvalidFenError`).

    Boards are equal when their pieces, size, side to move, ply and rules are; the moves that led
    there do not count. A board can be changed, so it has no hash: use `key`.

    >>> import loa
    >>> board = loa.Board()
    >>> board.push_text("c8-c6")
    Move.from_text('c8-c6')
    >>> board
    Board('1b1bbbb1/w6w/w1b4w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1')
    """

    # Cython's own signature of a constructor with keyword-only arguments is wrong.
    @cython.embedsignature(False)
    def __init__(self, fen=None, *, size=None, setup=None, rules=Rules.MSO):
        if fen is None:
            size = 8 if size is None else check_size(size)
            black, white = starting_bitboards(size, "standard" if setup is None else setup)
            placement = notation.Placement(size, black, white, BLACK, 1)
        elif size is None and setup is None:
            placement = notation.parse_fen(fen)
        else:
            raise LoaError("a FEN says its own size and set-up: expected no size or setup")
        with cython.critical_section(self):
            self.use_rules(rules)
            self.set_placement(placement)

    # Making boards -----------------------------------------------------------------------------

    # inspect.signature refuses defaults that are names: docstrings have them, here and below.
    @classmethod
    @cython.embedsignature.format("python")
    def from_fen(cls, text, *, dialect="native", rules=Rules.MSO):
        """The board of a FEN in one of the `loa.notation.DIALECTS`.

        Raises `InvalidFenError` naming what is wrong with the text.

        >>> Board.from_fen("1LLLLLL1/l6l/l6l/l6l/l6l/l6l/l6l/1LLLLLL1 w - - 0 1",
        ...                dialect="playstrategy") == Board()
        True
        """
        cdef Board board = cls.__new__(cls)
        placement = notation.parse_fen(text, dialect)
        board.use_rules(rules)
        board.set_placement(placement)
        return board

    @classmethod
    @cython.embedsignature.format("python")
    def from_bitboards(cls, black, white, *, size=8, turn=BLACK, ply=None, rules=Rules.MSO):
        """The board with these pieces; bit i is square i of the 8x8 grid, whatever the size.

        `ply` is the number of plies made before; its parity has to fit the side to move, and by
        default it is 0 for Black and 1 for White. Bitboards that overlap, are empty or leave the
        board raise `InvalidFenError`.

        >>> board = Board.from_bitboards(0x7e0000000000007e, 0x0081818181818100)
        >>> board == Board()
        True
        """
        cdef Board board = cls.__new__(cls)
        cdef int color = color_of(turn)
        cdef int number = check_size(size)
        black, white = as_index(black), as_index(white)
        mask = int(geometry_of(number).board_mask)
        for name, bitboard in (("black", black), ("white", white)):
            if bitboard & ~mask:
                raise InvalidFenError(
                    f"the {name} bitboard {shown(hex(bitboard))} has a bit outside the "
                    f"{number}x{number} board: expected a subset of {mask:#x}")
        if black & white:
            raise InvalidFenError(
                f"the bitboards share {black & white:#x}: expected one piece a square at most")
        if not black or not white:
            raise InvalidFenError(
                f"no {'white' if black else 'black'} piece: expected at least one of each colour")
        ply = color if ply is None else as_index(ply)
        if not 0 <= ply <= MAX_PLY:
            raise InvalidFenError(f"ply is {shown(ply)}: expected 0 to {MAX_PLY}")
        if ply % 2 != color:
            raise InvalidFenError(
                f"ply is {ply} with {COLORS[color].name.lower()} to move: "
                "expected an even ply for black, an odd one for white")
        board.use_rules(rules)
        board.set_root(number, black, white, color, ply)
        return board

    def copy(self, *, bint history=True):
        """An independent board; without its history it cannot be popped and forgets repetitions.

        What a subclass adds to a board is its own to copy; `copy.copy` and `copy.deepcopy` do.

        >>> board = Board()
        >>> board.push(board.legal_moves[0])
        >>> board.copy() == board, board.copy(history=False).move_stack
        (True, [])
        """
        return copy_of(self, history)

    def root(self):
        """The position before the moves made on this board, as an independent board.

        >>> board = Board()
        >>> board.push(board.legal_moves[0])
        >>> board.root() == Board(), board.root().move_stack
        (True, [])
        """
        cdef Board board = <Board>Board.__new__(type(self))
        with cython.critical_section(self):
            board.rules = self.rules
            board.values = self.values
            board.frames[0] = self.frames[0]
            board.root_ply = self.root_ply
        return board

    def __copy__(self):
        board = copy_of(self, True)
        give_added(board, added_to(self))
        return board

    def __deepcopy__(self, memo):
        board = copy_of(self, True)
        # What is added may hold the board itself.
        memo[id(self)] = board
        give_added(board, deepcopy(added_to(self), memo))
        return board

    def __reduce__(self):
        cdef Board board = copy_of(self, True)
        cdef const Position* root = &board.frames[0].position
        return _restore, (
            type(self), root.geometry.size, root.pieces[0], root.pieces[1], root.turn,
            board.root_ply, board.rules,
            [board.frames[index].move for index in range(1, board.count)],
        ), added_to(self)

    cdef int set_placement(self, object placement) except -1:
        """Makes what a FEN says, which has been checked, the start of the history."""
        cdef int turn = placement.turn
        self.set_root(
            placement.size, placement.black, placement.white, turn,
            2 * <long long>(placement.move_number - 1) + turn)
        return 0

    # What the board holds ----------------------------------------------------------------------

    @property
    @cython.critical_section
    def turn(self):
        """The `Color` of the side to move.

        >>> Board().turn
        <Color.BLACK: 0>
        """
        return COLORS[self.position().turn]

    @property
    @cython.critical_section
    def ply(self):
        """The number of plies made since the start of the game, by the FEN's move number.

        >>> Board("1b1/w1w/1b1 w 3").ply
        5
        """
        return self.root_ply + self.count - 1

    @property
    @cython.critical_section
    def size(self):
        """The number of files, which is that of ranks: 3 to 8.

        >>> Board("1b1/w1w/1b1").size
        3
        """
        return self.position().geometry.size

    @property
    @cython.critical_section
    def black(self):
        """The bitboard of the black pieces, an int.

        >>> hex(Board().black)
        '0x7e0000000000007e'
        """
        return self.position().pieces[0]

    @property
    @cython.critical_section
    def white(self):
        """The bitboard of the white pieces, an int.

        >>> hex(Board().white)
        '0x81818181818100'
        """
        return self.position().pieces[1]

    @property
    @cython.critical_section
    def occupied(self):
        """The bitboard of all pieces, an int.

        >>> Board().occupied.bit_count()
        24
        """
        return self.position().pieces[0] | self.position().pieces[1]

    @property
    @cython.critical_section
    def key(self):
        """The 64-bit Zobrist key of pieces, size and side to move, the same in every release.

        >>> hex(Board().key)
        '0x3c3fe6f7e9e43c57'
        """
        return self.position().key

    @property
    @cython.critical_section
    def move_stack(self):
        """The moves made on this board, the first one first, as a new list.

        >>> Board().move_stack
        []
        """
        return [move_of_code(self.frames[index].move) for index in range(1, self.count)]

    @cython.critical_section
    def piece_at(self, square):
        """The `Color` of the piece on a square (0 to 63), None where there is none.

        >>> Board().piece_at(1)
        <Color.BLACK: 0>
        """
        cdef int index = self.check_square(square)
        cdef const Position* position = self.position()
        if position.pieces[0] >> index & 1:
            return BLACK
        if position.pieces[1] >> index & 1:
            return WHITE
        return None

    @cython.critical_section
    def line_count(self, square, direction):
        """The number of pieces of both colours on the whole line through a square.

        A piece on the square moves this far; the square may also be empty. `direction` is a
        `loa.Direction` or its number; opposite directions are the same line.

        >>> Board().line_count(1, loa.Direction.E), Board().line_count(1, loa.Direction.NE)
        (6, 2)
        """
        cdef int index = self.check_square(square)
        number = as_index(direction)
        if not 0 <= number < 8:
            raise LoaError(f"direction is {shown(direction)}: expected a loa.Direction, 0 to 7")
        cdef int orientation = number % 4
        cdef const Position* position = self.position()
        return position.geometry.tables.pieces[
            position.lines[position.geometry.square_lines[index][orientation]]]

    @cython.critical_section
    def groups(self, color):
        """The groups (8-connected components) of a colour, as a list of bitboards.

        The group with the lowest square comes first.

        >>> [hex(group) for group in Board().groups(loa.BLACK)]
        ['0x7e', '0x7e00000000000000']
        """
        cdef uint64_t groups[16]
        cdef int number = color_of(color)
        cdef int count = list_groups(self.position().pieces[number], groups)
        return [groups[index] for index in range(count)]

    @cython.critical_section
    def is_connected(self, color):
        """Whether the pieces of a colour form one group; a single piece does.

        >>> Board().is_connected(loa.WHITE)
        False
        """
        cdef int number = color_of(color)
        return is_connected(self.position().pieces[number])

    cdef int check_square(self, object square) except -1:
        cdef const Geometry* geometry = self.position().geometry
        number = as_index(square)
        if not (0 <= number < 64 and geometry.board_mask >> <int>number & 1):
            raise LoaError(
                f"square {shown(number)} is not on the {geometry.size}x{geometry.size} board: "
                f"expected file + 8 * rank, each 0 to {geometry.size - 1}")
        return number

    # Moves -------------------------------------------------------------------------------------

    @property
    def legal_moves(self):
        """The legal moves now, as an immutable sequence in documented order: `loa.LegalMoves`.

        >>> [str(move) for move in Board(size=3).legal_moves]
        ['b1-a1', 'b1-c1', 'b3-a3', 'b3-c3']
        """
        cdef LegalMoves moves = LegalMoves.__new__(LegalMoves)
        cdef int verdict
        with cython.critical_section(self):
            verdict = self.verdict()
            moves.position = self.position()[0]
        moves.listed = verdict == HAS_MOVES
        moves.must_pass = verdict == MUST_PASS
        return moves

    @cython.critical_section
    def moves_to(self, square):
        """The legal moves to a square, in a list and in the order of `legal_moves`.

        Raises `LoaError` for a square that is not on the board.

        >>> [str(move) for move in Board().moves_to(loa.parse_square("b3"))]
        ['b1-b3', 'd1-b3']
        """
        cdef int target = self.check_square(square)
        cdef uint16_t codes[MOVE_BUFFER]
        cdef int index, count = 0
        if self.verdict() == HAS_MOVES:
            count = list_moves(self.position(), self.position().turn, codes)
        found = []
        for index in range(count):
            if codes[index] % 64 == target:
                found.append(move_of_code(codes[index]))
        return found

    cdef bint allows(self, int from_square, int to_square, int code) noexcept:
        cdef int verdict = self.verdict()
        if verdict == HAS_MOVES:
            return is_line_move(self.position(), self.position().turn, from_square, to_square)
        return verdict == MUST_PASS and code == PASS_CODE

    @cython.critical_section
    def is_legal(self, move):
        """Whether the rules allow a move now.

        >>> Board().is_legal(loa.Move.from_text("c8-c6")), Board().is_legal(loa.Move.PASS)
        (True, False)
        """
        cdef Move checked = require_move(move)
        return self.allows(checked.from_square, checked.to_square, checked.code)

    @cython.critical_section
    def is_capture(self, move):
        """Whether a move's target holds a piece of the side that is not to move.

        >>> Board().is_capture(loa.Move.from_text("c8xa6"))
        True
        """
        cdef Move checked = require_move(move)
        cdef const Position* position = self.position()
        return checked.code != PASS_CODE and bool(
            position.pieces[position.turn ^ 1] >> checked.to_square & 1)

    def push(self, move):
        """Makes a move. A move that is not legal raises `IllegalMoveError` and changes nothing.

        >>> board = Board()
        >>> board.push(loa.Move.from_text("c8-c5"))
        Traceback (most recent call last):
            ...
        loa.rules.IllegalMoveError: c8-c5 is illegal: the line c8-c5 has 2 pieces, so c8 moves 2 \
squares along it, not 3 (1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1)
        """
        self.make(require_move(move))

    def push_text(self, text):
        """Makes the move that a text names and returns it.

        Raises `InvalidMoveError` where the text is no move, `IllegalMoveError` where the move is
        not legal.

        >>> board = Board()
        >>> str(board.push_text("c8xa6"))
        'c8-a6'
        """
        cdef Move move = Move.from_text(text)
        self.make(move)
        return move

    def push_unchecked(self, move):
        """Makes a move that is known to be legal, for inner loops.

        The move has to come from this position's `legal_moves`. Another one is made all the same
        where it carries a piece of the side to move to a square that is empty or holds an enemy
        piece, not the last one (a pass: always), and leads to a position that the rules do not
        reach; anything else raises `IllegalMoveError` and changes nothing.

        >>> board = Board()
        >>> board.push_unchecked(board.legal_moves[0])
        >>> board.ply
        1
        """
        cdef Move checked = require_move(move)
        cdef Refusal refusal
        cdef bint possible
        with cython.critical_section(self):
            possible = checked.code == PASS_CODE or may_carry(
                self.position(), checked.from_square, checked.to_square)
            if possible:
                self.append(checked.code, checked.from_square, checked.to_square)
            else:
                refusal = self.refusal()
        if not possible:
            raise error_of(checked, &refusal)

    cdef int make(self, Move move) except -1:
        """Makes a move if it is legal, and raises the error if not."""
        cdef Refusal refusal
        cdef bint legal
        with cython.critical_section(self):
            legal = self.allows(move.from_square, move.to_square, move.code)
            if legal:
                self.append(move.code, move.from_square, move.to_square)
            else:
                refusal = self.refusal()
        if not legal:
            raise error_of(move, &refusal)
        return 0

    cdef Refusal refusal(self) noexcept:
        cdef Refusal refusal
        refusal.position = self.position()[0]
        refusal.verdict = self.verdict()
        refusal.ply = self.root_ply + self.count - 1
        return refusal

    @cython.critical_section
    def pop(self):
        """Takes the last move back and returns it; `IndexError` where there is none.

        >>> board = Board()
        >>> board.push_text("c8-c6") is board.pop()
        True
        """
        if self.count == 1:
            raise IndexError("no move to take back: the move stack is empty")
        self.count -= 1
        return move_of_code(self.frames[self.count].move)

    @cython.critical_section
    def peek(self):
        """The last move; `IndexError` where there is none.

        >>> board = Board()
        >>> board.push_text("c8-c6") is board.peek()
        True
        """
        if self.count == 1:
            raise IndexError("no last move: the move stack is empty")
        return move_of_code(self.frames[self.count - 1].move)

    def parse_move(self, text):
        """The legal move that a text names: `c8-c6`, `d1xa4`, `d1:a4`, `D1 A4`, `d1a4`, `pass`.

        Raises `InvalidMoveError` where the text is no move, `IllegalMoveError` where the move is
        not legal.

        >>> Board().parse_move("C8C6")
        Move.from_text('c8-c6')
        """
        cdef Move move = Move.from_text(text)
        cdef Refusal refusal
        cdef bint legal
        with cython.critical_section(self):
            legal = self.allows(move.from_square, move.to_square, move.code)
            if not legal:
                refusal = self.refusal()
        if not legal:
            raise error_of(move, &refusal)
        return move

    def move_text(self, move):
        """The text of a move here, a capture written with `x`.

        >>> Board().move_text(loa.Move.from_text("c8-a6"))
        'c8xa6'
        """
        cdef Move checked = require_move(move)
        return notation.format_move(
            checked.from_square, checked.to_square, capture=self.is_capture(checked))

    # The end of the game -----------------------------------------------------------------------

    @cython.critical_section
    def is_game_over(self):
        """Whether the game is over, for whatever reason: there are no legal moves then.

        >>> Board().is_game_over()
        False
        """
        return self.verdict() >= OVER

    @cython.critical_section
    def outcome(self):
        """How the game ended, as a `loa.Outcome`; None while it goes on.

        >>> Board("8/8/8/3bb3/8/w6w/8/8 w 1").outcome().result
        '1-0'
        """
        cdef int verdict = self.verdict()
        return OUTCOMES[verdict - OVER] if verdict >= OVER else None

    @cython.critical_section
    def repetition_count(self):
        """How often the current position has occurred on this board, itself included.

        Whether the side to move makes a difference is for `rules.repetition_side_to_move`.

        >>> Board().repetition_count()
        1
        """
        return self.occurrences(2**31 - 1)

    def can_claim_draw(self):
        """Whether the rules let the side to move claim a draw by repetition now.

        Only `Rules.PLAYSTRATEGY` has claims among the presets. A claim is up to the players, so
        it never shows in `outcome`.

        >>> Board(rules=loa.Rules.PLAYSTRATEGY).can_claim_draw()
        False
        """
        if self.rules.repetition_claim is None:
            return False
        cdef Board here = copy_of(self, True)
        claim = here.rules.repetition_claim
        return claim is not None and here.verdict() < OVER and here.occurrences(claim) >= claim

    @cython.embedsignature.format("python")
    def playout(self, seed=None, *, max_plies=MAX_PLIES, policy=None):
        """A random game from here on, as a `loa.Playout`; this board stays as it is.

        `loa.playouts` plays many at once, much faster, and explains the arguments.

        >>> Board().playout(seed=1)
        Playout(winner=<Color.BLACK: 0>, termination=<Termination.CONNECTION: 'connection'>, \
plies=207)
        """
        # Games are played on boards, so this module cannot need that one before it is called.
        from loa import random_games
        return random_games.playout(self, seed, max_plies=max_plies, policy=policy)

    # Equivalent positions ----------------------------------------------------------------------

    cdef Board with_position(self, uint64_t black, uint64_t white, int turn):
        """A board of the same class, size and rules without history, at the same move number."""
        return with_pieces(copy_of(self, False), black, white, turn)

    def transform(self, symmetry):
        """The position under one of the eight `loa.Symmetry`, as a new board without history.

        >>> Board(setup="scrambled").transform(loa.Symmetry.FLIP_FILES) == Board(setup="scrambled")
        False
        """
        cdef int number = check_range("symmetry", symmetry, 0, len(Symmetry) - 1)
        cdef Board board = copy_of(self, False)
        cdef const Position* position = board.position()
        cdef int size = position.geometry.size
        return with_pieces(
            board,
            transform_bitboard(position.pieces[0], number, size),
            transform_bitboard(position.pieces[1], number, size),
            position.turn)

    def mirror(self):
        """The same position seen from the other side, as a new board without history.

        Colours and the side to move change places and the board is transposed, which leaves the
        standard start as it is but for the side to move. Whatever the pieces allow one side they
        allow the other in the mirror.

        >>> Board().mirror().fen()
        '1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1'
        """
        cdef Board board = copy_of(self, False)
        cdef const Position* position = board.position()
        cdef int size = position.geometry.size
        return with_pieces(
            board,
            transform_bitboard(position.pieces[1], TRANSPOSITION, size),
            transform_bitboard(position.pieces[0], TRANSPOSITION, size),
            position.turn ^ 1)

    def canonical(self):
        """The one of the eight symmetric positions with the least (black, white) bitboards.

        A new board without history. Symmetric positions, and no others, have equal canonical
        boards (at equal plies and rules).

        >>> board = Board()
        >>> board.canonical() == board.transform(loa.Symmetry.TRANSPOSE).canonical()
        True
        """
        cdef Board board = copy_of(self, False)
        cdef const Position* position = board.position()
        cdef uint64_t black = position.pieces[0], white = position.pieces[1]
        canonical_pieces(&black, &white, position.geometry.size)
        return with_pieces(board, black, white, position.turn)

    # Text and pictures -------------------------------------------------------------------------

    def fen(self, dialect="native"):
        """The position in one of the `loa.notation.DIALECTS`.

        >>> Board().fen()
        '1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1'
        """
        cdef Snapshot snapshot = snapshot_of(self)
        cdef const Position* position = &snapshot.position
        if isinstance(dialect, str) and dialect == "native":
            return fen_of(position, snapshot.ply)
        placement = notation.Placement(
            position.geometry.size, position.pieces[0], position.pieces[1],
            COLORS[position.turn], snapshot.ply // 2 + 1)
        return notation.format_fen(placement, dialect)

    def svg(self, **options):
        """The position as an SVG picture, a str; the options are those of `loa.svg.board_svg`.

        >>> board = Board()
        >>> board.svg(arrows=board.legal_moves[:2]).count("loa-arrow")
        2
        """
        # Most programs never draw: the module is loaded by the first that does.
        from loa import svg
        cdef Position position = snapshot_of(self).position
        return svg.board_svg(
            position.pieces[0], position.pieces[1], position.geometry.size, **options)

    def _repr_svg_(self):
        cdef Board here = copy_of(self, True)
        return Board.svg(here, last_move=Board.peek(here) if here.count > 1 else None)

    def __eq__(self, other):
        if not isinstance(other, Board):
            return NotImplemented
        cdef Board that = <Board>other
        cdef Position here, there
        cdef bint at_one_ply
        with cython.critical_section(self, that):
            here = self.position()[0]
            there = that.position()[0]
            at_one_ply = self.root_ply + self.count == that.root_ply + that.count
            rules = self.rules
            other_rules = that.rules
        return (
            here.pieces[0] == there.pieces[0]
            and here.pieces[1] == there.pieces[1]
            and here.geometry == there.geometry
            and here.turn == there.turn
            and at_one_ply
            and rules == other_rules)

    def __str__(self):
        cdef Position position = snapshot_of(self).position
        return notation.board_text(
            position.pieces[0], position.pieces[1], position.geometry.size)

    def __repr__(self):
        cdef Board here = copy_of(self, False)
        fen = fen_of(here.position(), here.root_ply)
        rules = "" if here.rules == DEFAULT_RULES else f", rules={here.rules!r}"
        return f"{type(self).__name__}({fen!r}{rules})"


def _restore(cls, size, black, white, turn, ply, rules, codes):
    """Rebuilds a pickled board, which may have been pushed unchecked."""
    cdef Board board = cls.from_bitboards(
        black, white, size=size, turn=turn, ply=ply, rules=rules)
    for code in codes:
        Board.push_unchecked(board, Move.from_code(code))
    return board
