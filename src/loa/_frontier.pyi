from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from loa._board import Board
from loa._hash_table import HashTable
from loa.rules import Color

_PARTITIONS: int

def first_entry(board: Board) -> NDArray[np.uint64]: ...
def expand(
    entries: NDArray[np.uint64], size: int, turn: int, stuck: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def merge(entries: NDArray[np.uint64]) -> int: ...
def check_arguments(
    plies: SupportsIndex, threads: SupportsIndex, hash_mb: SupportsIndex
) -> tuple[int, int, HashTable | None]: ...
def stuck_of(board: Board) -> int: ...

class ChunkCounter:
    def __init__(
        self,
        size: int,
        turn: Color | int,
        depth: int,
        stuck: int,
        table: HashTable | None,
        progress: Any = None,
    ) -> None: ...
    def stop(self) -> None: ...
    def count(self, entries: NDArray[np.uint64]) -> int: ...
