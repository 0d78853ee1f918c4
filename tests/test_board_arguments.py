"""`Board` and bad arguments: wrong values and types, forged pickles, methods that are replaced."""

import copy
import pickle
import random

import pytest

import loa
from loa import Move

START = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1"


def test_unchecked_pushes_never_corrupt():
    """Whatever is pushed, the board stays one that can be asked everything."""
    board = loa.Board(size=4)
    generator = random.Random(1)
    refused = 0
    for _ in range(2000):
        # Half of these squares are on the board.
        from_square, to_square = generator.randrange(32), generator.randrange(32)
        move = Move(from_square, to_square) if from_square != to_square else Move.PASS
        before = board.fen()
        try:
            board.push_unchecked(move)
        except loa.IllegalMoveError:
            assert board.fen() == before
            refused += 1
        again = loa.Board(board.fen())
        assert again.key == board.key
        assert list(again.legal_moves) == list(board.copy(history=False).legal_moves)
        assert board.black
        assert board.white
    assert min(board.ply, refused) > 100


@pytest.mark.parametrize(
    ("arguments", "options", "error", "fragment"),
    [
        ((), {"size": 2}, loa.LoaError, "size is 2"),
        ((), {"size": 9}, loa.LoaError, "size is 9"),
        ((), {"size": "8"}, TypeError, "'8'"),
        ((), {"size": True}, TypeError, "True"),
        ((), {"setup": "chess"}, loa.LoaError, "'chess'"),
        ((), {"setup": 3}, loa.LoaError, "3"),
        ((), {"rules": "MSO"}, TypeError, "'MSO'"),
        ((), {"rules": None}, TypeError, "None"),
        ((START,), {"size": 8}, loa.LoaError, "no size or setup"),
        ((START,), {"setup": "standard"}, loa.LoaError, "no size or setup"),
        (("",), {}, loa.InvalidFenError, "empty"),
        ((8,), {}, TypeError, "is of type int: expected str"),
        ((b"8",), {}, TypeError, "is of type bytes: expected str"),
        ((START, 8), {}, TypeError, "at most 1 positional argument"),
        ((), {"fen": START, "other": 1}, TypeError, "other"),
    ],
)
def test_bad_arguments(arguments, options, error, fragment):
    with pytest.raises(error, match=fragment):
        loa.Board(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "fragment"),
    [
        ((0, 1), {}, loa.InvalidFenError, "no black piece"),
        ((1, 0), {}, loa.InvalidFenError, "no white piece"),
        ((3, 2), {}, loa.InvalidFenError, "share 0x2"),
        ((-1, 2), {}, loa.InvalidFenError, "outside"),
        ((1, 2**64), {}, loa.InvalidFenError, "outside"),
        ((1, 8), {"size": 3}, loa.InvalidFenError, "outside the 3x3"),
        ((1, 2), {"size": 2}, loa.LoaError, "size is 2"),
        ((1, 2), {"turn": 2}, loa.LoaError, "2 is not a colour"),
        ((1, 2), {"turn": "b"}, TypeError, "'b' is not a colour: expected"),
        ((1, 2), {"ply": 1}, loa.InvalidFenError, "even ply"),
        ((1, 2), {"ply": -2}, loa.InvalidFenError, "ply is -2"),
        ((1, 2), {"ply": 2**40}, loa.InvalidFenError, "ply is"),
        (("1", 2), {}, TypeError, "int"),
        ((1.0, 2), {}, TypeError, "int"),
        ((1, 2), {"rules": 3}, TypeError, "3"),
    ],
)
def test_bad_bitboards(arguments, options, error, fragment):
    with pytest.raises(error, match=fragment):
        loa.Board.from_bitboards(*arguments, **options)


