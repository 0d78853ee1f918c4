"""The reference rules, each checked by hand on small positions, then against outside facts."""

from __future__ import annotations

import doctest
import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from loa import reference
from loa.reference import PASS, Game, Move, Position
from loa.rules import (
    BLACK,
    WHITE,
    Color,
    Direction,
    IllegalMoveError,
    InvalidFenError,
    LoaError,
    NoLegalMove,
    Outcome,
    Rules,
    SimultaneousConnection,
    Termination,
    starting_bitboards,
)

DATA = Path(__file__).parent / "data"

# Black has no move along a line; White has 26.
BLACK_STUCK = "6wb/6ww/8/8/3w4/8/ww6/bw6 b 1"
# Neither side has one.
BOTH_STUCK = "8/2b1w1b1/1w1w1w1w/2b1w1b1/1b1b1b1b/2b1w1b1/1w1w1w1w/2b1w1b1 b 1"
# One white move, d2xd6, connects both sides.
BEFORE_BOTH_CONNECT = "2w5/2ww4/1bwbw3/b1www3/1bb5/1bb5/3w4/8 w 1"
# From the start, four plies that come back to it.
CYCLE = ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]


def square(name: str) -> int:
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def squares(names: str) -> set[int]:
    return {square(name) for name in names.split()}


def move(text: str) -> Move:
    return square(text[:2]), square(text[-2:])


def names(moves: list[Move]) -> set[str]:
    return {reference.square_name(start) + reference.square_name(end) for start, end in moves}


def position(fen: str) -> Position:
    """Read a FEN; written apart from the package's own reader, which is not under test here."""
    placement, turn, _ = fen.split()
    ranks = re.sub(r"\d", lambda empty: "." * int(empty[0]), placement).split("/")[::-1]
    pieces = {
        color: frozenset(
            file + 8 * rank
            for rank, row in enumerate(ranks)
            for file, letter in enumerate(row)
            if letter == color
        )
        for color in "bw"
    }
    assert all(len(row) == len(ranks) for row in ranks)
    return Position(len(ranks), pieces["b"], pieces["w"], BLACK if turn == "b" else WHITE)


def play(game: Game, moves: list[str]) -> Game:
    for text in moves:
        game.push(PASS if text == "pass" else move(text))
    return game


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


# Groups and connection


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


def test_connection_wins() -> None:
    game = Game(position("8/8/8/8/8/1b2b3/b7/w1w5 b 1"))
    assert game.outcome() is None
    play(game, ["e3-c3"])
    assert game.outcome() == Outcome(BLACK, Termination.CONNECTION)
    assert game.legal_moves() == []


def test_move_that_connects_only_the_enemy_loses() -> None:
    # Black captures one of White's two pieces: the other, alone, is connected.
    game = Game(position("8/8/8/b1w5/8/8/8/w3b3 b 1"))
    play(game, ["a5xc5"])
    assert game.outcome() == Outcome(WHITE, Termination.CONNECTION)


@pytest.mark.parametrize("turn", ["b", "w"])
@pytest.mark.parametrize("rules", Rules.presets().values())
def test_position_set_up_with_one_side_connected_is_over(turn: str, rules: Rules) -> None:
    game = Game(position(f"8/8/8/8/8/1b6/b7/w1w5 {turn} 1"), rules)
    assert game.outcome() == Outcome(BLACK, Termination.CONNECTION)
    assert game.legal_moves() == []
    assert reference.perft(game.position, 1, rules) == 0


def test_move_that_connects_both_sides() -> None:
    before = position(BEFORE_BOTH_CONNECT)
    drawn = play(Game(before), ["d2xd6"])
    assert drawn.outcome() == Outcome(None, Termination.SIMULTANEOUS_CONNECTION)
    mover_wins = Rules(simultaneous_connection=SimultaneousConnection.MOVER_WINS)
    won = play(Game(before, mover_wins), ["d2xd6"])
    assert won.outcome() == Outcome(WHITE, Termination.SIMULTANEOUS_CONNECTION)
    assert drawn.legal_moves() == won.legal_moves() == []


@pytest.mark.parametrize(("turn", "mover"), [("b", WHITE), ("w", BLACK)])
def test_position_set_up_with_both_sides_connected(turn: str, mover: Color) -> None:
    both = position(f"3/w2/b2 {turn} 1")
    drawn, won = Game(both, Rules.MSO).outcome(), Game(both, Rules.SACKSON_1982).outcome()
    assert drawn == Outcome(None, Termination.SIMULTANEOUS_CONNECTION)
    assert won == Outcome(mover, Termination.SIMULTANEOUS_CONNECTION)


