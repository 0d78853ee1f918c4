"""Facts computed by independent programs: perft tables, recorded games, positions in print."""

import pytest
from positions import DATA, literature_positions

import loa
from loa import reference, suite

SUITE = suite.read_suite(DATA / "perft.txt")
GAMES = loa.read_games(DATA / "games.txt")
POSITIONS = literature_positions()

# The deepest counts take a second each; the rest of the table is a matter of milliseconds.
MAX_LEAVES = 2 * 10**9


def test_the_oracles_are_all_here():
    assert (len(SUITE), len(GAMES), len(POSITIONS)) == (185, 30, 16)


@pytest.mark.parametrize("entry", SUITE, ids=lambda entry: f"{entry.name}-{entry.line}")
def test_perft(entry):
    for depth, expected in enumerate(entry.leaves, start=1):
        if expected <= MAX_LEAVES:
            board = loa.Board(entry.fen, rules=entry.rules)
            assert loa.perft(board, depth) == expected, (entry.name, depth)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_recorded_game(game):
    """Every move is legal in both engines, and connections end games as their records say."""
    board = loa.Board(setup=game.setup)
    other = reference.Game(reference.Position.start(8, game.setup))
    for move in game.moves:
        assert board.outcome() is None
        board.push(move)
        other.push((move.from_square, move.to_square))
        assert board.outcome() == other.outcome()
    if board.is_game_over():
        assert board.outcome().result == game.result


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("turn", loa.Color)
def test_literature_position(name, turn):
    facts = POSITIONS[name]
    black, white = (
        sum(1 << loa.parse_square(square) for square in facts[side]) for side in ("black", "white")
    )
    board = loa.Board.from_bitboards(black, white, turn=turn)
    letter = turn.name[0]
    # The records list moves along lines and wins at once also where the game is over already.
    position = reference.Position.from_bitboards(black, white, 8, turn)
    assert len(reference.line_moves(position)) == facts["legal_moves"][letter]
    assert board.is_game_over() == (
        facts["already_over"] or facts["legal_moves"] == {"B": 0, "W": 0}
    )
    if not board.is_game_over():
        assert len(board.legal_moves) == facts["legal_moves"][letter]
    for color in loa.Color:
        assert len(board.groups(color)) == facts["groups"][color.name[0]]
    wins = set()
    for start, end in reference.line_moves(position):
        move = loa.Move(start, end)
        after = board.copy()
        after.push_unchecked(move)
        if after.is_connected(turn):
            wins.add(board.move_text(move))
    assert wins == set(facts["win_in_1"][letter])
    for depth, leaves in enumerate(facts.get(f"perft_{letter}", []), start=1):
        assert loa.perft(board, depth) == leaves
    placement = loa.Board.from_fen(facts["playstrategy_fen"], dialect="playstrategy")
    assert (placement.black, placement.white) == (black, white)
    if facts["side_to_move"] is not None:
        assert placement.turn.name[0] == facts["side_to_move"]
