"""`Board`: its names, and what it promises."""

import copy
import pickle
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import BLACK_PASSES, BOTH_CONNECT_IN_ONE, BOTH_STUCK, OVER, boards

import loa
from loa import Move, Rules, Termination, notation

START = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1"

GOLDEN_KEYS = {
    (3, "standard"): "0xa6b2cd991f061f35",
    (3, "scrambled"): "0xa6b2cd991f061f35",
    (4, "standard"): "0x2931afa8507a76e1",
    (4, "scrambled"): "0xe9bc9b2e66d6486a",
    (5, "standard"): "0xf1094847c649965a",
    (5, "scrambled"): "0x7074db5afd1cccfb",
    (6, "standard"): "0x8e39309cefc3dbd4",
    (6, "scrambled"): "0x5857ccbcf582afe0",
    (7, "standard"): "0x2b0aad1d87de9591",
    (7, "scrambled"): "0x8a32b44c53713d5d",
    (8, "standard"): "0x3c3fe6f7e9e43c57",
    (8, "scrambled"): "0x85d87cabfbc9131a",
}
GOLDEN_KEY_AFTER_C8_C6 = "0xad1e86c88cd551a8"
GOLDEN_KEY_AFTER_CAPTURE = "0x334cb7d075e017fa"


def board_after(*texts, **options):
    board = loa.Board(**options)
    for text in texts:
        board.push_text(text)
    return board


def test_start():
    board = loa.Board()
    assert board == loa.Board(START) == loa.Board.from_fen(START)
    assert (board.turn, board.ply, board.size, board.rules) == (loa.BLACK, 0, 8, Rules.MSO)
    assert (board.black, board.white) == (0x7E0000000000007E, 0x0081818181818100)
    assert board.occupied == board.black | board.white
    assert board.fen() == START
    assert board.move_stack == []
    assert board.outcome() is None
    assert repr(board) == f"Board('{START}')"
    assert str(board) == loa.notation.board_text(board.black, board.white, 8)


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("setup", ["standard", "scrambled"])
def test_setups(size, setup):
    board = loa.Board(size=size, setup=setup)
    assert board.size == size
    assert board.black.bit_count() == board.white.bit_count() == 2 * (size - 2)
    assert board.piece_at(1) is loa.BLACK
    assert board.piece_at(8) is loa.WHITE
    assert board.piece_at(0) is None
    assert loa.Board(board.fen()) == board


def test_golden_keys():
    """Keys are a promise: books and tables on disk depend on them."""
    assert {
        (size, setup): hex(loa.Board(size=size, setup=setup).key)
        for size in range(3, 9)
        for setup in ("standard", "scrambled")
    } == GOLDEN_KEYS
    assert hex(board_after("c8-c6").key) == GOLDEN_KEY_AFTER_C8_C6
    assert hex(board_after("c8-c6", "a6-c4", "e8-b5", "h3xf1").key) == GOLDEN_KEY_AFTER_CAPTURE


def test_keys_tell_positions_apart():
    board = loa.Board()
    other = loa.Board(START.replace(" b ", " w "))
    assert board.key != other.key
    assert board.key == loa.Board(START.replace(" 1", " 9")).key
    assert board.key == loa.Board(rules=Rules.OPENSPIEL).key
    sizes = {loa.Board.from_bitboards(1, 4, size=size).key for size in range(3, 9)}
    assert len(sizes) == 6


def test_push_and_pop():
    board = loa.Board()
    move = board.push_text("c8-c6")
    assert board.peek() is move is Move.from_text("c8-c6")
    assert (board.turn, board.ply) == (loa.WHITE, 1)
    board.push(Move.from_text("a6-c4"))
    assert board.move_stack == [move, Move.from_text("a6-c4")]
    assert str(board.pop()) == "a6-c4"
    assert board.pop() is move
    for method in (board.pop, board.peek):
        with pytest.raises(IndexError, match="empty"):
            method()
    assert board == loa.Board()


def test_move_stack_is_a_copy():
    board = board_after("c8-c6")
    board.move_stack.clear()
    assert len(board.move_stack) == 1