# A side without a move


def test_stuck_side_passes() -> None:
    game = Game(position(BLACK_STUCK))
    assert game.outcome() is None
    assert game.legal_moves() == [PASS]
    pieces = game.position.black, game.position.white
    game.push(PASS)
    assert (game.position.black, game.position.white) == pieces
    assert (game.position.turn, game.ply) == (WHITE, 1)
    assert PASS not in game.legal_moves()
    assert len(game.legal_moves()) == 26


def test_nobody_passes_who_has_a_move() -> None:
    with pytest.raises(IllegalMoveError, match="pass is not legal"):
        Game(Position.start()).push(PASS)


@pytest.mark.parametrize("fen", ["w1b/3/b1w b 1", "w1b/3/w1b b 1", "w1b/3/2b b 1"])
def test_pass_leaves_a1_alone_whoever_stands_there(fen: str) -> None:
    before = position(fen)
    after = reference.make_move(before, PASS)
    assert after == Position(3, before.black, before.white, WHITE)


@pytest.mark.parametrize(
    ("no_legal_move", "outcome"),
    [
        (NoLegalMove.LOSS, Outcome(WHITE, Termination.NO_LEGAL_MOVE)),
        (NoLegalMove.DRAW, Outcome(None, Termination.NO_LEGAL_MOVE)),
    ],
)
def test_stuck_side_ends_the_game(no_legal_move: NoLegalMove, outcome: Outcome) -> None:
    game = Game(position(BLACK_STUCK), Rules(no_legal_move=no_legal_move))
    assert game.outcome() == outcome
    assert game.legal_moves() == []


@pytest.mark.parametrize(
    ("no_legal_move", "winner"),
    [(NoLegalMove.PASS, None), (NoLegalMove.LOSS, WHITE), (NoLegalMove.DRAW, None)],
)
def test_both_sides_stuck(no_legal_move: NoLegalMove, winner: Color | None) -> None:
    game = Game(position(BOTH_STUCK), Rules(no_legal_move=no_legal_move))
    assert game.outcome() == Outcome(winner, Termination.NO_LEGAL_MOVE)
    assert game.legal_moves() == []


def test_connection_comes_before_no_legal_move() -> None:
    # White, to move, is stuck, and connected.
    game = Game(position("8/8/8/8/8/5bbb/5bww/5bwb w 1"), Rules.OPENSPIEL)
    assert reference.line_moves(game.position) == []
    assert game.outcome() == Outcome(WHITE, Termination.CONNECTION)


# Repetition and the ply limit


def test_third_occurrence_draws_and_the_first_position_counts() -> None:
    game = Game(Position.start())
    assert game.repetition_count() == 1
    play(game, CYCLE)
    assert (game.repetition_count(), game.outcome()) == (2, None)
    play(game, CYCLE)
    assert game.repetition_count() == 3
    assert game.outcome() == Outcome(None, Termination.REPETITION)
    assert game.legal_moves() == []


def test_every_position_of_the_game_may_repeat() -> None:
    game = play(Game(Position.start()), ["b1-b3", "a2-c2"])
    play(game, [*CYCLE[2:], *CYCLE[:2]])
    assert game.repetition_count() == 2
    play(game, ["d1-d3"])
    assert game.repetition_count() == 1


def test_second_occurrence_draws_where_the_rules_say_so() -> None:
    game = play(Game(Position.start(), Rules.WINANDS_2000), CYCLE)
    assert game.outcome() == Outcome(None, Termination.REPETITION)


def test_no_repetition_draw() -> None:
    game = play(Game(Position.start(), Rules.ABSTRACT_PLAY), CYCLE * 10)
    assert (game.repetition_count(), game.outcome()) == (11, None)


def test_side_to_move_tells_positions_apart_unless_the_rules_ignore_it() -> None:
    # A pass leaves the pieces as they were.
    counted = Game(position(BLACK_STUCK), Rules(repetition_draw=2))
    play(counted, ["pass"])
    assert (counted.repetition_count(), counted.outcome()) == (1, None)
    ignored = Game(position(BLACK_STUCK), Rules(repetition_draw=2, repetition_side_to_move=False))
    play(ignored, ["pass"])
    assert ignored.repetition_count() == 2
    assert ignored.outcome() == Outcome(None, Termination.REPETITION)


