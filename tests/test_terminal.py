"""The command `loa` on terminals, under Ctrl-C, and as a process of its own."""

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from contrast import contrast
from positions import BLACK_PASSES
from record_files import GAMES

import loa
from loa._terminal import print_board
from loa.cli import main
from loa.distributed import DistributedPerft


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run_on_terminal(monkeypatch):
    """Runs the command on a terminal 100 columns wide: standard output, standard error."""

    def run(*arguments, **variables):
        for name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in ({"COLUMNS": "100", "TERM": "xterm"} | variables).items():
            monkeypatch.setenv(name, value)
        output, error = Terminal(), Terminal()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(error):
            assert main([str(argument) for argument in arguments]) == 0
        return output.getvalue(), error.getvalue()

    return run


CODE = re.compile(r"\x1b\[[0-9;]*m")


def slow_perft(board, depth, *, progress, **options):
    """Reports as a count that takes long does, and is over soon."""
    for hundredths in range(10, 100, 10):
        time.sleep(0.001)
        progress(hundredths / 100, hundredths * 1000)
    progress(1.0, 100_000)
    return 100_000


def test_tables_are_drawn_on_a_terminal(run_on_terminal):
    pytest.importorskip("rich")
    output, error = run_on_terminal("perft", 3)
    assert "│" in output
    assert "44,952" in output
    assert error == ""


def test_names_are_no_markup(run_on_terminal, tmp_path):
    pytest.importorskip("rich")
    path = tmp_path / "games.txt"
    path.write_text('[id "g"] [black "[red]Ada"] [white ":smile:"]\nc8-c6\n')
    output, _ = run_on_terminal("replay", path)
    assert "[red]Ada - :smile:" in output


def test_moves_are_wrapped_on_a_terminal(run_on_terminal):
    output, _ = run_on_terminal("show")
    lines = CODE.sub("", output).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.startswith(" " * 13) for line in lines) >= 2
    assert " ".join(output.split()).endswith("f8xh6 outcome none")


# Boards -----------------------------------------------------------------------------------------


def cells_of(line):
    """The squares of a line of a board: the colour of each, that of its piece, and its text."""
    return [
        (int(ground), int(piece) if piece else None, text.strip())
        for ground, piece, text in re.findall(
            r"\x1b\[48;5;(\d+)m(?:\x1b\[38;5;(\d+)m)?([^\x1b]*)", line
        )
    ]


def boards_of(output, size):
    """The coloured boards in an output, each with rank 1 first."""
    lines = [line for line in output.splitlines() if "\x1b[48;" in line]
    assert len(lines) % size == 0
    for index, line in enumerate(lines):
        assert line.startswith(f"{size - index % size} ")
        assert line.endswith("\x1b[0m")
    rows = [cells_of(line) for line in lines]
    assert {len(row) for row in rows} == {size}
    return [rows[index : index + size][::-1] for index in range(0, len(rows), size)]


def channels(number):
    """Red, green and blue of one of xterm's 256 colours, of its cube."""
    digits = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
    return [(0, 95, 135, 175, 215, 255)[digit] for digit in digits]


@pytest.mark.parametrize("size", range(3, 9))
def test_board_in_colours(run_on_terminal, size):
    output, _ = run_on_terminal("show", "--size", size)
    (rows,) = boards_of(output, size)
    board = loa.Board(size=size)
    colors = {}
    for rank, row in enumerate(rows):
        for file, (ground, piece, text) in enumerate(row):
            color = board.piece_at(8 * rank + file)
            assert text == ("" if color is None else "●")
            assert colors.setdefault(color, piece) == piece
            assert colors.setdefault(("square", (rank + file) % 2), ground) == ground
            if piece is not None:
                assert contrast(channels(piece), channels(ground)) > 3
    assert len(set(colors.values())) == 5
    assert ("  " + "".join(f" {file} " for file in "abcdefgh"[:size])).rstrip() in output


