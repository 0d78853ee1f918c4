"""`examples`: every command that they and their README name, and what they compute."""

import ast
import json
import math
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from building import ROOT, install
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import boards

import loa
from loa import encodings

EXAMPLES = ROOT / "examples"
sys.path.append(str(EXAMPLES))

import alpha_beta_bot  # noqa: E402
import bots  # noqa: E402
import greedy_bot  # noqa: E402
import match  # noqa: E402
import self_play  # noqa: E402
import uct_bot  # noqa: E402

WON_IN_ONE = "4w2b/8/8/3w2b1/4w1b1/1www2b1/2b4b/2b5 w 1"
MUST_PASS = "bw6/ww6/8/8/8/8/ww4ww/bw4wb b 1"

# By name: whoever writes another one beside them breaks no test.
PROGRAMS = [
    "alpha_beta_bot.py",
    "bots.py",
    "greedy_bot.py",
    "match.py",
    "openspiel_bot.py",
    "random_bot.py",
    "self_play.py",
    "uct_bot.py",
]


def docstring(name):
    return ast.get_docstring(ast.parse((EXAMPLES / name).read_text(encoding="utf-8")))


def commands():
    """The commands in the README and in the programs' docstrings."""
    texts = [(EXAMPLES / "README.md").read_text(encoding="utf-8"), *map(docstring, PROGRAMS)]
    pattern = r"(?:^    |`)(python examples/[^`\n]+)"
    return sorted({found for text in texts for found in re.findall(pattern, text, re.MULTILINE)})