@pytest.mark.parametrize(
    ("method", "arguments", "error", "fragment"),
    [
        ("push", ("c8-c6",), TypeError, "expected .*Move"),
        ("push", (None,), TypeError, "expected .*Move"),
        ("push_unchecked", (3,), TypeError, "expected .*Move"),
        ("is_legal", ("c8-c6",), TypeError, "expected .*Move"),
        ("is_capture", (None,), TypeError, "expected .*Move"),
        ("move_text", (None,), TypeError, "expected .*Move"),
        ("push_text", (None,), TypeError, "is of type NoneType: expected str"),
        ("parse_move", (3,), TypeError, "is of type int: expected str"),
        ("piece_at", (64,), loa.LoaError, "square 64 is not on the 8x8 board"),
        ("piece_at", (-1,), loa.LoaError, "square -1 is not on the 8x8 board"),
        ("piece_at", ("a1",), TypeError, "int"),
        ("line_count", (64, 0), loa.LoaError, "square 64 is not on the 8x8 board"),
        ("line_count", (0, 8), loa.LoaError, "direction is 8: expected"),
        ("line_count", (0, -1), loa.LoaError, "direction is -1: expected"),
        ("line_count", (2**70, 0), loa.LoaError, f"square {2**70} is not on"),
        ("line_count", (0, 2**70), loa.LoaError, f"direction is {2**70}: expected"),
        ("groups", (2,), loa.LoaError, "2 is not a colour: expected"),
        ("groups", ("black",), TypeError, "'black' is not a colour: expected loa.BLACK"),
        ("is_connected", (-1,), loa.LoaError, "-1 is not a colour: expected"),
        ("is_connected", (2**70,), loa.LoaError, f"{2**70} is not a colour: expected"),
        ("transform", (8,), loa.LoaError, "symmetry is 8: expected 0 to 7"),
        ("transform", ("left",), TypeError, "symmetry is 'left': expected an int"),
        ("transform", (2**70,), loa.LoaError, f"symmetry is {2**70}: expected 0 to 7"),
        ("fen", ("chess",), loa.LoaError, "unknown dialect 'chess': expected one of native"),
        ("fen", (3,), TypeError, "dialect is of type int: expected str"),
    ],
)
def test_misuse_raises_and_changes_nothing(method, arguments, error, fragment):
    board = loa.Board()
    board.push_text("c8-c6")
    before = pickle.dumps(board)
    with pytest.raises(error, match=fragment):
        getattr(board, method)(*arguments)
    assert pickle.dumps(board) == before


def test_attributes_cannot_be_set():
    board = loa.Board()
    for name in ("turn", "ply", "size", "rules", "black", "white", "key", "legal_moves", "other"):
        with pytest.raises(AttributeError):
            setattr(board, name, 1)


def test_failed_constructor_leaves_the_board():
    board = loa.Board()
    board.push_text("c8-c6")
    before = board.copy()
    with pytest.raises(loa.InvalidFenError):
        board.__init__("nonsense")
    assert board == before
    with pytest.raises(TypeError):
        board.__init__(rules=1)
    assert board == before


@pytest.mark.parametrize(
    ("change", "error", "fragment"),
    [
        ({1: 2}, loa.LoaError, "size is 2"),
        ({1: 9}, loa.LoaError, "size is 9"),
        ({2: 0}, loa.InvalidFenError, "no black piece"),
        ({2: -1}, loa.InvalidFenError, "black bitboard '-0x1' has a bit outside"),
        ({2: 2**64}, loa.InvalidFenError, "black bitboard '0x10000000000000000' has a bit outside"),
        ({3: 0x7E0000000000007E}, loa.InvalidFenError, "share 0x7e0000000000007e"),
        ({4: 7}, loa.LoaError, "7 is not a colour"),
        ({5: 1}, loa.InvalidFenError, "ply is 1 with black to move"),
        ({5: -2}, loa.InvalidFenError, "ply is -2"),
        ({6: None}, TypeError, "rules is None"),
        ({7: [4096]}, loa.InvalidMoveError, "4096 is not the code of a move"),
        ({7: [65]}, loa.InvalidMoveError, "65 is not the code of a move"),
        ({7: [64 * 5 + 6]}, loa.IllegalMoveError, "f1-g1 is illegal"),
    ],
)
def test_forged_pickles_are_refused(change, error, fragment):
    function, arguments, _ = loa.Board().__reduce__()
    forged = [change.get(index, argument) for index, argument in enumerate(arguments)]
    with pytest.raises(error, match=fragment):
        function(*forged)


def test_ply_numbers_end():
    """The last move number that a FEN can have is also the last that a game can reach."""
    last = loa.Board(START.replace(" b 1", f" b {2**30}"))
    last.push(last.legal_moves[0])
    assert loa.Board(last.fen()) == last
    with pytest.raises(loa.LoaError, match=str(2**31)):
        last.push(last.legal_moves[0])
    assert loa.Board(last.fen()) == last


