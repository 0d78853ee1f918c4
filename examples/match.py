"""A match between two bots, with a score and how sure it is.

Each opening of some random plies is played twice, with colours changed. Every game has bots of its
own, made from the seed and the game's number, so that a match comes out the same however many
processes play it.

    python examples/match.py greedy uct --games 20 --seed 1
    python examples/match.py uct-eager:800 alpha-beta:1 --games 10 --processes 2

The score s of n games is (wins + draws / 2) / n. Its interval is that of E. B. Wilson (Journal of
the American Statistical Association 22, 1927) for a proportion, at 95 %, z = 1.96:

    (s + z²/2n ± z √(s (1 - s) / n + z²/4n²)) / (1 + z²/n)

Draws make results vary less than that takes for granted, so it is wide rather than narrow where
there are any. The difference in Elo that belongs to a score is -400 log10(1/s - 1).
"""

import argparse
import math
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from bots import BOTS, make_bot, play

import loa

Z = 1.96
# A limit for rules that have none: nobody waits for bots that go round in circles.
MAX_PLIES = 1000


def opening(rules: loa.Rules, plies: int, generator: random.Random) -> loa.Board:
    """A board after so many random plies, none of which has ended the game."""
    while True:
        board = loa.Board(rules=rules)
        while board.ply < plies and not board.is_game_over():
            board.push(generator.choice(board.legal_moves))
        if not board.is_game_over():
            return board


def play_game(
    first: str, second: str, rules: loa.Rules, plies: int, seed: int, number: int
) -> loa.Outcome:
    """The game of a number: the first bot has Black in even ones, the second in odd ones."""
    board = opening(rules, plies, random.Random(f"{seed} {number // 2}"))
    generator = random.Random(f"{seed} {number} bots")
    bots = [make_bot(text, generator.getrandbits(31)) for text in (first, second)]
    black, white = bots if number % 2 == 0 else reversed(bots)
    return play(board, black, white)


def wilson(score: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a score; the formula is above."""
    if score in (0, 1):
        # One bound is the score itself, which the formula meets but for rounding.
        bound = Z * Z / (games + Z * Z)
        return (1 - bound, 1.0) if score else (0.0, bound)
    centre = score + Z * Z / (2 * games)
    margin = Z * math.sqrt(score * (1 - score) / games + Z * Z / (4 * games * games))
    scale = 1 + Z * Z / games
    return (centre - margin) / scale, (centre + margin) / scale


def elo(score: float) -> float:
    """The difference in Elo that belongs to a score."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def table(first: str, second: str, outcomes: list[loa.Outcome]) -> str:
    """The result of a match as text."""
    lines = [f"{first} against {second}", "            games  won  drawn  lost  score"]
    sides = {"as Black": [0], "as White": [1], "together": [0, 1]}
    score = 0.5
    for name, parities in sides.items():
        winners = [
            (outcome.winner, number % 2)
            for number, outcome in enumerate(outcomes)
            if number % 2 in parities
        ]
        # In game number n the first bot's colour is n % 2.
        won = sum(winner == color for winner, color in winners if winner is not None)
        drawn = sum(winner is None for winner, _ in winners)
        score = (won + drawn / 2) / max(len(winners), 1)
        lost = len(winners) - won - drawn
        lines.append(f"  {name}  {len(winners):5}  {won:3}  {drawn:5}  {lost:4}  {score:.3f}")
    low, high = wilson(score, len(outcomes))
    lines.append(f"score {score:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    lines.append(f"Elo {elo(score):+.0f}, 95 % interval {elo(low):+.0f} to {elo(high):+.0f}")
    return "\n".join(lines)


def main() -> None:
    """Plays a match and prints the table."""
    parser = argparse.ArgumentParser(description="A match between two bots.")
    parser.add_argument("first", help=f"{', '.join(BOTS)}; with a budget behind a colon or not")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--opening-plies", type=int, default=4)
    parser.add_argument("--rules", default="openspiel", help="the rules that all bots know")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    if min(arguments.games, arguments.processes) < 1:
        parser.error("games and processes are to be 1 or more")
    try:
        for name in (arguments.first, arguments.second):
            make_bot(name, seed=0)
    except (ImportError, ValueError) as error:
        parser.error(str(error))
    rules = loa.Rules.by_name(arguments.rules)
    if rules.ply_limit is None:
        rules = rules.replace(ply_limit=MAX_PLIES)
    names = (arguments.first, arguments.second)
    game = partial(play_game, *names, rules, arguments.opening_plies, arguments.seed)
    outcomes = []
    with ProcessPoolExecutor(arguments.processes) as executor:
        for outcome in executor.map(game, range(arguments.games)):
            outcomes.append(outcome)
            print(f"game {len(outcomes)}: {outcome.result}", file=sys.stderr)
    print(table(*names, outcomes))


if __name__ == "__main__":
    main()
