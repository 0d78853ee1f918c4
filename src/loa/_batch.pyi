from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self, SupportsIndex, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from loa._batch_games import Games
from loa._board import Board
from loa.random_games import Playouts, Policy
from loa.rules import Rules, Termination

_Value = TypeVar("_Value", np.float32, np.uint8)

@final
class BoardBatch(Games):
    TERMINATIONS: ClassVar[tuple[Termination, ...]]
    def __new__(
        cls,
        n: SupportsIndex,
        *,
        size: SupportsIndex = 8,
        setup: str = "standard",
        rules: Rules = ...,
        auto_reset: bool = False,
        threads: SupportsIndex = 1,
    ) -> Self: ...
    @staticmethod
    def from_boards(
        boards: Iterable[Board], *, auto_reset: bool = False, threads: SupportsIndex = 1
    ) -> BoardBatch: ...
    def reset(self, mask: ArrayLike | None = None) -> None: ...
    def step(self, actions: ArrayLike, *, illegal: Literal["raise", "lose"] = "raise") -> None: ...
    def sample_actions(self, seed: SupportsIndex) -> NDArray[np.int32]: ...
    def playouts(
        self,
        n: SupportsIndex = 1,
        *,
        seed: SupportsIndex | None = None,
        max_plies: SupportsIndex = ...,
        policy: Policy | None = None,
    ) -> Playouts: ...
    def legal_mask(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]: ...
    def legal_bitboards(self, out: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]: ...
    def legal_actions(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    @overload
    def planes(
        self,
        out: NDArray[_Value],
        *,
        view: Literal["mover", "absolute"] = "mover",
        dtype: DTypeLike | None = None,
        final: bool = False,
    ) -> NDArray[_Value]: ...
    @overload
    def planes(
        self,
        out: None = None,
        *,
        view: Literal["mover", "absolute"] = "mover",
        dtype: type[_Value],
        final: bool = False,
    ) -> NDArray[_Value]: ...
    @overload
    def planes(
        self,
        out: None = None,
        *,
        view: Literal["mover", "absolute"] = "mover",
        dtype: None = None,
        final: bool = False,
    ) -> NDArray[np.float32]: ...
    @property
    def size(self) -> int: ...
    @property
    def auto_reset(self) -> bool: ...
    @property
    def must_pass(self) -> NDArray[np.bool_]: ...
    @property
    def black(self) -> NDArray[np.uint64]: ...
    @property
    def white(self) -> NDArray[np.uint64]: ...
    @property
    def keys(self) -> NDArray[np.uint64]: ...
    @property
    def turns(self) -> NDArray[np.uint8]: ...
    @property
    def plies(self) -> NDArray[np.int64]: ...
    @property
    def repetitions(self) -> NDArray[np.int32]: ...
    @property
    def terminated(self) -> NDArray[np.bool_]: ...
    @property
    def winners(self) -> NDArray[np.int8]: ...
    @property
    def terminations(self) -> NDArray[np.int8]: ...
    def to_boards(self, *, final: bool = False) -> list[Board]: ...
    def copy(self) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, object]) -> Self: ...
    def __len__(self) -> int: ...

def _planes_dtype(view: str, dtype: DTypeLike) -> np.dtype[Any]: ...
