"""The PettingZoo environment: PettingZoo's own tests, and games beside the board."""

import copy
import doctest
import pickle
import random
import re
import warnings

import numpy as np
import pytest
from documentation import run_examples
from positions import OVER, PRESETS, WHITE_PASSES, pick_move

import loa
from loa import encodings
from loa.rules import LoaError

pettingzoo = pytest.importorskip(
    "pettingzoo", reason="needs the extra: pip install 'loa[pettingzoo]'"
)

from pettingzoo.test import api_test, render_test, seed_test  # noqa: E402

from loa.integrations import _pixels  # noqa: E402
from loa.integrations import pettingzoo as integration  # noqa: E402
from loa.integrations.pettingzoo import env, raw_env  # noqa: E402

AGENTS = ["black_0", "white_0"]


def action(environment, text):
    board = environment.unwrapped.board
    return encodings.action_of(board, board.parse_move(text))


def play(environment, *texts):
    for text in texts:
        environment.step(action(environment, text))


# What api_test says of every environment whose observations are dicts with masks, but for a
# list of those it knows: PettingZoo's connect four, go and chess are on it.
DICT_SPACE = "Observation space for each agent probably should be gymnasium.spaces.box"
DICT_OBSERVATION = "Observation is not a NumPy array"
EMPTY_MASK = "Action mask numpy array is all zeros (no legal actions)."


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"size": 5},
        {"size": 3, "setup": "scrambled"},
        {"rules": loa.Rules.OPENSPIEL, "setup": "scrambled"},
        {"rules": loa.Rules.CODINGAME},
        {"size": 6, "max_plies": 20, "rules": loa.Rules.SACKSON_1982},
    ],
)
@pytest.mark.parametrize("constructor", [env, raw_env])
def test_api(constructor, arguments, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(constructor(**arguments), num_cycles=300)
    assert "Passed API test" in capsys.readouterr().out
    unknown = {
        str(warning.message)
        for warning in caught
        if not str(warning.message).startswith((DICT_SPACE, DICT_OBSERVATION, EMPTY_MASK))
    }
    assert unknown == set()


@pytest.mark.parametrize("arguments", [{}, {"size": 4, "max_plies": 9}])
def test_seeds(arguments):
    seed_test(lambda: env(**arguments), num_cycles=200)


@pytest.mark.parametrize("size", [3, 8])
def test_render(size, capsys):
    render_test(lambda render_mode: env(render_mode=render_mode, size=size))
    assert f"{size} . b" in capsys.readouterr().out


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("size", [4, 8])
def test_random_games_beside_a_board(preset, size):
    rules = PRESETS[preset]
    generator = random.Random(f"{preset}{size}")
    environment = env(rules=rules, size=size)
    environment.reset()
    board = loa.Board(rules=rules, size=size)
    told = {}
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, info = environment.last()
        assert environment.unwrapped.board == board
        assert environment.observation_space(agent).contains(observation)
        assert (info, truncation, termination) == ({}, False, board.is_game_over())
        if termination:
            assert not observation["action_mask"].any()
            told[agent] = reward
            environment.step(None)
            continue
        assert agent == AGENTS[board.turn]
        assert reward == 0
        assert (observation["action_mask"] == encodings.legal_mask(board)).all()
        planes = encodings.planes(board, dtype=np.uint8)
        assert (observation["observation"] == planes).all()
        # The other one sees the same from its side, and has nothing to choose.
        other = environment.observe(AGENTS[board.turn.opponent])
        assert (other["observation"][[1, 0, 2, 3, 4, 5, 6, 7]] == planes).all()
        assert not other["action_mask"].any()
        move = pick_move(board, generator)
        environment.step(encodings.action_of(board, move))
        board.push(move)
    winner = board.outcome().winner
    assert told == {
        AGENTS[color]: 0 if winner is None else 1 if color is winner else -1 for color in loa.Color
    }
    assert environment.agents == []


def test_passes():
    environment = raw_env(size=4)
    environment.reset()
    environment.board = loa.Board(WHITE_PASSES)
    environment.agent_selection = "white_0"
    assert np.flatnonzero(environment.observe("white_0")["action_mask"]).tolist() == [512]
    environment.step(512)
    assert environment.board.peek() is loa.Move.PASS
    assert environment.agent_selection == "black_0"


def test_observations_of_both_sides():
    environment = env(size=3)
    environment.reset()
    black, white = (environment.observe(agent)["observation"] for agent in AGENTS)
    assert black[0].tolist() == white[1].tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert white[0].tolist() == black[1].tolist() == [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    assert (black[2:] == white[2:]).all()
    assert (black[6] == 0).all()
    play(environment, "b1-c1")
    black, white = (environment.observe(agent)["observation"] for agent in AGENTS)
    assert (black[6] == 1).all()
    assert (white[6] == 1).all()


@pytest.mark.parametrize("size", range(3, 9))
def test_spaces(size):
    environment = env(size=size)
    for agent in AGENTS:
        assert environment.action_space(agent).n == 513
        space = environment.observation_space(agent)
        assert space["action_mask"].shape == (513,)
        assert space["action_mask"].dtype == np.int8
        assert space["observation"].shape == (8, size, size)
        assert (space["observation"].low == 0).all()
        highest = space["observation"].high
        assert (highest == highest[:, :1, :1]).all()
        assert highest[:, 0, 0].tolist() == [1, 1, size, size, size, size, 1, 3]
    assert environment.possible_agents == AGENTS


# The end


@pytest.mark.parametrize(
    ("last", "rewards"),
    [
        ("c1-b2", {"black_0": 1, "white_0": -1}),
        # The capture leaves White one piece, which is connected.
        ("c1xa1", {"black_0": -1, "white_0": 1}),
    ],
)
def test_wins(last, rewards):
    environment = env(size=3)
    environment.reset()
    play(environment, "b1-c1", "a2-a1", last)
    assert environment.rewards == rewards
    assert environment.terminations == dict.fromkeys(AGENTS, True)
    assert environment.truncations == dict.fromkeys(AGENTS, False)


def test_the_ply_limit_of_the_rules_terminates():
    environment = env(rules=loa.Rules.MSO.replace(ply_limit=2), max_plies=2)
    environment.reset()
    play(environment, "c8-c6", "a6-c4")
    assert environment.terminations == dict.fromkeys(AGENTS, True)
    assert environment.truncations == dict.fromkeys(AGENTS, False)
    assert environment.rewards == dict.fromkeys(AGENTS, 0)
    assert environment.unwrapped.board.outcome().termination is loa.Termination.PLY_LIMIT


def test_repetition_terminates():
    environment = env(rules=loa.Rules.WINANDS_2000)
    environment.reset()
    play(environment, "b1-b3", "a2-c2", "b3-b1")
    assert not any(environment.terminations.values())
    play(environment, "c2-a2")
    assert environment.terminations == dict.fromkeys(AGENTS, True)
    assert environment.observe("black_0")["observation"][7].tolist() == [[1] * 8] * 8


def test_max_plies_truncates():
    environment = env(max_plies=3)
    for _ in range(2):
        environment.reset()
        play(environment, "c8-c6", "a6-c4")
        assert environment.truncations == dict.fromkeys(AGENTS, False)
        play(environment, "c1xc4")
        assert environment.truncations == dict.fromkeys(AGENTS, True)
        assert environment.terminations == dict.fromkeys(AGENTS, False)
        assert environment.unwrapped.board.outcome() is None
        for agent in environment.agent_iter():
            observation, reward, termination, truncation, _ = environment.last()
            assert (reward, termination, truncation) == (0, False, True)
            assert not observation["action_mask"].any()
            assert observation["observation"][AGENTS.index(agent)].sum() == 12
            environment.step(None)


# Illegal actions


def test_an_illegal_action_loses(caplog):
    environment = env()
    environment.reset()
    play(environment, "c8-c6")
    before = environment.unwrapped.board.copy()
    environment.step(512)
    assert "Illegal move made" in caplog.text
    assert environment.rewards == {"black_0": 0, "white_0": -1}
    assert environment.unwrapped.board == before
    assert all(environment.terminations.values())
    assert not environment.observe("white_0")["action_mask"].any()
    for _ in environment.agent_iter():
        environment.step(None)
    assert environment.agents == []
    environment.reset()
    assert environment.unwrapped.board == loa.Board()


def test_an_illegal_action_without_wrappers_changes_nothing():
    environment = raw_env()
    environment.reset()
    for number, reason in ((512, "black has a move to make"), (0, "has no piece on a1")):
        with pytest.raises(loa.IllegalMoveError, match=reason):
            environment.step(number)
    for number in (513, -1):
        with pytest.raises(loa.InvalidMoveError, match=f"action is {number}: expected 0 to 512"):
            environment.step(number)
    with pytest.raises(TypeError, match="action is None while the game goes on"):
        environment.step(None)
    assert environment.board == loa.Board()
    assert environment.agent_selection == "black_0"
    assert environment.agents == AGENTS


def test_numbers_that_are_no_action():
    environment = env()
    environment.reset()
    with pytest.raises(AssertionError, match="action is not in action space"):
        environment.step(513)


# Episodes


def test_reset_begins_anew():
    environment = env(setup="scrambled", size=6, rules=loa.Rules.BOARDSPACE)
    start = loa.Board(setup="scrambled", size=6, rules=loa.Rules.BOARDSPACE)
    for seed in (None, 1, 2):
        environment.reset(seed=seed, options={"anything": 1})
        assert environment.unwrapped.board == start
        assert environment.agents == AGENTS
        environment.step(encodings.action_of(start, start.legal_moves[0]))


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda environment: pickle.loads(pickle.dumps(environment))]
)
@pytest.mark.parametrize("constructor", [env, raw_env])
def test_copies_go_their_own_way(copied, constructor):
    environment = constructor()
    environment.reset()
    play(environment, "c8-c6")
    other = copied(environment)
    assert other.unwrapped.board.move_stack == environment.unwrapped.board.move_stack
    assert other.agent_selection == "white_0"
    play(other, "a6-c4")
    assert environment.unwrapped.board.ply == 1
    assert environment.agent_selection == "white_0"
    assert other.unwrapped.board.ply == 2


