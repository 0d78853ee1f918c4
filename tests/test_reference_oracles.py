"""The reference beside outside facts: counts, positions in print, recorded games, OpenSpiel."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest
from positions import DATA, literature_positions
from reference_positions import CYCLE, move, position, square

from loa import reference
from loa.reference import Game, Position
from loa.rules import BLACK, WHITE, Color, NoLegalMove, Outcome, Rules, Termination

POSITIONS = literature_positions()

# Perft


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
