"""The command `loa`: what it prints, where, and with which exit status."""

import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import loa
import loa.cli
import loa.distributed
from loa.cli import main

DATA = Path(__file__).parent / "data"
GAMES = str(DATA / "games.txt")
SUITE = str(DATA / "perft.txt")


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs the command in this process: exit status, lines on standard output, standard error."""
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err

    return run


@pytest.fixture
def fail(run):
    """Runs the command, which fails: the text of the one line of its error."""

    def fail(*arguments):
        status, lines, error = run(*arguments)
        assert status == 1
        assert lines == []
        assert re.fullmatch(r"loa: error: .+\n", error), error
        return error.removeprefix("loa: error: ").rstrip("\n")

    return fail


# perft ------------------------------------------------------------------------------------------


def test_perft(run):
    status, lines, error = run("perft", 4)
    assert (status, error) == (0, "")
    assert len(lines) == 3
    assert lines[0].split() == ["depth", "leaves", "seconds", "leaves/s"]
    assert lines[1].split()[:2] == ["4", "1,563,208"]
    assert re.fullmatch(
        r"perft 4: 1,563,208 leaves in \d+\.\d+ s \(\d\.\de\d+ leaves/s\)", lines[2]
    )


def test_perft_statistics(run):
    status, lines, error = run("perft", 3, "--statistics")
    assert (status, error) == (0, "")
    rows = [tuple(line.rsplit(maxsplit=1)) for line in lines[:-1]]
    assert rows == [
        ("last ply", "leaves"),
        ("leaves", "44,952"),
        ("captures", "5,980"),
        ("mover connections", "0"),
        ("opponent connections", "0"),
        ("simultaneous connections", "0"),
        ("passes", "0"),
    ]
    assert lines[-1].startswith("perft 3: 44,952 leaves in ")


@pytest.mark.parametrize("option", ["--divide", "--threads=2", "--hash-mb=1", "--workers=1"])
def test_perft_statistics_alone(run, option):
    status, _, error = run("perft", 3, "--statistics", option)
    assert status == 1
    assert error.startswith("loa: error: --statistics with --")


@pytest.mark.parametrize(
    ("arguments", "depth", "leaves"),
    [
        (["0"], 0, "1 leaf"),
        (["1"], 1, "36 leaves"),
        (["3", "--setup", "scrambled"], 3, "32,000 leaves"),
        (["3", "--size", "5"], 3, "4,164 leaves"),
        (["--size", "3", "--setup", "standard", "4"], 4, "108 leaves"),
        (["2", "--fen", "6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1"], 2, "28 leaves"),
        (["2", "--fen", "6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1", "--rules", "openspiel"], 2, "0 leaves"),
        (["2", "--fen", "1bb1/w2w/w2w/1bb1 b 501", "--rules", "OPENSPIEL"], 2, "120 leaves"),
    ],
)
def test_perft_options(run, arguments, depth, leaves):
    status, lines, error = run("perft", *arguments)
    assert (status, error) == (0, "")
    assert lines[-1].startswith(f"perft {depth}: {leaves} in ")


def test_perft_divide(run):
    status, lines, error = run("perft", 3, "--divide")
    assert (status, error) == (0, "")
    assert lines[0].split() == ["move", "leaves"]
    assert lines[-1].startswith("perft 3: 44,952 leaves in ")
    board = loa.Board()
    rows = dict(line.split() for line in lines[1:-1])
    assert rows == {
        board.move_text(move): f"{leaves:,}" for move, leaves in loa.divide(board, 3).items()
    }
    assert len({len(line) for line in lines[:-1]}) == 1


def test_perft_divide_looks_at_neither_repetition_nor_length(run):
    fen = "1bb1/w2w/w2w/1bb1 b 501"
    _, lines, _ = run("perft", 2, "--divide", "--rules", "openspiel", "--fen", fen)
    assert len(lines) == 12 + 2
    assert lines[-1].startswith("perft 2: 120 leaves in ")


def test_perft_divide_of_a_finished_game(run):
    status, lines, _ = run("perft", 3, "--divide", "--fen", "8/8/8/3bb3/8/w6w/8/8 w 1")
    assert status == 0
    assert lines[0].split() == ["move", "leaves"]
    assert re.fullmatch(r"perft 3: 0 leaves in \d+\.\d+ s \(0 leaves/s\)", lines[1])


def test_perft_suite(run):
    status, lines, error = run("perft", "--suite", SUITE, "--max-leaves", 50_000)
    assert (status, error) == (0, "")
    assert lines[0].split() == ["position", "no", "move", "depths", "leaves", "result"]
    entries = loa.suite.read_suite(SUITE)
    assert len(lines) == len(entries) + 3
    assert lines[1].split() == ["start-8x8", "pass", "3", "of", "6", "46,232", "ok"]
    counts = sum(len(entry.counts(50_000)) for entry in entries)
    assert lines[-2] == f"{counts} of {counts} counts right"
    assert re.fullmatch(r"perft suite: [\d,]+ leaves in \d+\.\d+ s \(.+ leaves/s\)", lines[-1])


def test_perft_suite_to_a_depth(run):
    status, lines, _ = run("perft", 2, "--suite", SUITE)
    assert status == 0
    assert lines[1].split() == ["start-8x8", "pass", "2", "of", "6", "1,280", "ok"]


def test_perft_suite_with_wrong_counts(run, tmp_path):
    path = tmp_path / "suite.txt"
    path.write_text(
        "# two are wrong\n"
        "a | 1b1/w1w/1b1 b 1 | pass | 4 17 40 109\n"
        "b | 1b1/w1w/1b1 b 1 | loss | 4 16\n"
    )
    status, lines, error = run("perft", "--suite", path)
    assert status == 1
    assert lines[1].endswith("depth 2: counted 16, expected 17; depth 4: counted 108, expected 109")
    assert lines[2].endswith("ok")
    assert lines[3] == "4 of 6 counts right"
    assert error == (
        f"loa: error: {path}: line 2: a: depth 2: counted 16, expected 17 (and 1 more)\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--threads", "2"],
        ["--hash-mb", "4"],
        ["--threads", "2", "--hash-mb", "4"],
        ["--threads", "2", "--hash-mb", "4", "--divide"],
        ["--workers", "2"],
        ["--workers", "1", "--plies", "3", "--threads", "2", "--hash-mb", "4"],
    ],
)
def test_perft_ways_of_counting(run, arguments):
    status, lines, error = run("perft", 5, *arguments)
    assert (status, error) == (0, "")
    assert lines[0].split()[:2] == (
        ["move", "leaves"] if "--divide" in arguments else ["depth", "leaves"]
    )
    assert lines[-1].startswith("perft 5: 55,963,132 leaves in ")


@pytest.mark.parametrize("way", [[], ["--threads", "2"], ["--workers", "1"]], ids=str)
def test_perft_with_a_checkpoint(run, tmp_path, way):
    path = tmp_path / "count.json"
    arguments = ["perft", 5, "--checkpoint", path, "--plies", 3, *way]
    status, lines, error = run(*arguments)
    assert (status, error) == (0, "")
    assert lines[-1].startswith("perft 5: 55,963,132 leaves in ")
    assert loa.distributed.DistributedPerft.load(path).leaves == 55_963_132
    status, lines, error = run(*arguments)
    assert (status, error) == (0, "")
    assert re.fullmatch(
        r"perft 5: 55,963,132 leaves \(55,963,132 of them before\) in .+ s \(0 leaves/s\)",
        lines[-1],
    )


def test_checkpoints_that_do_not_fit(run, fail, tmp_path):
    path = tmp_path / "count.json"
    assert run("perft", 4, "--checkpoint", path)[0] == 0
    content = path.read_text()
    assert fail("perft", 5, "--checkpoint", path).startswith(f"{path}: depth is 4: expected 5")
    assert path.read_text() == content
    path.write_text(content[:100])
    assert fail("perft", 4, "--checkpoint", path).startswith(f"{path}: line 1, column ")
    missing = tmp_path / "no folder" / "count.json"
    assert fail("perft", 4, "--checkpoint", missing).endswith(": No such file or directory")


def test_perft_on_a_cluster(run):
    dask = pytest.importorskip("distributed")
    with dask.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        status, lines, _ = run("perft", 5, "--scheduler", cluster.scheduler_address)
    assert status == 0
    assert lines[-1].startswith("perft 5: 55,963,132 leaves in ")


def test_schedulers_that_are_none(fail, monkeypatch):
    pytest.importorskip("distributed")
    message = fail("perft", 5, "--scheduler", "nonsense://scheduler")
    assert message.startswith("--scheduler nonsense://scheduler: ")
    assert "expected the address of a Dask scheduler" in message


def test_scheduler_without_dask(fail, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = fail("perft", 5, "--scheduler", "tcp://127.0.0.1:8786")
    assert "the package 'distributed' is not installed" in message
    assert "pip install 'loa[dask]'" in message


def test_progress_where_there_is_no_terminal(run, monkeypatch):
    for name in ("_BAR_DELAY", "_BAR_INTERVAL", "_LINE_INTERVAL"):
        monkeypatch.setattr(f"loa._terminal.{name}", 0.0)
    status, lines, error = run("perft", 4)
    assert (status, len(lines)) == (0, 3)
    assert error.splitlines()[-1] == "perft 4: 100.0 %, 1,563,208 leaves so far"
    _, _, error = run("perft", 3, "--divide")
    first = next(iter(loa.divide(loa.Board(), 3).values()))
    assert error.splitlines()[0] == f"perft 3: 2.8 %, {first:,} leaves so far"
    assert error.splitlines()[-1] == "perft 3: 100.0 %, 44,952 leaves so far"


def test_numbers_stay_whole_on_narrow_terminals(run, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr("loa._terminal.is_rich", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "20")
    _, lines, _ = run("perft", 5)
    assert "55,963,132" in "".join(lines[:-1])
    _, lines, _ = run("perft", "--suite", SUITE, "--max-leaves", 50_000)
    assert "46,232" in "".join(lines)
    assert not any("…" in line for line in lines)


# Ends from outside ------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot ask a process to end")
def test_sigterm_ends_the_workers_too(tmp_path):
    path = tmp_path / "count.json"
    arguments = ["perft", "9", "--plies", "3", "--workers", "2", "--checkpoint", str(path)]
    program = (
        "import sys\nfrom loa import checkpoints, cli\n"
        "checkpoints._CHECKPOINT_INTERVAL = 0.1\n"
        "if __name__ == '__main__':\n    sys.exit(cli.main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not path.exists() or loa.distributed.DistributedPerft.load(path).leaves_so_far == 0:
            assert process.poll() is None
            time.sleep(0.05)
        process.terminate()
        # It waits until nobody has the pipes open any more, a worker neither.
        output, error = process.communicate()
    assert (process.returncode, output, error) == (143, "", "")
    assert not loa.distributed.DistributedPerft.load(path).is_complete


def test_sigterm_is_left_to_others(run, monkeypatch):
    """A program that has a handler of its own keeps it, as does one that calls in a thread."""
    found = []
    monkeypatch.setattr(loa.cli, "print_line", lambda *_: found.append(signal.getsignal(number)))
    number = signal.SIGTERM
    before = signal.getsignal(number)
    try:
        for handler in (signal.SIG_IGN, lambda *_: None):
            signal.signal(number, handler)
            assert run("show")[0] == 0
            assert signal.getsignal(number) is handler
            assert set(found) == {handler}
            found.clear()
        signal.signal(number, signal.SIG_DFL)
        thread = threading.Thread(target=run, args=["show"])
        thread.start()
        thread.join()
        assert set(found) == {signal.SIG_DFL}
        found.clear()
        assert run("show")[0] == 0
        assert signal.SIG_DFL not in found
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


# show -------------------------------------------------------------------------------------------


def test_show(run):
    status, lines, error = run("show")
    board = loa.Board()
    assert (status, error) == (0, "")
    assert "\n".join(lines[:9]) == str(board)
    fields = {line[:13].strip(): line[13:] for line in lines[10:]}
    assert fields == {
        "FEN": board.fen(),
        "rules": "Rules.MSO",
        "to move": "Black (ply 0)",
        "key": f"{board.key:#018x}",
        "Black": "12 pieces, 2 groups: b1 c1 d1 e1 f1 g1 | b8 c8 d8 e8 f8 g8",
        "White": "12 pieces, 2 groups: a2 a3 a4 a5 a6 a7 | h2 h3 h4 h5 h6 h7",
        "legal moves": "36: " + " ".join(board.move_text(move) for move in board.legal_moves),
        "outcome": "none",
    }


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["8/8/8/3bb3/8/w6w/8/8 w 1"], "outcome      Black wins by connection"),
        (["8/8/8/3bb3/8/w6w/8/8 w 1"], "legal moves  0"),
        (["8/8/8/3bb3/8/ww6/8/8 w 1"], "outcome      draw by simultaneous connection"),
        (
            ["8/8/8/3bb3/8/ww6/8/8 w 1", "--rules", "boardspace"],
            "outcome      Black wins by simultaneous connection",
        ),
        (
            ["6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1", "--rules", "winands-2000"],
            "outcome      White wins, no legal move for its opponent",
        ),
        (
            ["6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1", "--rules", "playstrategy"],
            "outcome      draw by no legal move",
        ),
        (["6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1"], "legal moves  1: pass"),
        (["--size", "4"], "FEN          1bb1/w2w/w2w/1bb1 b 1"),
        (["--setup", "scrambled"], "FEN          1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1"),
        (["--rules", "codingame"], "rules        Rules.CODINGAME"),
        (["8/8/8/3b4/8/w6w/8/8 w 3"], "Black        1 piece, 1 group: d5"),
        (["8/8/8/3b3b/8/w6w/8/8 w 3"], "to move      White (ply 5)"),
    ],
)
def test_show_options(run, arguments, line):
    status, lines, error = run("show", *arguments)
    assert (status, error) == (0, "")
    assert line in lines


@pytest.mark.parametrize("dialect", loa.notation.DIALECTS)
def test_show_dialects(run, dialect):
    board = loa.Board("2w5/2ww4/1bwbw3/b1www3/1bb5/1bb5/3w4/8 w 1")
    text = board.fen(dialect)
    status, lines, _ = run("show", text, "--dialect", dialect)
    assert status == 0
    assert "\n".join(lines[:9]) == str(board)
    assert "\n".join(lines).endswith(f"\n\n{dialect}\n{text}") == (dialect != "native")


# replay -----------------------------------------------------------------------------------------


def test_replay(run):
    status, lines, error = run("replay", GAMES)
    games = loa.read_games(GAMES)
    assert (status, error) == (0, "")
    assert lines[0].split() == ["game", "players", "plies", "end"]
    assert len(lines) == 30 + 2
    for game, line in zip(games, lines[1:-1], strict=True):
        assert line.startswith(f"{game.id} ")
        assert f" {len(game.moves)}  " in line
    ends = {line.split()[0]: re.split(r" {2,}\d+  ", line)[1] for line in lines[1:-1]}
    assert ends["msc2000_appendix_E_game1"] == "White wins by connection"
    assert ends["phd2004_YL_vs_MIA4pp_g2"] == "draw by repetition"
    assert ends["bs_LoA_Board_a73"] == "Black wins by resignation (record)"
    assert ends["mso1997_r1_kok_wikman"] == "unfinished (record says 1-0)"
    assert ends["wikipedia_rules_example"] == "unfinished"
    assert lines[-1] == (
        "30 games, 1,031 plies: 11 won by Black, 15 won by White, 1 drawn, 3 unfinished"
    )


def test_replay_show(run, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text('[id "g"] [white "Ben"] [setup "scrambled"]\nf1-h3\n')
    status, lines, _ = run("replay", path, "--show")
    board = loa.Board(setup="scrambled")
    start = str(board)
    board.push_text("f1h3")
    assert status == 0
    assert "\n".join(lines) == (
        f"g: ? - Ben\n{start}\n\nply 1, Black: f1xh3\n{board}\n\n"
        "game  players  plies  end\n"
        "g     ? - Ben      1  unfinished\n"
        "1 game, 1 ply: 0 won by Black, 0 won by White, 0 drawn, 1 unfinished"
    )


def test_replay_contradictions(run, tmp_path):
    won = "d1-b3 h5-g4 b1-b4 g4xg1 b4-e7 a3xc1 b3-e6 h3xf1 e1-e5"
    path = tmp_path / "games.txt"
    path.write_text(
        f'[id "a"] [result "0-1"]\n{won}\n\n'
        f'[id "b"] [result "*"]\n{won}\n\n'
        '[id "c"] [note "W resigns"] [result "0-1"]\nc8-c6\n\n'
        '[id "d"] [note "B resigns"]\nc8-c6\n\n'
        '[id "e"] [result "1/2-1/2"]\nc8-c6\n'
    )
    status, lines, error = run("replay", path)
    assert status == 1
    assert [line.split("  ")[-1] for line in lines[1:-1]] == [
        "Black wins by connection, but the record says 0-1",
        "Black wins by connection",
        "Black wins by resignation (record), but the record says 0-1",
        "White wins by resignation (record)",
        "unfinished (record says 1/2-1/2)",
    ]
    assert error == (
        f"loa: error: {path}: a: Black wins by connection, but the record says 0-1 (and 1 more)\n"
    )


def test_replay_under_other_rules(fail):
    """Where a repeated board ends the game, some of the records go on too long."""
    message = fail("replay", GAMES, "--rules", "openspiel")
    assert message.startswith(f"{GAMES}: line ")
    assert "after the end of the game (1/2-1/2 by repetition)" in message


def test_replay_illegal_move(fail, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text('[id "g"]\nc8-c6 a6-c4 e8-b4\n')
    assert fail("replay", path).startswith(
        f"{path}: line 2, column 13: game 'g', ply 3: 'e8-b4': e8-b4 is illegal"
    )


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["count"], "invalid choice: 'count'"),
        (["perft"], "nothing to count: expected DEPTH or --suite FILE"),
        (["perft", "-1"], "argument DEPTH: '-1': expected a whole number, 0 or more"),
        (["perft", "six"], "argument DEPTH: 'six': expected a whole number"),
        (["perft", "1.5"], "argument DEPTH: '1.5': expected a whole number"),
        (["perft", "9" * 30], "expected a whole number"),
        (["perft", "999999999999999999"], "depth is 999999999999999999: expected 0 to"),
        (["perft", "3", "4"], "unrecognized arguments: 4"),
        (["perft", "3", "--size", "9"], "size is 9: expected 3 to 8"),
        (["perft", "3", "--size", "-8"], "argument --size"),
        (["perft", "3", "--setup", "chess"], "argument --setup: invalid choice: 'chess'"),
        (["perft", "3", "--rules", "chess"], "unknown rules 'chess': expected one of MSO, "),
        (["perft", "3", "--fen", "8/8"], "8/8"),
        (["perft", "3", "--fen", "1b1/w1w/1b1 b 1", "--size", "3"], "--size with a FEN"),
        (["perft", "3", "--fen", "1b1/w1w/1b1 b 1", "--setup", "standard"], "--setup with a FEN"),
        (["perft", "0", "--divide"], "--divide at depth 0: expected a depth of 1 or more"),
        (["perft", "3", "--max-leaves", "9"], "--max-leaves without --suite"),
        (["perft", "--suite", SUITE, "--fen", "1b1/w1w/1b1 b 1"], "--fen with --suite"),
        (["perft", "--suite", SUITE, "--size", "8"], "--size with --suite"),
        (["perft", "--suite", SUITE, "--setup", "standard"], "--setup with --suite"),
        (["perft", "--suite", SUITE, "--rules", "mso"], "--rules with --suite"),
        (["perft", "--suite", SUITE, "--divide"], "--divide with --suite"),
        (["perft", "--suite", SUITE, "--max-leaves", "-1"], "argument --max-leaves"),
        (["perft", "--suite", SUITE, "0"], "no counts to check: expected some within the limits"),
        (["perft", "--suite", "no such file"], "no such file: "),
        (["perft", "--suite", GAMES], f"{GAMES}: line 4, column "),
        (["perft", "3", "--threads", "0"], "threads is 0: expected 1 to 1024"),
        (["perft", "3", "--threads", "two"], "argument --threads: 'two'"),
        (["perft", "3", "--threads", "0", "--divide"], "threads is 0: expected 1 to 1024"),
        (["perft", "3", "--hash-mb", "9" * 18], "hash_mb is 999999999999999999: expected 0"),
        (["perft", "3", "--hash-mb", "9" * 11], "no memory for a hash table of 99999999999 MB"),
        (["perft", "3", "--workers", "0"], "workers is 0: expected 1 to"),
        (["perft", "3", "--workers", "9999"], "workers is 9999: expected 1 to"),
        (["perft", "3", "--workers", "1", "--threads", "0"], "threads is 0: expected 1 to"),
        (["perft", "3", "--workers", "1", "--plies", "4"], "plies is 4: expected at most 3"),
        (["perft", "3", "--workers", "1", "--scheduler", "a"], "--workers with --scheduler"),
        (["perft", "3", "--workers", "1", "--divide"], "--divide with --workers"),
        (["perft", "3", "--scheduler", "a", "--divide"], "--divide with --scheduler"),
        (["perft", "3", "--checkpoint", "a", "--divide"], "--divide with --checkpoint"),
        (["perft", "3", "--plies", "1"], "--plies alone: expected --workers, --scheduler or"),
        (["perft", "--suite", SUITE, "--threads", "1"], "--threads with --suite"),
        (["perft", "--suite", SUITE, "--hash-mb", "1"], "--hash-mb with --suite"),
        (["perft", "--suite", SUITE, "--workers", "1"], "--workers with --suite"),
        (["perft", "--suite", SUITE, "--scheduler", "a"], "--scheduler with --suite"),
        (["perft", "--suite", SUITE, "--checkpoint", "a"], "--checkpoint with --suite"),
        (["perft", "--suite", SUITE, "--plies", "1"], "--plies with --suite"),
        (["perft", "3", "--sui"], "unrecognized arguments: --sui"),
        (["show", "8/8/8/8/8/8/8/8 b 1"], "8/8/8/8/8/8/8/8"),
        (["show", "1b1/w1w/1b1 b 1", "--size", "3"], "--size with a FEN"),
        (["show", "1b1/w1w/1b1", "b", "1"], "unrecognized arguments: b 1"),
        (["show", "--dialect", "latin"], "argument --dialect: invalid choice: 'latin'"),
        (["show", "a\nb\nc"], "'a'"),
        (["show", "--size", "3", "a", "b\nc"], "unrecognized arguments: b c"),
        (["replay"], "the following arguments are required: FILE"),
        (["replay", "no such file"], "no such file: "),
        (["replay", str(DATA)], f"{DATA}: "),
        (["replay", SUITE], f"{SUITE}: line 3, column 1: "),
    ],
)
def test_bad_input(fail, arguments, message):
    assert message in fail(*arguments)


def test_files_with_nothing_in_them(fail, tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n")
    assert fail("replay", path) == f"{path}: no games: expected some"
    assert fail("perft", "--suite", path).startswith(f"{path}: no counts to check")
