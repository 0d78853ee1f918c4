"""What a bot is, the bots by their names, and a game between two of them.

A bot is any object with a method `choose(board)` that returns a legal move; nothing needs to be
inherited. It may keep what it likes between moves, such as a generator of random numbers, so make
a new one for each game and each side.

    python examples/bots.py random greedy --seed 3

A bot of yours needs no entry here: a class in a file is named `my_bot.py:MyBot`. It gets a seed if
it has a parameter `seed`, and as `budget` the number of `my_bot.py:MyBot:1000`.
"""

import argparse
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

import loa

Made = TypeVar("Made")


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


# The texts that `make_bot` takes, for messages.
BOT_TEXTS = f"one of {', '.join(BOTS)}, or a class in a file, as in my_bot.py:MyBot"
_PARTS = re.compile(r"(?:(.+\.py):)?([^:]*)(?::(.*))?", re.DOTALL)


def _parts(text: str) -> tuple[str | None, str, str | None]:
    """The file, if there is one, the name in it or in `BOTS`, and the budget, if there is one."""
    found = _PARTS.fullmatch(text)
    assert found is not None  # as it fits any text
    file, name, budget = found.groups()
    return file, name, budget


def bot_name(text: str) -> str:
    """What a bot is called in games and messages: its text without the file."""
    file, _, _ = _parts(text)
    return text if file is None else text.removeprefix(f"{file}:")


def make_bot(text: str, seed: int) -> Bot:
    """The bot of a name or of a class in a file, which a budget may follow.

    `greedy`, `alpha-beta:3`, `my_bot.py:MyBot` and `my_bot.py:MyBot:1000` are such texts.

    Raises `ValueError` for any other text, `ImportError` where a module is missing, and `BotError`
    for all else that goes wrong while the bot is made.
    """
    file, name, number = _parts(text)
    if file is None and name not in BOTS:
        raise ValueError(f"bot {text!r}: expected {BOT_TEXTS}")
    if number is not None and not (number.isascii() and number.isdigit() and int(number)):
        raise ValueError(f"bot {text!r}: expected a number of 1 or more after the colon")
    if file is not None:
        return _bot_of_file(text, Path(file), name, number, seed)
    make, budget = BOTS[name]
    try:
        return make(budget if number is None else int(number), seed)
    except (ImportError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise BotError(f"{text}: {_what_and_where(error)}") from None


def _bot_of_file(text: str, file: Path, name: str, number: str | None, seed: int) -> Bot:
    if not file.is_file():
        raise ValueError(f"bot {text!r}: there is no file {file}")
    module = _tried(text, lambda: _module_of(file.resolve()))
    kinds = {
        key: kind
        for key, kind in vars(module).items()
        if isinstance(kind, type) and hasattr(kind, "choose")
    }
    if name not in kinds:
        expected = f"one of {', '.join(kinds)}" if kinds else "a class with a method choose"
        raise ValueError(f"bot {text!r}: the file has no bot {name!r}: expected {expected}")
    arguments = {} if number is None else {"budget": int(number)}

    def make() -> Bot:
        if "seed" in inspect.signature(kinds[name]).parameters:
            arguments["seed"] = seed
        bot: Bot = kinds[name](**arguments)
        return bot

    return _tried(text, make, kinds[name])


@cache
def _module_of(file: Path) -> ModuleType:
    """The module in a file, which finds others in its own folder."""
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    # Two files of one name, say two versions of a bot, are two modules.
    name = str(file) if file.stem in sys.modules else file.stem
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None and specification.loader is not None  # as it ends in .py
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _tried(text: str, make: Callable[[], Made], kind: type[Any] | None = None) -> Made:
    """What is made of a bot's file, or of its class; errors of it say where they come from."""
    try:
        return make()
    except KeyboardInterrupt:
        raise
    # Some libraries end the program where they find something wrong.
    except BaseException as error:
        message = f"{text}: {_what_and_where(error, kind)}"
        if isinstance(error, ImportError):
            raise ImportError(message) from None
        raise BotError(message) from None


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
    except KeyboardInterrupt:
        raise
    # Some libraries end the program where they find something wrong.
    except BaseException as error:
        raise BotError(_what_and_where(error, position=position)) from None
    if board != position or board.move_stack != moves:
        what = f"the board came back as {board.fen()}: expected a pop for each push"
        raise BotError(f"{what} ({position.fen()})")
    if not isinstance(move, loa.Move):
        choice = _text(repr, move)
        raise BotError(f"the choice is {choice}: expected a loa.Move ({position.fen()})")
    return move


def _text(make: Callable[[object], str], value: object) -> str:
    """What `str` or `repr` makes of something that is a bot's, and may fail at it."""
    try:
        return make(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<{type(value).__name__} whose {make.__name__} fails: {type(error).__name__}>"


def _what_and_where(
    error: BaseException, kind: type[Any] | None = None, position: loa.Board | None = None
) -> str:
    """An error, and below it the last lines of a traceback, without those of this file."""
    what = f"{type(error).__name__}: {_text(str, error)}"
    if position is not None:
        what += f" ({position.fen()})"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != _parts.__code__.co_filename
        and not frame.filename.startswith("<frozen importlib")
    ]
    if not frames and kind is not None:
        # The arguments were wrong, and nothing of the class has been run.
        try:
            line = inspect.getsourcelines(kind)[1]
            frames = [traceback.FrameSummary(inspect.getfile(kind), line, kind.__name__)]
        except (OSError, TypeError):  # It is not from a file with Python in it.
            pass
    return f"{what}\n{''.join(traceback.format_list(frames[-5:]))}".rstrip()


def main() -> None:
    """Shows one game."""
    parser = argparse.ArgumentParser(description="Two bots play a game.")
    parser.add_argument("black", help=f"a bot: {BOT_TEXTS}, with ':budget' behind it or not")
    parser.add_argument("white", help="a bot")
    parser.add_argument("--seed", type=int, default=1, help="%(default)s unless given")
    arguments = parser.parse_args()
    texts = (arguments.black, arguments.white)
    # All bots know these rules, OpenSpiel's no others.
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    try:
        black, white = (make_bot(text, arguments.seed + side) for side, text in enumerate(texts))
        outcome = play(board, black, white, (bot_name(texts[0]), bot_name(texts[1])))
    except (ImportError, ValueError) as error:
        parser.error(str(error))
    except BotError as error:
        sys.exit(str(error))
    print(*board.move_stack)
    print(board)
    print(f"{outcome.result} after {board.ply} plies: {outcome.termination.value}")


if __name__ == "__main__":
    main()
