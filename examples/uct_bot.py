"""UCT, the Monte-Carlo tree search of Kocsis and Szepesvári (ECML 2006), on `loa.playouts`.

The tree is made of Python objects, and the board walks along with `push` and `pop`; the random
games that judge a leaf are played by one call, which costs less than a step in the tree. So each
leaf gets several games, and their mean says more than one game would.

It prints how often the best moves of a position were visited, and what they are worth:

    python examples/uct_bot.py --games 4000 --fen '4w2b/8/8/3w2b1/4w1b1/1www2b1/2b4b/2b5 w 1'
"""

import argparse
import math
import random

import loa

EXPLORATION = 0.7  # the weight of curiosity, for results from 0 (lost) to 1 (won)
LEAF_GAMES = 8
# Random games in which sides gather their pieces say more than uniform ones (see README.md).
EAGER = loa.PlayoutPolicy.from_factors(capture=3, closer=20, farther=0.1, into_edge=0.3)


class Node:
    """A position, known by the move that led there; `value` is for the side that made it."""

    __slots__ = ("children", "move", "value", "visits")

    def __init__(self, move: loa.Move) -> None:
        self.move = move
        self.visits = 0
        self.value = 0.0
        self.children: list[Node] = []

    def best_child(self) -> "Node":
        """The child with the best upper confidence bound, one not yet visited before all others."""
        curiosity = EXPLORATION * math.sqrt(math.log(self.visits))
        best, best_bound = self.children[0], -math.inf
        for child in self.children:
            if not child.visits:
                return child
            bound = child.value / child.visits + curiosity / math.sqrt(child.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        return best


class UctBot:
    """Plays `games` random games for a move, eight at each leaf, by a policy or uniformly."""

    def __init__(
        self, games: int = 1000, seed: int = 0, policy: loa.PlayoutPolicy | None = None
    ) -> None:
        self.iterations = max(2, games // LEAF_GAMES)
        self.generator = random.Random(seed)
        self.policy = policy

    def choose(self, board: loa.Board) -> loa.Move:
        """The move most visited."""
        return max(self.search(board).children, key=lambda child: child.visits).move

    def search(self, board: loa.Board) -> Node:
        """The root of the tree, whose children are the legal moves."""
        root = Node(loa.Move.PASS)
        for _ in range(self.iterations):
            path = [root]
            while path[-1].children:
                path.append(path[-1].best_child())
                board.push(path[-1].move)
            # A leaf's moves get nodes when it is reached for the second time.
            if path[-1].visits and not board.is_game_over():
                path[-1].children = [Node(move) for move in board.legal_moves]
                self.generator.shuffle(path[-1].children)
                path.append(path[-1].children[0])
                board.push(path[-1].move)
            value = self.judge(board)
            for node in reversed(path):
                node.visits += 1
                node.value += value
                value = 1 - value
            for _ in path[1:]:
                board.pop()
        return root

    def judge(self, board: loa.Board) -> float:
        """The mean result of random games, from 0 to 1, for the side that has just moved."""
        outcome = board.outcome()
        if outcome is None:
            seed = self.generator.getrandbits(63)
            games = loa.playouts(board, LEAF_GAMES, seed=seed, policy=self.policy)
            black = 0.5 + (games.black_wins - games.white_wins) / (2 * LEAF_GAMES)
        else:
            black = 0.5 if outcome.winner is None else float(outcome.winner is loa.BLACK)
        return 1 - black if board.turn is loa.BLACK else black


def main() -> None:
    """Prints the moves most visited in a position."""
    parser = argparse.ArgumentParser(description="A Monte-Carlo tree search on a position.")
    parser.add_argument("--fen", help="a position; the start unless given")
    parser.add_argument("--games", type=int, default=4000, help="%(default)s unless given")
    parser.add_argument("--seed", type=int, default=1, help="%(default)s unless given")
    parser.add_argument("--eager", action="store_true", help="random games by a policy")
    arguments = parser.parse_args()
    board = loa.Board(arguments.fen)
    policy = EAGER if arguments.eager else None
    children = UctBot(arguments.games, arguments.seed, policy).search(board).children
    for child in sorted(children, key=lambda child: -child.visits)[:5]:
        text = board.move_text(child.move)
        print(f"{text}  visits {child.visits:5}  worth {child.value / max(child.visits, 1):.3f}")


if __name__ == "__main__":
    main()
