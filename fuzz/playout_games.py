"""The target `playouts`: random games, compared with the same games on a `Board`."""

from __future__ import annotations

import numpy as np
from comparing import play, rows, using_form

import loa
from fuzz.choices import Choices
from loa import _playout_tables


def playouts(data: bytes) -> None:
    """From any position, after some moves, with any weights, for a few plies."""
    choices = Choices(data)
    board = choices.board(3 + choices.below(6), choices.rules())
    for _ in range(choices.below(8)):
        if moves := board.legal_moves:
            board.push(choices.pick(moves))
    seed, max_plies, count = choices.number(8), choices.below(40), choices.below(4)
    policies = [_policy(choices) for _ in loa.Color]
    pair = None if policies == [None, None] else (policies[0], policies[1])
    before = board.fen(), board.move_stack
    expected = [play(board, seed, number, max_plies, pair) for number in range(count)]
    for form in _playout_tables._forms():
        with using_form(_playout_tables, form):
            games = loa.playouts(board, count, seed=seed, max_plies=max_plies, policy=pair)
            assert rows(games) == expected
    assert (board.fen(), board.move_stack) == before


def _policy(choices: Choices) -> loa.PlayoutPolicy | None:
    """Uniform play, factors, or weights many of which are 0."""
    kind = choices.below(3)
    if kind == 1:
        capture, closer, farther, into_edge, out_of_edge = (choices.below(16) for _ in range(5))
        return loa.PlayoutPolicy.from_factors(
            capture=capture,
            closer=closer,
            # One kind of move at least has a weight.
            farther=farther + 1,
            into_edge=into_edge,
            out_of_edge=out_of_edge,
        )
    if kind == 2:
        bits = choices.number(12) or 1
        weights = [bits >> number & 1 for number in range(96)]
        return loa.PlayoutPolicy(np.reshape(weights, loa.PlayoutPolicy.SHAPE))
    return None
