"""`examples/match.py`: Ctrl-C and SIGTERM, several processes, and files that cannot be written."""

import argparse
import contextlib
import errno
import multiprocessing
import os
import signal
import subprocess
import sys

import pytest
from building import ROOT

import loa

EXAMPLES = ROOT / "examples"
MATCH = EXAMPLES / "match.py"
sys.path.append(str(EXAMPLES))

import match  # noqa: E402

on_posix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such signals or files"
)

# A bot whose processes and games are known from the names of files.
BOT = """
import os
import random
import time

class Bot:
    def __init__(self, seed):
        self.generator = random.Random(seed)
        open(f"{os.getpid()}.process", "w").close()
        open(f"{seed}.game", "w").close()

    def choose(self, board):
        time.sleep(0.001)
        return self.generator.choice(board.legal_moves)
"""
# The program, where something else happens before a function of its is called for the n-th time.
BEFORE_A_CALL = f"""
import itertools, multiprocessing, os, signal, sys
sys.path.insert(0, {str(EXAMPLES)!r})
import match

def before_a_call(place, name, number, action):
    calls, function = itertools.count(1), getattr(place, name)
    def changed(*arguments, **options):
        if next(calls) == number:
            action()
        return function(*arguments, **options)
    setattr(place, name, changed)

if __name__ == "__main__":
    sys.argv[0] = "match.py"
    number = signal.Signals[sys.argv.pop(1)]
    {{}}
    match.main()
"""


@contextlib.contextmanager
def started(program, arguments, folder):
    """A program with the bot in its folder, in a group of processes of its own."""
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, *program, *arguments.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield process


def end_of(process, folder):
    """The status, output and last lines of a program, which has ended all of its processes."""
    status = process.wait()
    left = []
    for path in folder.glob("*.process"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(path.stem), signal.SIGKILL)
            left.append(path.stem)
    output, complaint = process.stdout.read(), process.stderr.read()
    assert left == []
    assert "Traceback" not in complaint
    return status, output, complaint.splitlines()


@on_posix
@pytest.mark.parametrize("whole_group", [False, True])
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_matches(number, processes, whole_group, tmp_path):
    command = f"bot.py:Bot random --games 5000 --processes {processes} --save games.txt"
    with started([str(MATCH)], command, tmp_path) as process:
        first = [process.stderr.readline() for _ in range(3)]
        # This one, too, has made a bot.
        while len([*tmp_path.glob("*.process")]) < (1 if processes == 1 else processes + 1):
            first.append(process.stderr.readline())
        (os.killpg if whole_group else os.kill)(process.pid, number)
        status, output, lines = end_of(process, tmp_path)
    assert (status, output, lines[-1]) == (1, "", "match.py: interrupted")
    assert all(line.startswith("game ") for line in [*first, *lines[:-2]])
    games = len(loa.read_games(tmp_path / "games.txt", rules=loa.Rules.OPENSPIEL))
    assert lines[-2].startswith(f"{games} saved, to be read with loa replay games.txt")
    # The line of the last one may have been what was interrupted.
    assert games - len(first) - len(lines[:-2]) in (0, 1)


@on_posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "place",
    ["match.ProcessPoolExecutor, 'submit', 40", "multiprocessing.process.BaseProcess, 'start', 2"],
)
def test_matches_that_are_interrupted_early(place, number, tmp_path):
    """While games are handed out, and between the starts of two processes."""
    program = BEFORE_A_CALL.format(f"before_a_call({place}, lambda: os.kill(os.getpid(), number))")
    command = f"{number.name} bot.py:Bot random --games 5000 --processes 2"
    with started(["-c", program], command, tmp_path) as process:
        ended = end_of(process, tmp_path)
    assert ended == (1, "", ["match.py: interrupted"])
    # One was made before the match. What has been handed out is not played to the end.
    assert len([*tmp_path.glob("*.game")]) < 40


@on_posix
@pytest.mark.parametrize("games", [2, 5000])
def test_games_are_saved_without_interruption(games, tmp_path):
    """Where the match is over, and where it has been interrupted before."""
    program = BEFORE_A_CALL.format(
        "raise_signal = lambda: signal.raise_signal(number)\n"
        "    before_a_call(match, 'result_line', 3, raise_signal)\n"
        "    before_a_call(match.loa, 'write_games', 1, raise_signal)"
    )
    command = f"SIGINT random random --games {games} --save games.txt"
    with started(["-c", program], command, tmp_path) as process:
        status, output, lines = end_of(process, tmp_path)
    saved = len(loa.read_games(tmp_path / "games.txt", rules=loa.Rules.OPENSPIEL))
    if games == 2:
        assert (status, saved, len(lines)) == (0, 2, 3)
        assert "together      2" in output
    else:
        assert (status, output, saved, lines[-1]) == (1, "", 3, "match.py: interrupted")