def test_last_move_in_colours(run_on_terminal, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text('[id "g"]\nc8-c6 a6-c4\n')
    output, _ = run_on_terminal("replay", path, "--show")
    start, first, second = boards_of(output, 8)
    plain = {ground for row in start for ground, _, _ in row}
    assert len(plain) == 2
    for rows, squares in ((first, ["c6", "c8"]), (second, ["a6", "c4"])):
        marked = [
            (loa.square_name(8 * rank + file), ground, piece)
            for rank, row in enumerate(rows)
            for file, (ground, piece, _) in enumerate(row)
            if ground not in plain
        ]
        assert sorted(name for name, _, _ in marked) == squares
        for _, ground, piece in marked:
            if piece is not None:
                assert contrast(channels(piece), channels(ground)) > 3


def test_a_pass_in_colours(monkeypatch):
    board = loa.Board(BLACK_PASSES)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        print_board(board)
        plain = output.getvalue()
        print_board(board, loa.Move.PASS)
    assert output.getvalue() == 2 * plain


@pytest.mark.parametrize(
    "variables",
    [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}],
    ids=str,
)
def test_terminals_without_colours(run_on_terminal, variables):
    output, _ = run_on_terminal("show", **variables)
    assert output.startswith(f"{loa.Board()}\n\nFEN ")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
    ids=str,
)
def test_colours_in_a_pipe(variables, coloured):
    quiet = {"NO_COLOR": "", "FORCE_COLOR": ""}
    status, output, error = run_process("show", env=quiet | variables)
    assert (status, error) == (0, "")
    assert ("\x1b" in output) == coloured
    assert output.startswith(f"{loa.Board()}\n") == (not coloured)


def test_letters_where_the_encoding_has_no_discs():
    variables = {"FORCE_COLOR": "1", "NO_COLOR": "", "PYTHONIOENCODING": "ascii"}
    _, output, _ = run_process("show", "--size", "3", env=variables)
    (rows,) = boards_of(output, 3)
    assert [[text for _, _, text in row] for row in rows] == [
        ["", "b", ""],
        ["w", "", "w"],
        ["", "b", ""],
    ]


