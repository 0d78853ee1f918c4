"""The targets by name."""

from collections.abc import Callable

from fuzz.batch_calls import batch
from fuzz.board_calls import board
from fuzz.playout_games import playouts
from fuzz.texts import fen, moves, records, suites

TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (batch, board, fen, moves, playouts, records, suites)
}
"""Each takes any bytes; an exception from it is a finding."""
