"""The target `batch`: calls on a `BoardBatch`, each compared with the reference's games."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
from comparing import check_row, reference_game, state, using_form

import loa
from fuzz.choices import Choices
from loa import _batch_rows, encodings, reference
from loa.rules import TERMINATIONS, Color, Outcome, Termination


def batch(data: bytes) -> None:
    """Whatever is called on a batch, its rows stand where games of the reference stand."""
    choices = Choices(data)
    with using_form(_batch_rows, choices.pick(_batch_rows._forms())):
        games = _Games(choices)
        games.check()
        while choices.left:
            call = choices.pick(_CALLS)
            call(games, choices)
            games.check()


class _Row:
    """What a row has to be: the reference's game, a board, and the end told of the last step."""

    def __init__(self, start: loa.Board) -> None:
        self.start = start
        self.restart()

    def restart(self) -> None:
        self.board = self.start.copy()
        root = self.start.root()
        self.game = reference_game(root)
        for move in self.start.move_stack:
            self.game.push((move.from_square, move.to_square))
        self.lost: Color | None = None
        # With automatic resets, the game that the last step has ended.
        self.final: loa.Board | None = None
        self.final_end: Outcome | None = None

    @property
    def end(self) -> Outcome | None:
        """How the game has ended, illegal moves included."""
        if self.lost is not None:
            return Outcome(self.lost.opponent, Termination.ILLEGAL_MOVE)
        return self.game.outcome()

    def actions(self) -> dict[int, reference.Move]:
        """The legal moves of the reference by their actions."""
        if self.end is not None:
            return {}
        actions = {}
        for start, end in self.game.legal_moves():
            files, ranks = end % 8 - start % 8, end // 8 - start // 8
            step = (files > 0) - (files < 0), (ranks > 0) - (ranks < 0)
            if (start, end) == reference.PASS:
                actions[encodings.PASS_ACTION] = (start, end)
            else:
                directions = {step: number for number, step in reference.STEPS.items()}
                actions[8 * start + directions[step]] = (start, end)
        return actions

    def push(self, pair: reference.Move) -> None:
        self.game.push(pair)
        self.board.push(loa.Move(*pair) if pair != reference.PASS else loa.Move.PASS)