def run(command, folder, **environment):
    """Runs a command line in a folder; its output, or what it complains of."""
    python, program, *arguments = shlex.split(command)
    assert python == "python"
    finished = subprocess.run(
        [sys.executable, str(ROOT / program), *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return finished.stdout if finished.returncode == 0 else finished.stderr


@pytest.fixture(scope="module")
def with_uct_cython(tmp_path_factory):
    """An environment in which the compiled bot is installed."""
    folder = install(EXAMPLES / "uct_cython", tmp_path_factory.mktemp("uct"))
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONUTF8": "1"}


@pytest.mark.parametrize("command", commands())
def test_commands(command, tmp_path, with_uct_cython):
    if "openspiel" in command:
        pytest.importorskip("pyspiel", reason="needs the extra: pip install 'loa[openspiel]'")
    output = run(command, tmp_path, **with_uct_cython)
    assert output and "Traceback" not in output and "usage:" not in output


def test_every_program_has_commands():
    assert {path.name for path in EXAMPLES.glob("*.py")} >= set(PROGRAMS)
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name in PROGRAMS:
        assert f"python examples/{name}" in docstring(name)
        assert f"`python examples/{name}" in table or name == "bots.py"


# Bots

CHEAP = ["random", "greedy", "alpha-beta:1", "alpha-beta:2", "uct:32", "uct-eager:32"]


@pytest.mark.parametrize("name", CHEAP)
def test_any_position(name):
    @settings(max_examples=25)
    @given(board=boards(), seed=st.integers(0, 2**31 - 1))
    def check(board, seed):
        if board.is_game_over():
            return
        before = board.copy()
        assert bots.make_bot(name, seed).choose(board) in before.legal_moves
        assert board == before and board.move_stack == before.move_stack

    check()


@pytest.mark.parametrize("name", [*CHEAP[1:4], "uct:2000", "uct-eager:8000"])
def test_wins_at_once(name):
    for seed in range(3):
        assert str(bots.make_bot(name, seed).choose(loa.Board(WON_IN_ONE))) == "e8-e6"


@pytest.mark.parametrize("name", CHEAP)
def test_passes(name):
    assert bots.make_bot(name, 1).choose(loa.Board(MUST_PASS)) is loa.Move.PASS


@pytest.mark.parametrize("name", ["random", "greedy", "uct:64", "uct-eager:64"])
def test_the_seed_decides(name):
    def game(seed):
        board = loa.Board()
        bot = bots.make_bot(name, seed)
        for _ in range(8):
            board.push(bot.choose(board))
        return board.move_stack

    assert game(5) == game(5)
    assert len({tuple(game(seed)) for seed in range(4)}) > 1


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [("greedy", "random"), ("alpha-beta:2", "greedy"), ("uct:600", "random")],
)
def test_some_win_against_others(stronger, weaker):
    outcomes = [
        match.play_game(stronger, weaker, "openspiel", 4, 1, number)[1] for number in range(8)
    ]
    assert sum(outcome.winner == number % 2 for number, outcome in enumerate(outcomes)) >= 6


@pytest.mark.parametrize("text", ["", "chess", "greedy:", "uct:0", "uct:-1", "uct:x", "uct:²"])
def test_no_bots(text):
    with pytest.raises(ValueError, match="expected"):
        bots.make_bot(text, 1)


def test_scatter():
    # All on the edge of the board: b1 is 3 from the centre of mass, which is rounded to e4 or so.
    assert greedy_bot.scatter(loa.Board("bb1/3/w1w w 1"), loa.BLACK) == pytest.approx(0.5 + 0.1)
    assert greedy_bot.scatter(loa.Board("bb1/3/w1w w 1"), loa.WHITE) == pytest.approx(1 + 0.2)
    # Mean files and ranks are rounded: (a, g1, h) is (0 + 6 + 7) / 3 = 4.33, and so e.
    board = loa.Board("8/8/8/8/3w4/8/8/b5bb w 1")
    assert greedy_bot.scatter(board, loa.BLACK) == pytest.approx((4 + 2 + 3) / 3 + 0.2)


@given(board=boards())
def test_evaluation(board):
    value = greedy_bot.evaluate(board)
    outcome = board.outcome()
    if outcome is None:
        sides = board.turn.opponent, board.turn
        other, own = (greedy_bot.scatter(board, color) for color in sides)
        assert value == other - own
        assert abs(value) < 10
    elif outcome.winner is None:
        assert value == 0
    else:
        assert value == (1000 if outcome.winner is board.turn else -1000)


def minimax(board, depth, ply=0):
    """The value that alpha-beta has to find, without everything that makes it fast."""
    if depth == 0 or board.is_game_over():
        value = greedy_bot.evaluate(board)
        return value - math.copysign(ply, value) if abs(value) == 1000 else value
    values = []
    for move in board.legal_moves:
        board.push(move)
        values.append(-minimax(board, depth - 1, ply + 1))
        board.pop()
    return max(values)


# Rules without repetitions: with them, a value may depend on what came before.
@settings(max_examples=40)
@given(board=boards(st.just(loa.Rules.SACKSON_1982)), depth=st.integers(1, 3))
def test_alpha_beta_is_minimax(board, depth):
    if board.is_game_over() or len(board.legal_moves) > 20:
        return
    found = alpha_beta_bot.AlphaBetaBot(depth).search(board)
    assert [entry[0] for entry in found] == [*range(1, len(found) + 1)]
    for reached, value, move in found:
        assert value == minimax(board, reached)
        board.push(move)
        assert -minimax(board, reached - 1, 1) == value
        board.pop()
    # It stops early once it sees a win or a loss.
    assert len(found) == depth or abs(found[-1][1]) > 900


def test_alpha_beta_in_time():
    board = loa.Board()
    assert len(alpha_beta_bot.AlphaBetaBot(seconds=0).search(board)) == 1
    bot = alpha_beta_bot.AlphaBetaBot(depth=2, seconds=1000)
    assert [depth for depth, _, _ in bot.search(board)] == [1, 2]
    assert board == loa.Board()
    with pytest.raises(ValueError, match="neither depth nor seconds"):
        alpha_beta_bot.AlphaBetaBot()


def test_uct_counts_its_visits():
    root = uct_bot.UctBot(2000, seed=1).search(loa.Board(WON_IN_ONE))
    assert root.visits == 250
    # The first visit is the root's own.
    assert sum(child.visits for child in root.children) == 249
    for child in root.children:
        assert 0 <= child.value <= child.visits
    winning = max(root.children, key=lambda child: child.visits)
    assert winning.value == winning.visits


def test_openspiel_bot():
    pytest.importorskip("pyspiel", reason="needs the extra: pip install 'loa[openspiel]'")
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    black, white = (bots.make_bot("openspiel:4", seed) for seed in (1, 2))
    for _ in range(3):
        for bot in (black, white):
            board.push(bot.choose(board))
    assert board.ply == 6
    with pytest.raises(loa.LoaError, match=r"expected Rules.OPENSPIEL"):
        black.choose(loa.Board())


# Data of self-play


@pytest.mark.parametrize(("size", "games", "max_plies"), [(5, 8, 60), (8, 3, 400)])
def test_self_play_data(size, games, max_plies, tmp_path):
    options = f"--games {games} --size {size} --max-plies {max_plies}"
    assert f"{games} games" in run(f"python examples/self_play.py data {options}", tmp_path)
    (path,) = (tmp_path / "data").iterdir()
    assert path.name == "games-00000.npz"
    with np.load(path) as file:
        data = dict(file)
    count = len(data["results"])
    assert {name: (array.shape, array.dtype) for name, array in data.items()} == {
        "planes": ((count, 8, size, size), np.uint8),
        "masks": ((count, 513), np.bool_),
        "policies": ((count, 513), np.float16),
        "actions": ((count,), np.int16),
        "results": ((count,), np.int8),
        "games": ((count,), np.int32),
        "settings": ((), data["settings"].dtype),
    }
    assert json.loads(str(data["settings"]))["encodings"] == encodings.VERSION
    decided = 0
    for number in range(games):
        board = loa.Board(size=size, rules=loa.Rules.MSO.replace(ply_limit=max_plies))
        rows = np.flatnonzero(data["games"] == number)
        for row in rows:
            assert (data["planes"][row] == encodings.planes(board, dtype=np.uint8)).all()
            mask = encodings.legal_mask(board)
            assert (data["masks"][row] == mask).all()
            assert data["policies"][row] == pytest.approx(mask / mask.sum(), abs=1e-3)
            board.push(encodings.move_of(board, data["actions"][row]))
        winner = board.outcome().winner
        decided += winner is not None
        worth = 0 if winner is None else 1 - 2 * winner
        assert data["results"][rows].tolist() == [worth * (-1) ** ply for ply in range(len(rows))]
    assert decided > 0


def test_self_play_goes_on_where_it_stopped(tmp_path):
    command = "python examples/self_play.py data --games 3 --size 4 --files 3"
    run(command, tmp_path)
    paths = sorted((tmp_path / "data").iterdir())
    contents = [path.read_bytes() for path in paths]
    assert len(set(contents)) == 3
    paths[1].unlink()
    output = run(command, tmp_path).splitlines()
    assert ["there already" in line for line in output] == [True, False, True]
    assert sorted((tmp_path / "data").iterdir()) == paths
    with np.load(paths[1]) as again:
        paths[0].write_bytes(contents[1])
        with np.load(paths[0]) as before:
            for name in before.files:
                assert (again[name] == before[name]).all()
    assert "has other settings" in run(f"{command} --seed 2", tmp_path)


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    def stop(file, **arrays):
        file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", stop)
    path = tmp_path / "games-00000.npz"
    with pytest.raises(KeyboardInterrupt):
        self_play.write_file(path, {}, "")
    assert not path.exists()


def test_actions_are_drawn_by_their_probabilities():
    probabilities = np.array([0.5, 0, 0.3, 0.2])
    actions = self_play.draw_actions(np.tile(probabilities, (20_000, 1)), np.random.default_rng(1))
    frequencies = np.bincount(actions, minlength=4) / len(actions)
    assert frequencies == pytest.approx(probabilities, abs=0.02)
    assert frequencies[1] == 0
