"""The compiled engine against `loa.reference`, ply by ply, over random games and any position."""

import copy
import pickle
import random

from comparing import (
    check_position,
    perft_by_pushing,
    reference_game,
    snapshot,
    without_history,
)
from hypothesis import given
from hypothesis import strategies as st
from positions import MAX_PLIES, PRESETS, boards, games, pick_move, play_on

import loa
from loa import reference

ALL_MOVES = [loa.Move.PASS] + [
    loa.Move(start, end) for start in range(64) for end in range(64) if start != end
]


@given(games())
def test_random_play(start):
    """Whole games under all kinds of rules: each position, and taking everything back."""
    board, generator = start
    game = reference_game(board)
    unchecked = board.copy()
    before = []
    for _ in range(MAX_PLIES):
        check_position(board, game)
        assert unchecked == board
        assert unchecked.key == board.key
        if board.is_game_over():
            break
        before.append(snapshot(board))
        move = pick_move(board, generator)
        board.push(move)
        unchecked.push_unchecked(move)
        game.push((move.from_square, move.to_square))
    copies = [board.copy(), copy.deepcopy(board), pickle.loads(pickle.dumps(board))]
    for duplicate in copies:
        assert snapshot(duplicate) == snapshot(board)
    after = snapshot(board)
    while before:
        move = board.peek()
        assert board.pop() is move
        assert snapshot(board) == before.pop()
    assert board.move_stack == []
    for duplicate in copies:
        assert snapshot(duplicate) == after


@given(boards())
def test_any_position(board):
    """Positions no game would reach, one ply deep."""
    game = reference_game(board)
    check_position(board, game)
    before = snapshot(board)
    legal = set(board.legal_moves)
    for move in ALL_MOVES:
        assert (move in board.legal_moves) == board.is_legal(move) == (move in legal)
    for move in legal:
        board.push(move)
        game.push((move.from_square, move.to_square))
        check_position(board, game)
        assert board.pop() is move
        game.pop()
        assert snapshot(board) == before


@given(boards())
def test_outcome_under_every_preset(board):
    for rules in PRESETS.values():
        other = loa.Board.from_bitboards(
            board.black, board.white, size=board.size, turn=board.turn, ply=board.ply, rules=rules
        )
        check_position(other, reference_game(other))


@given(boards())
def test_line_counts(board):
    position = reference_game(board).position
    for square in range(64):
        if square % 8 < board.size and square // 8 < board.size:
            for direction in loa.Direction:
                assert board.line_count(square, direction) == reference.line_count(
                    position, square, direction
                )


def transformed(square: int, symmetry: loa.Symmetry, size: int) -> int:
    """What the symmetries mean, square by square."""
    file, rank, last = square % 8, square // 8, size - 1
    file, rank = {
        loa.Symmetry.IDENTITY: (file, rank),
        loa.Symmetry.ROTATE_90: (rank, last - file),
        loa.Symmetry.ROTATE_180: (last - file, last - rank),
        loa.Symmetry.ROTATE_270: (last - rank, file),
        loa.Symmetry.FLIP_FILES: (last - file, rank),
        loa.Symmetry.FLIP_RANKS: (file, last - rank),
        loa.Symmetry.TRANSPOSE: (rank, file),
        loa.Symmetry.ANTI_TRANSPOSE: (last - rank, last - file),
    }[symmetry]
    return file + 8 * rank


@given(boards())
def test_symmetries_commute_with_moves(board):
    legal = board.legal_moves
    canonical = board.canonical()
    for symmetry in loa.Symmetry:
        image = board.transform(symmetry)
        moved = {
            move
            if move.is_pass
            else loa.Move(
                transformed(move.from_square, symmetry, board.size),
                transformed(move.to_square, symmetry, board.size),
            )
            for move in legal
        }
        assert set(image.legal_moves) == moved
        assert image.outcome() == board.copy(history=False).outcome()
        assert (image.turn, image.ply, image.rules) == (board.turn, board.ply, board.rules)
        assert image.canonical() == canonical
        assert (canonical.black, canonical.white) <= (image.black, image.white)
    mirror = board.mirror()
    assert mirror.turn == board.turn.opponent
    assert mirror.mirror() == board
    assert len(mirror.groups(loa.BLACK)) == len(board.groups(loa.WHITE))


@given(boards(st.just(loa.Rules.ABSTRACT_PLAY)))
def test_mirror_swaps_the_sides(board):
    def image(move):
        if move.is_pass:
            return move
        return loa.Move(
            transformed(move.from_square, loa.Symmetry.TRANSPOSE, board.size),
            transformed(move.to_square, loa.Symmetry.TRANSPOSE, board.size),
        )

    mirror = board.mirror()
    assert set(mirror.legal_moves) == {image(move) for move in board.legal_moves}
    outcome, mirrored = board.outcome(), mirror.outcome()
    assert (outcome is None) == (mirrored is None)
    if outcome is not None:
        winner = None if outcome.winner is None else outcome.winner.opponent
        assert mirrored == loa.Outcome(winner, outcome.termination)


@given(boards(), st.integers(0, 3))
def test_perft_and_divide(board, depth):
    position = reference_game(board).position
    # Dense boards have up to a hundred moves, too many for the reference beyond a depth of 2.
    depth = min(depth, 3 if len(board.legal_moves) < 12 else 2)
    assert loa.perft(board, depth) == reference.perft(position, depth, board.rules)
    if depth:
        counts = loa.divide(board, depth)
        assert sum(counts.values()) == loa.perft(board, depth)


@given(games(), st.integers(1, 5))
def test_perft_agrees_with_playing_on(start, depth):
    """Perft counts as if the game were played out move by move without draws by history."""
    board, generator = start
    play_on(board, generator, generator.randrange(30))
    position = without_history(board)
    while loa.perft(position, depth) > 20_000:
        depth -= 1
    assert loa.perft(board, depth) == loa.perft(position, depth) == perft_by_pushing(
        position, depth
    )
    if depth:
        counts = loa.divide(board, depth)
        assert list(counts) == list(position.legal_moves)


@given(games())
def test_round_trips(start):
    board, generator = start
    play_on(board, generator, generator.randrange(20))
    names = {"loa": loa, **vars(loa)}
    assert eval(repr(board), names) == board
    assert eval(repr(board.rules), names) == board.rules
    for dialect in loa.notation.DIALECTS:
        text = board.fen(dialect)
        again = loa.Board.from_fen(text, dialect=dialect, rules=board.rules)
        assert (again.black, again.white, again.turn) == (board.black, board.white, board.turn)
        assert again.key == board.key
    for move in board.legal_moves:
        assert board.parse_move(str(move)) is move
        assert board.parse_move(board.move_text(move)) is move
        assert pickle.loads(pickle.dumps(move)) is move
        assert eval(repr(move), names) is move
        assert ("x" in board.move_text(move)) == board.is_capture(move)


def test_results_of_random_games_are_the_known_ones():
    """Over a quarter of uniform random games is won by the side that did not move last.

    A search that looks at the mover's connection only would miss them all.
    """
    generator = random.Random(1)
    not_mover = finished = 0
    for _ in range(400):
        board = loa.Board(rules=loa.Rules.ABSTRACT_PLAY)
        while not board.is_game_over():
            board.push(generator.choice(board.legal_moves))
        outcome = board.outcome()
        finished += outcome.termination is loa.Termination.CONNECTION
        not_mover += outcome.winner is board.turn
    assert finished > 380
    assert 0.20 < not_mover / finished < 0.35
