"""The Gymnasium environments: Gymnasium's own checks, and games beside the board."""

import copy
import doctest
import pickle
import re

import numpy as np
import pytest
from documentation import run_examples
from positions import PRESETS, WHITE_PASSES

import loa
from loa import encodings
from loa.rules import LoaError

gymnasium = pytest.importorskip(
    "gymnasium", minversion="1.1", reason="needs the extra: pip install 'loa[gymnasium]'"
)

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env, data_equivalence  # noqa: E402
from gymnasium.utils.env_match import check_environments_match  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from gymnasium.wrappers.vector import RecordEpisodeStatistics  # noqa: E402

from loa.integrations import gymnasium as integration  # noqa: E402
from loa.integrations.gymnasium import LinesOfActionEnv, LinesOfActionVectorEnv  # noqa: E402

NAME = "loa/LinesOfAction-v0"
INFOS = {"action_mask", "color", "ply", "termination"}


def first_actions(batch, rows):
    """An opponent: the first legal action of each row."""
    return batch.legal_mask()[rows].argmax(axis=1)


def last_actions(batch, rows):
    return 512 - batch.legal_mask()[rows][:, ::-1].argmax(axis=1)


def random_actions(infos, generator):
    masks = infos["action_mask"]
    return (masks * generator.random(masks.shape)).argmax(axis=1)


# Gymnasium's checks


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"opponent": "greedy", "color": "random"},
        {"size": 3, "setup": "scrambled", "color": "white"},
        {"rules": loa.Rules.OPENSPIEL, "max_plies": 9, "opponent": first_actions},
    ],
)
def test_gymnasium_checks_an_environment(arguments):
    # Warnings are errors here, so there are none.
    check_env(gymnasium.make(NAME, **arguments).unwrapped)


def test_gymnasium_compares_two():
    check_environments_match(
        gymnasium.make(NAME, color="random", render_mode="rgb_array"),
        gymnasium.make(NAME, color="random", render_mode="rgb_array"),
        num_steps=50,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"opponent": first_actions, "size": 5},
        {"opponent": last_actions, "color": "white", "size": 4},
        {"opponent": first_actions, "max_plies": 7},
        {"opponent": last_actions, "max_plies": 8, "color": "white", "rules": loa.Rules.OPENSPIEL},
    ],
)
def test_gymnasium_makes_the_same_vector_environment(arguments):
    """Gymnasium's own vector of single environments is the measure, illegal actions included."""
    count = 5
    expected = SyncVectorEnv(
        [lambda: LinesOfActionEnv(**arguments)] * count, autoreset_mode=AutoresetMode.SAME_STEP
    )
    envs = LinesOfActionVectorEnv(count, **arguments)
    assert envs.metadata["autoreset_mode"] is expected.metadata["autoreset_mode"]
    for name in ("num_envs", "action_space", "observation_space"):
        assert getattr(envs, name) == getattr(expected, name)
        if name != "num_envs":
            assert getattr(envs, f"single_{name}") == getattr(expected, f"single_{name}")
    generator = np.random.default_rng(1)
    results = envs.reset(seed=1)
    assert data_equivalence(results, expected.reset(seed=1), exact=True)
    ended = 0
    for _ in range(150):
        actions = random_actions(results[-1], generator)
        if generator.random() < 0.1:
            actions[generator.integers(count)] = generator.integers(513)
        results = envs.step(actions)
        assert data_equivalence(results, expected.step(actions), exact=True)
        ended += np.count_nonzero(results[2] | results[3])
    assert ended > 10


@pytest.mark.skipif(
    tuple(map(int, gymnasium.__version__.split(".")[:2])) < (1, 4),
    reason="this wrapper of Gymnasium took no notice of SAME_STEP before 1.4",
)
def test_gymnasium_keeps_statistics():
    envs = RecordEpisodeStatistics(LinesOfActionVectorEnv(8, size=4, color="random"))
    _, infos = envs.reset(seed=2)
    generator = np.random.default_rng(2)
    seen = 0
    for _ in range(60):
        _, rewards, terminations, truncations, infos = envs.step(random_actions(infos, generator))
        ended = terminations | truncations
        if ended.any():
            assert (infos["_episode"] == ended).all()
            assert (infos["episode"]["r"][ended] == rewards[ended]).all()
            final = infos["final_info"]
            # Two plies each, less the reply that the end forestalled, and White's first one.
            missing = final["ply"] - 2 * infos["episode"]["l"] - final["color"]
            assert set(missing[ended].tolist()) <= {-1, 0}
            seen += ended.sum()
    assert seen > 10


