"""`examples/match.py`: scores, openings, the games that are saved, and bots that do wrong."""

import importlib.util
import math
import random
import re
import subprocess
import sys

import pytest
from building import ROOT

import loa
from loa import cli

EXAMPLES = ROOT / "examples"
MATCH = EXAMPLES / "match.py"
sys.path.append(str(EXAMPLES))

import bots  # noqa: E402
import match  # noqa: E402
import match_score  # noqa: E402


def run(program, arguments, folder):
    """Runs a program in a folder; its status, output and what it says besides."""
    finished = subprocess.run(
        [sys.executable, str(program), *arguments.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert "Traceback" not in finished.stderr
    return finished.returncode, finished.stdout, finished.stderr


def test_wilson():
    """The bounds are the proportions whose own standard error just reaches the score."""
    for games in (1, 7, 20, 1000):
        for score in (0, 0.05, 0.5, 0.925, 1):
            low, high = match_score.wilson(score, games)
            assert 0 <= low <= score <= high <= 1
            for bound in (low, high):
                error = 1.96 * math.sqrt(bound * (1 - bound) / games)
                assert abs(bound - score) == pytest.approx(error, abs=1e-12)
    assert match_score.wilson(0.5, 20) == pytest.approx((0.29929, 0.70071), abs=1e-5)


def test_elo():
    assert match_score.elo(0.5) == 0
    assert match_score.elo(10 / 11) == pytest.approx(400)
    assert match_score.elo(1 / 11) == pytest.approx(-400)
    assert (match_score.elo(0), match_score.elo(1)) == (-math.inf, math.inf)


def test_table():
    connection, repetition = loa.Termination.CONNECTION, loa.Termination.REPETITION
    # The first bot has Black in games 0, 2 and 4.
    winners = [loa.BLACK, loa.BLACK, loa.BLACK, loa.WHITE, None]
    outcomes = [
        loa.Outcome(winner, repetition if winner is None else connection) for winner in winners
    ]
    assert match_score.table("uct", "greedy", outcomes).splitlines() == [
        "uct against greedy",
        "            games  won  drawn  lost  score",
        "  as Black      3    2      1     0  0.833",
        "  as White      2    1      0     1  0.500",
        "  together      5    3      1     1  0.700",
        "score 0.700, 95 % interval 0.299 to 0.927",
        "Elo +147, 95 % interval -148 to +443",
    ]


def test_openings_come_in_pairs_with_colours_changed(monkeypatch):
    seen = []

    class Watcher:
        def __init__(self, name, seed):
            self.name = name
            self.generator = random.Random(seed)

        def choose(self, board):
            seen.append((self.name, board.turn, board.fen(), self.generator.random()))
            return self.generator.choice(board.legal_moves)

    for name in ("a", "b"):
        monkeypatch.setitem(
            bots.BOTS, name, (lambda budget, seed, name=name: Watcher(name, seed), 0)
        )
    starts = []
    for number in range(6):
        seen.clear()
        match.play_game("a", "b", "openspiel", 3, 9, number)
        assert {color for name, color, _, _ in seen if name == "a"} == {number % 2}
        assert {color for name, color, _, _ in seen if name == "b"} == {1 - number % 2}
        starts.append(seen[0])
    fens = [fen for _, _, fen, _ in starts]
    assert fens[0::2] == fens[1::2]
    assert len(set(fens)) == 3
    assert all(color is loa.WHITE for _, color, _, _ in starts)
    # Each game draws from numbers of its own.
    assert len({number for _, _, _, number in starts}) == 6


def test_matches_come_out_the_same_in_any_number_of_processes(tmp_path):
    command = "uct:16 random --games 6 --seed 4 --processes"
    results = [run(MATCH, f"{command} {processes}", tmp_path) for processes in (1, 2)]
    assert results[0] == results[1]
    assert "together      6" in results[0][1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("chess greedy", f"bot 'chess': expected one of {', '.join(bots.BOTS)}, or a class in a"),
        ("my_bot.py greedy", "bot 'my_bot.py': expected one of"),
        ("greedy no.py:Bot", "bot 'no.py:Bot': there is no file no.py"),
        ("greedy uct:0", "expected a number of 1 or more"),
        ("greedy random --games 0", "games and processes are to be 1 or more"),
        ("greedy random --opening-plies 101", "opening plies are to be 0 to 100"),
        ("greedy random --rules chess", "unknown rules 'chess': expected one of MSO"),
        ("greedy random --save games", "games: expected a name with .txt, .sgf"),
        ("greedy random --save no/games.txt", "argument --save: no/games.txt: there is no folder "),
        pytest.param(
            "greedy uct-cython",
            "uct-cython is not installed: pip install ./examples/uct_cython",
            # The folder of that name, which is on the path here, has no origin.
            marks=pytest.mark.skipif(
                importlib.util.find_spec("uct_cython").origin is not None, reason="it is installed"
            ),
        ),
    ],
)
def test_matches_that_cannot_be(arguments, message, tmp_path):
    status, output, complaint = run(MATCH, arguments, tmp_path)
    assert (status, output) == (2, "")
    assert message in complaint


def test_help_shows_defaults(tmp_path):
    words = " ".join(run(MATCH, "--help", tmp_path)[1].split())
    for text in ("how many, 20 unless", "random ones, 4 unless", "openspiel, which all bots know"):
        assert text in words


def test_lines_name_the_winner(capsys, monkeypatch):
    command = "match.py greedy random --games 4 --seed 1"
    monkeypatch.setattr(sys, "argv", command.split())
    match.main()
    captured = capsys.readouterr()
    assert "  together      4    4      0     0  1.000" in captured.out
    assert [re.sub(r"\d+ plies", "…", line) for line in captured.err.splitlines()] == [
        "game 1: 1-0, greedy has won with Black (connection, …)",
        "game 2: 0-1, greedy has won with White (connection, …)",
        "game 3: 1-0, greedy has won with Black (connection, …)",
        "game 4: 0-1, greedy has won with White (connection, …)",
    ]


def test_a_bot_against_itself():
    """Who has won can be told from the names even then."""
    for number in range(4):
        game, outcome = match.play_game("random", "random", "mso", 0, 1, number)
        names = ["random (1)", "random (2)"][:: 1 if number % 2 == 0 else -1]
        assert [game.headers["black"], game.headers["white"]] == names
        line = match.result_line(number + 1, game, outcome)
        assert line.startswith(f"game {number + 1}: {outcome.result}, {names[outcome.winner]} has")
    drawn = loa.Outcome(None, loa.Termination.REPETITION)
    assert match.result_line(7, loa.Game(), drawn) == "game 7: 1/2-1/2, drawn (repetition, 0 plies)"


@pytest.mark.parametrize("suffix", match.SUFFIXES)
def test_saved_games(suffix, tmp_path, capsys, monkeypatch):
    path = tmp_path / f"all games{suffix}"
    command = "match.py greedy random --games 2 --opening-plies 5 --rules boardspace --save"
    monkeypatch.setattr(sys, "argv", [*command.split(), str(path)])
    match.main()
    shown = capsys.readouterr().err.splitlines()
    assert shown[2:] == [f"2 saved, to be read with loa replay '{path}' --rules boardspace"]
    games = loa.read_games(path, rules=loa.Rules.BOARDSPACE)
    assert len(games) == 2 and games[0].moves != games[1].moves
    for number, game in enumerate(games):
        # The opening is part of the game, and is played twice.
        assert game.start == loa.Game().start
        assert game.moves[:5] == games[0].moves[:5]
        outcome = game.outcome(loa.Rules.BOARDSPACE)
        assert shown[number].endswith(f"({outcome.termination.value}, {len(game.moves)} plies)")
        if suffix != ".uci":
            assert game.result == outcome.result
        if suffix not in (".uci", ".loa"):
            names = game.headers["black"], game.headers["white"]
            assert names == (("greedy", "random"), ("random", "greedy"))[number]
            assert game.headers["rules"] == "boardspace"
            assert game.headers["termination"] == outcome.termination.value
    for reader in ("replay", "stats"):
        assert cli.main([reader, str(path), "--rules", "boardspace"]) == 0


# Bots that do well twice and then something wrong, in a program that has them beside the others.
WRONG_BOTS = """
import asyncio, os, random, sys
sys.path.append({examples!r})
import bots, loa, match

def fails(board, move):
    return divide(move.code, 0)

def divide(number, by):
    return number / by

def pushes_what_is_illegal(board, move):
    board.push_text("a1-a2")

def ends_the_program(board, move):
    sys.exit(0)

def is_cancelled(board, move):
    raise asyncio.CancelledError

def is_closed(board, move):
    raise GeneratorExit

def fails_without_a_text(board, move):
    raise Unspeakable

class Unspeakable(Exception):
    def __str__(self):
        return divide(1, 0)

    __repr__ = __str__

def kills_the_process(board, move):
    os._exit(0)

def forgets_to_pop(board, move):
    board.push(move)
    return move

def pops_too_often(board, move):
    board.pop()
    return move

def goes_another_way(board, move):
    last = board.pop()
    board.push(next(move for move in board.legal_moves if move is not last))
    return move

def returns_nothing(board, move):
    pass

def returns_a_text(board, move):
    return str(move)

def returns_what_is_illegal(board, move):
    return loa.Move.from_text("a1-a2")

def returns_a_huge_number(board, move):
    return 10**5000

def returns_what_has_no_text(board, move):
    return Unspeakable()

class Bot:
    def __init__(self, third, seed):
        self.third, self.generator, self.moves = third, random.Random(seed), 0

    def choose(self, board):
        self.moves += 1
        move = self.generator.choice(board.legal_moves)
        return self.third(board, move) if self.moves == 3 else move

class BlackBot(Bot):
    def choose(self, board):
        return super().choose(board) if board.turn is loa.BLACK else board.legal_moves[0]

def is_not_made(budget, seed):
    raise ValueError("no weights")

def is_made_twice(budget, seed):
    made.append(seed)
    if len(made) > 2:
        raise ImportError("no weights any more")
    return bots.make_bot("random", seed)

made = []
bots.BOTS["is_not_made"] = is_not_made, 0
bots.BOTS["is_made_twice"] = is_made_twice, 0
for third in {names}:
    name = third.__name__
    bots.BOTS[name] = (lambda budget, seed, third=third: Bot(third, seed)), 0
    bots.BOTS[f"{{name}}_with_black"] = (lambda _, seed, third=third: BlackBot(third, seed)), 0

if __name__ == "__main__":
    {{"bots": bots, "match": match}}[sys.argv.pop(1)].main()
"""

WRONG = {
    "fails": "ZeroDivisionError: division by zero",
    "pushes_what_is_illegal": "IllegalMoveError: a1-a2 is illegal: .*",
    "ends_the_program": "SystemExit: 0",
    "is_cancelled": "CancelledError: ",
    "is_closed": "GeneratorExit: ",
    "fails_without_a_text": "Unspeakable: <Unspeakable whose str fails: ZeroDivisionError>",
    "forgets_to_pop": "the board came back as .* b 6: expected a pop for each push",
    "pops_too_often": "the board came back as .* b 5: expected a pop for each push",
    "goes_another_way": "the board came back as .* w 5: expected a pop for each push",
    "returns_nothing": "the choice is None: expected a loa.Move",
    "returns_a_text": "the choice is '.*': expected a loa.Move",
    "returns_a_huge_number": "the choice is <int whose repr fails: ValueError>: .*",
    "returns_what_has_no_text": "the choice is <Unspeakable whose repr fails: .*",
    "returns_what_is_illegal": "a1-a2 is illegal: .*",
}
RAISING = (
    "pushes_what_is_illegal",
    "ends_the_program",
    "is_cancelled",
    "is_closed",
    "fails_without_a_text",
)


@pytest.fixture(scope="module", name="run_wrong")
def run_wrong_fixture(tmp_path_factory):
    """Runs a program that knows the wrong bots; what it says before it ends with status 1."""
    folder = tmp_path_factory.mktemp("wrong")
    names = f"[{', '.join([*WRONG, 'kills_the_process'])}]"
    program = WRONG_BOTS.format(examples=str(EXAMPLES), names=names)
    (folder / "program.py").write_text(program, encoding="utf-8")

    def run_wrong(command):
        status, output, complaint = run(folder / "program.py", command, folder)
        assert (status, output) == (1, "")
        return complaint.splitlines()

    run_wrong.folder = folder
    return run_wrong


@pytest.mark.parametrize("name", WRONG)
def test_wrong_bots_are_named(name, run_wrong):
    message, *lines = run_wrong(f"match random {name} --games 3")
    start = rf"match.py: game 1: {name} \(White\), ply 10: {WRONG[name]} \((.*)\)"
    board = loa.Board(re.fullmatch(start, message)[1])
    assert (board.ply, board.turn) == (9, loa.WHITE)
    # Where an error comes from is told by the lines of the bot, and no others.
    called = [line.split(", in ")[1] for line in lines if line.startswith("  File ")]
    if name == "fails":
        assert called == ["choose", "fails", "divide"]
    elif name in RAISING:
        assert called[:2] == ["choose", name]
    else:
        assert lines == []
    assert run_wrong(f"match random {name} --games 9 --processes 2") == [message, *lines]


def test_wrong_bots_in_one_game(run_wrong):
    message, *lines = run_wrong("bots fails random")
    assert re.fullmatch(r"fails \(Black\), ply 5: ZeroDivisionError: .* \(.* b 3\)", message)
    assert ", in choose" in lines[0]


@pytest.mark.parametrize("program", ["match", "bots"])
def test_bots_that_are_not_made(program, run_wrong):
    message, *lines = run_wrong(f"{program} random is_not_made")
    assert message.removeprefix("match.py: ") == "is_not_made: ValueError: no weights"
    assert ", in is_not_made" in lines[0]


def test_processes_that_are_killed(run_wrong):
    assert run_wrong("match random kills_the_process --processes 2") == [
        "match.py: game 1 or one soon after: the process that played it is gone"
    ]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("name", ["fails", *RAISING[2:], "returns_a_huge_number"])
def test_games_before_an_error_are_saved(name, processes, run_wrong):
    command = f"match random {name}_with_black --processes {processes} --save games.txt"
    first, saved, message, *_ = run_wrong(command)
    assert first.startswith("game 1: ")
    assert saved.startswith("1 saved, ")
    assert message.startswith(f"match.py: game 2: {name}_with_black (Black), ply 9: ")
    (game,) = loa.read_games(run_wrong.folder / "games.txt", rules=loa.Rules.OPENSPIEL)
    assert (game.id, game.headers["white"]) == ("game-1", f"{name}_with_black")


def test_games_before_a_bot_is_not_made_are_saved(run_wrong):
    first, saved, message = run_wrong("match random is_made_twice --save games.txt")
    assert first.startswith("game 1: ")
    assert saved.startswith("1 saved, ")
    assert message == "match.py: game 2: no weights any more"


# Bots in files of their own

FILE_OF_BOTS = """
import random
from dataclasses import dataclass

from choices import choice_of


@dataclass
class Bot:
    seed: int

    def choose(self, board):
        return choice_of(board, random.Random(self.seed + board.ply))


class Budgeted(Bot):
    def __init__(self, budget=7, seed=None):
        super().__init__(seed)
        if budget != 7:
            raise RuntimeError(f"a budget of {budget}")


class Seedless:
    def choose(self, board):
        return board.legal_moves[0]


class Late(Seedless):
    def __init__(self):
        import nonexistent_thing


class Needy(Seedless):
    def __init__(self, weights):
        pass


class Wrong:
    def choose(self, board):
        return None


class NoBot:
    pass
"""
# How a file begins, what is said of it, and with which status; `{}` is the file.
FILES_THAT_FAIL = {
    "missing": ("\nimport nonexistent_thing\n", 2, "No module named 'nonexistent_thing'", 2),
    "helper": ("import choices_that_fail\n", 2, "No module named 'nonexistent_thing'", 1),
    "syntax": ("\n\ndef choose(:\n", 1, "SyntaxError: invalid syntax (syntax.py, line 3)", None),
    "name": ("x = 1\ny = z\n", 1, "NameError: name 'z' is not defined", 2),
    "exits": ("import sys\nsys.exit('no')\n", 1, "SystemExit: no", 2),
    "closes": ("\nraise GeneratorExit\n", 1, "GeneratorExit: ", 2),
}


@pytest.fixture(scope="module", name="own")
def own_fixture(tmp_path_factory):
    """A folder whose folder `own` has files of bots."""
    folder = tmp_path_factory.mktemp("match")
    own = folder / "own"
    own.mkdir()
    helper = "def choice_of(board, generator):\n    return generator.choice(board.legal_moves)\n"
    (own / "choices.py").write_text(helper, encoding="utf-8")
    (own / "choices_that_fail.py").write_text("import nonexistent_thing\n", encoding="utf-8")
    for name, (begin, *_) in {"bot": ("",), "match": ("",), **FILES_THAT_FAIL}.items():
        (own / f"{name}.py").write_text(begin + FILE_OF_BOTS, encoding="utf-8")
    return folder


@pytest.mark.parametrize("processes", [1, 2])
def test_bots_of_files(processes, own):
    """Named by the class, with the budget where there is one, in messages and in games."""
    command = f"own/bot.py:Bot own/bot.py:Budgeted:7 --games 4 --processes {processes}"
    status, output, shown = run(MATCH, f"{command} --save games{processes}.txt", own)
    assert (status, output.splitlines()[0]) == (0, "Bot against Budgeted:7"), shown
    assert "own" not in output + shown
    games = loa.read_games(own / f"games{processes}.txt", rules=loa.Rules.OPENSPIEL)
    names = [(game.headers["black"], game.headers["white"]) for game in games]
    assert names == [("Bot", "Budgeted:7"), ("Budgeted:7", "Bot")] * 2
    # The seed decides.
    again = run(MATCH, "own/bot.py:Bot own/bot.py:Budgeted --games 4", own)
    assert again[0] == 0
    assert again[1].replace("Budgeted", "Budgeted:7") == output


def test_a_bot_of_a_file_in_one_game(own):
    status, output, _ = run(EXAMPLES / "bots.py", "own/bot.py:Seedless random", own)
    assert status == 0 and " plies: " in output
    status, output, message = run(EXAMPLES / "bots.py", "own/bot.py:Wrong random", own)
    assert (status, output) == (1, "")
    assert message.startswith("Wrong (Black), ply 1: the choice is None: expected a loa.Move")


def test_files_of_one_name_and_absolute_paths(own):
    """Also one with the name of a program that is running."""
    other = own / "other"
    other.mkdir()
    content = "class Bot:\n    def choose(self, board):\n        return board.legal_moves[-1]\n"
    (other / "bot.py").write_text(content, encoding="utf-8")
    for first in ("own/bot.py", "own/match.py"):
        command = [sys.executable, str(MATCH), f"{first}:Seedless", f"{other / 'bot.py'}:Bot"]
        finished = subprocess.run(command, cwd=own, capture_output=True, text=True)
        assert finished.stdout.startswith("Seedless against Bot\n"), finished.stderr
    one, two = (bots.make_bot(f"{own / name / 'bot.py'}:Bot", 1) for name in ("own", "other"))
    assert type(one) is not type(two)
    assert two.choose(loa.Board()) is loa.Board().legal_moves[-1]


def test_the_same_class_twice(own):
    names = match.players("own/bot.py:Bot", "other/bot.py:Bot", 0)
    assert names == ("Bot (1)", "Bot (2)")


@pytest.mark.parametrize("program", ["match", "bots"])
@pytest.mark.parametrize("name", FILES_THAT_FAIL)
def test_files_that_fail(name, program, own):
    """The place is in the message or below it, and that of nothing else is."""
    _, expected, what, line = FILES_THAT_FAIL[name]
    status, output, complaint = run(EXAMPLES / f"{program}.py", f"random own/{name}.py:Bot", own)
    assert (status, output) == (expected, "")
    assert f"own/{name}.py:Bot: " in complaint and what in complaint
    places = re.findall(r'^  File "(.*)", line (\d+), in', complaint, re.MULTILINE)
    if line is None:
        assert places == []
    else:
        assert places[0] == (str(own / "own" / f"{name}.py"), str(line))
        assert len(places) == (2 if name == "helper" else 1)


@pytest.mark.parametrize(
    ("bot", "expected", "what", "line"),
    [
        ("Late", 2, "No module named 'nonexistent_thing'", "import nonexistent_thing"),
        ("Needy", 1, "missing 1 required positional argument: 'weights'", "class Needy(Seedless):"),
        ("Seedless:5", 1, "TypeError: Seedless() takes no arguments", "class Seedless:"),
        ("Budgeted:5", 1, "RuntimeError: a budget of 5", 'raise RuntimeError(f"a budget'),
        ("Bott", 2, "the file has no bot 'Bott': expected one of Bot, Budgeted, Seedless", None),
        ("NoBot", 2, "the file has no bot 'NoBot': expected one of Bot", None),
        ("random", 2, "the file has no bot 'random': expected one of Bot", None),
        ("", 2, "the file has no bot '': expected one of Bot", None),
        ("Bot:0", 2, "bot 'own/bot.py:Bot:0': expected a number of 1 or more", None),
    ],
)
def test_classes_that_fail(bot, expected, what, line, own):
    status, output, complaint = run(MATCH, f"random own/bot.py:{bot}", own)
    assert (status, output) == (expected, "")
    assert what in complaint
    if line is None:
        assert '  File "' not in complaint
    else:
        lines = FILE_OF_BOTS.splitlines()
        (number,) = [index + 1 for index, text in enumerate(lines) if line in text]
        assert f'bot.py", line {number}, in ' in complaint
        assert line in complaint.splitlines()[-1]