def test_no_python_code_runs_while_a_position_is_pointed_to():
    """Methods that a subclass replaces, and __index__, may push and so move the history."""

    class Restless(loa.Board):
        def grow(self):
            for _ in range(2000):
                super().push_unchecked(Move.PASS)

        def outcome(self):
            self.grow()
            return super().outcome()

        def fen(self, dialect="native"):
            self.grow()
            return super().fen(dialect)

    class Index:
        def __init__(self, board, value):
            self.board, self.value = board, value

        def __index__(self):
            self.board.grow()
            return self.value

    board = Restless()
    for text in ("pass", "c8-c5", "a1-b1", "c8-d6"):
        with pytest.raises(loa.IllegalMoveError):
            board.push(Move.from_text(text))
    with pytest.raises(loa.IllegalMoveError):
        board.push_unchecked(Move.from_text("a1-b1"))
    board = Restless()
    assert board.groups(Index(board, 0)) == loa.Board().groups(0)
    assert board.is_connected(Index(board, 1)) is False
    assert board.piece_at(Index(board, 1)) is loa.BLACK
    assert board.line_count(Index(board, 1), Index(board, 2)) == 6
    assert board.transform(Index(board, 3)).white == loa.Board().transform(3).white


class Remembering(loa.Board):
    """At module level, where pickle finds it."""

    def peek(self):
        """Not what pop goes by."""
        return

    def parse_move(self, text):
        """Not what push_text goes by."""
        return Move.from_text(text)


def test_subclasses_are_pickled_with_their_attributes():
    board = Remembering(size=5)
    board.push_text("b1-b3")
    board.note = ["seen"]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(board, protocol))
        assert (type(again), again, again.note) == (Remembering, board, ["seen"])
        assert again.move_stack == board.move_stack


class Slotted(loa.Board):
    """Attributes without a dict, one of which is left unset."""

    __slots__ = ("note", "unset")


class Stateful(loa.Board):
    """What it says of its own state is kept, whatever it is."""

    said = None

    def __getstate__(self):
        return self.said

    def __setstate__(self, state):
        self.state = state


class Guarded(loa.Board):
    """What is read as an attribute need not be set as one."""

    def __init__(self, size):
        super().__init__(size=size)
        self.__dict__["note"] = 1

    @property
    def note(self):
        return self.__dict__["note"]

    def __setattr__(self, name, value):
        raise AttributeError(name)


def copies_of(board):
    yield copy.copy(board)
    yield copy.deepcopy(board)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(board, protocol))


def test_slots_and_states_of_subclasses():
    slotted = Slotted(size=5)
    slotted.note = [1]
    for board in copies_of(slotted):
        assert (board, board.note, hasattr(board, "unset")) == (slotted, [1], False)
    for board in copies_of(Guarded(5)):
        assert (board, board.note) == (slotted, 1)
    for said in ("text", (), (3, "x"), ([1, 2], 5), {"a": 1}, 0):
        stateful = Stateful(size=5)
        stateful.said = said
        for board in copies_of(stateful):
            assert (board, board.state) == (stateful, said)


def test_boards_that_hold_themselves():
    board = Remembering(size=5)
    board.push_text("b1-b3")
    board.itself, board.seen = board, [board]
    shallow, *others = copies_of(board)
    assert shallow.itself is board
    for other in others:
        assert other is not board
        assert other.itself is other
        assert other.seen[0] is other
        assert other.move_stack == board.move_stack


def test_pickles_do_not_hand_out_what_a_board_holds():
    board = Remembering()
    board.note = 1
    state = board.__reduce__()[2]
    state["note"] = 2
    assert board.note == 1


def test_replaced_methods_decide_nothing_about_memory():
    board = Remembering(size=3)
    with pytest.raises(IndexError):
        board.pop()
    assert board.ply == 0
    for text in ("h8-a1", "b1-b2", "a1-a2"):
        with pytest.raises(loa.IllegalMoveError):
            board.push_text(text)
    assert board == Remembering(size=3)


def test_methods_are_of_boards_only():
    """Called on something else, a method raises `TypeError` and reads no foreign memory."""
    owners = [(loa.Board, "x"), (loa.LegalMoves, [1]), (loa.Move, 3), (loa.Board, loa.Move.PASS)]
    for owner, other in owners:
        for name, method in vars(owner).items():
            if name in ("__new__", "__getattribute__", "__doc__", "__module__"):
                continue
            if callable(method) and not isinstance(method, (staticmethod, classmethod, type)):
                for arguments in ((), (loa.Move.PASS,), (0,), (0, 0)):
                    with pytest.raises(TypeError):
                        method(other, *arguments)
            elif hasattr(method, "__get__") and hasattr(method, "__set__"):
                with pytest.raises(TypeError):
                    method.__get__(other)
