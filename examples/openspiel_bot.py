"""OpenSpiel's MCTS bot as a player: `loa.integrations.openspiel` carries the game over.

A bot of OpenSpiel wants a `pyspiel.State` and answers with an action. `to_state(board)` replays
the board's moves on a state, so that the bot sees repetitions and the length of the game as the
board does. The rules have to be `loa.Rules.OPENSPIEL`.

    pip install 'loa[openspiel]'
    python examples/openspiel_bot.py --simulations 200
"""

import argparse

import loa
from loa.encodings import move_of_openspiel_action
from loa.integrations.openspiel import to_state  # says what to install where it is missing

import pyspiel  # isort: skip

EXPLORATION = 1.4  # the weight of curiosity, for results from -1 (lost) to 1 (won)


class OpenSpielBot:
    """OpenSpiel's tree search, with one random game at each leaf; the seed is below 2**31."""

    def __init__(self, simulations: int = 1000, seed: int = 0) -> None:
        limit = loa.Rules.OPENSPIEL.ply_limit
        self.game = pyspiel.load_game("lines_of_action", {"max_game_length": limit})
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        # With the solver, as in OpenSpiel's own mcts_example, and with 0 for no limit of memory.
        self.bot = pyspiel.MCTSBot(
            self.game, evaluator, EXPLORATION, simulations, 0, True, seed, False
        )

    def choose(self, board: loa.Board) -> loa.Move:
        """The bot's move; `loa.LoaError` under rules that OpenSpiel does not know."""
        return move_of_openspiel_action(board, self.bot.step(to_state(board, self.game)))


def main() -> None:
    """Prints the bot's first move."""
    parser = argparse.ArgumentParser(description="The first move of OpenSpiel's MCTS bot.")
    parser.add_argument("--simulations", type=int, default=200, help="%(default)s unless given")
    parser.add_argument("--seed", type=int, default=1, help="%(default)s unless given")
    arguments = parser.parse_args()
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    print(OpenSpielBot(arguments.simulations, arguments.seed).choose(board))


if __name__ == "__main__":
    main()
