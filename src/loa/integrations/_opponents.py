"""Opponents that answer in many games of a `BoardBatch` at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loa import encodings
from loa._batch import BoardBatch
from loa.rules import WHITE, Direction, SimultaneousConnection

Reply = Callable[[BoardBatch, NDArray[np.intp], np.random.Generator], ArrayLike]
"""Chooses an action for each of the rows, ascending numbers of rows whose games go on."""

# From square to square, by Direction.
_STEPS = np.array([files + 8 * ranks for files, ranks in (step.step for step in Direction)])
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_NOT_FILE_A = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_FILE_H = np.uint64(0x7F7F7F7F7F7F7F7F)
# What there is to add up over pieces: one for each, the file, the rank, and their squares.
_FILES, _RANKS = np.arange(64) % 8, np.arange(64) // 8
_MOMENTS = np.stack([np.ones(64), _FILES, _RANKS, _FILES**2 + _RANKS**2], axis=1)
_WIN = 1000.0


def random_reply(
    batch: BoardBatch, rows: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.int32]:
    """Legal actions, all equally likely."""
    actions: NDArray[np.int32] = batch.sample_actions(int(generator.integers(2**63)))[rows]
    return actions


def greedy_reply(
    batch: BoardBatch, rows: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.int32]:
    """The actions after which the own pieces lie closest together and the enemy's farthest apart.

    A move that wins at once comes before all others, one that loses at once after all others.
    What counts otherwise is the mean squared distance of a side's pieces from their centre of
    mass; equally good actions are equally likely.
    """
    bounds, actions = batch.legal_actions()
    counts = np.diff(bounds)
    owners = np.repeat(np.arange(len(batch)), counts)
    asked = np.isin(owners, rows)
    owners, actions = owners[asked], actions[asked]
    own, enemy = _after(batch, owners, actions)
    values = _spread(enemy) - _spread(own)
    own_connected, enemy_connected = _is_connected(own), _is_connected(enemy)
    mover_wins = batch.rules.simultaneous_connection is SimultaneousConnection.MOVER_WINS
    values[enemy_connected] = -_WIN
    values[own_connected] = _WIN
    values[own_connected & enemy_connected] = _WIN if mover_wins else 0.0
    # In the order of rows, and of values within each: the last one of a row is its best.
    order = np.lexsort((generator.random(len(values)), np.round(values, 9), owners))
    best: NDArray[np.int32] = actions[order[np.cumsum(counts[rows]) - 1]]
    return best


def _after(
    batch: BoardBatch, owners: NDArray[np.intp], actions: NDArray[np.int32]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Bitboards of the mover's and the other's pieces after each action in its owner's game."""
    white_moves = batch.turns == WHITE
    own = np.where(white_moves, batch.white, batch.black)[owners]
    enemy = np.where(white_moves, batch.black, batch.white)[owners]
    moves = actions != encodings.PASS_ACTION
    squares, directions = np.divmod(actions[moves], 8)
    first_count = encodings.PLANES.index("file_count")
    planes = batch.planes(dtype=np.uint8)
    distances = planes[
        owners[moves], first_count + directions % 4, squares // 8, squares % 8
    ].astype(np.intp)
    origins = _ONE << squares.astype(np.uint64)
    targets = _ONE << (squares + distances * _STEPS[directions]).astype(np.uint64)
    own[moves] ^= origins | targets
    enemy[moves] &= ~targets
    return own, enemy


def _spread(pieces: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The mean squared distance of pieces, one or more, from their centre of mass."""
    little_endian = pieces.astype("<u8").view(np.uint8).reshape(-1, 8)
    bits = np.unpackbits(little_endian, axis=1, bitorder="little")
    count, files, ranks, squares = (bits @ _MOMENTS).T
    spread: NDArray[np.float64] = squares / count - (files**2 + ranks**2) / count**2
    return spread


def _is_connected(pieces: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether all pieces, one or more, form one group."""
    # The lowest piece.
    group = pieces & (~pieces + _ONE)
    while True:
        east, west = (group & _NOT_FILE_H) << _ONE, (group & _NOT_FILE_A) >> _ONE
        row = group | east | west
        grown = (row | row << _EIGHT | row >> _EIGHT) & pieces
        if (grown == group).all():
            connected: NDArray[np.bool_] = group == pieces
            return connected
        group = grown
