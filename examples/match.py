"""A match between two bots, with a score and how sure it is.

Each opening of some random plies is played twice, with colours changed. Every game has bots of its
own, made from the seed and the game's number, so that a match comes out the same however many
processes play it. `match_score.py` says how the score is judged.

    python examples/match.py greedy uct --games 20 --seed 1
    python examples/match.py uct-eager:800 alpha-beta:1 --games 10 --processes 2 --save games.pgn

A bot is named as `bots.py` says, one of yours by its file and class: `my_bot.py:MyBot`.

`loa stats` and `loa replay` read the games that are saved. A bot that fails, or chooses anything
but a legal move, ends the match, and so do Ctrl-C and SIGTERM; the games before are saved.
"""

import argparse
import multiprocessing
import os
import random
import shlex
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Self

from bots import BOT_TEXTS, BotError, bot_name, make_bot, play
from match_score import table

import loa

# A limit for rules that have none: nobody waits for bots that go round in circles.
MAX_PLIES = 1000
# Far more random plies than these end most games.
MAX_OPENING_PLIES = 100
# For each process, so that it need not wait for the next one.
GAMES_AHEAD = 100
SUFFIXES = tuple(suffix for each in loa.records.FORMATS.values() for suffix in each.suffixes)


def rules_of(name: str) -> loa.Rules:
    """The rules of this name, with a limit."""
    rules = loa.Rules.by_name(name)
    return rules if rules.ply_limit is not None else rules.replace(ply_limit=MAX_PLIES)


def opening(rules: loa.Rules, plies: int, generator: random.Random) -> loa.Board:
    """A board after so many random plies, none of which has ended the game."""
    while True:
        board = loa.Board(rules=rules)
        while board.ply < plies and not board.is_game_over():
            board.push(generator.choice(board.legal_moves))
        if not board.is_game_over():
            return board


def players(first: str, second: str, number: int) -> tuple[str, str]:
    """The names of Black and White in a game: the first bot has Black in even ones, else White."""
    first, second = bot_name(first), bot_name(second)
    if first == second:
        first, second = f"{first} (1)", f"{second} (2)"
    return (first, second) if number % 2 == 0 else (second, first)


def play_game(
    first: str, second: str, rules: str, plies: int, seed: int, number: int
) -> tuple[loa.Game, loa.Outcome]:
    """The game of a number, after an opening of so many plies."""
    board = opening(rules_of(rules), plies, random.Random(f"{seed} {number // 2}"))
    names = players(first, second, number)
    generator = random.Random(f"{seed} {number} bots")
    try:
        bots = [make_bot(text, generator.getrandbits(31)) for text in (first, second)]
        black, white = bots if number % 2 == 0 else reversed(bots)
        outcome = play(board, black, white, names)
    # A bot that could be made before the match may fail to be made again.
    except (BotError, ImportError, ValueError) as error:
        raise BotError(f"game {number + 1}: {error}") from None
    headers = {"id": f"game-{number + 1}", "black": names[0], "white": names[1], "rules": rules}
    headers |= {"result": outcome.result, "termination": outcome.termination.value}
    return loa.Game.from_board(board, headers), outcome


class Interruption:
    """Ctrl-C or SIGTERM raises `KeyboardInterrupt`, but the first while they are held is noted.

    They are held where there are other processes, lest one is half started and left behind, and
    where the games are saved. What else answers them is put back at the end of the block `with`.
    """

    def __init__(self) -> None:
        self.has_come = self.is_held = False
        numbers = (signal.SIGINT, signal.SIGTERM)
        self.before = {number: signal.getsignal(number) for number in numbers}

    def __enter__(self) -> Self:
        for number, handler in self.before.items():
            # Whoever has it ignored means it.
            if handler is not signal.SIG_IGN:
                signal.signal(number, self.come)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def hold(self) -> None:
        """Note the next one, and let the one after that raise."""
        self.has_come, self.is_held = False, True

    def come(self, number: int, frame: object) -> None:
        """The handler of the signals."""
        if self.has_come or not self.is_held:
            raise KeyboardInterrupt
        self.has_come = True