def test_draw_can_be_claimed_before_it_is_automatic() -> None:
    game = Game(Position.start(), Rules.PLAYSTRATEGY)
    claims = [game.can_claim_draw()]
    for _ in range(4):
        play(game, CYCLE)
        claims.append(game.can_claim_draw())
    # The fifth occurrence ends the game, and leaves nothing to claim.
    assert claims == [False, False, True, True, False]
    assert game.outcome() == Outcome(None, Termination.REPETITION)
    assert not play(Game(Position.start()), CYCLE).can_claim_draw()


def test_ply_limit_draws() -> None:
    game = Game(Position.start(), Rules(ply_limit=2))
    play(game, CYCLE[:1])
    assert game.outcome() is None
    play(game, CYCLE[1:2])
    assert game.outcome() == Outcome(None, Termination.PLY_LIMIT)
    assert game.legal_moves() == []


def test_plies_count_from_the_one_given() -> None:
    white_to_move = reference.make_move(Position.start(), PASS)
    assert Game(Position.start()).ply == 0
    assert Game(white_to_move).ply == 1
    game = Game(white_to_move, Rules(ply_limit=10), ply=9)
    assert (game.ply, game.outcome()) == (9, None)
    play(game, ["a2-c2"])
    assert game.ply == 10
    assert game.outcome() == Outcome(None, Termination.PLY_LIMIT)
    at_once = Game(Position.start(), Rules(ply_limit=0))
    assert at_once.outcome() == Outcome(None, Termination.PLY_LIMIT)


def test_pass_counts_towards_the_ply_limit() -> None:
    game = play(Game(position(BLACK_STUCK), Rules(ply_limit=1)), ["pass"])
    assert game.outcome() == Outcome(None, Termination.PLY_LIMIT)


# Which end comes first


@pytest.mark.parametrize("draws_first", [False, True])
def test_ply_limit_and_connection(draws_first: bool) -> None:
    rules = Rules(ply_limit=1, draws_precede_connection=draws_first)
    game = play(Game(position("8/8/8/8/8/1b2b3/b7/w1w5 b 1"), rules), ["e3-c3"])
    connection = Outcome(BLACK, Termination.CONNECTION)
    assert game.outcome() == (Outcome(None, Termination.PLY_LIMIT) if draws_first else connection)


@pytest.mark.parametrize("draws_first", [False, True])
def test_ply_limit_and_no_legal_move(draws_first: bool) -> None:
    rules = Rules(ply_limit=0, draws_precede_connection=draws_first, no_legal_move=NoLegalMove.LOSS)
    loss = Outcome(WHITE, Termination.NO_LEGAL_MOVE)
    expected = Outcome(None, Termination.PLY_LIMIT) if draws_first else loss
    assert Game(position(BLACK_STUCK), rules).outcome() == expected


@pytest.mark.parametrize("draws_first", [False, True])
def test_ply_limit_and_repetition(draws_first: bool) -> None:
    rules = Rules(ply_limit=4, repetition_draw=2, draws_precede_connection=draws_first)
    game = play(Game(Position.start(), rules), CYCLE)
    assert game.outcome() == Outcome(None, Termination.REPETITION)


@pytest.mark.parametrize("draws_first", [False, True])
def test_repetition_and_no_legal_move(draws_first: bool) -> None:
    # White takes three moves and Black two to bring the same pieces back with Black to move, who
    # is stuck then: only where the side to move is ignored has the position occurred before.
    rules = Rules(
        no_legal_move=NoLegalMove.LOSS,
        repetition_draw=2,
        repetition_side_to_move=False,
        draws_precede_connection=draws_first,
    )
    game = Game(position("b1wb/wwww/4/ww2 w 1"), rules)
    play(game, ["c3-d2", "d4-b2", "d2-c1", "b2-d4", "c1-c3"])
    assert game.repetition_count() == 2
    loss = Outcome(WHITE, Termination.NO_LEGAL_MOVE)
    assert game.outcome() == (Outcome(None, Termination.REPETITION) if draws_first else loss)


# Presets


