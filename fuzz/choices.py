"""Bytes as choices: what a fuzzer changes in them changes the choices one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from positions import mask_of

import loa

_Value = TypeVar("_Value")


class Choices:
    """Choices that are taken from bytes in their order; where these have run out, zeros.

    >>> choices = Choices(bytes([7, 1]))
    >>> choices.below(5), choices.pick("abc"), choices.number(8), choices.left
    (2, 'b', 0, False)
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = 0

    @property
    def left(self) -> bool:
        """Whether there are bytes left."""
        return self._next < len(self._data)

    def number(self, length: int = 1) -> int:
        """The number that so many bytes make, the least significant first."""
        first = self._next
        self._next += length
        return int.from_bytes(self._data[first : self._next], "little")

    def below(self, limit: int) -> int:
        """A number from 0 up to and without `limit`, which is 256 at most."""
        return self.number() % limit

    def pick(self, values: Sequence[_Value]) -> _Value:
        """One of the values."""
        return values[self.below(len(values))]

    def flag(self) -> bool:
        """Yes or no."""
        return bool(self.below(2))

    def move(self) -> loa.Move:
        """Any move there is, on whatever board."""
        code = self.number(2) % 4096
        return loa.Move.from_code(code) if code % 65 else loa.Move.PASS

    def rules(self) -> loa.Rules:
        """A preset, or any combination of the fields, with limits that short games reach."""
        presets = list(loa.Rules.presets().values())
        number = self.below(2 * len(presets))
        if number < len(presets):
            return presets[number]
        return loa.Rules(
            simultaneous_connection=self.pick(list(loa.SimultaneousConnection)),
            no_legal_move=self.pick(list(loa.NoLegalMove)),
            repetition_draw=self.pick([None, 2, 3, 4]),
            repetition_claim=self.pick([None, 2, 3, 4]),
            repetition_side_to_move=self.flag(),
            ply_limit=self.pick([None, 0, 1, 2, 4, 8, 16, 32]),
            draws_precede_connection=self.flag(),
        )

    def board(self, size: int, rules: loa.Rules) -> loa.Board:
        """A start, or any position that there is."""
        setup = self.pick(["standard", "scrambled", "pieces", "bits"])
        if setup in ("standard", "scrambled"):
            return loa.Board(size=size, setup=setup, rules=rules)
        mask = mask_of(size)
        if setup == "bits":
            black, white = self.number(8) & mask, self.number(8) & mask
        else:
            squares = [square for square in range(64) if mask >> square & 1]
            black, white = (
                sum(1 << square for square in {self.pick(squares) for _ in range(self.below(8))})
                for _ in loa.Color
            )
        # Each side has a piece at least, and no square has two.
        black |= 1
        white = white & ~black or 1 << size - 1
        turn = self.pick(list(loa.Color))
        return loa.Board.from_bitboards(
            black & ~white, white, size=size, turn=turn, ply=2 * self.below(40) + turn, rules=rules
        )
