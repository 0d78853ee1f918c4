"""What is counted in many games, and their positions as arrays."""

import hashlib
import json
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import loa
from loa.records import (
    Game,
    export_positions,
    plot_statistics,
    positions,
    positions_of,
    read_games,
    statistics,
)
from loa.records.game_statistics import UNFINISHED
from loa.records.positions import COLUMNS, UNKNOWN, VERSION

GAMES = Path(__file__).parent / "data" / "games.txt"
OPEN = [loa.Move.from_text(text) for text in ("c8-c6", "a6-c4", "e8-b5", "h3-f1")]
STUCK = "6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1"


@pytest.fixture(scope="module")
def games():
    return read_games(GAMES)


# Statistics -------------------------------------------------------------------------------------


def test_statistics_of_the_recorded_games(games):
    found = statistics(games)
    boards = [game.board_at(ply) for game in games for ply in range(len(game.moves))]
    assert (found.games, found.plies) == (30, len(boards)) == (30, 1031)
    assert found.mean_length == len(boards) / 30
    branching = sum(len(board.legal_moves) for board in boards) / len(boards)
    assert found.mean_branching == pytest.approx(branching)
    assert found.captures == GAMES.read_text(encoding="utf-8").count("x") - sum(
        line.count("x")
        for line in GAMES.read_text(encoding="utf-8").splitlines()
        if line[:1] in "[#"
    )
    assert found.passes == 0
    # The record of an unfinished game says more than its board.
    assert found.results == {"1-0": 12, "0-1": 15, "1/2-1/2": 1, "*": 2}
    assert found.ends == {"connection": 22, "resignation": 4, UNFINISHED: 3, "repetition": 1}
    lengths = sorted(len(game.moves) for game in games)
    assert found.lengths == {length: lengths.count(length) for length in lengths}
    assert found.length_quantile(0) == lengths[0]
    assert found.length_quantile(0.5) == lengths[14]
    assert found.length_quantile(1) == lengths[-1]
    assert list(found.first_moves.items())[:2] == [("d1-b3", 9), ("b1-b3", 6)]
    assert found.branching[0] == (30, sum(len(game.board_at(0).legal_moves) for game in games))
    assert max(found.branching) == lengths[-1] - 1
    assert json.loads(json.dumps(found.as_dict())) == found.as_dict()


def test_statistics_of_few_games():
    found = statistics([])
    assert (found.games, found.plies, found.mean_length, found.mean_branching) == (0, 0, 0.0, 0.0)
    assert found.as_dict()["length"] == {"mean": 0.0, "quantiles": {}, "games": {}}
    with pytest.raises(loa.LoaError, match="no games: expected one at least"):
        found.length_quantile(0.5)
    found = statistics([Game(), Game({"note": "B resigns"}, OPEN), Game(start=STUCK)])
    assert found.ends == {UNFINISHED: 2, "resignation": 1}
    assert found.results == {"1-0": 0, "0-1": 1, "1/2-1/2": 0, "*": 2}
    assert found.lengths == {0: 2, 4: 1}
    passed = statistics([Game({}, [loa.Move.PASS], start=STUCK)])
    assert (passed.passes, passed.first_moves) == (1, {"pass": 1})


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
def test_quantiles_there_are_not(fraction, games):
    with pytest.raises(loa.LoaError, match=r"fraction is .*: expected 0 to 1"):
        statistics(games).length_quantile(fraction)


