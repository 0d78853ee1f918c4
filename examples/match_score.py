"""The score of a match: its interval, the difference in Elo, the table.

The score s of n games is (wins + draws / 2) / n. Its interval is that of E. B. Wilson (Journal of
the American Statistical Association 22, 1927) for a proportion, at 95 %, z = 1.96:

    (s + z²/2n ± z √(s (1 - s) / n + z²/4n²)) / (1 + z²/n)

Draws make results vary less than that takes for granted, so it is wide rather than narrow where
there are any. The difference in Elo that belongs to a score is -400 log10(1/s - 1).
"""

import math

import loa

Z = 1.96


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
