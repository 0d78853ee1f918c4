from typing import Self, SupportsIndex, final

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
    plies: SupportsIndex, threads: SupportsIndex, hash_mb: SupportsIndex, name: str = "depth"
) -> tuple[int, int, HashTable | None]: ...
def stuck_of(board: Board) -> int: ...

@final
class ChunkCounter:
    def __new__(
        cls, size: int, turn: Color | int, depth: int, stuck: int, table: HashTable | None
    ) -> Self: ...
    def stop(self) -> None: ...
    def count(self, entries: NDArray[np.uint64]) -> int: ...