def begin_process() -> None:
    """Leaves the answer to Ctrl-C, which comes to all processes, to the first of them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def play_games(
    game: Callable[[int], tuple[loa.Game, loa.Outcome]],
    games: int,
    processes: int,
    interruption: Interruption,
) -> Iterator[tuple[loa.Game, loa.Outcome]]:
    """The games in their order; with one process they are played in this one."""
    if processes == 1:
        yield from map(game, range(games))
        return
    interruption.hold()
    numbers = iter(range(games))
    with ProcessPoolExecutor(processes, initializer=begin_process) as executor:
        try:
            ahead = islice(numbers, GAMES_AHEAD * processes)
            results = deque(executor.submit(game, number) for number in ahead)
            while results:
                while not (interruption.has_come or results[0].done()):
                    wait([results[0]], timeout=0.1)
                if interruption.has_come:
                    raise KeyboardInterrupt
                results.extend(executor.submit(game, number) for number in islice(numbers, 1))
                yield results.popleft().result()
        except BaseException:
            # Nobody waits for games whose results are not asked for any more.
            for process in multiprocessing.active_children():
                process.kill()
            if interruption.has_come:
                # What came to all processes may have ended the others first.
                raise KeyboardInterrupt from None
            raise


def result_line(number: int, game: loa.Game, outcome: loa.Outcome) -> str:
    """Who has won a game, and how."""
    how = f"{outcome.termination.value}, {len(game.moves)} plies"
    if outcome.winner is None:
        return f"game {number}: {outcome.result}, drawn ({how})"
    winner = game.headers[str(outcome.winner).lower()]
    return f"game {number}: {outcome.result}, {winner} has won with {outcome.winner} ({how})"


def games_file(text: str) -> Path:
    """The path of a file that games can be written to, which is left as it is."""
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES:
        raise argparse.ArgumentTypeError(f"{text}: expected a name with {', '.join(SUFFIXES)}")
    if os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{text}: expected a file, and this is a folder")
    # That of the file behind a link, which need not be there.
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {folder}")
    try:
        with suppress(FileNotFoundError):
            path.stat()  # which fails for a name that is too long
        # Games are written to a new file, which is renamed, but to a pipe or a device as it is.
        if path.is_file() or not path.exists():
            tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: cannot be written: {error.strerror}") from None
    return path


def save(games: list[loa.Game], path: Path, rules: str) -> list[str]:
    """Writes the games of a match and says so; returns what went wrong."""
    try:
        # A format without a place for the names of the bots leaves them out.
        loa.write_games(games, path, lossy=True)
    except OSError as error:
        return [f"{path}: cannot be written: {error.strerror}"]
    except KeyboardInterrupt:
        return [f"{path}: interrupted while the games were written"]
    command = shlex.join(["loa", "replay", str(path), "--rules", rules])
    print(f"{len(games)} saved, to be read with {command}", file=sys.stderr)
    return []


def main() -> None:
    """Plays a match and prints the table."""
    parser = argparse.ArgumentParser(description="A match between two bots.")
    add = partial(parser.add_argument, metavar="N", type=int)
    parser.add_argument("first", help=f"a bot: {BOT_TEXTS}, with ':budget' behind it or not")
    parser.add_argument("second", help="a bot")
    add("--games", default=20, help="how many, %(default)s unless given")
    add("--opening-plies", default=4, help="random ones, %(default)s unless given")
    add("--seed", default=1, help="decides openings and bots, %(default)s unless given")
    add("--processes", default=1, help="games played at a time, %(default)s unless given")
    parser.add_argument(
        "--rules",
        default="openspiel",
        metavar="NAME",
        help=f"%(default)s, which all bots know, unless given; {', '.join(loa.Rules.presets())}",
    )
    parser.add_argument(
        "--save",
        type=games_file,
        metavar="FILE",
        help=f"write the games to a file whose name ends in {', '.join(SUFFIXES)}",
    )
    arguments = parser.parse_args()
    if min(arguments.games, arguments.processes) < 1:
        parser.error("games and processes are to be 1 or more")
    if not 0 <= arguments.opening_plies <= MAX_OPENING_PLIES:
        parser.error(f"opening plies are to be 0 to {MAX_OPENING_PLIES}")
    first, second, rules = arguments.first, arguments.second, arguments.rules
    plies, seed = arguments.opening_plies, arguments.seed
    game_of = partial(play_game, first, second, rules, plies, seed)
    games: list[loa.Game] = []
    outcomes: list[loa.Outcome] = []
    failures: list[str] = []
    with Interruption() as interruption:
        try:
            rules_of(rules)
            for name in (first, second):
                make_bot(name, seed=0)
            for game, outcome in play_games(
                game_of, arguments.games, arguments.processes, interruption
            ):
                games.append(game)
                outcomes.append(outcome)
                print(result_line(len(games), game, outcome), file=sys.stderr)
        except (ImportError, ValueError) as error:
            parser.error(str(error))
        except BotError as error:
            failures.append(str(error))
        except BrokenProcessPool:
            what = "the process that played it is gone"
            failures.append(f"game {len(games) + 1} or one soon after: {what}")
        except KeyboardInterrupt:
            failures.append("interrupted")
        interruption.hold()
        is_over = not failures
        if arguments.save is not None and games:
            failures += save(games, arguments.save, rules)
        if is_over:
            print(table(*players(first, second, 0), outcomes))
    if failures:
        sys.exit("\n".join(f"match.py: {failure}" for failure in failures))


if __name__ == "__main__":
    main()