def test_captures():
    board = board_after("c8-c6", "a6-c4", "e8-b5")
    move = Move.from_text("h3-f1")
    assert board.is_capture(move)
    assert board.move_text(move) == "h3xf1"
    assert not board.is_capture(Move.PASS)
    board.push(move)
    assert board.black.bit_count() == 11
    board.pop()
    assert board.black.bit_count() == 12


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("c8-c5", "the line c8-c5 has 2 pieces, so c8 moves 2 squares along it, not 3"),
        ("c8-d6", "c8 and d6 are not on one line"),
        ("a2-c2", "black is to move and has no piece on a2"),
        ("d4-d6", "black is to move and has no piece on d4"),
        ("b1-d1", "black has a piece on d1 already"),
        ("pass", "black has a move to make"),
    ],
)
def test_illegal_moves_say_why(text, reason):
    board = loa.Board()
    move = Move.from_text(text)
    before = pickle.dumps(board)
    for attempt in (lambda: board.push(move), lambda: board.push_text(text)):
        with pytest.raises(loa.IllegalMoveError) as caught:
            attempt()
        assert reason in str(caught.value)
        assert (caught.value.move, caught.value.fen) == (move, START)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert not board.is_legal(move)
    assert pickle.dumps(board) == before


def test_illegal_for_other_reasons():
    with pytest.raises(loa.IllegalMoveError, match="an enemy piece stands between a1 and d1"):
        loa.Board("8/8/8/8/8/8/7b/bw5w b 1").push_text("a1-d1")
    with pytest.raises(loa.IllegalMoveError, match="h8 is not on the 5x5 board"):
        loa.Board(size=5).push_text("b1-h8")
    with pytest.raises(loa.IllegalMoveError, match="over by connection"):
        loa.Board(OVER).push_text("a3-b3")
    with pytest.raises(loa.IllegalMoveError, match="black has no move and must pass"):
        loa.Board(BLACK_PASSES).push_text("a1-a2")


def test_parse_move_and_legality():
    board = loa.Board()
    assert board.parse_move(" C8 C6 ") is Move.from_text("c8-c6")
    with pytest.raises(loa.InvalidMoveError, match="'c8-c66' is not a move"):
        board.parse_move("c8-c66")
    with pytest.raises(loa.IllegalMoveError, match="c8-c4 is illegal: "):
        board.parse_move("c8-c4")
    with pytest.raises(loa.IllegalMoveError, match="g8 is not on the 4x4 board"):
        loa.Board(size=4).parse_move("g8-g6")


def test_passes():
    board = loa.Board(BLACK_PASSES)
    assert list(board.legal_moves) == [Move.PASS]
    assert Move.PASS in board.legal_moves
    assert len(board.legal_moves) == 1
    assert not board.is_game_over()
    board.push(Move.PASS)
    assert (board.turn, board.ply, len(board.legal_moves)) == (loa.WHITE, 1, 33)
    assert board.pop() is Move.PASS
    assert board.push_text("PASS") is Move.PASS
    for rules, winner in ((Rules.OPENSPIEL, loa.WHITE), (Rules.PLAYSTRATEGY, None)):
        outcome = loa.Board(BLACK_PASSES, rules=rules).outcome()
        assert outcome == loa.Outcome(winner, Termination.NO_LEGAL_MOVE)


def test_both_sides_stuck():
    board = loa.Board(BOTH_STUCK)
    assert board.outcome() == loa.Outcome(None, Termination.NO_LEGAL_MOVE)
    assert len(board.legal_moves) == 0
    assert not board.legal_moves


def test_a_finished_position_is_accepted_and_over():
    board = loa.Board(OVER)
    assert board.is_game_over()
    assert board.outcome() == loa.Outcome(loa.BLACK, Termination.CONNECTION)
    assert list(board.legal_moves) == []
    assert loa.perft(board, 0) == 1
    assert loa.perft(board, 3) == 0
    assert loa.divide(board, 3) == {}


def test_simultaneous_connection():
    for rules, winner in ((Rules.MSO, None), (Rules.SACKSON_1982, loa.WHITE)):
        board = loa.Board(BOTH_CONNECT_IN_ONE, rules=rules)
        board.push_text("d2xd6")
        assert board.outcome() == loa.Outcome(winner, Termination.SIMULTANEOUS_CONNECTION)


CYCLE = ("c8-c6", "h2-f2", "c6-c8", "f2-h2")


@pytest.mark.parametrize(("rules", "cycles"), [(Rules.MSO, 2), (Rules.PLAYSTRATEGY, 4)])
def test_repetition(rules, cycles):
    board = loa.Board(rules=rules)
    for _ in range(cycles):
        for text in CYCLE:
            assert board.outcome() is None
            assert board.can_claim_draw() == (
                rules is Rules.PLAYSTRATEGY and board.repetition_count() >= 3
            )
            board.push_text(text)
    assert board.repetition_count() == cycles + 1
    assert board.outcome() == loa.Outcome(None, Termination.REPETITION)
    assert len(board.legal_moves) == 0
    assert not board.can_claim_draw()
    board.pop()
    assert board.outcome() is None
    assert board.copy(history=False).repetition_count() == 1


