"""The commands `loa convert` and `loa stats`."""

import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import loa
from loa.cli import main
from loa.records import FORMATS, read_games, statistics

GAMES = str(Path(__file__).parent / "data" / "games.txt")
BAD = "1. c8-c6 a6-c4 *\n1. c8-c5 *\n1. d1-b3 *\n"


@pytest.fixture
def run(capsys):
    """Runs the command in this process: exit status, standard output, standard error."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def fail(run):
    """Runs the command, which fails: the text of the one line of its error."""

    def fail(*arguments):
        status, output, error = run(*arguments)
        assert (status, output) == (1, "")
        assert re.fullmatch(r"loa: error: .+\n", error), error
        return error.removeprefix("loa: error: ").rstrip("\n")

    return fail


# The rules of the record ------------------------------------------------------------------------


@pytest.fixture
def drawn(tmp_path):
    """A file with a game that OpenSpiel's rules have drawn, as its headers say."""
    path = tmp_path / "drawn.pgn"
    tags = '[Id "g"]\n[Result "1/2-1/2"]\n[Rules "openspiel"]\n'
    path.write_text(f"{tags}\nc8-c6 h4-f2 c6-c8 f2-h4\n")
    return path


def test_records_are_replayed_under_their_rules(run, drawn, tmp_path):
    page = tmp_path / "page.html"
    status, output, _ = run("replay", drawn, "--show", "--html", page)
    assert status == 0
    assert "draw by repetition" in output
    assert "Draw by repetition" in page.read_text(encoding="utf-8")
    assert "unfinished (record says 1/2-1/2)" in run("replay", drawn, "--rules", "mso")[1]


def test_records_are_counted_under_their_rules(run, drawn):
    assert json.loads(run("stats", drawn, "--json")[1])["ends"] == {"repetition": 1}
    explicit = run("stats", drawn, "--json", "--rules", "mso")[1]
    assert json.loads(explicit)["ends"] == {"unfinished": 1}


def test_the_error_names_the_rules(fail, drawn):
    drawn.write_text(drawn.read_text() + "c8-c6\n")
    expected = "'c8-c6' after the end of the game (1/2-1/2 by repetition) under Rules.OPENSPIEL:"
    assert expected in fail("replay", drawn)


def test_convert_keeps_the_rules(run, drawn, tmp_path):
    """Those that the file names, and those of the option."""
    for options in ((), ("--rules", "codingame")):
        sgf, lines = tmp_path / "a.sgf", tmp_path / "a.loa"
        assert run("convert", drawn, lines, "--lossy")[0] == 0
        assert run("convert", lines if options else drawn, sgf, *options)[0] == 0
        assert f"RU[{options[-1] if options else 'openspiel'}]" in sgf.read_text()
        assert run("convert", drawn, tmp_path / "a.npz", *options)[0] == 0
        with np.load(tmp_path / "a.npz") as arrays:
            assert set(arrays["result"].tolist()) == {0}


# convert ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_convert_there_and_back(run, tmp_path, name):
    path = tmp_path / "games"
    status, output, error = run("convert", GAMES, path, "--to", name, "--lossy")
    assert (status, output, error) == (0, f"{path}: 30 games ({name})\n", "")
    expected = io.StringIO()
    loa.write_games(read_games(GAMES), expected, format=name, lossy=True)
    assert path.read_text(encoding="utf-8") == expected.getvalue()
    back = tmp_path / "back.txt"
    status, output, error = run("convert", path, back, "--from", name)
    assert (status, output) == (0, f"{back}: 30 games (paragraphs)\n")
    names = [f"game-{number}" for number in range(1, 31)]
    if FORMATS[name].refuse_header("id", "x") is None:
        assert error == ""
        assert read_games(back) == read_games(GAMES)
    else:
        assert "loa: warning: " in error
        assert "30 games without an id: named after the number in the file" in error
        assert [game.id for game in read_games(back)] == names
        assert [game.moves for game in read_games(back)] == [
            game.moves for game in read_games(GAMES)
        ]


@pytest.mark.parametrize(
    ("suffix", "name"),
    [(suffix, each.name) for each in FORMATS.values() for suffix in each.suffixes],
)
def test_convert_by_suffix(run, tmp_path, suffix, name):
    path = tmp_path / f"games{suffix.upper()}"
    status, output, _ = run("convert", GAMES, path, "--lossy")
    assert (status, output) == (0, f"{path}: 30 games ({name})\n")
    assert read_games(path).format == name


