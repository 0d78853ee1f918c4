"""`Move` and `LegalMoves`: values, sequences and their misuse."""

import collections.abc
import copy
import pickle

import pytest

import loa


def test_moves_are_interned():
    move = loa.Move(58, 42)
    assert move is loa.Move.from_text("c8-c6") is loa.Move.from_code(move.code)
    assert move is loa.Move(from_square=58, to_square=42) is loa.Move.__new__(loa.Move, 58, 42)
    assert move is copy.copy(move) is copy.deepcopy(move)
    assert move is pickle.loads(pickle.dumps(move))
    assert (move.from_square, move.to_square, move.code) == (58, 42, 58 * 64 + 42)
    assert (str(move), repr(move)) == ("c8-c6", "Move.from_text('c8-c6')")
    assert not move.is_pass
    assert len({loa.Move.from_code(code) for code in _codes()}) == 64 * 63 + 1


def _codes():
    return [0] + [64 * a + b for a in range(64) for b in range(64) if a != b]


def test_every_move_says_its_squares():
    for code in _codes():
        move = loa.Move.from_code(code)
        assert move.code == code == hash(move) == 64 * move.from_square + move.to_square
        assert loa.Move.from_text(str(move)) is move
        assert move.is_pass == (code == 0)


def test_pass():
    passing = loa.Move.PASS
    assert passing is loa.Move.from_text("pass") is loa.Move.from_code(0)
    assert (passing.code, passing.from_square, passing.to_square) == (0, 0, 0)
    assert (str(passing), repr(passing)) == ("pass", "Move.PASS")
    assert passing.is_pass


def test_moves_cannot_be_changed_or_derived_from():
    move = loa.Move(1, 2)
    for name in ("code", "from_square", "to_square", "is_pass", "other"):
        with pytest.raises(AttributeError):
            setattr(move, name, 3)
    with pytest.raises(TypeError):
        type("Other", (loa.Move,), {})
    with pytest.raises(TypeError):
        object.__new__(loa.Move)


def test_moves_are_equal_to_nothing_else():
    move = loa.Move(1, 2)
    assert move != loa.Move(2, 1)
    assert move != move.code
    assert move != str(move)


@pytest.mark.parametrize(
    ("arguments", "error", "fragment"),
    [
        ((), TypeError, "2 positional"),
        ((1,), TypeError, "2 positional"),
        ((1, 2, 3), TypeError, "2 positional"),
        ((1, "b1"), TypeError, "integer"),
        ((1.0, 2.0), TypeError, "integer"),
        ((None, 2), TypeError, "integer"),
        ((5, 5), loa.InvalidMoveError, "5, 5"),
        ((0, 0), loa.InvalidMoveError, "0, 0"),
        ((-1, 5), loa.InvalidMoveError, "-1, 5"),
        ((5, 64), loa.InvalidMoveError, "5, 64"),
        ((5, 2**70), loa.InvalidMoveError, str(2**70)),
    ],
)
def test_bad_squares(arguments, error, fragment):
    with pytest.raises(error, match=fragment):
        loa.Move(*arguments)


@pytest.mark.parametrize("code", [-1, 65, 4095, 4096, 2**80, 63 * 65])
def test_bad_codes(code):
    with pytest.raises(loa.InvalidMoveError, match=str(code)):
        loa.Move.from_code(code)


@pytest.mark.parametrize("text", ["", "c8", "c8-c9", "c8-c8", "c8--c6", "i1-a1", "0000", "c8-c6+"])
def test_bad_texts(text):
    with pytest.raises(loa.InvalidMoveError):
        loa.Move.from_text(text)


@pytest.mark.parametrize("value", [None, 3, b"c8-c6", ["c8", "c6"]])
def test_texts_of_the_wrong_type(value):
    with pytest.raises(TypeError):
        loa.Move.from_text(value)
    if value != 3:
        with pytest.raises(TypeError):
            loa.Move.from_code(value)


def test_legal_moves_are_a_sequence():
    moves = loa.Board().legal_moves
    assert isinstance(moves, collections.abc.Sequence)
    assert moves == loa.Board().legal_moves == list(moves)
    assert tuple(moves) == moves
    assert moves != list(moves)[1:]
    assert moves != loa.Board(size=5).legal_moves
    assert moves != "moves"
    assert len(moves) == 36
    assert bool(moves)
    assert list(moves) == [moves[i] for i in range(36)] == list(iter(moves))
    assert list(reversed(moves)) == list(moves)[::-1]
    assert moves[-1] is moves[35]
    assert moves[3:5] == (moves[3], moves[4])
    assert moves.index(moves[7]) == 7
    assert moves.count(moves[7]) == 1
    assert moves.count(loa.Move.PASS) == 0
    assert loa.Move.PASS not in moves
    assert repr(moves).startswith("<LegalMoves (b1-h1, ")
    assert pickle.loads(pickle.dumps(moves)) == tuple(moves)
    for index in (36, -37, 10**30):
        with pytest.raises(IndexError):
            moves[index]
    with pytest.raises(TypeError):
        moves["c8-c6"]
    with pytest.raises(ValueError, match="move is pass: expected one of b1-h1, g1-a1, "):
        moves.index(loa.Move.PASS)
    with pytest.raises(ValueError, match=r"move is b1-h1: expected one of g1-a1, b8-h8$"):
        moves.index(moves[0], 1, 3)
    with pytest.raises(TypeError):
        moves[0] = moves[1]
    with pytest.raises(TypeError):
        loa.LegalMoves()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "c8-c6",
            "move is 'c8-c6': expected a loa.Move, as of loa.Move.from_text('c8-c6')",
        ),
        ("c8-c6 " * 1000, "move is 'c8-c6 c8-c6 "),
        (None, "move is None: expected a loa.Move"),
        (3754, "move is 3754: expected a loa.Move"),
        ((58, 42), "move is (58, 42): expected a loa.Move"),
    ],
)
def test_only_moves_can_be_among_legal_moves(value, message):
    """What looks like a move is not quietly answered with False."""
    moves = loa.Board().legal_moves
    for ask in (moves.__contains__, moves.index, moves.count):
        with pytest.raises(TypeError) as caught:
            ask(value)
        assert str(caught.value).startswith(message)
        assert len(str(caught.value)) < 200
    assert moves != [value]


def test_legal_moves_keep_their_position():
    """Iterating while the board changes is what every search does."""
    board = loa.Board()
    moves = board.legal_moves
    for move in moves:
        board.push(move)
        board.push(board.legal_moves[0])
        assert len(moves) == 36
        assert move in moves
        board.pop()
        board.pop()
    board.push(moves[0])
    assert list(moves) == list(loa.Board().legal_moves)
    del board
    assert len(moves) == 36


def test_order_is_by_line():
    """Ranks, files, diagonals, anti-diagonals; then from-square, then to-square: a promise."""
    assert " ".join(map(str, loa.Board().legal_moves)) == (
        "b1-h1 g1-a1 b8-h8 g8-a8 "
        "b1-b3 b8-b6 c1-c3 c8-c6 d1-d3 d8-d6 e1-e3 e8-e6 f1-f3 f8-f6 g1-g3 g8-g6 "
        "c8-a6 d8-b6 e8-c6 f8-d6 g8-e6 b1-d3 c1-e3 d1-f3 e1-g3 f1-h3 "
        "c1-a3 d1-b3 e1-c3 f1-d3 g1-e3 b8-d6 c8-e6 d8-f6 e8-g6 f8-h6"
    )
