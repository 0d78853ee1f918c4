"""What is written: whole or not at all, into pipes, through links, by several at a time."""

import os
import stat
import sys
import threading

import pytest
from record_files import GAMES

import loa
from loa._whole_files import is_stream, whole_file
from loa.cli import main
from loa.records import Game, export_positions, plot_statistics, read_games, statistics
from loa.replay import write_replay

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def write_all(path, text):
    with whole_file(path) as file:
        file.write(text)


def test_an_error_leaves_what_was_there(tmp_path):
    path = tmp_path / "a"
    for existing in (False, True):
        with pytest.raises(RuntimeError), whole_file(path) as file:
            file.write("half of it")
            raise RuntimeError
        assert [each.name for each in tmp_path.iterdir()] == ["a"] * existing
        path.write_text("before")
    assert path.read_text() == "before"


def test_bytes_and_text(tmp_path):
    with whole_file(tmp_path / "a", binary=True) as file:
        file.write(b"\r\n\xff")
    write_all(tmp_path / "b", "ž\n")
    assert (tmp_path / "a").read_bytes() == b"\r\n\xff"
    assert (tmp_path / "b").read_bytes() == "ž\n".encode()


@on_posix
def test_permissions_stay(tmp_path):
    path = tmp_path / "a"
    path.write_text("before")
    path.chmod(0o600)
    write_all(path, "after")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("after", 0o600)
    write_all(tmp_path / "b", "new")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o666 & ~umask


@on_posix
def test_links_are_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/a")
    for text in ("first", "second"):
        write_all(link, text)
        assert link.is_symlink()
        assert (tmp_path / "folder" / "a").read_text() == text
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(OSError, match="loop"):
        write_all(loop, "")
    assert loop.is_symlink()


@on_posix
def test_the_name_before_is_not_known(tmp_path, monkeypatch):
    """A link that somebody has put there is not written through."""
    victim = tmp_path / "victim"
    victim.write_text("before")
    monkeypatch.setattr("secrets.token_hex", lambda count: "known")
    (tmp_path / ".loa-known").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_all(tmp_path / "a", "after")
    assert victim.read_text() == "before"
    assert (tmp_path / ".loa-known").is_symlink()


def test_long_names(tmp_path):
    path = tmp_path / ("x" * 255)
    write_all(path, "text")
    assert path.read_text() == "text"


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "no such folder" / "a"
    with pytest.raises(FileNotFoundError) as caught:
        write_all(path, "")
    assert caught.value.filename == str(path)


def test_threads_do_not_meet(tmp_path):
    path = tmp_path / "a"
    texts = [letter * 100_000 for letter in "abcd"]
    found = []

    def write(text):
        for _ in range(10):
            write_all(path, text)
            found.append(path.read_text())

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    assert set(found) <= set(texts)
    assert list(tmp_path.iterdir()) == [path]


WRITERS = {
    "write_games": lambda path: loa.write_games(read_games(GAMES), path, format="paragraphs"),
    "export_positions": lambda path: export_positions(read_games(GAMES), path),
    "write_replay": lambda path: write_replay(Game(), path),
    "convert": lambda path: main(["convert", str(GAMES), str(path), "--to", "sgf"]),
    "convert to npz": lambda path: main(["convert", str(GAMES), str(path), "--to", "npz"]),
}


@on_posix
@pytest.mark.parametrize("name", WRITERS)
def test_pipes_stay_pipes(tmp_path, name):
    pipe, plain = tmp_path / "pipe", tmp_path / "plain"
    os.mkfifo(pipe)
    assert is_stream(pipe)
    read = []
    thread = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    thread.start()
    WRITERS[name](pipe)
    thread.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    if "npz" in name or "positions" in name:
        assert read[0].startswith(b"PK")
    else:
        WRITERS[name](plain)
        assert read == [plain.read_bytes()]


@pytest.mark.parametrize("name", WRITERS)
def test_names_of_folders(tmp_path, capsys, name):
    """Which are not there, so that a file of that name could be."""
    folders = (f"{tmp_path}/new/", f"{tmp_path}/new/.")
    for target, reason in (*((each, "Is a directory") for each in folders), ("", "No such file")):
        if name.startswith("convert"):
            assert WRITERS[name](target) == 1
            assert reason in capsys.readouterr().err
        else:
            with pytest.raises(OSError, match=reason):
                WRITERS[name](target)
    assert list(tmp_path.iterdir()) == []


@on_posix
@pytest.mark.parametrize("name", WRITERS)
def test_descriptors_are_written_where_they_are(tmp_path, name):
    """As a shell's `>>` has them: what is in the file stays before what is added."""
    path = tmp_path / "a"
    path.write_bytes(b"before\n")
    with path.open("ab") as file:
        WRITERS[name](f"/dev/fd/{file.fileno()}")
    assert path.read_bytes().startswith(b"before\n")
    assert len(path.read_bytes()) > 100


def test_pictures_of_statistics_are_whole_and_the_same(tmp_path):
    pytest.importorskip("matplotlib")
    found = statistics(read_games(GAMES))
    pictures = []
    for _ in range(2):
        plot_statistics(found, tmp_path / "a.svg")
        pictures.append((tmp_path / "a.svg").read_bytes())
    assert pictures[0] == pictures[1]
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize(
    ("option", "command"),
    [
        ("--html", "replay IN --game 1 --html OUT"),
        ("--plot", "stats IN --plot OUT"),
        ("--to npz", "convert IN OUT --to npz"),
    ],
)
def test_the_games_are_not_replaced(tmp_path, capsys, option, command):
    path = tmp_path / "own.txt"
    path.write_bytes(GAMES.read_bytes())

    def arguments(target):
        names = {"IN": str(path), "OUT": target}
        return [names.get(word, word) for word in command.split()]

    assert main(arguments(str(path))) == 1
    assert f"{option} {path} would replace the games" in capsys.readouterr().err
    assert main(arguments("-")) == 1
    assert f"{option} on standard output" in capsys.readouterr().err
    assert path.read_bytes() == GAMES.read_bytes()


def test_no_page_of_a_game_that_contradicts_itself(tmp_path, capsys):
    path, page = tmp_path / "a.pgn", tmp_path / "a.html"
    path.write_text('[Id "x"]\n[FEN "bb1/3/w1w w 1"]\n\n0-1\n')
    assert main(["replay", str(path), "--html", str(page)]) == 1
    assert "but the record says 0-1" in capsys.readouterr().err
    assert not page.exists()
