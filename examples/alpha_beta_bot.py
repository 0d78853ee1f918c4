"""Alpha-beta in plain Python: `push` and `pop`, deeper and deeper, with a transposition table.

Positions are recognised by `board.key`. What is kept of them is a value, exact or a bound, how deep
it was searched, and the best move, which the next, deeper search looks at first: that spares it
more than the values do. Under rules with draws by repetition a value also depends on how
a position was reached, which the table does not see; the search itself does, as the board knows.

    python examples/alpha_beta_bot.py --seconds 1
    python examples/alpha_beta_bot.py --depth 3 --fen '8/8/2bwb3/2bbb3/2www3/2wbw3/8/8 b 1'
"""

import argparse
import math
import time
from typing import NamedTuple

from greedy_bot import WIN, evaluate

import loa

DEEPEST = 64
# A win is worth more the sooner it comes: WIN at once, one less for each ply.
LEAST_WIN = WIN - 2 * DEEPEST


class Entry(NamedTuple):
    """What a search of `depth` plies found `ply` plies from the root: bounds of the value."""

    ply: int
    depth: int
    lower: float
    upper: float
    move: loa.Move


class OutOfTimeError(Exception):
    """Raised in the midst of a search."""


class AlphaBetaBot:
    """Searches `depth` plies, or as deep as `seconds` allow, or both."""

    def __init__(self, depth: int | None = None, seconds: float | None = None) -> None:
        if depth is None and seconds is None:
            raise ValueError("neither depth nor seconds: expected at least one of them")
        self.depth = min(depth or DEEPEST, DEEPEST)
        self.seconds = seconds
        self.table: dict[int, Entry] = {}
        self.deadline = math.inf
        self.nodes = 0

    def choose(self, board: loa.Board) -> loa.Move:
        """The best move of the deepest search that was finished."""
        return self.search(board)[-1][2]

    def search(self, board: loa.Board) -> list[tuple[int, float, loa.Move]]:
        """The depth, value and best move of one search after another."""
        self.table.clear()
        self.nodes = 0
        self.deadline = math.inf
        found: list[tuple[int, float, loa.Move]] = []
        start = time.monotonic()
        for depth in range(1, self.depth + 1):
            try:
                # Out of time, a board stays where the search was: so it gets one of its own.
                value = self.value(board.copy(), depth, 0, -math.inf, math.inf)
            except OutOfTimeError:
                break
            found.append((depth, value, self.table[board.key].move))
            if abs(value) >= LEAST_WIN:
                break
            # The first search is always finished.
            if self.seconds is not None:
                self.deadline = start + self.seconds
        return found

    def value(self, board: loa.Board, depth: int, ply: int, alpha: float, beta: float) -> float:
        """The value for the side to move, or a bound of it where it is not in (alpha, beta)."""
        self.nodes += 1
        if time.monotonic() > self.deadline:
            raise OutOfTimeError
        if depth == 0 or board.is_game_over():
            value = evaluate(board)
            return value - math.copysign(ply, value) if abs(value) == WIN else value
        known = self.table.get(board.key)
        # Values of wins count plies from the root, so others are not comparable.
        if known is not None and (known.ply, known.depth) == (ply, depth):
            if known.lower >= beta or known.lower == known.upper:
                return known.lower
            if known.upper <= alpha:
                return known.upper
        moves = sorted(board.legal_moves, key=board.is_capture, reverse=True)
        if known is not None:
            moves.sort(key=lambda move: move != known.move)
        best, best_move = -math.inf, moves[0]
        for move in moves:
            board.push(move)
            value = -self.value(board, depth - 1, ply + 1, -beta, -max(alpha, best))
            board.pop()
            if value > best:
                best, best_move = value, move
            if best >= beta:
                break
        lower = best if best > alpha else -math.inf
        upper = best if best < beta else math.inf
        self.table[board.key] = Entry(ply, depth, lower, upper, best_move)
        return best


def main() -> None:
    """Prints what each depth finds in a position."""
    parser = argparse.ArgumentParser(description="Alpha-beta on a position.")
    parser.add_argument("--fen", help="a position; the start unless given")
    parser.add_argument("--depth", type=int, help="as deep as the time allows unless given")
    parser.add_argument("--seconds", type=float, default=10.0, help="%(default)s unless given")
    arguments = parser.parse_args()
    board = loa.Board(arguments.fen)
    bot = AlphaBetaBot(arguments.depth, arguments.seconds)
    for depth, value, move in bot.search(board):
        print(f"depth {depth}  {board.move_text(move)}  {value:+.3f}")
    print(f"{bot.nodes:,} nodes")


if __name__ == "__main__":
    main()