def test_registered():
    env = gymnasium.make(f"loa.integrations.gymnasium:{NAME}", size=5)
    assert isinstance(env.unwrapped, LinesOfActionEnv)
    envs = gymnasium.make_vec(NAME, num_envs=3, size=5, threads=2)
    assert isinstance(envs, LinesOfActionVectorEnv)
    assert (envs.num_envs, envs.batch.size, envs.batch.threads) == (3, 5, 2)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs.close()
    assert envs.closed


# Games beside boards


class Recorder:
    """An opponent at random that keeps what it has played."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.played = {}

    def __call__(self, batch, rows):
        assert (np.diff(rows) > 0).all() and not batch.terminated[rows].any()
        masks = batch.legal_mask()[rows]
        actions = (masks * self.generator.random(masks.shape)).argmax(axis=1)
        self.played |= dict(zip(rows.tolist(), actions.tolist(), strict=True))
        return actions


def view(board, color):
    planes = encodings.planes(board, view="absolute", dtype=np.uint8)
    if color is loa.WHITE:
        planes[:2] = planes[1::-1]
    return planes


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("size", [4, 8])
def test_games_beside_boards(preset, size):
    rules = PRESETS[preset]
    count, max_plies = 6, 30 * size
    opponent = Recorder(size)
    envs = LinesOfActionVectorEnv(
        count, opponent=opponent, color="random", rules=rules, size=size, max_plies=max_plies
    )
    generator = np.random.default_rng([len(preset), size])
    games = [None] * count

    def begin(row, observation, infos):
        games[row] = board = loa.Board(rules=rules, size=size)
        if infos["color"][row]:
            board.push(encodings.move_of(board, opponent.played.pop(row)))
        compare(row, observation, infos)

    def compare(row, observation, infos):
        board = games[row]
        assert board.turn == infos["color"][row]
        assert (observation == view(board, board.turn)).all()
        assert (infos["action_mask"][row] == encodings.legal_mask(board)).all()
        assert (infos["ply"][row], infos["termination"][row]) == (board.ply, -1)

    observations, infos = envs.reset(seed=size)
    assert envs.observation_space.contains(observations)
    for row in range(count):
        begin(row, observations[row], infos)
    ends = set()
    for _ in range(max_plies):
        actions = random_actions(infos, generator)
        colors = [game.turn for game in games]
        for row, board in enumerate(games):
            board.push(encodings.move_of(board, actions[row]))
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert envs.observation_space.contains(observations)
        assert (rewards.dtype, terminations.dtype, truncations.dtype) == (float, bool, bool)
        for row, board in enumerate(games):
            ended = terminations[row] or truncations[row]
            if not board.is_game_over() and board.ply < max_plies:
                # With an episode that begins at once, the first reply has been played over.
                if ended and infos["color"][row]:
                    board = replay(board, infos["final_obs"][row], colors[row])
                else:
                    board.push(encodings.move_of(board, opponent.played.pop(row)))
            outcome = board.outcome()
            assert terminations[row] == (outcome is not None)
            assert truncations[row] == (outcome is None and board.ply >= max_plies)
            winner = None if outcome is None else outcome.winner
            assert rewards[row] == (0 if winner is None else 1 if winner is colors[row] else -1)
            if not ended:
                compare(row, observations[row], infos)
                continue
            ends.add(outcome and outcome.termination)
            final = infos["final_info"]
            assert (infos["final_obs"][row] == view(board, colors[row])).all()
            assert not final["action_mask"][row].any()
            assert (final["color"][row], final["ply"][row]) == (colors[row], board.ply)
            number = final["termination"][row]
            if outcome is None:
                assert number == -1
            else:
                assert loa.BoardBatch.TERMINATIONS[number] is outcome.termination
            begin(row, observations[row], infos)
        if "final_obs" in infos:
            expected = terminations | truncations
            assert (infos["_final_obs"] == expected).all()
            assert (infos["_final_info"] == expected).all()
            assert [entry is not None for entry in infos["final_obs"]] == expected.tolist()
        else:
            assert not (terminations | truncations).any()
        assert {name for name in infos if not name.startswith(("_", "final"))} == INFOS
        assert all(infos[f"_{name}"].all() for name in INFOS)
    assert loa.Termination.CONNECTION in ends


def replay(board, observation, color):
    """The board after the reply that led to what was observed."""
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        if (view(after, color) == observation).all():
            return after
    raise AssertionError("no reply leads there")


def test_passes():
    env = LinesOfActionEnv(size=4, color="white")
    env.reset(seed=1)
    env._games.batch = loa.BoardBatch.from_boards([loa.Board(WHITE_PASSES)])
    assert np.flatnonzero(env._info()["action_mask"]).tolist() == [512]
    env.step(512)
    assert env.board.move_stack[-2] is loa.Move.PASS


@pytest.mark.parametrize("size", range(3, 9))
def test_spaces(size):
    env = LinesOfActionEnv(size=size)
    assert env.action_space.n == 513
    space = env.observation_space
    assert (space.shape, space.dtype) == ((8, size, size), np.uint8)
    assert (space.low == 0).all()
    assert (space.high == space.high[:, :1, :1]).all()
    assert space.high[:, 0, 0].tolist() == [1, 1, size, size, size, size, 1, 3]


# Colours and seeds


def test_colors():
    for color, expected in (("black", {0}), ("white", {1}), ("random", {0, 1})):
        envs = LinesOfActionVectorEnv(40, color=color, size=4)
        _, infos = envs.reset(seed=1)
        assert set(infos["color"].tolist()) == expected
        assert (infos["ply"] == infos["color"]).all()
        assert (envs.colors == infos["color"]).all() and (envs.batch.turns == envs.colors).all()
    changed = 0
    generator = np.random.default_rng(1)
    for _ in range(20):
        before = infos["color"]
        _, _, terminations, _, infos = envs.step(random_actions(infos, generator))
        assert (infos["color"][~terminations] == before[~terminations]).all()
        changed += np.count_nonzero(infos["color"] != before)
    assert changed > 5


def episodes(seed, opponent, constructor=LinesOfActionVectorEnv):
    envs = constructor(4, opponent=opponent, color="random", size=5)
    results = [envs.reset(seed=seed)]
    generator = np.random.default_rng(1)
    for _ in range(40):
        results.append(envs.step(random_actions(results[-1][-1], generator)))
    return results


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_the_seed_decides(opponent):
    first = episodes(3, opponent)
    assert data_equivalence(first, episodes(3, opponent), exact=True)
    assert not data_equivalence(first, episodes(4, opponent))


def test_episodes_of_one_seed_differ():
    env = LinesOfActionEnv(color="white")
    first, _ = env.reset(seed=1)
    others = [env.reset()[0] for _ in range(5)]
    assert any((first != other).any() for other in others)
    assert (env.reset(seed=1)[0] == first).all()


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda environment: pickle.loads(pickle.dumps(environment))]
)
def test_copies_go_their_own_way(copied):
    envs = LinesOfActionVectorEnv(3, opponent=first_actions)
    _, infos = envs.reset(seed=1)
    other = copied(envs)
    actions = infos["action_mask"].argmax(axis=1)
    first = envs.step(actions)
    assert envs.batch.plies.tolist() == [2, 2, 2]
    assert other.batch.plies.tolist() == [0, 0, 0]
    assert data_equivalence(other.step(actions), first, exact=True)


# Ends and resets


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda batch, rows: [511] * len(rows), loa.IllegalMoveError, "illegal and no move"),
        (lambda batch, rows: [-1] * len(rows), loa.InvalidMoveError, "opponent's action is -1"),
        (lambda batch, rows: [513] * len(rows), LoaError, "513"),
        (lambda batch, rows: 10, LoaError, "opponent's actions have the shape (): expected (2,)"),
        (lambda batch, rows: [1.5] * len(rows), TypeError, "opponent's actions have dtype float64"),
        (lambda batch, rows: 1 // 0, ZeroDivisionError, "division"),
    ],
)
def test_opponents_that_fail(answer, error, message):
    fails = True
    envs = LinesOfActionVectorEnv(
        2, opponent=lambda batch, rows: (answer if fails else first_actions)(batch, rows)
    )
    _, infos = envs.reset()
    actions = infos["action_mask"].argmax(axis=1)
    with pytest.raises(error, match=re.escape(message)):
        envs.step(actions)
    # Half a step has been made, so nothing goes on from here.
    for _ in range(2):
        with pytest.raises(ResetNeeded):
            envs.step(actions)
    with pytest.raises(ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False])})
    fails = False
    envs.reset()
    envs.step(actions)
    assert envs.batch.plies.tolist() == [2, 2]


def test_max_plies_truncates_before_the_reply():
    env = LinesOfActionEnv(max_plies=3, opponent=first_actions)
    for _ in range(2):
        _, info = env.reset()
        assert env.step(info["action_mask"].argmax())[2:4] == (False, False)
        mask = encodings.legal_mask(env.board)
        observation, reward, terminated, truncated, info = env.step(mask.argmax())
        assert (reward, terminated, truncated) == (0, False, True)
        assert (info["ply"], info["termination"], info["action_mask"].any()) == (3, -1, False)
        # White is to move, and it is seen from Black's side.
        assert (observation == view(env.board, loa.BLACK)).all()
        assert env.board.turn is loa.WHITE
        with pytest.raises(ResetNeeded, match="the episode is over"):
            env.step(mask.argmax())


def test_the_ply_limit_of_the_rules_terminates():
    env = LinesOfActionEnv(rules=loa.Rules.MSO.replace(ply_limit=2), max_plies=2)
    _, info = env.reset()
    _, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
    assert (reward, terminated, truncated) == (0, True, False)
    assert loa.BoardBatch.TERMINATIONS[info["termination"]] is loa.Termination.PLY_LIMIT


def test_an_illegal_action_loses():
    envs = LinesOfActionVectorEnv(2, opponent=first_actions)
    _, infos = envs.reset()
    legal = infos["action_mask"][0].argmax()
    _, rewards, terminations, truncations, infos = envs.step([legal, 512])
    assert rewards.tolist() == [0, -1]
    assert terminations.tolist() == [False, True]
    assert not truncations.any()
    final = infos["final_info"]
    number = final["termination"][1]
    assert loa.BoardBatch.TERMINATIONS[number] is loa.Termination.ILLEGAL_MOVE
    assert final["ply"][1] == 0
    assert envs.batch.plies.tolist() == [2, 0]


def test_an_illegal_action_that_raises_changes_nothing():
    envs = LinesOfActionVectorEnv(2, opponent=first_actions, illegal="raise")
    _, infos = envs.reset()
    legal = infos["action_mask"][0].argmax()
    with pytest.raises(loa.IllegalMoveError, match="row 1"):
        envs.step([legal, 512])
    assert envs.batch.plies.tolist() == [0, 0]
    envs.step([legal, legal])
    assert envs.batch.plies.tolist() == [2, 2]


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([10, 513], loa.InvalidMoveError, "action is 513: expected 0 to 512"),
        ([-1, 10], loa.InvalidMoveError, "action is -1: expected 0 to 512"),
        ([2**70, 10], TypeError, "actions have dtype object"),
        ([10], LoaError, "expected (2,)"),
        ([[10, 10]], LoaError, "expected (2,)"),
        ([1.0, 2.0], TypeError, "actions have dtype float64: expected integers"),
        (None, TypeError, "actions have dtype object"),
    ],
)
def test_no_actions(actions, error, message, illegal):
    envs = LinesOfActionVectorEnv(2, opponent=first_actions, illegal=illegal)
    envs.reset()
    with pytest.raises(error, match=re.escape(message)):
        envs.step(actions)
    assert envs.batch.plies.tolist() == [0, 0]
    envs.step([10, 10])
    assert envs.batch.plies.tolist() == [2, 2]


def test_one_action():
    env = LinesOfActionEnv()
    env.reset()
    for action in (None, 1.5, "a", [10]):
        with pytest.raises(TypeError, match="int"):
            env.step(action)
    with pytest.raises(loa.InvalidMoveError, match="action is 513: expected 0 to 512"):
        env.step(513)
    env.step(np.int64(10))
    assert env.board.ply == 2


def test_step_needs_a_reset():
    for environment, actions in ((LinesOfActionVectorEnv(1), [10]), (LinesOfActionEnv(), 10)):
        with pytest.raises(ResetNeeded):
            environment.step(actions)


def test_some_games_are_reset():
    envs = LinesOfActionVectorEnv(3, opponent=first_actions, color="white")
    _, infos = envs.reset()
    envs.step(infos["action_mask"].argmax(axis=1))
    observations, infos = envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert infos["ply"].tolist() == [1, 3, 1]
    assert (observations[0] == observations[2]).all()
    for mask, error, message in (
        ([1, 0, 1], TypeError, "expected bool"),
        ([True], LoaError, r"expected \(3,\)"),
    ):
        with pytest.raises(error, match=message):
            envs.reset(options={"reset_mask": np.array(mask)})
    assert envs.batch.plies.tolist() == [1, 3, 1]


# Pictures


def test_text():
    env = LinesOfActionEnv(
        render_mode="ansi", size=3, rules=loa.Rules.MSO.replace(ply_limit=2), opponent=first_actions
    )
    _, info = env.reset()
    assert env.render() == f"{loa.Board(size=3)}\nBlack to move"
    env.step(info["action_mask"].argmax())
    assert env.render() == f"{env.board}\nwon by nobody: ply limit"
    env.reset()
    env.step(512)
    assert env.render().endswith("\nwon by White: illegal move")


def test_human_sees_every_step(capsys):
    env = LinesOfActionEnv(render_mode="human", size=4, opponent=first_actions)
    _, info = env.reset()
    first = env.board
    env.step(info["action_mask"].argmax())
    assert capsys.readouterr().out == f"{first}\nBlack to move\n{env.board}\nBlack to move\n"


def test_picture():
    env = LinesOfActionEnv(render_mode="rgb_array", size=5)
    env.reset()
    picture = env.render()
    assert (picture.shape, picture.dtype) == ((200, 200, 3), np.uint8)
    assert (env.render() == picture).all()


def test_rendering_without_a_mode():
    env = LinesOfActionEnv()
    env.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


# Arguments


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opponent": "mcts"}, LoaError, "opponent is 'mcts': expected one of 'random', 'greedy'"),
        ({"opponent": 3}, TypeError, "opponent is 3: expected 'random', 'greedy' or a function"),
        ({"color": "red"}, LoaError, "color is 'red': expected one of 'black', 'white', 'random'"),
        ({"color": loa.BLACK}, LoaError, "expected one of 'black', 'white', 'random'"),
        ({"illegal": "ignore"}, LoaError, "illegal is 'ignore': expected one of 'lose', 'raise'"),
        ({"size": 9}, LoaError, "size is 9: expected 3 to 8"),
        ({"setup": "chess"}, LoaError, "unknown setup 'chess'"),
        ({"rules": "MSO"}, TypeError, "rules is 'MSO': expected a loa.Rules"),
        ({"max_plies": 1}, LoaError, "max_plies is 1: expected 2 or more"),
        ({"max_plies": 1.5}, TypeError, "max_plies is 1.5: expected an int"),
        ({"max_plies": True}, TypeError, "max_plies is True: expected an int"),
        ({"rules": loa.Rules.MSO.replace(ply_limit=0)}, LoaError, "the game is over at once"),
        ({"rules": loa.Rules.MSO.replace(ply_limit=1)}, LoaError, "can be over after one ply"),
    ],
)
def test_bad_arguments(arguments, error, message):
    for constructor in (LinesOfActionEnv, LinesOfActionVectorEnv):
        with pytest.raises(error, match=re.escape(message)):
            constructor(**arguments)


def test_more_bad_arguments():
    with pytest.raises(LoaError, match="n is 0"):
        LinesOfActionVectorEnv(0)
    with pytest.raises(LoaError, match="render_mode is 'gif': expected one of None, 'human'"):
        LinesOfActionEnv(render_mode="gif")


def test_documentation():
    assert doctest.testmod(integration, extraglobs={"loa": loa}).failed == 0
    assert run_examples("Gymnasium") == 2