# Pictures


def test_text():
    environment = env(render_mode="ansi", size=3, rules=loa.Rules.MSO.replace(ply_limit=1))
    environment.reset()
    assert environment.render() == f"{loa.Board(size=3)}\nBlack to move"
    play(environment, "b1-c1")
    assert environment.render().endswith("\nwon by nobody: ply limit")
    environment = raw_env(render_mode="ansi")
    environment.board = loa.Board(OVER)
    assert environment.render().endswith("\nwon by Black: connection")


def test_human_sees_every_ply(capsys):
    environment = env(render_mode="human", size=3)
    environment.reset()
    play(environment, "b1-c1")
    first = loa.Board(size=3)
    second = first.copy()
    second.push_text("b1-c1")
    assert capsys.readouterr().out == f"{first}\nBlack to move\n{second}\nWhite to move\n"


def test_picture():
    environment = env(render_mode="rgb_array", size=5)
    environment.reset()
    play(environment, "b1-b3")
    picture = environment.render()
    assert picture.shape == (200, 200, 3)
    assert picture.dtype == np.uint8
    board = environment.unwrapped.board
    centres = picture[20::40, 20::40].astype(int)[::-1]
    corners = picture[3::40, 3::40].astype(int)[::-1]
    marked = {board.peek().from_square, board.peek().to_square}
    for rank in range(5):
        for file in range(5):
            square = 8 * rank + file
            red, _, blue = corners[rank, file]
            # Yellow squares have little blue.
            assert (red - blue > 80) == (square in marked)
            brightness = centres[rank, file].sum()
            color = board.piece_at(square)
            assert (brightness < 150) == (color is loa.BLACK)
            assert (brightness > 740) == (color is loa.WHITE)
    plain = _pixels.board_pixels(loa.Board(size=5))[3::40, 3::40].astype(int)[::-1].sum(axis=2)
    dark = np.indices((5, 5)).sum(axis=0) % 2 == 0
    assert plain[dark].max() < plain[~dark].min()  # a1 is dark.