def test_suffixes_are_told_apart():
    suffixes = [suffix for each in FORMATS.values() for suffix in each.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_convert_to_positions(run, tmp_path):
    path = tmp_path / "games.npz"
    status, output, error = run("convert", GAMES, path)
    assert (status, error) == (0, "")
    assert output == f"{path}: 1,031 positions of 30 games (npz)\n"
    with np.load(path) as arrays:
        assert arrays["black"].shape == (1031,)


def test_convert_streams(run, monkeypatch):
    class Input:
        buffer = io.BytesIO(b"c8c6 a6c4\n")

    monkeypatch.setattr(sys, "stdin", Input)
    assert run("convert", "-", "-", "--to", "lines") == (0, "c8-c6 a6-c4\n", "")
    monkeypatch.setattr(sys, "stdin", None)
    status, _, error = run("convert", "-", "-", "--to", "lines")
    assert (status, error) == (1, "loa: error: standard input is closed: expected games\n")


def test_convert_refuses_to_lose_anything(fail, run, tmp_path):
    path = tmp_path / "games.uci"
    message = fail("convert", GAMES, path)
    assert message.startswith("game 1 has the header 'id', 'msc2000_appendix_E_game1': expected no")
    assert message.endswith(" in the format uci, or lossy to write the rest")
    assert not path.exists()
    assert run("convert", GAMES, path, "--lossy")[0] == 0
    tree = tmp_path / "tree.pgn"
    tree.write_text("1. c8-c6 (1. d1-b3) *\n")
    assert fail("convert", tree, path).startswith("game 1 has variations or comments: expected")


@pytest.mark.parametrize(("on_error", "kept"), [("skip", 2), ("truncate", 3)])
def test_convert_passes_over_errors(run, tmp_path, on_error, kept):
    path = tmp_path / "bad.pgn"
    path.write_text(BAD)
    status, output, error = run(
        "convert", path, "-", "--to", "lines", "--lossy", "--on-error", on_error
    )
    assert status == 0
    assert len(output.splitlines()) == kept
    assert error.startswith(f"loa: warning: {path}: line 2, column 4: 'c8-c5'")
    assert error.count("\n") == 1


def test_many_warnings(run, tmp_path):
    path = tmp_path / "bad.pgn"
    path.write_text(BAD * 15)
    status, _, error = run("convert", path, "-", "--to", "uci", "--on-error", "skip")
    assert status == 0
    assert error.count("\n") == 11
    assert error.endswith(f"loa: warning: {path}: 5 more games with errors\n")


# stats ------------------------------------------------------------------------------------------


def test_stats(run):
    status, output, error = run("stats", GAMES)
    assert (status, error) == (0, "")
    lines = output.splitlines()
    assert lines[0].split() == ["what", "number", "share"]
    assert len({len(line) for line in lines if line.endswith("%")}) == 1
    rows = {line[:24].strip(): line[24:].split() for line in lines[1:]}
    assert rows["games"] == ["30"]
    assert rows["plies"] == ["1,031"]
    assert rows["captures"] == ["265", "25.7", "%"]
    assert rows["plies a game, mean"] == ["34.4"]
    assert rows["result: won by Black"] == ["12", "40.0", "%"]
    assert rows["end: resignation"] == ["4", "13.3", "%"]
    assert rows["first move: d1-b3"] == ["9", "30.0", "%"]


def test_stats_with_many_first_moves(run, tmp_path):
    path = tmp_path / "games.uci"
    board = loa.Board()
    path.write_text("".join(f"{str(move).replace('-', '')}\n" for move in board.legal_moves))
    status, output, _ = run("stats", path)
    assert status == 0
    assert output.count("first move: ") == 11
    assert re.search(r"first move: others +26 +72\.2 %\n$", output)


def test_stats_as_json(run):
    status, output, error = run("stats", GAMES, "--json")
    assert (status, error) == (0, "")
    assert json.loads(output) == statistics(read_games(GAMES)).as_dict()


def test_stats_plot(run, fail, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    status, output, _ = run("stats", GAMES, "--plot", path)
    assert status == 0
    assert output.startswith("what")
    assert path.read_text(encoding="utf-8").startswith("<?xml")
    assert fail("stats", GAMES, "--plot", "plot.xyz").startswith("suffix 'xyz' of a picture")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = fail("stats", GAMES, "--plot", path)
    assert message.startswith(f"--plot {path}: pictures need matplotlib")


def test_stats_of_bad_files(run, fail, tmp_path):
    path = tmp_path / "bad.pgn"
    path.write_text(BAD)
    assert fail("stats", path).startswith(f"{path}: line 2, column 4: 'c8-c5'")
    status, output, error = run("stats", path, "--on-error", "skip", "--rules", "openspiel")
    assert status == 0
    assert re.search(r"games +2\n", output)
    assert error.startswith(f"loa: warning: {path}: line 2")
    path.write_text("# nothing\n")
    assert fail("stats", path) == f"{path}: no games: expected some"


def test_progress_bar(run, tmp_path, monkeypatch):
    """It shows on a terminal only, and leaves nothing behind."""
    pytest.importorskip("rich")
    monkeypatch.setattr(loa._terminal, "_BAR_DELAY", 0)
    monkeypatch.setattr(loa._terminal, "_BAR_INTERVAL", 0)
    status, plain, error = run("stats", GAMES)
    assert (status, error) == (0, "")
    monkeypatch.setattr(loa._terminal, "is_rich", lambda stream: stream is sys.stderr)
    monkeypatch.setenv("FORCE_COLOR", "1")
    status, output, error = run("stats", GAMES)
    assert (status, output) == (0, plain)
    assert "games.txt" in error
    assert "30 games" in error


def test_progress_where_there_is_no_terminal(run, monkeypatch):
    for name in ("_BAR_DELAY", "_BAR_INTERVAL", "_LINE_INTERVAL"):
        monkeypatch.setattr(loa._terminal, name, 0)
    status, _, error = run("stats", GAMES)
    assert status == 0
    assert error.splitlines()[-1] == "games.txt: 100.0 %, 30 games so far"


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convert"], "the following arguments are required: IN, OUT"),
        (["convert", GAMES], "the following arguments are required: OUT"),
        (["convert", GAMES, "games.xyz"], "no format for games.xyz: expected --to FORMAT or one"),
        (["convert", GAMES, "-"], "no format for -: expected --to FORMAT"),
        (["convert", GAMES, "-", "--to", "npz"], "npz on standard output: expected the name of"),
        (["convert", GAMES, "a.pgn", "--to", "chess"], "argument --to: invalid choice: 'chess'"),
        (["convert", GAMES, "a.pgn", "--from", "npz"], "argument --from: invalid choice: 'npz'"),
        (["convert", GAMES, "a.pgn", "--on-error", "x"], "argument --on-error: invalid choice"),
        (["convert", "no such file", "a.pgn"], "no such file: No such file"),
        (["convert", GAMES, "no such folder/a.pgn"], "No such file"),
        (["convert", GAMES, "no such folder/a.npz"], "No such file"),
        (["convert", GAMES, "a.pgn", "--rules", "openspiel"], f"{GAMES}: line "),
        (["convert", GAMES, "a.pgn", "--from", "uci"], f"{GAMES}: line 4, column 1: '[id'"),
        (["stats"], "the following arguments are required: FILE"),
        (["stats", "no such file"], "no such file: No such file"),
        (["stats", GAMES, "--from", "lines"], f"{GAMES}: line 4, column 1: '[id'"),
        (["stats", GAMES, "--plot"], "argument --plot: expected one argument"),
    ],
)
def test_bad_input(fail, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in fail(*arguments)
    assert list(tmp_path.iterdir()) == []


# Names from files -------------------------------------------------------------------------------

EVIL = "a\x1b[31m\x07\u202eb\x9bc"
SHOWN = r"a\x1b[31m\x07\u202eb\x9bc"


def test_nothing_from_a_file_reaches_the_terminal(run, tmp_path):
    path = tmp_path / "a.sgf"
    for result in ("", "RE[B+]"):
        path.write_text(
            f"(;GM[9]GN[{EVIL}]PB[{EVIL}]{result}SZ[3]SU[Custom]AB[a1][c3]AW[a3][c1];B[a1:a3])"
        )
        status, output, error = run("replay", path, "--show")
        assert status == bool(result)
        assert output.count(SHOWN) == 4
        assert error.count(SHOWN) == bool(result)
        assert (output + error).replace("\n", "").isprintable()
    bad = tmp_path / f"{EVIL}.uci"
    bad.write_text("c8c5\n")
    for arguments in (["stats", bad], ["convert", bad, "-", "--to", "uci", "--on-error", "skip"]):
        _, output, error = run(*arguments)
        assert output == ""
        assert SHOWN in error
        assert error.replace("\n", "").isprintable()


def test_nothing_is_replaced_by_no_games(run, tmp_path):
    target = tmp_path / "games.txt"
    target.write_bytes(b"before")
    for content in (b"", b"# c8c6\rc8c6\r", b"c8c5\n"):
        path = tmp_path / "bad.uci"
        path.write_bytes(content)
        status, output, error = run("convert", path, target, "--on-error", "skip")
        assert (status, output) == (1, "")
        assert error.endswith(f"loa: error: {path}: no games: expected some\n")
        assert target.read_bytes() == b"before"


def test_games_left_out_are_told(run, tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text('[Id "a"]\n\n*\n\n[Id "b"]\n\n1. c8-c6 *\n')
    target = tmp_path / "games.txt"
    status, output, error = run("convert", path, target, "--lossy")
    assert (status, output) == (0, f"{target}: 1 game (paragraphs)\n")
    assert error == (
        f"loa: warning: {path}: 1 game without moves, which paragraphs does not hold: left out\n"
    )


def test_replay_takes_the_options_of_the_others(run, tmp_path, monkeypatch):
    path = tmp_path / "games"
    path.write_text(BAD)
    options = ["--from", "numbered", "--on-error", "truncate"]
    status, output, error = run("replay", path, *options)
    assert status == 0
    assert "3 games, 3 plies" in output
    assert error.startswith(f"loa: warning: {path}: line 2, column 4: 'c8-c5'")


def test_help_lists_the_formats(run):
    status, output, _ = run("convert", "--help")
    assert status == 0
    words = " ".join(output.split())
    for each in FORMATS.values():
        assert f"{each.name}: {each.description}" in words
