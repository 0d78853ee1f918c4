"""Many games side by side: a step of every game, and the legal actions after it.

All engines replay the same actions, which were drawn beforehand with every legal action equally
likely. A game that ends starts again at once, so every engine does the same number of steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import loa
from benchmarks.timing import Benchmark, Job, Sample, WrongCountError
from loa import encodings

RULES = loa.Rules.OPENSPIEL
"""The rules that all engines have."""

PLIES_BEFORE = 32
"""Of the games when timing starts: some have ended, most are in the middle game."""

STEPS = 16
"""Of all games, in a repeat."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Games under way, for each engine, and what is done in them, step by step and row by row.

    `legal` has the number of legal actions in all rows together after each step.
    """

    batch: loa.BoardBatch
    boards: list[loa.Board]
    states: list[Any]
    actions: list[NDArray[np.int32]]
    moves: list[list[loa.Move]]
    openspiel_actions: list[list[int]]
    legal: list[int]


def prepare(boards: int, openspiel: Any) -> Replay:
    """Draw the actions and play so many games up to where timing starts."""
    batch = loa.BoardBatch(boards, rules=RULES, auto_reset=True)
    players = [loa.Board(rules=RULES) for _ in range(boards)]
    states = [openspiel.new_initial_state() for _ in range(boards)] if openspiel else []
    for seed in range(PLIES_BEFORE):
        actions, moves, openspiel_actions = _draw(batch, players, seed)
        batch.step(actions)
        board_loop(players, [moves])
        openspiel_loop(openspiel, states, [openspiel_actions])
    start = batch.copy()
    boards_before = [player.copy() for player in players]
    replay = Replay(start, boards_before, states, [], [], [], [])
    for seed in range(PLIES_BEFORE, PLIES_BEFORE + STEPS):
        actions, moves, openspiel_actions = _draw(batch, players, seed)
        batch.step(actions)
        board_loop(players, [moves])
        replay.actions.append(actions)
        replay.moves.append(moves)
        replay.openspiel_actions.append(openspiel_actions)
        replay.legal.append(int(batch.legal_mask().sum()))
    return replay


def _draw(
    batch: loa.BoardBatch, players: Sequence[loa.Board], seed: int
) -> tuple[NDArray[np.int32], list[loa.Move], list[int]]:
    """An action for each row, as each engine wants it."""
    actions = batch.sample_actions(seed)
    moves = [
        encodings.move_of(player, action)
        for player, action in zip(players, actions.tolist(), strict=True)
    ]
    openspiel_actions = [
        encodings.openspiel_action_of(player, move)
        for player, move in zip(players, moves, strict=True)
    ]
    return actions, moves, openspiel_actions


def batch_loop(
    batch: loa.BoardBatch, steps: Sequence[NDArray[np.int32]], mask: NDArray[np.bool_]
) -> None:
    """Step a batch and fill the mask with the legal actions after each step."""
    for actions in steps:
        batch.step(actions)
        batch.legal_mask(mask)


def board_loop(
    boards: list[loa.Board], steps: Sequence[Sequence[loa.Move]]
) -> list[list[loa.Move]]:
    """Step boards in a loop and list the legal moves after each step; return the last ones."""
    legal: list[list[loa.Move]] = []
    for moves in steps:
        legal = []
        for row, move in enumerate(moves):
            board = boards[row]
            board.push(move)
            listed = list(board.legal_moves)
            if not listed:
                board = boards[row] = loa.Board(rules=RULES)
                listed = list(board.legal_moves)
            legal.append(listed)
    return legal


def openspiel_loop(
    openspiel: Any, states: list[Any], steps: Sequence[Sequence[int]]
) -> list[list[int]]:
    """As `board_loop`."""
    legal: list[list[int]] = []
    for actions in steps:
        legal = []
        for row, (state, action) in enumerate(zip(states, actions, strict=False)):
            state.apply_action(action)
            listed = state.legal_actions()
            if not listed:
                state = states[row] = openspiel.new_initial_state()
                listed = state.legal_actions()
            legal.append(listed)
    return legal


@dataclass(frozen=True, slots=True)
class Steps:
    """A replay by one engine: what `start` makes is not timed, what `play` does with it is.

    `play` returns something of which `count` tells, untimed again, how many legal actions there
    are at the end: `expected` of them.
    """

    start: Callable[[], Any]
    play: Callable[[Any], Any]
    count: Callable[[Any], int]
    expected: int
    board_steps: int

    def measure(self) -> Sample:
        """Replay all steps once and check the legal actions at the end."""
        games = self.start()
        start = time.perf_counter()
        legal = self.play(games)
        seconds = time.perf_counter() - start
        counted = self.count(legal)
        if counted != self.expected:
            raise WrongCountError(f"counted {counted:,} legal actions, expected {self.expected:,}")
        return Sample(seconds, {"board-steps": self.board_steps})


def batch_benchmarks(boards: int, openspiel: Any) -> Iterator[Benchmark]:
    """A batch, and a loop over boards, both beside OpenSpiel's states."""
    replay = prepare(boards, openspiel)
    total = boards * STEPS
    mask = np.empty((boards, encodings.ACTIONS), dtype=np.bool_)

    def count_listed(legal: Sequence[Sequence[object]]) -> int:
        return sum(map(len, legal))

    def play_batch(batch: loa.BoardBatch) -> NDArray[np.bool_]:
        batch_loop(batch, replay.actions, mask)
        return mask

    others: dict[str, Job] = {}
    if openspiel:
        others["OpenSpiel"] = Steps(
            lambda: [state.clone() for state in replay.states],
            lambda states: openspiel_loop(openspiel, states, replay.openspiel_actions),
            count_listed,
            replay.legal[-1],
            total,
        )
    in_batch = Steps(
        replay.batch.copy, play_batch, lambda legal: int(legal.sum()), replay.legal[-1], total
    )
    in_loop = Steps(
        lambda: [board.copy() for board in replay.boards],
        lambda players: board_loop(players, replay.moves),
        count_listed,
        replay.legal[-1],
        total,
    )
    work = f"{boards} boards, {STEPS} steps"
    yield Benchmark(
        "BoardBatch: step, legal_mask", work, ("board-steps",), {"loa": in_batch, **others}
    )
    yield Benchmark(
        "Board: push, list(legal_moves)", work, ("board-steps",), {"loa": in_loop, **others}
    )
