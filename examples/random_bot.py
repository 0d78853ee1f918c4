"""A bot that plays at random: the least there is to a bot, and the first one to beat.

It shows the loop of a game: legal moves, a choice among them, `push`, `outcome`.

    python examples/random_bot.py --seed 7
"""

import argparse
import random

import loa


class RandomBot:
    """Takes legal moves, all equally likely; the seed decides which."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = random.Random(seed)

    def choose(self, board: loa.Board) -> loa.Move:
        """Any legal move."""
        return self.generator.choice(board.legal_moves)


def main() -> None:
    """Plays a game of the bot against itself."""
    parser = argparse.ArgumentParser(description="A game of random moves.")
    parser.add_argument("--seed", type=int, default=1, help="%(default)s unless given")
    bot = RandomBot(parser.parse_args().seed)
    board = loa.Board()
    while (outcome := board.outcome()) is None:
        board.push(bot.choose(board))
    print(board)
    winner = "nobody" if outcome.winner is None else outcome.winner
    print(f"{winner} has won after {board.ply} plies: {outcome.termination.value}")


if __name__ == "__main__":
    main()