def test_plain_text_without_rich(run_on_terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr("loa._cli_perft.perft", slow_perft)
    monkeypatch.setattr("loa._terminal._BAR_DELAY", 0.0)
    output, error = run_on_terminal("perft", 3)
    assert output.isascii()
    assert "\x1b" not in output
    assert output.splitlines()[0].split() == ["depth", "leaves", "seconds", "leaves/s"]
    assert error == ""


@pytest.mark.parametrize(("delay", "seen"), [(0.0, True), (60.0, False)])
def test_progress_bar(run_on_terminal, monkeypatch, delay, seen):
    pytest.importorskip("rich")
    monkeypatch.setattr("loa._cli_perft.perft", slow_perft)
    monkeypatch.setattr("loa._terminal._BAR_DELAY", delay)
    monkeypatch.setattr("loa._terminal._BAR_INTERVAL", 0.0)
    output, error = run_on_terminal("perft", 9)
    assert "100,000" in output
    if seen:
        assert all(text in error for text in ("perft 9", "90,000 leaves", "90%"))
    else:
        assert error == ""


def test_interrupt_of_a_divided_count(monkeypatch, capsys):
    """The rows of moves that are finished, and what is known of the second."""

    def divided(board, depth, *, progress, **options):
        move = board.legal_moves[0]
        progress(0.25, 10)
        yield move, 10
        progress(0.375, 17)
        raise KeyboardInterrupt

    monkeypatch.setattr("loa._cli_perft.divided", divided)
    assert main(["perft", "3", "--divide", "--size", "3"]) == 130
    output, error = capsys.readouterr()
    assert [line.split()[1] for line in output.splitlines()] == ["leaves", "10"]
    assert error == "interrupted: at least 17 leaves counted (37.5 %)\n"


def test_interrupt_of_a_suite(monkeypatch, capsys, tmp_path):
    def perft(board, depth, *, progress):
        if depth == 2:
            raise KeyboardInterrupt
        return 4

    path = tmp_path / "suite.txt"
    path.write_text("a | 1b1/w1w/1b1 b 1 | pass | 4\nb | 1b1/w1w/1b1 b 1 | pass | 4 16\n")
    monkeypatch.setattr("loa.suite.perft", perft)
    assert main(["perft", "--suite", str(path)]) == 130
    output, error = capsys.readouterr()
    assert [line.split()[0] for line in output.splitlines()] == ["position", "a", "1"]
    assert error.startswith("interrupted: at least 4 leaves counted (")


def test_interrupt_anywhere_else(monkeypatch, capsys):
    def read(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("loa._cli_records.GameReader", read)
    assert main(["replay", str(GAMES)]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


# Processes --------------------------------------------------------------------------------------


def start_process(*arguments, **options) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | options.pop("env", {}),
        **options,
    )


def run_process(*arguments, **options) -> tuple[int, str, str]:
    """Runs `python -m loa`: exit status, standard output, standard error."""
    with start_process("-m", "loa", *arguments, **options) as process:
        output, error = process.communicate()
        return process.returncode, output, error


def test_version():
    assert run_process("--version") == (0, f"loa {loa.__version__}\n", "")


def test_help():
    status, output, error = run_process("--help")
    assert (status, error) == (0, "")
    assert "perft" in output


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
def test_closed_output():
    """A stream that the caller has closed is no reason for a traceback."""
    for arguments in (["show"], ["--version"], ["perft", "3"], ["nonsense"]):
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            command = shlex.join([sys.executable, "-m", "loa", *arguments]) + " " + closed
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
            assert done.returncode == (1 if arguments == ["nonsense"] else 0)
            assert "Traceback" not in done.stderr


def test_piped_output_is_plain():
    status, output, error = run_process("perft", "5", env={"FORCE_COLOR": "1"})
    assert (status, error) == (0, "")
    assert output.isascii()
    assert "\x1b" not in output
    assert [line.split()[0] for line in output.splitlines()] == ["depth", "5", "perft"]


@pytest.mark.parametrize("arguments", [["perft", "-1"], ["replay", "no such file"], []])
def test_error_status_of_the_process(arguments):
    status, output, error = run_process(*arguments)
    assert (status, output) == (1, "")
    assert error.startswith("loa: error: ")
    assert error.count("\n") == 1


def test_names_that_the_encoding_has_not(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text('[id "g"] [black "Zoë"]\nc8-c6\n', encoding="utf-8")
    status, output, error = run_process("replay", str(path), env={"PYTHONIOENCODING": "ascii"})
    assert (status, error) == (0, "")
    assert r"Zo\xeb - ?" in output


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no broken pipes of this kind")
def test_reader_that_goes_away():
    with start_process("-m", "loa", "replay", str(GAMES), "--show") as process:
        assert process.stdout.readline() == "msc2000_appendix_E_game1: Loa2D - MIA\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        status, _, error = run_process("show", stdout=full)
    assert status == 1
    assert re.fullmatch(r"loa: error: .+\n", error)


# A process may have been started with the signal ignored, as shells do for jobs in the background;
# its children would then ignore it, too. It tells when a million leaves have been counted.
INTERRUPTIBLE = """
import signal, sys
from loa import _cli_perft, checkpoints
from loa.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
checkpoints._CHECKPOINT_INTERVAL = 0.1

def telling(count):
    def counting(*arguments, progress, **options):
        told = False
        def tell(fraction, leaves):
            nonlocal told
            progress(fraction, leaves)
            if not told and leaves > 1_000_000:
                told = True
                print("counting", flush=True)
        return count(*arguments, progress=tell, **options)
    return counting

_cli_perft.perft = telling(_cli_perft.perft)
_cli_perft.divided = telling(_cli_perft.divided)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl-C to one process")
@pytest.mark.parametrize("arguments", [["perft", "12"], ["perft", "12", "--divide"]])
def test_interrupt_of_a_long_count(arguments):
    with start_process("-c", INTERRUPTIBLE, *arguments) as process:
        assert process.stdout.readline() == "counting\n"
        process.send_signal(signal.SIGINT)
        output, error = process.communicate()
    assert (process.returncode, output) == (130, "")
    match = re.fullmatch(r"interrupted: at least ([\d,]+) leaves counted \(under 0\.1 %\)\n", error)
    assert int(match[1].replace(",", "")) > 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl-C to one process")
@pytest.mark.parametrize("way", [["--workers", "2"], ["--threads", "2"]], ids=str)
@pytest.mark.parametrize("whole_group", [True, False])
def test_interrupt_of_a_count_in_chunks(tmp_path, way, whole_group):
    """As a terminal sends it, to the workers as well, and as `kill` does."""
    path = tmp_path / "count.json"
    arguments = ["perft", "9", "--plies", "3", "--checkpoint", str(path), *way]
    with start_process("-c", INTERRUPTIBLE, *arguments, start_new_session=True) as process:
        while not path.exists() or DistributedPerft.load(path).leaves_so_far == 0:
            assert process.poll() is None
            time.sleep(0.05)
        send = os.killpg if whole_group else os.kill
        send(process.pid, signal.SIGINT)
        output, error = process.communicate()
    assert (process.returncode, output) == (130, "")
    # A worker that is still being started may have its own word before.
    match = re.search(r"^interrupted: at least ([\d,]+) leaves counted \(.+ %\)$", error, re.M)
    count = DistributedPerft.load(path)
    assert count.leaves_so_far == int(match[1].replace(",", ""))
    assert 0 < count.fraction < 1
