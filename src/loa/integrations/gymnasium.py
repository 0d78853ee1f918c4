"""Lines of Action for one learner against an opponent: Gymnasium environments.

    >>> import numpy as np
    >>> from loa.integrations.gymnasium import LinesOfActionVectorEnv
    >>> envs = LinesOfActionVectorEnv(4, opponent="random", color="random")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape
    ((4, 8, 8, 8), (4, 513))
    >>> actions = infos["action_mask"].argmax(axis=1)  # a learner's choice stands here
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> rewards.tolist(), infos["ply"].tolist()
    ([0.0, 0.0, 0.0, 0.0], [2, 3, 3, 3])

`LinesOfActionVectorEnv` plays any number of games side by side in a `loa.BoardBatch`, and
`LinesOfActionEnv` is one game. Importing this module registers both as `loa/LinesOfAction-v0`, for
`gymnasium.make_vec` and `gymnasium.make`; `gymnasium.make_vec("loa.integrations.gymnasium:loa/\
LinesOfAction-v0", num_envs=64)` imports it by itself.

What steps, actions, observations, infos and rewards are, and how games begin again, is in a table
of the documentation's page on other libraries (`docs/integrations.md`); actions and planes are
those of `loa.encodings`.

Whatever ends the game by its rules terminates it, `Rules.ply_limit` included. `max_plies` is not of
the rules: it stops an episode after so many plies of both sides without a result, which is a
truncation.

Opponents are `"random"`, which takes legal actions equally likely; `"greedy"`, which looks one ply
ahead, wins at once if it can and else draws its pieces together and keeps the other's apart; or a
function `opponent(batch, rows)` that is given a `loa.BoardBatch`, to look at and not to change, and
ascending numbers of rows, and returns an array with a legal action for each of these rows. Built-in
opponents and the choice of colours draw from `np_random`, which the seed of `reset` sets: the same
seed and actions give the same episodes.
"""

from __future__ import annotations

# Without Gymnasium, type checkers take its classes for Any.
# mypy: allow-subclassing-any
import functools
import operator
from collections.abc import Callable
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loa import encodings
from loa._batch import BoardBatch
from loa._board import Board
from loa.integrations._environments import (
    RENDER_MODES,
    check_choice,
    check_plies,
    highest_planes,
    render,
)
from loa.integrations._opponents import Reply, greedy_reply, random_reply
from loa.rules import BLACK, WHITE, Color, InvalidMoveError, LoaError, Outcome, Rules, shown

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as _error:
    raise ImportError(
        "loa.integrations.gymnasium needs Gymnasium: pip install 'loa[gymnasium]'"
    ) from _error

__all__ = ["Illegal", "LinesOfActionEnv", "LinesOfActionVectorEnv", "Opponent"]

Opponent = str | Callable[[BoardBatch, NDArray[np.intp]], ArrayLike]
"""Who answers the agent: `"random"`, `"greedy"`, or a function of a batch and row numbers."""

Illegal = Literal["lose", "raise"]
"""What an action that is not legal does: it loses the game, or raises `IllegalMoveError`."""

_OPPONENTS: dict[str, Reply] = {"random": random_reply, "greedy": greedy_reply}
_COLORS = {"black": BLACK, "white": WHITE, "random": None}


