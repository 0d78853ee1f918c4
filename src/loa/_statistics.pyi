import dataclasses
from collections.abc import Callable
from typing import SupportsIndex

from loa._board import Board

@dataclasses.dataclass(frozen=True)
class PerftStatistics:
    leaves: int
    captures: int
    mover_connections: int
    opponent_connections: int
    simultaneous_connections: int
    passes: int

def perft_statistics(
    board: Board,
    depth: SupportsIndex,
    *,
    progress: Callable[[float, int], object] | None = None,
) -> PerftStatistics: ...
