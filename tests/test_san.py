"""The short notation of playstrategy.org, beside a slow copy of its rules."""

import random
import re

import pytest
from comparing import reference_game
from hypothesis import given
from hypothesis import strategies as st
from positions import boards, play_on
from positions import games as played_games

import loa
from loa import reference
from loa.notation import square_name
from loa.records import parse_san, san
from loa.records.san_notation import play_san, san_refusal, san_texts


def slow_san(board: loa.Board, move: loa.Move) -> str:
    """As that site's source has it: other pieces by file, else by rank, else by both."""
    if move.is_pass:
        return "pass"
    position = reference_game(board).position
    name, target = square_name(move.from_square), square_name(move.to_square)
    others = [
        square_name(from_square)
        for from_square, to_square in reference.legal_moves(position, board.rules)
        if to_square == move.to_square and from_square != move.from_square
    ]
    if not others:
        origin = ""
    elif name[0] not in {other[0] for other in others}:
        origin = name[0]
    elif name[1] not in {other[1] for other in others}:
        origin = name[1]
    else:
        origin = name
    capture = "x" if board.piece_at(move.to_square) is not None else ""
    after = board.copy()
    after.push(move)
    won = after.is_connected(loa.BLACK) != after.is_connected(loa.WHITE)
    return f"L{origin}{capture}{target}{'#' if won else ''}"


@given(boards())
def test_texts_of_all_moves(board):
    texts = [san(board, move) for move in board.legal_moves]
    assert texts == [slow_san(board, move) for move in board.legal_moves]
    assert len(set(texts)) == len(texts)
    for move, text in zip(board.legal_moves, texts, strict=True):
        assert parse_san(board, text) is move
        assert parse_san(board, text.removesuffix("#")) is move
        assert san_refusal(board, text) is None
        after = board.copy()
        assert play_san(after, [text]) == [move]
        board.push(move)
        assert after == board
        board.pop()
        if not move.is_pass:
            # What tells pieces apart may be told where it need not be.
            whole = square_name(move.from_square)
            capture = "x" if board.is_capture(move) else ""
            assert parse_san(board, f"L{whole}{capture}{square_name(move.to_square)}") is move


@given(played_games())
def test_games(board_and_generator):
    board, generator = board_and_generator
    start = board.copy()
    play_on(board, generator, 30)
    moves = board.move_stack[len(start.move_stack) :]
    texts = san_texts(start.copy(), moves)
    replayed = start.copy()
    for move, text in zip(moves, texts, strict=True):
        assert san(replayed, move) == text
        replayed.push(move)
    assert play_san(start, texts) == moves
    assert start == board


@given(boards(), st.integers(-1, 64))
def test_moves_to(board, square):
    try:
        board.piece_at(square)
    except loa.LoaError as error:
        with pytest.raises(loa.LoaError) as caught:
            board.moves_to(square)
        assert str(caught.value) == str(error)
    else:
        expected = [move for move in board.legal_moves if move.to_square == square]
        assert board.moves_to(square) == [move for move in expected if not move.is_pass]


@pytest.mark.parametrize("square", [None, "b3", 1.0])
def test_moves_to_what_is_no_square(square):
    with pytest.raises(TypeError):
        loa.Board().moves_to(square)


def test_known_texts():
    """The texts that the site shows for these moves of a game."""
    board = loa.Board()
    assert san(board, loa.Move.from_text("d1b3")) == "Ldb3"
    board.push_text("d1b3")
    assert san(board, loa.Move.from_text("h3f1")) == "Lxf1"


def test_all_ways_to_tell_pieces_apart():
    """By nothing, by the file, by the rank and by the square: all of them come up in games."""
    found = set()
    generator = random.Random(1)
    while len(found) < 4:
        board = loa.Board()
        while not board.is_game_over() and board.ply < 120:
            for move in board.legal_moves:
                origin = re.fullmatch("L(.*?)x?[a-h][1-8]#?", san(board, move))[1]
                found.add(re.sub("[1-8]", "rank", re.sub("[a-h]", "file ", origin)))
            board.push(generator.choice(board.legal_moves))
    assert found == {"", "file ", "rank", "file rank"}


@pytest.mark.parametrize(
    ("text", "error", "fragment"),
    [
        ("", loa.InvalidMoveError, "'': expected a move such as Lc6, Ldb3 or Lxf1#"),
        ("Lb", loa.InvalidMoveError, "'Lb': expected"),
        ("ldb3", loa.InvalidMoveError, "'ldb3': expected"),
        ("Ldb3 ", loa.InvalidMoveError, "'Ldb3 ': expected"),
        ("Ldb3+", loa.InvalidMoveError, "'Ldb3+': expected"),
        ("Kdb3", loa.InvalidMoveError, "'Kdb3': expected"),
        ("L1db3", loa.InvalidMoveError, "'L1db3': expected"),
        ("d1b3", loa.InvalidMoveError, "'d1b3': expected"),
        ("Lb3", loa.InvalidMoveError, "fits several moves: expected one of Lbb3, Ldb3"),
        ("Ldxb3", loa.InvalidMoveError, "'Ldxb3' captures nothing: expected Ldb3"),
        ("Ldb3#", loa.InvalidMoveError, "'Ldb3#' does not win the game: expected Ldb3"),
        ("La1b3", loa.IllegalMoveError, "'La1b3' is illegal: no piece can move so"),
        ("Lb4", loa.IllegalMoveError, "'Lb4' is illegal"),
        ("pass", loa.IllegalMoveError, "'pass' is illegal"),
        ("L" * 10_000, loa.InvalidMoveError, "…'"),
    ],
)
def test_texts_that_name_no_move(text, error, fragment):
    board = loa.Board()
    with pytest.raises(error) as caught:
        parse_san(board, text)
    assert fragment in str(caught.value)
    assert len(str(caught.value)) < 400
    assert play_san(board, [text]) == []
    assert board == loa.Board()
    assert fragment in san_refusal(board, text)


def test_types_and_illegal_moves():
    with pytest.raises(TypeError, match="move is 3: expected a str"):
        parse_san(loa.Board(), 3)
    board = loa.Board()
    with pytest.raises(loa.IllegalMoveError, match="h4-f2 is illegal"):
        san(board, loa.Move.from_text("h4-f2"))
    with pytest.raises(loa.IllegalMoveError, match="h4-f2 is illegal"):
        san_texts(board, [loa.Move.from_text("h4-f2")])
    assert board == loa.Board()


def test_after_the_end():
    board = loa.Board("bb1/3/w1w w 1")
    assert san_refusal(board, "Lb1") == (
        "'Lb1' after the end of the game (1-0 by connection) under Rules.MSO: "
        "expected no more moves"
    )
    assert play_san(board, ["Lb1"]) == []


@given(boards(), st.text("Labcdefgh12345678x#+", max_size=8))
def test_any_text(board, text):
    try:
        move = parse_san(board, text)
    except (loa.InvalidMoveError, loa.IllegalMoveError):
        assert play_san(board, [text]) == []
    else:
        assert move in board.legal_moves
        assert play_san(board, [text]) == [move]
