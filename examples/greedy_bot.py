"""A bot that looks one ply ahead: an evaluation, and the move after which it is best.

The evaluation asks how far a side is from its goal, to have all pieces in one group:

- concentration: how far the pieces lie from their centre of mass, in king's moves and on average.
  It is the feature that counts most in MIA (Winands, van den Herik and Uiterwijk, *An Evaluation
  Function for Lines of Action*, Advances in Computer Games 10, 2003), here without the corrections
  made there;
- groups: how many there are to be joined.

It prints what the bot thinks of the moves in a position:

    python examples/greedy_bot.py --fen '1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1'
"""

import argparse
import random

import loa

WIN = 1000.0
GROUP = 0.1  # what one group more is worth, in squares of mean distance


def _distance(a: int, b: int) -> int:
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8))


DISTANCES = [[_distance(a, b) for b in range(64)] for a in range(64)]


def scatter(board: loa.Board, color: loa.Color) -> float:
    """How far the pieces of a colour are from being one group; less is better."""
    squares = loa.squares(board.white if color else board.black)
    count = len(squares)
    file = round(sum(square % 8 for square in squares) / count)
    rank = round(sum(square // 8 for square in squares) / count)
    distances = DISTANCES[8 * rank + file]
    total = sum([distances[square] for square in squares])
    return total / count + GROUP * len(board.groups(color))


def evaluate(board: loa.Board) -> float:
    """The value for the side to move: from -WIN, it has lost, to WIN; 0 for a draw."""
    outcome = board.outcome()
    if outcome is None:
        return scatter(board, board.turn.opponent) - scatter(board, board.turn)
    if outcome.winner is None:
        return 0.0
    return WIN if outcome.winner is board.turn else -WIN


class GreedyBot:
    """Takes the move after which the position is worst for the opponent, any of equals."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = random.Random(seed)

    def rank(self, board: loa.Board) -> list[tuple[float, loa.Move]]:
        """The legal moves with their values, the best ones first."""
        values = []
        for move in board.legal_moves:
            board.push(move)
            values.append((-evaluate(board), move))
            board.pop()
        return sorted(values, key=lambda pair: -pair[0])

    def choose(self, board: loa.Board) -> loa.Move:
        """The best move."""
        ranked = self.rank(board)
        return self.generator.choice([move for value, move in ranked if value == ranked[0][0]])


def main() -> None:
    """Prints the best moves in a position."""
    parser = argparse.ArgumentParser(description="The best moves, looking one ply ahead.")
    parser.add_argument("--fen", help="a position; the start unless given")
    board = loa.Board(parser.parse_args().fen)
    for value, move in GreedyBot().rank(board)[:5]:
        print(f"{board.move_text(move)}  {value:+.3f}")


if __name__ == "__main__":
    main()
