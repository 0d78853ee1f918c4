"""Lines of Action as a PettingZoo AEC environment.

    >>> from loa.integrations import pettingzoo
    >>> env = pettingzoo.env(render_mode="ansi")
    >>> env.reset()
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     if termination or truncation:
    ...         action = None
    ...     else:
    ...         action = int(observation["action_mask"].argmax())  # a player's choice stands here
    ...     env.step(action)
    >>> env.unwrapped.board.outcome().termination, env.unwrapped.board.ply
    (<Termination.REPETITION: 'repetition'>, 39)

It follows the habits of PettingZoo's classic games. What agents, actions, observations and rewards
are is in a table of the documentation's page on other libraries (`docs/integrations.md`); actions
and planes are those of `loa.encodings`. In `raw_env` an action that is not legal raises
`loa.IllegalMoveError` and changes nothing; the wrappers of `env` end the game with it.

Whatever ends the game by its rules terminates it: connections, no legal move, repetitions, and
also `Rules.ply_limit`, by which the game is drawn like any other (`Rules.CODINGAME`,
`Rules.OPENSPIEL`). `max_plies` is not of the rules: it stops an episode after so many plies
without a result, which is a truncation, both rewards 0. If the last of these plies ends the game,
that is a termination and no truncation.

There is no chance in the game, so the seed of `reset` has nothing to do and its options mean
nothing. `env.unwrapped.board` is the `loa.Board`, for its outcome and everything else that it
tells. `copy.deepcopy` and pickling keep an episode as it stands.

Three render modes, none of which needs another package: `"ansi"` returns the board and the state
of the game as text; `"human"` prints this text after each reset and step, as the classic games
without a window do; `"rgb_array"` returns a picture, shape `(40 * size, 40 * size, 3)`.
"""

from __future__ import annotations

from typing import Any, ClassVar, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from loa import encodings
from loa._board import Board
from loa.integrations._environments import (
    RENDER_MODES,
    check_choice,
    check_plies,
    highest_planes,
    render,
)
from loa.rules import BLACK, WHITE, LoaError, Rules, shown

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as _error:
    raise ImportError(
        "loa.integrations.pettingzoo needs PettingZoo: pip install 'loa[pettingzoo]'"
    ) from _error

__all__ = ["env", "raw_env"]

_AGENTS = {BLACK: "black_0", WHITE: "white_0"}
_COLORS = {name: color for color, name in _AGENTS.items()}


def env(
    *,
    render_mode: str | None = None,
    rules: Rules = Rules.MSO,
    size: int = 8,
    setup: str = "standard",
    max_plies: SupportsIndex | None = None,
) -> Any:
    """The environment in PettingZoo's usual wrappers.

    `rules`, `size` and `setup` are those of `loa.Board`; `max_plies` truncates an episode after
    so many plies, None never. Bad values raise `loa.LoaError` or `TypeError`.

    >>> env(size=5, rules=loa.Rules.CODINGAME).observation_space("black_0")["observation"].shape
    (8, 5, 5)
    """
    wrapped = raw_env(
        render_mode=render_mode, rules=rules, size=size, setup=setup, max_plies=max_plies
    )
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801
    """The environment without wrappers: an action that is not legal raises `IllegalMoveError`.

    The name, the methods and the attributes are those that PettingZoo prescribes; `board` is the
    `loa.Board` of the episode. The arguments are those of `env`.

    >>> environment = raw_env(size=4)
    >>> environment.reset()
    >>> environment.step(8)
    >>> environment.agent_selection, environment.board.move_stack
    ('white_0', [Move.from_text('b1-b3')])
    """

    # The environments of PettingZoo itself have theirs in the class as well.
    metadata: ClassVar[dict[str, Any]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        "name": "lines_of_action_v0",
        "render_modes": [*RENDER_MODES],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        rules: Rules = Rules.MSO,
        size: int = 8,
        setup: str = "standard",
        max_plies: SupportsIndex | None = None,
    ) -> None:
        super().__init__()
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self.max_plies = check_plies(max_plies, 1)
        self.board = Board(size=size, setup=setup, rules=rules)
        if self.board.is_game_over():
            raise LoaError(f"under {rules} the game is over at once: expected one that goes on")
        self._start = self.board.copy()
        self.possible_agents = list(_COLORS)
        self.agents = self.possible_agents[:]
        self.agent_selection = _AGENTS[BLACK]
        self.action_spaces = {
            agent: spaces.Discrete(encodings.ACTIONS) for agent in self.possible_agents
        }
        highest = highest_planes(self.board.size)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(highest), highest, dtype=np.uint8),
                    "action_mask": spaces.Box(0, 1, (encodings.ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """The observation space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The action space of an agent, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. The game has no chance and no options: both arguments mean nothing."""
        self.board = self._start.copy()
        self.agents = self.possible_agents[:]
        self.agent_selection = _AGENTS[self.board.turn]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent sees now: its planes, and the mask of its legal actions."""
        if agent not in _COLORS:
            raise LoaError(f"agent is {shown(agent)}: expected {' or '.join(map(repr, _COLORS))}")
        planes = encodings.planes(self.board, view="absolute", dtype=np.uint8)
        if _COLORS[agent] is WHITE:
            planes[[0, 1]] = planes[[1, 0]]
        mask = np.zeros(encodings.ACTIONS, np.int8)
        if agent == self.agent_selection and not self._is_over(agent):
            mask[:] = encodings.legal_mask(self.board)
        return {"observation": planes, "action_mask": mask}

    def step(self, action: SupportsIndex | None) -> None:
        """Make the move of the agent whose turn it is; None once the game is over.

        Raises `InvalidMoveError` for a number that is no action and `IllegalMoveError` for an
        action that is not legal; both change nothing.
        """
        if self._is_over(self.agent_selection):
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError("action is None while the game goes on: expected an int")
        self.board.push(encodings.move_of(self.board, action))
        outcome = self.board.outcome()
        if outcome is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                self.rewards[_AGENTS[outcome.winner]] = 1
                self.rewards[_AGENTS[outcome.winner.opponent]] = -1
        elif self.max_plies is not None and self.board.ply >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = _AGENTS[self.board.turn]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The position in the render mode that the environment was made with."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode does nothing: give one to env()")
            return None
        return render(self.render_mode, self.board, self.board.outcome())

    def close(self) -> None:
        """Release what rendering holds, which is nothing."""

    def _is_over(self, agent: str) -> bool:
        # An agent is taken out of these once it has been told of the end.
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)
