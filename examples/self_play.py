"""Self-play data for learning: files of positions, policies and results from `loa.BoardBatch`.

All games of a file are stepped together: planes and masks of all boards, a policy for all of them
(a network's, in earnest), an action drawn from it for each, one step. Games are played to their
ends rather than for a number of steps, which would favour short ones.

    python examples/self_play.py data --files 2 --games 16

A file has one entry for each position in which a move was made:

    planes    (positions, 8, size, size) uint8   the observation, `loa.encodings.planes`
    masks     (positions, 513) bool              the legal actions
    policies  (positions, 513) float16           their probabilities under the policy
    actions   (positions,) int16                 the action taken
    results   (positions,) int8                  1 if the mover has won in the end, -1 lost, 0 drawn
    games     (positions,) int32                 the number of the game in the file
    settings  () str                             what was asked for, and the version of encodings

What is in a file depends on the settings and its number alone. A file that is there is kept, so
the same command goes on where it was stopped; it gets its name once it is complete.
"""

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import loa
from loa import encodings

Array = NDArray[Any]
Arrays = dict[str, Any]
# From planes and masks to probabilities of actions, each for many boards.
Policy = Callable[[Array, Array], Array]


def uniform_policy(planes: Array, masks: Array) -> Array:
    """All legal actions equally likely; a network stands here."""
    probabilities: Array = masks / masks.sum(axis=1, keepdims=True)
    return probabilities


def draw_actions(policies: Array, generator: np.random.Generator) -> Array:
    """An action for each row, drawn from its probabilities."""
    # The greatest of log(p) + Gumbel noise has the probability p, so one argmax does for all rows.
    with np.errstate(divide="ignore"):
        noisy = np.log(policies) + generator.gumbel(size=policies.shape)
    actions: Array = noisy.argmax(axis=1)
    return actions


def play_games(games: int, size: int, max_plies: int, policy: Policy, seed: Any) -> Arrays:
    """The arrays of one file, without the settings; games of `max_plies` are drawn."""
    generator = np.random.default_rng(seed)
    batch = loa.BoardBatch(games, size=size, rules=loa.Rules.MSO.replace(ply_limit=max_plies))
    steps: list[Arrays] = []
    turns: list[Array] = []
    while not batch.terminated.all():
        rows = np.flatnonzero(~batch.terminated)
        planes, masks = batch.planes(dtype=np.uint8)[rows], batch.legal_mask()[rows]
        policies = policy(planes, masks)
        actions = np.full(games, -1)
        actions[rows] = draw_actions(policies, generator)
        turns.append(batch.turns[rows])
        steps.append(
            {
                "planes": planes,
                "masks": masks,
                "policies": policies.astype(np.float16),
                "actions": actions[rows].astype(np.int16),
                "games": rows.astype(np.int32),
            }
        )
        batch.step(actions)
    arrays = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    winners = batch.winners[arrays["games"]]
    won = np.where(winners == np.concatenate(turns), 1, -1)
    return arrays | {"results": np.where(winners < 0, 0, won).astype(np.int8)}


def write_file(path: Path, arrays: Arrays, settings: str) -> None:
    """Writes a whole file or none."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, settings=np.array(settings), **arrays)
    os.replace(unfinished, path)


def main() -> None:
    """Writes the files that are not there yet."""
    parser = argparse.ArgumentParser(description="Writes files of self-play data.")
    parser.add_argument("folder", type=Path, help="made if it is not there")
    add = partial(parser.add_argument, type=int, metavar="N")
    add("--files", default=1, help="how many, %(default)s unless given")
    add("--games", default=64, help="in each file, %(default)s unless given")
    add("--size", default=8, help="of the boards, 3 to 8, %(default)s unless given")
    add("--max-plies", default=500, help="after which a game is drawn, %(default)s unless given")
    add("--seed", default=1, help="%(default)s unless given")
    options = parser.parse_args()
    names = ("games", "size", "max_plies", "seed")
    asked = {name: getattr(options, name) for name in names} | {"encodings": encodings.VERSION}
    settings = json.dumps(asked)
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.files):
        path = options.folder / f"games-{number:05}.npz"
        if path.exists():
            with np.load(path) as there:
                if str(there["settings"]) != settings:
                    parser.error(f"{path} has other settings: {there['settings']}")
            print(f"{path}: there already")
            continue
        arrays = play_games(
            options.games, options.size, options.max_plies, uniform_policy, (options.seed, number)
        )
        write_file(path, arrays, settings)
        print(f"{path}: {options.games} games, {len(arrays['results']):,} positions")


if __name__ == "__main__":
    main()
