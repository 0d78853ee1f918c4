"""Lines of Action for game-AI research: bitboard kernels under a thin Python API.

>>> import loa
>>> board = loa.Board()
>>> len(board.legal_moves), loa.perft(board, 3)
(36, 44952)
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from loa import notation
from loa._batch import BoardBatch
from loa._board import Board
from loa._moves import LegalMoves, Move
from loa._perft import divide, perft
from loa._statistics import PerftStatistics, perft_statistics
from loa.notation import parse_square, square, square_name, squares
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

if _TYPE_CHECKING:
    from loa import (
        distributed,
        encodings,
        integrations,
        records,
        reference,
        replay,
        suite,
        svg,
    )
    from loa.frontiers import Frontier, frontier
    from loa.random_games import Playout, PlayoutPolicy, Playouts, playouts
    from loa.records import Game, read_games, write_games
    from loa.replay import replay_html

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
    "distributed",
    "divide",
    "encodings",
    "frontier",
    "integrations",
    "notation",
    "parse_square",
    "perft",
    "perft_statistics",
    "playouts",
    "read_games",
    "records",
    "reference",
    "replay",
    "replay_html",
    "square",
    "square_name",
    "squares",
    "suite",
    "svg",
    "write_games",
]


# What many programs do without is loaded when it is first asked for: modules, and names with the
# modules they come from. `import loa` takes a fraction of the time so.
_LATE_MODULES = frozenset(
    {
        "distributed",
        "encodings",
        "integrations",
        "records",
        "reference",
        "replay",
        "suite",
        "svg",
    }
)
_LATE_NAMES = {
    "Frontier": "loa.frontiers",
    "Game": "loa.records",
    "Playout": "loa.random_games",
    "PlayoutPolicy": "loa.random_games",
    "Playouts": "loa.random_games",
    "frontier": "loa.frontiers",
    "playouts": "loa.random_games",
    "read_games": "loa.records",
    "replay_html": "loa.replay",
    "write_games": "loa.records",
}


def __getattr__(name: str) -> _Any:
    if name in _LATE_MODULES:
        return _importlib.import_module(f"loa.{name}")
    if name in _LATE_NAMES:
        value = getattr(_importlib.import_module(_LATE_NAMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'loa' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE_MODULES, *_LATE_NAMES})