def test_ply_limit():
    board = loa.Board(rules=Rules.MSO.replace(ply_limit=2))
    board.push_text("c8-c6")
    assert not board.is_game_over()
    board.push_text("a6-c4")
    assert board.outcome() == loa.Outcome(None, Termination.PLY_LIMIT)
    assert loa.perft(loa.Board(rules=board.rules), 3) == 44952
    assert loa.Board(START.replace(" 1", " 76"), rules=Rules.CODINGAME).is_game_over()


def test_copies_are_independent():
    board = board_after("c8-c6", "a6-c4")
    for duplicate in (
        board.copy(),
        copy.copy(board),
        copy.deepcopy(board),
        pickle.loads(pickle.dumps(board)),
    ):
        assert duplicate == board
        assert duplicate.move_stack == board.move_stack
        assert duplicate.rules == board.rules
        duplicate.pop()
        assert duplicate != board
    assert len(board.move_stack) == 2
    bare = board.copy(history=False)
    assert bare == board
    assert bare.move_stack == []
    with pytest.raises(IndexError, match="empty"):
        bare.pop()


def test_equality():
    board = loa.Board()
    assert board != START
    assert board != loa.Board(rules=Rules.OPENSPIEL)
    assert board != loa.Board(START.replace(" b ", " w "))
    assert board != loa.Board(START.replace(" 1", " 2"))
    assert board_after(*CYCLE) == loa.Board(START.replace(" 1", " 3"))
    small = loa.Board.from_bitboards(1, 4, size=3)
    assert small != loa.Board.from_bitboards(1, 4, size=4)
    with pytest.raises(TypeError, match="unhashable"):
        hash(board)


def test_subclasses():
    class Named(loa.Board):
        """A board with an attribute of its own."""

        def __init__(self, name="", **options):
            super().__init__(**options)
            self.name = name

    board = Named("first", size=5)
    assert type(board.copy()) is type(board.transform(1)) is Named
    assert type(Named.from_fen(START)) is Named
    assert repr(board).startswith("Named('1bbb1/")

    again = copy.deepcopy(board)
    assert (again, again.name, copy.copy(board).name) == (board, "first", "first")
    again.name = "second"
    assert board.name == "first"

    class Uninitialised(loa.Board):
        def __init__(self):
            pass

    assert Uninitialised() == loa.Board()


def test_threads_with_boards_of_their_own():
    """Boards share nothing: many threads play and count at once and agree with one."""
    expected = loa.perft(loa.Board(), 4)
    results = []

    def work(seed):
        board = loa.Board()
        for turn in range(20):
            moves = board.legal_moves
            board.push(moves[(7 * turn + seed) % len(moves)])
        while board.move_stack:
            board.pop()
        results.append((board == loa.Board(), loa.perft(board, 4)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(True, expected)] * 16


def test_long_games():
    board = loa.Board(rules=Rules.ABSTRACT_PLAY)
    for _ in range(5000):
        for text in CYCLE:
            board.push_text(text)
    assert (board.ply, board.repetition_count()) == (20_000, 5001)
    assert board.copy() == board
    for _ in range(20_000):
        board.pop()
    assert board == loa.Board(rules=Rules.ABSTRACT_PLAY)


def test_root():
    """The position before all moves, as a board of its own."""

    class Annotated(loa.Board):
        pass

    board = Annotated("1b1/w1w/1b1 w 7", rules=loa.Rules.OPENSPIEL)
    start = board.copy()
    moves = [loa.Move.from_text(text) for text in ("a2-a1", "b1-a2")]
    for move in moves:
        board.push(move)
    root = board.root()
    assert (root, root.ply, root.rules, root.move_stack) == (start, 13, loa.Rules.OPENSPIEL, [])
    assert type(root) is type(board)
    for move in moves:
        root.push(move)
    assert (root, root.fen()) == (board, board.fen())
    assert board.move_stack == moves
    assert board.root().root() == start


@given(boards(), st.integers(1, 2**30))
def test_fens_are_those_of_notation(board, move_number):
    """Boards write their own, in compiled code."""
    placement = notation.Placement(
        size=board.size,
        black=board.black,
        white=board.white,
        turn=board.turn,
        move_number=move_number,
    )
    fen = notation.format_fen(placement)
    assert loa.Board(fen).fen() == fen
    for dialect in notation.DIALECTS:
        expected = notation.format_fen(placement, dialect)
        assert loa.Board.from_fen(expected, dialect=dialect).fen(dialect) == expected