@pytest.mark.parametrize(
    ("name", "both_connected", "stuck", "occurrence"),
    [
        ("MSO", "draw", "pass", 3),
        ("SACKSON_1969", "draw", "pass", None),
        ("SACKSON_1982", "mover wins", "pass", None),
        ("OPENSPIEL", "mover wins", "loss", 2),
        ("BOARDSPACE", "mover wins", "pass", None),
        ("PLAYSTRATEGY", "draw", "draw", 5),
        ("ABSTRACT_PLAY", "draw", "pass", None),
        ("CODINGAME", "mover wins", "pass", None),
        ("WINANDS_2000", "mover wins", "loss", 2),
    ],
)
def test_presets(name: str, both_connected: str, stuck: str, occurrence: int | None) -> None:
    rules = Rules.by_name(name)
    outcome = play(Game(position(BEFORE_BOTH_CONNECT), rules), ["d2xd6"]).outcome()
    winner = WHITE if both_connected == "mover wins" else None
    assert outcome == Outcome(winner, Termination.SIMULTANEOUS_CONNECTION)

    game = Game(position(BLACK_STUCK), rules)
    expected = {
        "pass": (None, [PASS]),
        "loss": (Outcome(WHITE, Termination.NO_LEGAL_MOVE), []),
        "draw": (Outcome(None, Termination.NO_LEGAL_MOVE), []),
    }
    assert (game.outcome(), game.legal_moves()) == expected[stuck]

    game = Game(Position.start(), rules)
    for _ in range(10):
        if game.outcome() is None:
            play(game, CYCLE)
    assert game.repetition_count() == (occurrence or 11)
    assert (game.outcome() is None) == (occurrence is None)


def test_codingame_draws_at_150_plies() -> None:
    game = Game(Position.start(), Rules.CODINGAME)
    for text in itertools.islice(itertools.cycle(CYCLE), 149):
        game.push(move(text))
    assert game.outcome() is None
    play(game, CYCLE[1:2])
    assert game.outcome() == Outcome(None, Termination.PLY_LIMIT)


# The game object


def test_illegal_move_is_refused_and_changes_nothing() -> None:
    game = Game(reference.make_move(Position.start(), move("b1-b3")), ply=7)
    with pytest.raises(IllegalMoveError, match="b3-b4 is not legal in") as caught:
        play(game, ["b3-b4"])
    assert caught.value.move == move("b3-b4")
    assert caught.value.fen == "1bbbbbb1/w6w/w6w/w6w/w6w/wb5w/w6w/2bbbbb1 w 4"
    assert (game.moves, game.ply, len(game.history)) == ([], 7, 1)


def test_finished_game_takes_no_move() -> None:
    game = play(Game(Position.start(), Rules(ply_limit=1)), ["b1-b3"])
    with pytest.raises(IllegalMoveError, match="a2-c2 is not legal"):
        play(game, ["a2-c2"])


def test_pop_takes_moves_back() -> None:
    game = play(Game(Position.start()), CYCLE * 2)
    assert game.outcome() is not None
    assert game.pop() == move("c2-a2")
    assert (game.ply, game.outcome()) == (7, None)
    assert game.position.turn is WHITE
    assert move("c2-a2") in game.legal_moves()
    for _ in range(7):
        game.pop()
    assert game.position == Position.start()
    with pytest.raises(IndexError):
        game.pop()
    assert game.position == Position.start()


# Perft


def test_perft_of_depth_0_is_1() -> None:
    assert reference.perft(Position.start(), 0) == 1
    assert reference.perft(position(BOTH_STUCK), 0) == 1
    with pytest.raises(LoaError, match="-1"):
        reference.perft(Position.start(), -1)


def test_perft_counts_a_pass_as_a_ply() -> None:
    stuck = position(BLACK_STUCK)
    for no_legal_move, leaves in (
        (NoLegalMove.PASS, [1, 26]),
        (NoLegalMove.LOSS, [0, 0]),
        (NoLegalMove.DRAW, [0, 0]),
    ):
        rules = Rules(no_legal_move=no_legal_move)
        assert [reference.perft(stuck, depth, rules) for depth in (1, 2)] == leaves


def test_perft_ignores_repetition_and_the_ply_limit() -> None:
    rules = Rules(ply_limit=1, repetition_draw=2, draws_precede_connection=True)
    assert reference.perft(Position.start(3), 4, rules) == 108