def test_rendering_without_a_mode():
    environment = env()
    environment.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert environment.render() is None


# Arguments


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"render_mode": "gif"}, LoaError, "render_mode is 'gif': expected one of None, 'human'"),
        ({"size": 9}, LoaError, "size is 9: expected 3 to 8"),
        ({"setup": "chess"}, LoaError, "unknown setup 'chess'"),
        ({"rules": "MSO"}, TypeError, "rules is 'MSO': expected a loa.Rules"),
        ({"max_plies": 0}, LoaError, "max_plies is 0: expected 1 or more"),
        ({"max_plies": 1.5}, TypeError, "max_plies is 1.5: expected an int"),
        ({"max_plies": True}, TypeError, "max_plies is True: expected an int"),
    ],
)
def test_bad_arguments(arguments, error, message):
    for constructor in (env, raw_env):
        with pytest.raises(error, match=re.escape(message)):
            constructor(**arguments)


def test_unknown_agents():
    environment = env()
    environment.reset()
    with pytest.raises(LoaError, match="agent is 'red_0': expected 'black_0' or 'white_0'"):
        environment.observe("red_0")


def test_documentation():
    for module in (integration, _pixels):
        assert doctest.testmod(module, extraglobs={"loa": loa}).failed == 0
    assert run_examples("PettingZoo") == 1



def test_a_game_that_is_over_at_once_is_refused():
    with pytest.raises(loa.LoaError, match="over at once: expected one that goes on"):
        env(rules=loa.Rules.MSO.replace(ply_limit=0))
