"""How games of the reference go on and end, each rule checked by hand on small positions."""

from __future__ import annotations

import itertools

import pytest
from positions import BLACK_PASSES, BOTH_CONNECT_IN_ONE, BOTH_STUCK
from reference_positions import CYCLE, move, play, position

from loa import reference
from loa.reference import PASS, Game, Position
from loa.rules import (
    BLACK,
    WHITE,
    Color,
    IllegalMoveError,
    LoaError,
    NoLegalMove,
    Outcome,
    Rules,
    SimultaneousConnection,
    Termination,
)

# Connection


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
    before = position(BOTH_CONNECT_IN_ONE)
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
    game = Game(position(BLACK_PASSES))
    assert game.outcome() is None
    assert game.legal_moves() == [PASS]
    pieces = game.position.black, game.position.white
    game.push(PASS)
    assert (game.position.black, game.position.white) == pieces
    assert (game.position.turn, game.ply) == (WHITE, 1)
    assert PASS not in game.legal_moves()
    assert len(game.legal_moves()) == 33


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
    game = Game(position(BLACK_PASSES), Rules(no_legal_move=no_legal_move))
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
    counted = Game(position(BLACK_PASSES), Rules(repetition_draw=2))
    play(counted, ["pass"])
    assert (counted.repetition_count(), counted.outcome()) == (1, None)
    ignored = Game(position(BLACK_PASSES), Rules(repetition_draw=2, repetition_side_to_move=False))
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
    game = play(Game(position(BLACK_PASSES), Rules(ply_limit=1)), ["pass"])
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
    assert Game(position(BLACK_PASSES), rules).outcome() == expected


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
    outcome = play(Game(position(BOTH_CONNECT_IN_ONE), rules), ["d2xd6"]).outcome()
    winner = WHITE if both_connected == "mover wins" else None
    assert outcome == Outcome(winner, Termination.SIMULTANEOUS_CONNECTION)

    game = Game(position(BLACK_PASSES), rules)
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
    stuck = position(BLACK_PASSES)
    for no_legal_move, leaves in (
        (NoLegalMove.PASS, [1, 33]),
        (NoLegalMove.LOSS, [0, 0]),
        (NoLegalMove.DRAW, [0, 0]),
    ):
        rules = Rules(no_legal_move=no_legal_move)
        assert [reference.perft(stuck, depth, rules) for depth in (1, 2)] == leaves


def test_perft_ignores_repetition_and_the_ply_limit() -> None:
    rules = Rules(ply_limit=1, repetition_draw=2, draws_precede_connection=True)
    assert reference.perft(Position.start(3), 4, rules) == 108
