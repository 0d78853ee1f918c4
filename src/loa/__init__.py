"""Lines of Action for game-AI research: bitboard kernels under a thin Python API.

>>> import loa
>>> board = loa.Board()
>>> len(board.legal_moves), loa.perft(board, 3)
(36, 44952)
"""

import importlib as _importlib
from typing import Any as _Any

from loa import encodings, notation, records, reference, suite
from loa._batch import BoardBatch
from loa._board import Board
from loa._moves import LegalMoves, Move
from loa._perft import divide, perft
from loa._statistics import PerftStatistics, perft_statistics
from loa.frontiers import Frontier, frontier
from loa.notation import parse_square, square, square_name
from loa.random_games import Playout, PlayoutPolicy, Playouts, playouts
from loa.records import Game, read_games, write_games
from loa.rules import (
    BLACK,
    WHITE,
    Color,
    Direction,
    IllegalMoveError,
    InvalidFenError,
    InvalidMoveError,
    InvalidRecordError,
    LoaError,
    NoLegalMove,
    Outcome,
    Rules,
    SimultaneousConnection,
    Symmetry,
    Termination,
)

__version__ = "0.1.0"

__all__ = [
    "BLACK",
    "WHITE",
    "Board",
    "BoardBatch",
    "Color",
    "Direction",
    "Frontier",
    "Game",
    "IllegalMoveError",
    "InvalidFenError",
    "InvalidMoveError",
    "InvalidRecordError",
    "LegalMoves",
    "LoaError",
    "Move",
    "NoLegalMove",
    "Outcome",
    "PerftStatistics",
    "Playout",
    "PlayoutPolicy",
    "Playouts",
    "Rules",
    "SimultaneousConnection",
    "Symmetry",
    "Termination",
    "__version__",
    "divide",
    "encodings",
    "frontier",
    "notation",
    "parse_square",
    "perft",
    "perft_statistics",
    "playouts",
    "read_games",
    "records",
    "reference",
    "square",
    "square_name",
    "suite",
    "write_games",
]


def __getattr__(name: str) -> _Any:
    """What few programs need, loaded when it is asked for."""
    if name in ("distributed", "integrations", "replay", "svg"):
        return _importlib.import_module(f"loa.{name}")
    if name == "replay_html":
        return _importlib.import_module("loa.replay").replay_html
    raise AttributeError(f"module 'loa' has no attribute {name!r}")