@pytest.fixture(name="handlers")
def handlers_fixture():
    """The handlers of both signals, which are the same again afterwards."""
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.getsignal(number) for number in numbers]
    yield numbers
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_signals_that_are_ignored_stay_so(handlers):
    """As those of a program are that a shell or `nohup` starts in the background."""
    for number in handlers:
        signal.signal(number, signal.SIG_IGN)
        with match.Interruption() as interruption:
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_IGN
        assert not interruption.has_come


def test_the_second_signal_raises_where_they_are_held(handlers):
    """Saving may wait for ever, for a reader of a pipe for example."""
    for number in handlers:
        before = signal.getsignal(number)
        with match.Interruption() as interruption:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)
            for _ in range(2):
                interruption.hold()
                signal.raise_signal(number)
                assert interruption.has_come
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(number)
        assert signal.getsignal(number) is before


def test_games_are_handed_out_as_they_are_needed():
    """So that there may be any number of them, and no process is left where nobody asks on."""
    games = match.play_games(int, 10**9, 2, match.Interruption())
    assert [next(games) for _ in range(1000)] == list(range(1000))
    games.close()
    assert multiprocessing.active_children() == []


# Files that games are written to -----------------------------------------------------------------


def test_files_that_can_be_written(tmp_path):
    """They are left as they are before the match, and none is made."""
    path = tmp_path / "games.txt"
    assert match.games_file(str(path)) == path
    assert [*tmp_path.iterdir()] == []
    path.write_text("before")
    assert match.games_file(str(path)) == path
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before"]


@on_posix
def test_links_and_pipes_that_can_be_written(tmp_path):
    (tmp_path / "link.txt").symlink_to("new.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "device.txt").symlink_to("/dev/null")
    names = {path.name for path in tmp_path.iterdir()}
    for name in names:
        match.games_file(str(tmp_path / name))
    assert {path.name for path in tmp_path.iterdir()} == names


def test_files_that_cannot_be_written(tmp_path):
    (tmp_path / "folder.txt").mkdir()
    messages = {"folder.txt": "expected a file, and this is a folder"}
    if sys.platform != "win32":
        (tmp_path / "dangling.txt").symlink_to("no/games.txt")
        (tmp_path / "loop.txt").symlink_to("loop.txt")
        (tmp_path / "closed").mkdir(mode=0o500)
        messages |= {
            "dangling.txt": f"there is no folder {tmp_path.resolve() / 'no'}",
            "loop.txt": f"cannot be written: {os.strerror(errno.ELOOP)}",
            "closed/games.txt": f"cannot be written: {os.strerror(errno.EACCES)}",
            "n" * 300 + ".txt": f"cannot be written: {os.strerror(errno.ENAMETOOLONG)}",
        }
        if os.geteuid() == 0:
            # Nothing is closed to the superuser.
            del messages["closed/games.txt"]
    for name, message in messages.items():
        with pytest.raises(argparse.ArgumentTypeError) as caught:
            match.games_file(str(tmp_path / name))
        assert str(caught.value) == f"{tmp_path / name}: {message}"


@pytest.mark.parametrize("games", [2, 3])
def test_games_that_cannot_be_written_in_the_end(games, tmp_path):
    """The table is shown all the same; after the third game there is none, as a bot has failed."""
    content = """
import os

class Bot:
    made = 0

    def __init__(self):
        Bot.made += 1
        if Bot.made == 4:
            raise RuntimeError("no more")

    def choose(self, board):
        os.makedirs("games.txt", exist_ok=True)
        return board.legal_moves[0]
"""
    (tmp_path / "own.py").write_text(content, encoding="utf-8")
    finished = subprocess.run(
        [
            sys.executable,
            str(MATCH),
            "own.py:Bot",
            "random",
            f"--games={games}",
            "--save=games.txt",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    lines = finished.stderr.splitlines()
    assert finished.returncode == 1
    assert "Traceback" not in finished.stderr
    assert lines[-1].startswith("match.py: games.txt: cannot be written: ")
    assert lines[1].startswith("game 2: ")
    if games == 2:
        assert "together      2" in finished.stdout
        assert len(lines) == 3
    else:
        assert finished.stdout == ""
        assert lines[2] == "match.py: game 3: own.py:Bot: RuntimeError: no more"