def test_statistics_check_moves(games):
    with pytest.raises(loa.IllegalMoveError):
        statistics([Game({}, OPEN[1:])])
    with pytest.raises(loa.IllegalMoveError):
        statistics(games, loa.Rules.OPENSPIEL)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_plots(games, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{suffix}"
    plot_statistics(statistics(games), path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
    # Games of one length only, and one of none at all.
    plot_statistics(statistics([Game()]), str(path))
    with pytest.raises(loa.LoaError, match="no games"):
        plot_statistics(statistics([]), path)
    with pytest.raises(
        loa.LoaError, match=r"suffix 'xyz' of a picture: expected one of .*png.*svg"
    ):
        plot_statistics(statistics(games), tmp_path / "plot.xyz")


def test_plots_without_matplotlib(games, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'loa\[plots\]'"):
        plot_statistics(statistics(games), tmp_path / "plot.png")


# Positions --------------------------------------------------------------------------------------


def test_positions_are_those_of_the_games(games):
    rows = next(positions_of(games))
    assert {name: array.dtype.type for name, array in rows.items()} == COLUMNS
    assert {array.shape for array in rows.values()} == {(1031,)}
    row = 0
    for number, game in enumerate(games):
        board = game.board_at(0)
        outcome = game.outcome()
        result = game.result if outcome is None else outcome.result
        black = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": UNKNOWN}[result]
        for ply, move in enumerate(game.moves):
            mover = black if black == UNKNOWN or board.turn is loa.BLACK else -black
            assert {name: int(array[row]) for name, array in rows.items()} == {
                "black": board.black,
                "white": board.white,
                "turn": board.turn,
                "size": 8,
                "action": loa.encodings.action_of(board, move),
                "move": move.code,
                "result": black,
                "mover_result": mover,
                "game": number,
                "ply": ply,
            }
            board.push(move)
            row += 1
    assert row == 1031


@pytest.mark.parametrize("chunk", [1, 7, 58, 1030, 1031, 1032])
def test_chunks(games, chunk, monkeypatch):
    whole = next(positions_of(games))
    monkeypatch.setattr(positions, "_CHUNK", chunk)
    parts = list(positions_of(iter(games)))
    assert {len(part["turn"]) for part in parts[:-1]} <= {chunk}
    assert 0 < len(parts[-1]["turn"]) <= chunk
    for name, array in whole.items():
        assert np.array_equal(np.concatenate([part[name] for part in parts]), array)


def test_positions_of_odd_games():
    passed = Game({"result": "0-1"}, [loa.Move.PASS], start=STUCK)
    (rows,) = positions_of([Game(), passed, Game(size=3)])
    assert {name: array.tolist() for name, array in rows.items()} == {
        "black": [0x8000000000000001],
        "white": [0x40C0000000010342],
        "turn": [0],
        "size": [8],
        "action": [loa.encodings.PASS_ACTION],
        "move": [0],
        "result": [-1],
        "mover_result": [-1],
        "game": [1],
        "ply": [0],
    }
    assert list(positions_of([])) == list(positions_of([Game()])) == []
    with pytest.raises(loa.IllegalMoveError):
        list(positions_of([Game({}, OPEN[1:])]))


def test_actions_of_all_moves():
    """The table of actions by code is that of `loa.encodings`, wherever a move is legal."""
    for size in range(3, 9):
        board = loa.Board(size=size, setup="scrambled")
        for _ in range(40):
            moves = board.legal_moves
            for move in moves:
                (rows,) = positions_of(
                    [Game({}, [move], start=loa.notation.parse_fen(board.fen()))],
                    loa.Rules(repetition_draw=None),
                )
                assert rows["action"][0] == loa.encodings.action_of(board, move)
            if not moves:
                break
            board.push(moves[len(moves) // 2])


def test_file_of_positions(games, tmp_path):
    path = tmp_path / "positions.npz"
    assert export_positions(iter(games), path) == 1031
    assert list(tmp_path.iterdir()) == [path]
    (rows,) = positions_of(games)
    with np.load(path) as arrays:
        assert list(arrays) == ["version", *COLUMNS]
        assert arrays["version"].dtype == np.int32
        assert arrays["version"] == VERSION == 1
        for name, array in rows.items():
            assert arrays[name].dtype == array.dtype
            assert np.array_equal(arrays[name], array)


def test_file_of_positions_is_as_it_was(games, tmp_path):
    """Files outlive releases. A change of these bytes is a new `VERSION`."""
    path = tmp_path / "positions.npz"
    export_positions(games, path)
    digest = hashlib.sha256()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            digest.update(name.encode() + archive.read(name))
    assert digest.hexdigest() == "aba2cb9b75bf7d3354636c5bdc20c29a2d9d72191eda89dec2434f59925dd14c"


def test_no_positions(tmp_path):
    path = tmp_path / "positions.npz"
    assert export_positions([], str(path)) == 0
    with np.load(path) as arrays:
        assert {arrays[name].shape for name in COLUMNS} == {(0,)}


def test_a_file_of_positions_is_written_whole_or_not_at_all(games, tmp_path):
    path = tmp_path / "positions.npz"
    path.write_bytes(b"before")
    with pytest.raises(loa.IllegalMoveError):
        export_positions([*games, Game({}, OPEN[1:])], path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="No such file"):
        export_positions(games, tmp_path / "no folder" / "positions.npz")


def test_memory_is_constant(tmp_path):
    game = Game({"result": "1-0"}, OPEN)

    def peak(count):
        tracemalloc.start()
        try:
            assert export_positions((game for _ in range(count)), tmp_path / "a.npz") == 4 * count
            assert statistics(game for _ in range(count)).games == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    assert peak(60_000) < 1.3 * peak(20_000)


def test_names_of_the_docstring_are_those_of_the_file():
    text = loa.records.positions.__doc__
    for name, dtype in COLUMNS.items():
        assert f"    {name:<14}{np.dtype(dtype).name:<8}" in text


@pytest.mark.parametrize(
    "take",
    [
        statistics,
        lambda games: list(positions_of(games)),
        lambda games: export_positions(games, "positions.npz"),
    ],
    ids=["statistics", "positions_of", "export_positions"],
)
def test_only_games_are_taken(take, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="3 among the games: expected a Game"):
        take([Game(), 3])
    assert list(tmp_path.iterdir()) == []
