"""What is compared: boards and batches with `loa.reference`, playouts with games on a board."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import loa
from loa import BoardBatch, encodings, reference
from loa.rules import TERMINATIONS

COLUMNS = (
    "black", "white", "keys", "turns", "plies", "repetitions", "must_pass", "terminated",
    "winners", "terminations",
)  # fmt: skip
MASK = 2**64 - 1


@contextlib.contextmanager
def using_form(module: Any, form: int) -> Iterator[int]:
    """One of the forms of a module's kernels, and afterwards again the one that it had."""
    before = module._use_form(form)
    try:
        yield form
    finally:
        module._use_form(before)


def reference_game(board: loa.Board) -> reference.Game:
    """The reference's game that starts where this board stands now, without its history."""
    position = reference.Position.from_bitboards(
        board.black, board.white, board.size, board.turn
    )
    return reference.Game(position, board.rules, board.ply)


# Boards


def without_history(board: loa.Board) -> loa.Board:
    """The board's position as perft sees it: alone, and under rules that ask for no history."""
    rules = board.rules.replace(repetition_draw=None, ply_limit=None)
    return loa.Board.from_bitboards(
        board.black, board.white, size=board.size, turn=board.turn, rules=rules
    )


def perft_by_pushing(board: loa.Board, depth: int) -> int:
    """Perft that makes every move but those of the last ply."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(board.legal_moves)
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft_by_pushing(board, depth - 1)
        board.pop()
    return total


def pairs(moves: Iterable[loa.Move]) -> list[tuple[int, int]]:
    return [(move.from_square, move.to_square) for move in moves]


def snapshot(board: loa.Board) -> tuple[object, ...]:
    """All that can be seen of a board."""
    return (
        board.fen(),
        board.key,
        board.black,
        board.white,
        board.turn,
        board.ply,
        board.move_stack,
        list(board.legal_moves),
        board.outcome(),
        board.repetition_count(),
        board.can_claim_draw(),
    )


def check_position(board: loa.Board, game: reference.Game) -> None:
    """Everything the two engines say about one position of one game."""
    position = game.position
    assert {s for s in range(64) if board.black >> s & 1} == position.black
    assert {s for s in range(64) if board.white >> s & 1} == position.white
    assert (board.turn, board.ply, board.size) == (position.turn, game.ply, position.size)
    assert sorted(pairs(board.legal_moves)) == sorted(game.legal_moves())
    assert len(board.legal_moves) == len(list(board.legal_moves))
    assert board.outcome() == game.outcome()
    assert board.is_game_over() == (game.outcome() is not None) == (not board.legal_moves)
    assert board.repetition_count() == game.repetition_count()
    assert board.can_claim_draw() == game.can_claim_draw()
    for color in loa.Color:
        groups = [
            {s for s in range(64) if group >> s & 1} for group in board.groups(color)
        ]
        assert groups == [set(group) for group in reference.groups(position.pieces(color))]
        assert board.is_connected(color) == reference.is_connected(position.pieces(color))
    scratch = loa.Board.from_bitboards(
        board.black, board.white, size=board.size, turn=board.turn, ply=board.ply
    )
    assert board.key == scratch.key


# Batches


def state(batch: BoardBatch) -> list[bytes]:
    """All that a batch can be asked for, as something that can be compared."""
    arrays = [getattr(batch, name) for name in COLUMNS]
    arrays += [batch.legal_mask(), batch.legal_bitboards(), *batch.legal_actions()]
    arrays += [
        batch.planes(view=view, dtype=dtype, final=final)
        for view in ("mover", "absolute")
        for dtype in (np.uint8, np.float32)
        for final in (False, True)
    ]
    return [array.tobytes() for array in arrays]


def expected_actions(board: loa.Board) -> list[int]:
    return sorted(encodings.action_of(board, move) for move in board.legal_moves)


def check_row(batch: BoardBatch, row: int, board: loa.Board) -> None:
    """A row of a batch that is not reset automatically is the board's game."""
    values = {name: getattr(batch, name)[row].item() for name in COLUMNS}
    outcome = board.outcome()
    assert values == {
        "black": board.black,
        "white": board.white,
        "keys": board.key,
        "turns": board.turn,
        "plies": board.ply,
        "repetitions": board.repetition_count(),
        "must_pass": list(board.legal_moves) == [loa.Move.PASS],
        "terminated": outcome is not None,
        "winners": -1 if outcome is None or outcome.winner is None else outcome.winner,
        "terminations": -1 if outcome is None else TERMINATIONS.index(outcome.termination),
    }
    actions = expected_actions(board)
    mask = batch.legal_mask()[row]
    assert np.flatnonzero(mask).tolist() == actions
    assert np.array_equal(mask, encodings.legal_mask(board))
    indptr, listed = batch.legal_actions()
    assert listed[indptr[row] : indptr[row + 1]].tolist() == actions
    bitboards = batch.legal_bitboards()[row]
    assert [
        8 * square + direction
        for square in range(64)
        for direction in range(8)
        if int(bitboards[direction]) >> square & 1
    ] == [action for action in actions if action != encodings.PASS_ACTION]
    for view in ("mover", "absolute"):
        for dtype in (np.uint8, np.float32):
            planes = batch.planes(view=view, dtype=dtype)[row]
            assert np.array_equal(planes, encodings.planes(board, view=view, dtype=dtype))
    again = batch.to_boards()[row]
    assert again == board
    assert again.repetition_count() == board.repetition_count()
    assert again.outcome() == outcome
    assert again.can_claim_draw() == board.can_claim_draw()


