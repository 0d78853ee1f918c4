from collections.abc import Callable, Iterator
from typing import SupportsIndex

from loa._board import Board
from loa._moves import Move

def perft(
    board: Board,
    depth: SupportsIndex,
    *,
    threads: SupportsIndex = 1,
    hash_mb: SupportsIndex = 0,
    progress: Callable[[float, int], object] | None = None,
) -> int: ...
def divide(
    board: Board,
    depth: SupportsIndex,
    *,
    threads: SupportsIndex = 1,
    hash_mb: SupportsIndex = 0,
    progress: Callable[[float, int], object] | None = None,
) -> dict[Move, int]: ...
def divided(
    board: Board,
    depth: SupportsIndex,
    *,
    threads: SupportsIndex = 1,
    hash_mb: SupportsIndex = 0,
    progress: Callable[[float, int], object] | None = None,
) -> Iterator[tuple[Move, int]]: ...