def perft_suite() -> list[Any]:
    """One test an entry, with the depths of not more leaves than plain Python counts at ease."""
    entries = []
    for line in (DATA / "perft.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, fen, rule, leaves = (field.strip() for field in line.split("|"))
            counts = [int(count) for count in leaves.split()]
            counts = list(itertools.takewhile(lambda count: count <= 2500, counts))
            entries.append(pytest.param(fen, NoLegalMove(rule), counts, id=f"{name}-{rule}"))
    return entries


@pytest.mark.parametrize(("fen", "no_legal_move", "counts"), perft_suite())
def test_perft_suite(fen: str, no_legal_move: NoLegalMove, counts: list[int]) -> None:
    rules = Rules(no_legal_move=no_legal_move)
    depths = range(1, len(counts) + 1)
    assert counts
    assert [reference.perft(position(fen), depth, rules) for depth in depths] == counts


# Facts from the literature


POSITIONS: dict[str, dict[str, Any]] = json.loads(
    (DATA / "positions.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("turn", [BLACK, WHITE])
@pytest.mark.parametrize("name", POSITIONS)
def test_published_positions(name: str, turn: Color) -> None:
    facts, side = POSITIONS[name], "BW"[turn]
    black, white = (frozenset(map(square, facts[color])) for color in ("black", "white"))
    before = Position(8, black, white, turn)
    moves = reference.line_moves(before)
    connecting = [
        pair
        for pair in moves
        if reference.is_connected(reference.make_move(before, pair).pieces(turn))
    ]
    assert len(reference.groups(before.pieces(turn))) == facts["groups"][side]
    assert len(moves) == facts["legal_moves"][side]
    assert set(connecting) == {move(text) for text in facts["win_in_1"][side]}
    assert (reference.connection_outcome(before) is not None) == facts["already_over"]
    counts = facts.get(f"perft_{side}", [])[:2]
    depths = range(1, len(counts) + 1)
    assert [reference.perft(before, depth) for depth in depths] == counts


def recorded_games() -> list[Any]:
    text = (DATA / "games.txt").read_text(encoding="utf-8")
    games = []
    for paragraph in text.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        if lines:
            headers = dict(re.findall(r'\[(\w+) "([^"]*)"\]', lines[0]))
            games.append(pytest.param(headers, lines[1].split(), id=headers["id"]))
    return games


@pytest.mark.parametrize(("headers", "moves"), recorded_games())
def test_recorded_games(headers: dict[str, str], moves: list[str]) -> None:
    game = Game(Position.start(8, headers["setup"]))
    for text in moves:
        captures = square(text[-2:]) in game.position.pieces(game.position.turn.opponent)
        assert captures == ("x" in text)
        game.push(move(text))
    outcome = game.outcome()
    if outcome is None:
        # Resigned, or written down without its end.
        assert "note" in headers or headers["result"] == "*"
    else:
        assert outcome.result == headers["result"].replace("0.5", "1/2")


# OpenSpiel, another implementation of the game


@pytest.mark.parametrize(("seed", "limit"), [(1, 1000), (2, 1000), (3, 1000), (4, 60), (5, 61)])
def test_random_games_agree_with_openspiel(seed: int, limit: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    generator = random.Random(seed)
    state = pyspiel.load_game("lines_of_action", {"max_game_length": limit}).new_initial_state()
    game = Game(Position.start(), Rules.OPENSPIEL.replace(ply_limit=limit))
    while not state.is_terminal():
        assert game.outcome() is None
        assert state.current_player() == game.position.turn
        enemy = game.position.pieces(game.position.turn.opponent)
        texts = {state.action_to_string(action): action for action in state.legal_actions()}
        assert sorted(texts) == sorted(
            reference.square_name(start) + "-x"[end in enemy] + reference.square_name(end)
            for start, end in game.legal_moves()
        )
        text = generator.choice(sorted(texts))
        state.apply_action(texts[text])
        game.push(move(text))
    outcome = game.outcome()
    assert outcome is not None
    assert game.legal_moves() == []
    returns = {None: [0.0, 0.0], BLACK: [1.0, -1.0], WHITE: [-1.0, 1.0]}
    assert state.returns() == returns[outcome.winner]


def test_openspiel_draws_a_repeated_board() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("lines_of_action").new_initial_state()
    game = Game(Position.start(), Rules.OPENSPIEL)
    for text in CYCLE:
        assert not state.is_terminal()
        assert game.outcome() is None
        state.apply_action(state.string_to_action(text))
        game.push(move(text))
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert game.outcome() == Outcome(None, Termination.REPETITION)