# Playouts


def mix(value: int) -> int:
    """The output function of splitmix64."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def ring(square: int, size: int) -> int:
    file, rank = square % 8, square // 8
    return min(file, rank, size - 1 - file, size - 1 - rank)


def weight(board: loa.Board, move: loa.Move, weights: NDArray[np.uint16]) -> int:
    """The weight of a move, by the definition of the categories."""
    pieces = board.black if board.turn is loa.BLACK else board.white
    own = [square for square in range(64) if pieces >> square & 1]
    files = sum(square % 8 for square in own)
    ranks = sum(square // 8 for square in own)

    def distance(square: int) -> int:
        return (len(own) * (square % 8) - files) ** 2 + (len(own) * (square // 8) - ranks) ** 2

    before, after = distance(move.from_square), distance(move.to_square)
    approach = 0 if after < before else 1 if after == before else 2
    return int(
        weights[
            int(board.is_capture(move)),
            approach,
            ring(move.from_square, board.size),
            ring(move.to_square, board.size),
        ]
    )


def play(
    board: loa.Board,
    seed: int,
    number: int,
    max_plies: int,
    policy: tuple[loa.PlayoutPolicy | None, loa.PlayoutPolicy | None] | None = None,
) -> tuple[int, int, int, int]:
    """Game `number` of a run, on a Board: its winner, termination, plies and choices."""
    board = board.copy()
    state = mix(seed ^ mix(number))
    plies = choices = 0
    while not board.is_game_over() and plies < max_plies:
        moves = board.legal_moves
        choices += len(moves)
        if moves[0].is_pass:
            # The kernel draws before it knows that there is nothing to choose from.
            state = state + 0x9E3779B97F4A7C15 & MASK
            board.push(moves[0])
            plies += 1
            continue
        state = state + 0x9E3779B97F4A7C15 & MASK
        random = mix(state) >> 32
        side = None if policy is None else policy[board.turn]
        weights = [1 if policy is None else 65535] * len(moves)
        if side is not None:
            weights = [weight(board, move, side.weights) for move in moves]
        if sum(weights) == 0:
            weights = [1] * len(moves)
        pick = random * sum(weights) >> 32
        board.push(moves[int(np.searchsorted(np.cumsum(weights), pick, side="right"))])
        plies += 1
    outcome = board.outcome()
    if outcome is None:
        return -1, -1, plies, choices
    winner = -1 if outcome.winner is None else int(outcome.winner)
    termination = loa.Playouts.TERMINATIONS.index(outcome.termination)
    return winner, termination, plies, choices


def rows(result: loa.Playouts) -> list[tuple[int, int, int, int]]:
    arrays = (result.winners, result.terminations, result.plies, result.choices)
    return list(zip(*(array.ravel().tolist() for array in arrays), strict=True))
