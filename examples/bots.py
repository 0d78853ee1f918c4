"""What a bot is, the bots by their names, and a game between two of them.

A bot is any object with a method `choose(board)` that returns a legal move; nothing needs to be
inherited. It may keep what it likes between moves, such as a generator of random numbers, so make
a new one for each game and each side.

    python examples/bots.py random greedy --seed 3
"""

import argparse
import importlib
import sys
import traceback
from collections.abc import Callable
from typing import Protocol

import loa


class Bot(Protocol):
    """A player."""

    def choose(self, board: loa.Board) -> loa.Move:
        """A legal move on a board whose game goes on; the board comes back as it was."""
        ...


class BotError(Exception):
    """What a bot has done wrong, in words."""


def _random(budget: int, seed: int) -> Bot:
    from random_bot import RandomBot

    return RandomBot(seed)


def _greedy(budget: int, seed: int) -> Bot:
    from greedy_bot import GreedyBot

    return GreedyBot(seed)


def _alpha_beta(budget: int, seed: int) -> Bot:
    from alpha_beta_bot import AlphaBetaBot

    return AlphaBetaBot(depth=budget)


def _uct(budget: int, seed: int) -> Bot:
    from uct_bot import UctBot

    return UctBot(budget, seed)


def _uct_eager(budget: int, seed: int) -> Bot:
    from uct_bot import EAGER, UctBot

    return UctBot(budget, seed, EAGER)


def _uct_cython(budget: int, seed: int) -> Bot:
    module = importlib.import_module("uct_cython")
    if not hasattr(module, "UctBot"):
        # Not the module but the folder with its sources.
        raise ImportError("uct-cython is not installed: pip install ./examples/uct_cython")
    bot: Bot = module.UctBot(budget, seed)
    return bot


def _openspiel(budget: int, seed: int) -> Bot:
    from openspiel_bot import OpenSpielBot

    return OpenSpielBot(budget, seed)


# The function that makes a bot from a budget and a seed, and the budget unless another is given:
# plies for alpha-beta, random games for the tree searches.
BOTS: dict[str, tuple[Callable[[int, int], Bot], int]] = {
    "random": (_random, 0),
    "greedy": (_greedy, 0),
    "alpha-beta": (_alpha_beta, 2),
    "uct": (_uct, 1000),
    "uct-eager": (_uct_eager, 1000),
    "uct-cython": (_uct_cython, 1000),
    "openspiel": (_openspiel, 1000),
}


def make_bot(text: str, seed: int) -> Bot:
    """The bot of a name, which a budget may follow: `greedy`, `alpha-beta:3`, `uct:500`.

    Raises `ValueError` for any other text, `ImportError` where a module is missing, and `BotError`
    for all else that goes wrong while the bot is made.
    """
    name, colon, number = text.partition(":")
    if name not in BOTS:
        raise ValueError(f"bot {text!r}: expected one of {', '.join(BOTS)}")
    make, budget = BOTS[name]
    if colon:
        if not (number.isascii() and number.isdigit() and int(number)):
            raise ValueError(f"bot {text!r}: expected a number of 1 or more after the colon")
        budget = int(number)
    try:
        return make(budget, seed)
    except ImportError:
        raise
    except Exception as error:
        raise BotError(f"{text}: {type(error).__name__}: {error}\n{_way_to(error)}") from None


def play(
    board: loa.Board, black: Bot, white: Bot, names: tuple[str, str] = ("the bot", "the bot")
) -> loa.Outcome:
    """Plays on until the game is over; Black's and White's `names` are for a `BotError`."""
    bots = {loa.BLACK: black, loa.WHITE: white}
    while (outcome := board.outcome()) is None:
        player = f"{names[board.turn]} ({board.turn}), ply {board.ply + 1}"
        try:
            board.push(_choice(bots[board.turn], board))
        except (BotError, loa.IllegalMoveError) as error:
            raise BotError(f"{player}: {error}") from None
    return outcome


def _choice(bot: Bot, board: loa.Board) -> loa.Move:
    """What a bot chooses; `BotError`, with the position at the end, unless it does so properly."""
    position, moves = board.copy(), board.move_stack
    try:
        move = bot.choose(board)
    # Some libraries end the program where they find something wrong.
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error} ({position.fen()})"
        raise BotError(f"{what}\n{_way_to(error)}") from None
    if board != position or board.move_stack != moves:
        what = f"the board came back as {board.fen()}: expected a pop for each push"
        raise BotError(f"{what} ({position.fen()})")
    if not isinstance(move, loa.Move):
        raise BotError(f"the choice is {move!r}: expected a loa.Move ({position.fen()})")
    return move


def _way_to(error: BaseException) -> str:
    """The last lines of a traceback, without that of this file, which it begins with."""
    assert error.__traceback__ is not None
    return "".join(traceback.format_tb(error.__traceback__.tb_next)[-5:]).rstrip()


def main() -> None:
    """Shows one game."""
    parser = argparse.ArgumentParser(description="Two bots play a game.")
    parser.add_argument("black", help=f"a bot: {', '.join(BOTS)}, with ':budget' behind it or not")
    parser.add_argument("white", help="a bot")
    parser.add_argument("--seed", type=int, default=1, help="%(default)s unless given")
    arguments = parser.parse_args()
    names = (arguments.black, arguments.white)
    # All bots know these rules, OpenSpiel's no others.
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    try:
        black, white = (make_bot(name, arguments.seed + side) for side, name in enumerate(names))
        outcome = play(board, black, white, names)
    except (ImportError, ValueError) as error:
        parser.error(str(error))
    except BotError as error:
        sys.exit(str(error))
    print(*board.move_stack)
    print(board)
    print(f"{outcome.result} after {board.ply} plies: {outcome.termination.value}")


if __name__ == "__main__":
    main()