class _Games:
    """A batch, and what its rows have to be."""

    def __init__(self, choices: Choices) -> None:
        size, rules = 3 + choices.below(6), choices.rules()
        starts = [choices.board(size, rules) for _ in range(1 + choices.below(4))]
        for start in starts:
            for _ in range(choices.below(4)):
                if moves := start.legal_moves:
                    start.push(choices.pick(moves))
        self.auto_reset = choices.flag() and not any(start.is_game_over() for start in starts)
        self.batch = loa.BoardBatch.from_boards(
            starts, auto_reset=self.auto_reset, threads=1 + choices.below(2)
        )
        self.rows = [_Row(start) for start in starts]

    def check(self) -> None:
        """Compares everything that a batch can be asked."""
        ends = [row.final_end or row.end for row in self.rows]
        assert self.batch.terminated.tolist() == [end is not None for end in ends]
        assert self.batch.winners.tolist() == [
            -1 if end is None or end.winner is None else end.winner for end in ends
        ]
        assert self.batch.terminations.tolist() == [
            -1 if end is None else TERMINATIONS.index(end.termination) for end in ends
        ]
        positions = [row.game.position for row in self.rows]
        assert self.batch.black.tolist() == [
            sum(1 << square for square in position.black) for position in positions
        ]
        assert self.batch.white.tolist() == [
            sum(1 << square for square in position.white) for position in positions
        ]
        assert self.batch.turns.tolist() == [position.turn for position in positions]
        assert self.batch.plies.tolist() == [row.game.ply for row in self.rows]
        assert self.batch.repetitions.tolist() == [row.game.repetition_count() for row in self.rows]
        expected = [sorted(row.actions()) for row in self.rows]
        indptr, listed = self.batch.legal_actions()
        assert [
            listed[first:last].tolist() for first, last in itertools.pairwise(indptr)
        ] == expected
        mask = self.batch.legal_mask()
        assert [np.flatnonzero(row).tolist() for row in mask] == expected
        assert self.batch.must_pass.tolist() == [row == [512] for row in expected]
        finals = self.batch.to_boards(final=True)
        for number, row in enumerate(self.rows):
            assert finals[number] == (row.final or row.board)
            if row.lost is None and row.final_end is None:
                check_row(self.batch, number, row.board)

    # Calls -------------------------------------------------------------------------------------

    def step(self, choices: Choices) -> None:
        """An action for each row: none, a legal one, or any number."""
        illegal = choices.pick(["raise", "lose"])
        actions = []
        for row in self.rows:
            kind, number = choices.below(4), choices.number()
            legal = sorted(row.actions())
            if kind == 0:
                actions.append(-1)
            elif kind < 3:
                actions.append(legal[number % len(legal)] if legal else -1)
            else:
                actions.append(2 * number + choices.below(8) - 2)
        self._step(actions, illegal)

    def step_sampled(self, choices: Choices) -> None:
        """Steps with actions that the batch has drawn."""
        seed = choices.number(2)
        actions = self.batch.sample_actions(seed).tolist()
        for row, action in zip(self.rows, actions, strict=True):
            assert action in row.actions() if row.end is None else action == -1
        self._step(actions, "raise")

    def _step(self, actions: list[int], illegal: str) -> None:
        no_action = any(not -1 <= action <= 512 for action in actions)
        refused = illegal == "raise" and any(
            action != -1 and action not in row.actions()
            for row, action in zip(self.rows, actions, strict=True)
        )
        before = state(self.batch)
        try:
            self.batch.step(np.array(actions), illegal="raise" if illegal == "raise" else "lose")
        except loa.InvalidMoveError:
            assert no_action
        except loa.IllegalMoveError:
            assert refused and not no_action
        else:
            assert not no_action and not refused
            for row, action in zip(self.rows, actions, strict=True):
                self._move(row, action)
            return
        assert state(self.batch) == before

    def _move(self, row: _Row, action: int) -> None:
        row.final = row.final_end = None
        legal = row.actions()
        if action == -1 or row.end is not None:
            return
        if action in legal:
            row.push(legal[action])
        else:
            row.lost = row.game.position.turn
        if self.auto_reset and row.end is not None:
            final, end = row.board, row.end
            row.restart()
            row.final, row.final_end = final, end

    def reset(self, choices: Choices) -> None:
        bits = choices.number()
        mask = [bool(bits >> number & 1) for number in range(len(self.rows))]
        if all(mask):
            self.batch.reset()
        else:
            self.batch.reset(mask)
        for row, chosen in zip(self.rows, mask, strict=True):
            if chosen:
                row.restart()

    def duplicate(self, choices: Choices) -> None:
        """Goes on with a copy, while the batch that it was made from goes on as well."""
        how = choices.below(3)
        before = self.batch
        if how == 0:
            self.batch = before.copy()
        elif how == 1:
            self.batch = copy.deepcopy(before)
        else:
            self.batch = pickle.loads(pickle.dumps(before))
        assert state(self.batch) == state(before)
        before.step(before.sample_actions(1))

    def from_boards(self, choices: Choices) -> None:
        """Goes on with a batch of the games as they stand."""
        boards = self.batch.to_boards()
        if self.auto_reset and any(board.is_game_over() for board in boards):
            return
        threads = 1 + choices.below(2)
        self.batch = loa.BoardBatch.from_boards(boards, auto_reset=self.auto_reset, threads=threads)
        self.rows = [_Row(row.board.copy()) for row in self.rows]


# What is there twice is called twice as often.
_CALLS = [
    _Games.step,
    _Games.step,
    _Games.step_sampled,
    _Games.reset,
    _Games.duplicate,
    _Games.from_boards,
]