class _Games:
    """Games side by side between agents and an opponent; `colors` are the agents'."""

    def __init__(
        self,
        count: SupportsIndex,
        opponent: Opponent,
        color: str,
        rules: Rules,
        size: int,
        setup: str,
        max_plies: SupportsIndex | None,
        illegal: Illegal,
        threads: SupportsIndex = 1,
    ) -> None:
        check_choice("color", color, _COLORS)
        check_choice("illegal", illegal, ("lose", "raise"))
        self.batch = BoardBatch(count, size=size, setup=setup, rules=rules, threads=threads)
        _check_start(Board(size=size, setup=setup, rules=rules))
        self.colors = np.zeros(len(self.batch), np.int64)
        self.max_plies = check_plies(max_plies, 2)
        self._color = _COLORS[color]
        self._reply = _reply_of(opponent)
        self._illegal: Illegal = illegal
        # Until the first reset, and after a reply that failed.
        self._unusable = True

    def begin(self, mask: NDArray[np.bool_] | None, generator: np.random.Generator) -> None:
        """Starts new games, in all rows or in those of the mask."""
        if mask is not None:
            self._check_usable()
        self.batch.reset(mask)
        self._unusable = True
        rows = np.flatnonzero(np.ones(len(self.batch), np.bool_) if mask is None else mask)
        if self._color is None:
            self.colors[rows] = generator.integers(2, size=len(rows))
        else:
            self.colors[rows] = self._color
        self._answer(rows[self.colors[rows] == WHITE], generator)
        self._unusable = False

    def step(self, actions: ArrayLike, generator: np.random.Generator) -> None:
        """Makes the agents' moves and then the opponent's, where the games go on."""
        self._check_usable()
        moves = np.asarray(actions)
        if moves.dtype.kind not in "iu":
            raise TypeError(f"actions have dtype {moves.dtype}: expected integers")
        wrong = moves[(moves < 0) | (moves >= encodings.ACTIONS)]
        if wrong.size:
            raise InvalidMoveError(
                f"action is {wrong.flat[0]}: expected 0 to {encodings.ACTIONS - 1}"
            )
        self.batch.step(moves, illegal=self._illegal)
        self._unusable = True
        self._answer(np.flatnonzero(~(self.batch.terminated | self.truncations())), generator)
        self._unusable = False

    def _check_usable(self) -> None:
        if self._unusable:
            raise gymnasium.error.ResetNeeded("there are no games to go on: call reset() first")

    def _answer(self, rows: NDArray[np.intp], generator: np.random.Generator) -> None:
        if not rows.size:
            return
        actions = np.asarray(self._reply(self.batch, rows, generator))
        if actions.shape != rows.shape:
            raise LoaError(
                f"the opponent's actions have the shape {actions.shape}: expected {rows.shape}"
            )
        if actions.dtype.kind not in "iu":
            raise TypeError(f"the opponent's actions have dtype {actions.dtype}: expected integers")
        if (actions < 0).any():
            raise InvalidMoveError(
                f"the opponent's action is {actions.min()}: expected 0 to {encodings.ACTIONS - 1}"
            )
        moves = np.full(len(self.batch), -1, np.int64)
        moves[rows] = actions
        self.batch.step(moves)

    def truncations(self) -> NDArray[np.bool_]:
        """Which games have reached `max_plies` and are not over."""
        if self.max_plies is None:
            return np.zeros(len(self.batch), np.bool_)
        return (self.batch.plies >= self.max_plies) & ~self.batch.terminated

    def rewards(self) -> NDArray[np.float64]:
        """1 for the agents that have won, -1 for those that have lost."""
        winners = self.batch.winners
        return np.where(winners < 0, 0.0, np.where(winners == self.colors, 1.0, -1.0))

    def observations(self) -> NDArray[np.uint8]:
        """The planes in the agents' view."""
        planes = self.batch.planes(view="absolute", dtype=np.uint8)
        white = self.colors == WHITE
        planes[white, :2] = planes[white, 1::-1]
        return planes

    def infos(self) -> dict[str, NDArray[Any]]:
        """What the module's documentation lists, by rows."""
        masks = self.batch.legal_mask().view(np.int8)
        masks[self.truncations()] = 0
        return {
            "action_mask": masks,
            "color": self.colors.copy(),
            "ply": self.batch.plies,
            "termination": self.batch.terminations.astype(np.int64),
        }


