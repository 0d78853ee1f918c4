from typing import final

import numpy as np
from numpy.typing import NDArray

from loa._board import Board

@final
class Run:
    def __new__(
        cls,
        boards: list[Board],
        seed: int,
        max_plies: int,
        weights: NDArray[np.uint16] | None,
        winners: NDArray[np.int8],
        terminations: NDArray[np.int8],
        plies: NDArray[np.int32],
        choices: NDArray[np.int64],
    ) -> Run: ...
    def play(self) -> None: ...
    def stop(self) -> None: ...
