"""The reference's squares, lines, moves and groups, each checked by hand on small positions."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from reference_positions import move, names, position, square, squares

from loa import reference
from loa.reference import Position
from loa.rules import BLACK, WHITE, Direction, InvalidFenError, LoaError, starting_bitboards


def test_docstring_examples() -> None:
    assert doctest.testmod(reference).failed == 0


# Squares, set-ups and lines


def test_square_names() -> None:
    assert [reference.square_name(i) for i in (0, 1, 7, 8, 63)] == ["a1", "b1", "h1", "a2", "h8"]
    assert [square(reference.square_name(i)) for i in range(64)] == list(range(64))
    for number in (-1, 64):
        with pytest.raises(LoaError, match=str(number)):
            reference.square_name(number)


@pytest.mark.parametrize(
    ("size", "fen"),
    [
        (3, "1b1/w1w/1b1 b 1"),
        (4, "1bb1/w2w/w2w/1bb1 b 1"),
        (5, "1bbb1/w3w/w3w/w3w/1bbb1 b 1"),
        (6, "1bbbb1/w4w/w4w/w4w/w4w/1bbbb1 b 1"),
        (7, "1bbbbb1/w5w/w5w/w5w/w5w/w5w/1bbbbb1 b 1"),
        (8, "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1"),
    ],
)
def test_standard_start(size: int, fen: str) -> None:
    assert Position.start(size) == position(fen)
    assert Position.start(size).fen() == fen


def test_scrambled_start() -> None:
    start = Position.start(setup="scrambled")
    assert start == position("1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1")
    assert start.black | start.white == Position.start().black | Position.start().white
    assert squares("b1 h2") <= start.black
    assert squares("a2 b8") <= start.white
    assert Position.start(5, "scrambled") == position("1bwb1/w3w/b3b/w3w/1bwb1 b 1")


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("setup", ["standard", "scrambled"])
def test_start_agrees_with_the_starting_bitboards(size: int, setup: str) -> None:
    bitboards = starting_bitboards(size, setup)
    assert Position.start(size, setup) == Position.from_bitboards(*bitboards, size, BLACK)


def test_invalid_positions() -> None:
    for size in (2, 9):
        with pytest.raises(LoaError, match=f"size is {size}"):
            Position.start(size)
        with pytest.raises(LoaError, match=f"size is {size}"):
            Position.from_bitboards(1, 2, size)
    with pytest.raises(LoaError, match="'mixed'"):
        Position.start(8, "mixed")
    for black, white, size in ((3, 2, 8), (1 << 64, 1, 8), (-1, 0, 8), (1, 1 << 3, 3)):
        with pytest.raises(InvalidFenError, match=f"{white:#x}"):
            Position.from_bitboards(black, white, size)
    wrong_turn: Any = "w"
    with pytest.raises(TypeError, match="'w'"):
        Position.from_bitboards(1, 2, 8, wrong_turn)


def test_fen_tells_the_side_to_move_and_the_move_number() -> None:
    start = Position.start(3)
    after = reference.make_move(start, move("b1-c1"))
    assert start.fen(4) == "1b1/w1w/1b1 b 3"
    assert after.fen(5) == "1b1/w1w/2b w 3"


@pytest.mark.parametrize(
    ("direction", "line"),
    [
        ("N", "d1 d2 d3 d4 d5 d6 d7 d8"),
        ("NE", "b1 c2 d3 e4 f5 g6 h7"),
        ("E", "a3 b3 c3 d3 e3 f3 g3 h3"),
        ("SE", "a6 b5 c4 d3 e2 f1"),
        ("S", "d8 d7 d6 d5 d4 d3 d2 d1"),
        ("SW", "h7 g6 f5 e4 d3 c2 b1"),
        ("W", "h3 g3 f3 e3 d3 c3 b3 a3"),
        ("NW", "f1 e2 d3 c4 b5 a6"),
    ],
)
def test_line_squares(direction: str, line: str) -> None:
    from_d3 = square("d3") if direction not in ("N", "S") else square("d5")
    found = reference.line_squares(from_d3, Direction[direction], 8)
    assert [reference.square_name(s) for s in found] == line.split()


def test_lines_end_at_the_edge_of_a_small_board() -> None:
    assert reference.line_squares(square("c3"), Direction.NE, 3) == [0, 9, 18]
    assert reference.line_squares(square("c3"), Direction.SE, 3) == [18]


@pytest.mark.parametrize("size", range(3, 9))
def test_number_of_lines(size: int) -> None:
    board = [file + 8 * rank for rank in range(size) for file in range(size)]
    # Lines of one square count once a diagonal, and once an anti-diagonal.
    lines = {
        (direction, *reference.line_squares(s, direction, size))
        for s in board
        for direction in (Direction.N, Direction.NE, Direction.E, Direction.SE)
    }
    assert len(lines) == size + size + 2 * (2 * size - 1)


def test_line_count_takes_both_colours_on_the_whole_line() -> None:
    start = Position.start()
    counts = [reference.line_count(start, square("b1"), direction) for direction in Direction]
    assert counts == [2, 2, 6, 2, 2, 2, 6, 2]
    middle = position("8/8/8/8/w1b1b1w1/8/8/8 b 1")
    assert reference.line_count(middle, square("c4"), Direction.E) == 4
    assert reference.line_count(middle, square("c4"), Direction.W) == 4
    assert reference.line_count(middle, square("d4"), Direction.E) == 4
    assert reference.line_count(middle, square("d5"), Direction.E) == 0


# Moves


def test_piece_alone_on_its_lines_moves_one_square() -> None:
    alone = position("8/8/8/3b4/8/8/8/8 b 1")
    expected = {"d5d6", "d5e6", "d5e5", "d5e4", "d5d4", "d5c4", "d5c5", "d5c6"}
    assert names(reference.line_moves(alone)) == expected


def test_moves_come_by_square_and_then_by_direction() -> None:
    moves = reference.line_moves(position("8/8/8/8/8/8/1b6/4b3 b 1"))
    assert moves == sorted(moves, key=lambda pair: pair[0])
    from_b2 = [reference.square_name(end) for start, end in moves if start == square("b2")]
    assert " ".join(from_b2) == "b3 c3 c2 c1 b1 a1 a2 a3"


def test_piece_moves_as_far_as_its_line_has_pieces() -> None:
    # Three pieces on rank 4, one behind the piece that moves and one ahead of it.
    moves = names(reference.line_moves(position("8/8/8/8/w1b4b/8/8/8 b 1")))
    assert {end for end in moves if end[:2] == "c4" and end[3] == "4"} == {"c4f4"}


def test_piece_passes_its_own_side() -> None:
    moves = names(reference.line_moves(position("8/8/8/8/bb6/8/8/8 b 1")))
    assert "a4c4" in moves


def test_piece_does_not_pass_an_enemy() -> None:
    moves = names(reference.line_moves(position("8/8/8/8/bw6/8/8/8 b 1")))
    assert not any(text.startswith("a4") and text.endswith("4") for text in moves)


def test_piece_captures_where_it_lands() -> None:
    before = position("8/8/8/8/b1w5/8/8/8 b 1")
    assert move("a4xc4") in reference.line_moves(before)
    after = reference.make_move(before, move("a4xc4"))
    assert after == position("8/8/8/8/2b5/8/8/8 w 1")


def test_piece_does_not_land_on_its_own_side() -> None:
    moves = names(reference.line_moves(position("8/8/8/8/b1b5/8/8/8 b 1")))
    assert "a4c4" not in moves


def test_piece_stays_on_the_board() -> None:
    assert "c2d2" in names(reference.line_moves(position("4/4/2b1/4 b 1")))
    assert "c2d2" not in names(reference.line_moves(position("3/2b/3 b 1")))
    corner = names(reference.line_moves(position("3/3/bb1 b 1")))
    assert corner == {"a1a2", "a1b2", "a1c1", "b1b2", "b1c2", "b1a2"}


def test_moves_belong_to_the_side_to_move() -> None:
    black_to_move = position("8/8/8/3b4/8/8/8/7w b 1")
    white_to_move = position("8/8/8/3b4/8/8/8/7w w 1")
    assert {start for start, _ in reference.line_moves(black_to_move)} == {square("d5")}
    assert {start for start, _ in reference.line_moves(white_to_move)} == {square("h1")}


def test_make_move_changes_only_what_moved() -> None:
    start = Position.start()
    after = reference.make_move(start, move("b1-b3"))
    assert after.black == start.black - squares("b1") | squares("b3")
    assert after.white == start.white
    assert after.turn is WHITE
    assert start == Position.start()


# Groups


def test_groups_join_sideways_and_diagonally() -> None:
    pieces = squares("a1 b2 b3 e5 d6 h8")
    assert [set(group) for group in reference.groups(pieces)] == [
        squares("a1 b2 b3"),
        squares("e5 d6"),
        squares("h8"),
    ]


@pytest.mark.parametrize("apart", ["h1 a2", "h1 a3", "h4 a5", "a1 c2", "a1 a3", "a1 h8", "h1 a1"])
def test_squares_that_do_not_touch(apart: str) -> None:
    assert not reference.is_connected(squares(apart))


def test_one_piece_is_connected_and_so_is_none() -> None:
    assert reference.is_connected({27})
    assert reference.is_connected(())