class LinesOfActionVectorEnv(VectorEnv[NDArray[np.uint8], ArrayLike, NDArray[Any]]):
    """Any number of games side by side, each against the same kind of opponent.

    `num_envs` is 1 to 2**24. `opponent` is `"random"`, `"greedy"` or a function
    `opponent(batch, rows)`; `color`, the agent's, is `"black"`, `"white"` or `"random"`, drawn anew
    for each episode. `rules`, `size` and `setup` are those of `loa.Board`; `max_plies`, 2 or more,
    truncates an episode after so many plies of both sides. `illegal` is `"lose"` or `"raise"`.
    `threads` work on a large batch. Bad values raise `loa.LoaError` or `TypeError`.

    `batch` is the `loa.BoardBatch` and `colors`, `(num_envs,)` int64, what the agents play.

    >>> envs = LinesOfActionVectorEnv(2, color="white", size=5)
    >>> observations, infos = envs.reset(seed=7)
    >>> envs.single_observation_space.shape, envs.batch.turns.tolist()
    ((8, 5, 5), [1, 1])
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: SupportsIndex = 1,
        *,
        opponent: Opponent = "random",
        color: str = "black",
        rules: Rules = Rules.MSO,
        size: int = 8,
        setup: str = "standard",
        max_plies: SupportsIndex | None = None,
        illegal: Illegal = "lose",
        threads: SupportsIndex = 1,
    ) -> None:
        super().__init__()
        self._games = _Games(
            num_envs, opponent, color, rules, size, setup, max_plies, illegal, threads
        )
        self.num_envs = len(self.batch)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self.single_action_space = spaces.Discrete(encodings.ACTIONS)
        self.single_observation_space = _observation_space(self.batch.size)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    @property
    def batch(self) -> BoardBatch:
        """The games, to look at."""
        return self._games.batch

    @property
    def colors(self) -> NDArray[np.int64]:
        """What the agents play, `(num_envs,)` int64: 0 Black, 1 White."""
        return self._games.colors.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin new games: all, or those in `options["reset_mask"]`, `(num_envs,)` bool."""
        super().reset(seed=seed)
        mask = None if options is None else options.get("reset_mask")
        self._games.begin(mask, self.np_random)
        return self._games.observations(), _with_masks(self._games.infos(), self._everywhere)

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Make a move in each game, `(num_envs,)` actions, and begin anew those that it ends."""
        games = self._games
        games.step(actions, self.np_random)
        rewards = games.rewards()
        terminations, truncations = games.batch.terminated, games.truncations()
        ended = terminations | truncations
        infos: dict[str, Any] = {}
        if ended.any():
            last_observations = np.full(self.num_envs, None, dtype=object)
            observations = games.observations()
            for row in np.flatnonzero(ended):
                last_observations[row] = observations[row]
            last_infos = games.infos()
            for values in last_infos.values():
                values[~ended] = 0
            last = {"final_obs": last_observations, "final_info": _with_masks(last_infos, ended)}
            infos = _with_masks(last, ended)
            games.begin(ended, self.np_random)
        infos |= _with_masks(games.infos(), self._everywhere)
        return games.observations(), rewards, terminations, truncations, infos


class LinesOfActionEnv(gymnasium.Env[NDArray[np.uint8], SupportsIndex]):
    """One game against an opponent; the arguments are those of `LinesOfActionVectorEnv`.

    `board` is the game as a `loa.Board`, with its moves since the last capture. Render modes:
    `"ansi"` returns the board as text, `"human"` prints that after each reset and step, and
    `"rgb_array"` returns a picture, shape `(40 * size, 40 * size, 3)`.

    >>> env = LinesOfActionEnv(size=5, opponent="greedy")
    >>> observation, info = env.reset(seed=3)
    >>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
    >>> env.board.ply, reward, terminated, truncated
    (2, 0.0, False, False)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [*RENDER_MODES],
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        opponent: Opponent = "random",
        color: str = "black",
        rules: Rules = Rules.MSO,
        size: int = 8,
        setup: str = "standard",
        max_plies: SupportsIndex | None = None,
        illegal: Illegal = "lose",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self._games = _Games(1, opponent, color, rules, size, setup, max_plies, illegal)
        self._ended = False
        self.action_space = spaces.Discrete(encodings.ACTIONS)
        self.observation_space = _observation_space(self._games.batch.size)

    @property
    def board(self) -> Board:
        """The game as it stands, a new `loa.Board`."""
        return self._games.batch.to_boards()[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin a new game; there are no options."""
        super().reset(seed=seed)
        self._games.begin(None, self.np_random)
        self._ended = False
        if self.render_mode == "human":
            self.render()
        return self._games.observations()[0], self._info()

    def step(
        self, action: SupportsIndex
    ) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Make a move, to which the opponent replies if the game goes on."""
        if self._ended:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() first")
        games = self._games
        games.step([operator.index(action)], self.np_random)
        terminated, truncated = bool(games.batch.terminated[0]), bool(games.truncations()[0])
        self._ended = terminated or truncated
        if self.render_mode == "human":
            self.render()
        reward = float(games.rewards()[0])
        return games.observations()[0], reward, terminated, truncated, self._info()

    def render(self) -> Any:
        """The position in the render mode that the environment was made with."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode does nothing: give one to make()")
            return None
        return render(self.render_mode, self.board, self._outcome())

    def _info(self) -> dict[str, Any]:
        infos = self._games.infos()
        return {"action_mask": infos.pop("action_mask")[0]} | {
            name: int(values[0]) for name, values in infos.items()
        }

    def _outcome(self) -> Outcome | None:
        # Boards know nothing of a loss by an illegal move.
        batch = self._games.batch
        if not batch.terminated[0]:
            return None
        winner = int(batch.winners[0])
        return Outcome(
            None if winner < 0 else Color(winner), batch.TERMINATIONS[batch.terminations[0]]
        )


def _observation_space(size: int) -> Any:
    highest = highest_planes(size)
    return spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8)


def _with_masks(infos: dict[str, Any], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Infos as vector environments give them: `_name` says in which rows there is a `name`."""
    return infos | {f"_{name}": mask.copy() for name in infos}


def _reply_of(opponent: Opponent) -> Reply:
    if isinstance(opponent, str):
        check_choice("opponent", opponent, _OPPONENTS)
        return _OPPONENTS[opponent]
    if not callable(opponent):
        raise TypeError(f"opponent is {shown(opponent)}: expected 'random', 'greedy' or a function")
    return functools.partial(_ask, opponent)


def _ask(
    opponent: Callable[[BoardBatch, NDArray[np.intp]], ArrayLike],
    batch: BoardBatch,
    rows: NDArray[np.intp],
    generator: np.random.Generator,
) -> ArrayLike:
    """The reply of a user's opponent, which has to find its own random numbers."""
    return opponent(batch, rows)


def _check_start(board: Board) -> None:
    """Refuses games in which White may have no turn."""
    for move in board.legal_moves:
        board.push(move)
        if board.is_game_over():
            raise LoaError(
                f"under {board.rules} the game can be over after one ply: expected rules under "
                "which both sides have a turn"
            )
        board.pop()
    if board.is_game_over():
        raise LoaError(f"under {board.rules} the game is over at once: expected one that goes on")


gymnasium.register(
    id="loa/LinesOfAction-v0",
    entry_point=f"{__name__}:LinesOfActionEnv",
    vector_entry_point=f"{__name__}:LinesOfActionVectorEnv",
)
