"""Files of games: formats told apart, errors passed over, streams, writing. For every format."""

import copy
import io
import itertools
import pickle
import threading
import tracemalloc

import pytest
from record_files import GAMES, OPEN, write

import loa
from loa.records import FORMATS, Format, Game, detect_format, iter_games, read_games, write_games
from loa.records.text import Source

GOOD = f'[id "good"]\n{OPEN}\n'
# A wrong move, a wrong header and a wrong byte, each in line 2.
BAD = [
    '[id "bad"] [result "1-0"]\nc8-c6 a6-c4 e8-b4 h3xf1\n',
    '[id "bad"]\n[setup "chess"]\nc8-c6\n',
    b'[id "bad"]\nc8-c6 \xff\n',
]


def content_of(*parts: str | bytes) -> bytes:
    return b"\n".join(part if isinstance(part, bytes) else part.encode() for part in parts)


# Every format -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_described(name):
    each = FORMATS[name]
    assert each.name == name
    assert each.description
    assert all(suffix.startswith(".") and suffix.islower() for suffix in each.suffixes)


@pytest.mark.parametrize("name", FORMATS)
def test_recorded_games_go_through_every_format(name):
    """They come back unchanged, but for headers that the format says it has no place for."""
    games = read_games(GAMES)
    refuse = FORMATS[name].refuse_header
    expected = [copy.copy(game) for game in games]
    for game in expected:
        game.headers = {key: text for key, text in game.headers.items() if not refuse(key, text)}
    text = write(games, name, lossy=True)
    assert read_games(io.StringIO(text), format=name) == expected
    assert write(expected, name) == text
    assert games == read_games(GAMES)


@pytest.mark.parametrize("name", FORMATS)
def test_written_games_are_known_by_one_format(name):
    text = write(read_games(GAMES), name, lossy=True)
    assert [each.name for each in FORMATS.values() if each.detect(text)] == [name]
    assert detect_format(io.StringIO(text)) == name
    assert read_games(io.StringIO(text)).format == name


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_goes_on_after_a_bad_game(name):
    """The second of three games is over after four plies by the rules it is read under."""
    moves = [loa.Move.from_text(word) for word in ["c8-c6", "h4-f2", "c6-c8", "f2-h4", "c8-c6"]]
    lengths = (3, 5, 2)
    games = [Game({"id": str(length)}, moves[:length]) for length in lengths]
    text = write(games, name, lossy=True)
    options = {"format": name, "rules": loa.Rules.OPENSPIEL}
    with pytest.raises(loa.InvalidRecordError, match="after the end of the game") as caught:
        read_games(io.StringIO(text), **options)
    assert (caught.value.game, caught.value.ply) == (2, 5)
    assert str(caught.value).endswith("(game 2, ply 5)")
    for on_error, kept in (("skip", [3, 2]), ("truncate", [3, 4, 2])):
        found = read_games(io.StringIO(text), on_error=on_error, **options)
        assert [game.moves for game in found] == [moves[:length] for length in kept]
        assert [str(error) for error in found.errors] == [str(caught.value)]


# Which format -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", ["", "\n \t\n", "# nothing\r\n\r\n", "\ufeff", "\ufeff# only\n#"]
)
def test_texts_without_games(content):
    games = read_games(io.BytesIO(content.encode()))
    assert (games, games.errors) == ([], [])


def test_a_text_that_begins_with_nothing_but_blanks():
    """All that is looked at could be in any format, so that the first one reads on."""
    with pytest.raises(loa.InvalidRecordError) as caught:
        read_games(io.StringIO(" " * 100_000 + "?"))
    assert (caught.value.line, caught.value.column) == (1, 100_001)


@pytest.mark.parametrize(
    ("content", "line", "column", "fragment"),
    [
        ("hello", 1, 1, "'hello': expected a game in one of the formats paragraphs"),
        ("# a\n\r\n \t ?\n", 3, 4, "'?': expected a game"),
        ("\ufeff?", 1, 1, "'?': expected a game"),
        (b"\n x\xff", 2, 3, "byte 0xff: expected UTF-8 text"),
        ("? " * 50_000, 1, 1, "…': expected a game"),
        ("\x00", 1, 1, r"'\x00': expected a game"),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip", "truncate"])
def test_unknown_formats(content, line, column, fragment, on_error):
    content = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(loa.InvalidRecordError) as caught:
        read_games(io.BytesIO(content), on_error=on_error)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert fragment in str(caught.value)


def test_the_name_alone_decides_nothing(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text(GOOD)
    assert detect_format(path) == "paragraphs"
    path = tmp_path / "games.txt"
    path.write_text("hello")
    with pytest.raises(loa.InvalidRecordError):
        detect_format(path)


def test_formats_of_other_programs(monkeypatch, tmp_path):
    """A format is a value in a table; the file's name decides between two that fit."""

    def read(source, rules):
        for _, text in source.lines():
            yield Game({"id": text})

    def write(games):
        for game in games:
            yield f"{game.id}\n"

    for name, suffix in (("names", ".names"), ("others", ".others")):
        each = Format(name, "names", (suffix,), lambda head: head.isascii(), read, write)
        monkeypatch.setitem(FORMATS, name, each)
    path = tmp_path / "games.others"
    assert write_games([Game({"id": "a"}), Game({"id": "b"})], path) == 2
    assert path.read_text() == "a\nb\n"
    assert detect_format(path) == "others"
    assert detect_format(path.rename(tmp_path / "games")) == "names"


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", BAD)
def test_raise(bad):
    content = io.BytesIO(content_of(GOOD, bad, GOOD))
    with iter_games(content) as games:
        assert next(games).id == "good"
        with pytest.raises(loa.InvalidRecordError) as caught:
            next(games)
        assert (caught.value.game, caught.value.line) == (2, 5)
        assert list(games) == []
        assert games.errors == []


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("on_error", ["skip", "truncate"])
def test_errors_are_passed_over_and_kept(bad, on_error):
    games = read_games(io.BytesIO(content_of(bad, GOOD, bad, GOOD)), on_error=on_error)
    kept = on_error == "truncate" and bad is BAD[0]
    assert [game.id for game in games] == (["bad", "good"] * 2 if kept else ["good"] * 2)
    assert [error.game for error in games.errors] == [1, 3]
    assert [error.line for error in games.errors] == [2, 2 + content_of(bad, GOOD, "").count(b"\n")]
    for error in games.errors:
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.game, again.ply) == (str(error), error.game, error.ply)


def test_truncated_games():
    (game,) = games = read_games(io.StringIO(BAD[0]), on_error="truncate")
    assert [str(move) for move in game.moves] == ["c8-c6", "a6-c4"]
    assert game.headers == {"id": "bad", "result": "1-0"}
    (error,) = games.errors
    assert (error.game, error.ply, error.line, error.column) == (1, 3, 2, 13)
    assert str(error).startswith("line 2, column 13: game 'bad', ply 3: 'e8-b4': e8-b4 is illegal")
    assert str(error).endswith("(game 1, ply 3)")


def test_a_game_whose_first_move_is_wrong():
    games = read_games(io.StringIO('[id "g"]\nc8-c5\n'), on_error="truncate")
    assert games == [Game({"id": "g"})]
    assert games.errors[0].ply == 1


def test_errors_of_a_stream_can_be_cleared():
    with iter_games(io.BytesIO(content_of(*BAD, *BAD)), on_error="skip") as games:
        assert list(games) == []
        assert [error.game for error in games.errors] == [1, 2, 3, 4, 5, 6]
        games.errors.clear()
        assert games.errors == []


@pytest.mark.parametrize(
    ("options", "error", "fragment"),
    [
        ({"on_error": "ignore"}, loa.LoaError, "on_error is 'ignore': expected one of raise, skip"),
        ({"on_error": []}, loa.LoaError, r"on_error is \[\]"),
        ({"format": "chess"}, loa.LoaError, "unknown format 'chess': expected one of paragraphs"),
        ({"format": 3}, TypeError, "format is 3: expected a str"),
        ({"rules": "mso"}, TypeError, "rules is 'mso': expected a Rules or None"),
    ],
)
def test_bad_options(options, error, fragment):
    for read in (read_games, iter_games):
        with pytest.raises(error, match=fragment):
            read(GAMES, **options)


# Streams ----------------------------------------------------------------------------------------


class Trickle(io.RawIOBase):
    """Bytes that come a few at a time and cannot be gone back in, as from a pipe."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        count = min(7, len(buffer), len(self.content))
        buffer[:count] = self.content[:count]
        self.content = self.content[count:]
        return count


def test_kinds_of_files(tmp_path):
    expected = read_games(GAMES)
    content = GAMES.read_bytes()
    assert read_games(str(GAMES)) == expected
    assert read_games(io.StringIO(content.decode())) == expected
    assert read_games(io.BytesIO(content)) == expected
    assert read_games(Trickle(content)) == expected
    assert read_games(io.BytesIO(content.replace(b"\n", b"\r\n"))) == expected
    with GAMES.open("rb") as binary, GAMES.open(encoding="utf-8") as text:
        assert read_games(binary) == read_games(text) == expected
        # What is handed over open stays open.
        assert not binary.closed
        assert not text.closed


def test_long_heads():
    """What is looked at to find the format is not lost, wherever it ends."""
    for length in (*range(65_530, 65_545), 200_000):
        for comment in ("#" * length + "\n", "#\n" * (length // 2), "#é" * (length // 2) + "\r\n"):
            games = read_games(io.BytesIO((comment + GOOD).encode()))
            assert [game.id for game in games] == ["good"]
            with pytest.raises(loa.InvalidRecordError) as caught:
                read_games(io.BytesIO((comment + BAD[0]).encode()))
            assert (caught.value.line, caught.value.column) == (comment.count("\n") + 2, 13)


@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 65_537, 131_072, 131_073, 400_000])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_and_pieces(length, mark):
    """They say all that the file says, each with its place."""
    text = f"a\r\n\n{'é' * length}\n\x0b\u2028{'b' * length}"
    content = (mark + text).encode()
    lines = list(Source(io.BytesIO(content)).lines())
    assert lines == list(enumerate(text.replace("\r", "").split("\n"), start=1))
    place = (1, 1)
    pieces = []
    for line, column, piece in Source(io.BytesIO(content)).pieces():
        assert (line, column) == place
        assert 0 < len(piece) <= 131_072
        assert "\n" not in piece[:-1]
        place = (line + 1, 1) if piece.endswith("\n") else (line, column + len(piece))
        pieces.append(piece)
    assert "".join(pieces) == text


def test_text_that_others_decode():
    file = io.TextIOWrapper(io.BytesIO(content_of(GOOD, b"\xff")), encoding="utf-8")
    with pytest.raises(loa.InvalidRecordError, match="cannot be decoded from here on"):
        read_games(file)
    late = content_of(*[GOOD] * 5_000, b"\xff")
    file = io.TextIOWrapper(io.BytesIO(late), encoding="utf-8")
    with pytest.raises(loa.InvalidRecordError, match="cannot be decoded from here on"):
        read_games(file, on_error="skip")


@pytest.mark.parametrize("file", [0, None, [], b"games.txt", object()])
def test_what_is_no_file(file):
    with pytest.raises(TypeError, match="expected a path or a file"):
        read_games(file)
    with pytest.raises(TypeError, match="expected a path or a file"):
        write_games([], file, format="paragraphs")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_games(tmp_path / "none.txt")
    with pytest.raises(OSError, match=r"directory|denied"):
        read_games(tmp_path)


def test_files_are_closed(tmp_path):
    """An open file would be a warning, and so an error, when it is forgotten."""
    path = tmp_path / "games.txt"
    path.write_bytes(content_of(GOOD, BAD[0], GOOD))
    with iter_games(path) as games:
        next(games)
    assert list(games) == []
    with pytest.raises(loa.InvalidRecordError):
        list(iter_games(path))
    list(iter_games(path, on_error="skip"))
    path.write_text("hello")
    with pytest.raises(loa.InvalidRecordError):
        iter_games(path)


class Endless(io.RawIOBase):
    """The same game so many times, without the text of them all ever being there."""

    def __init__(self, count: int) -> None:
        self.parts = itertools.repeat(content_of(GOOD, b""), count)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        part = next(self.parts, b"")
        buffer[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("name", FORMATS)
def test_memory_is_constant(name):
    """The most that reading and writing hold does not grow with the number of games."""

    def peak(count):
        tracemalloc.start()
        try:
            games = iter_games(io.BufferedReader(Endless(count)))
            assert write_games(games, Null(), format=name, lossy=True) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(6_000) < 1.2 * peak(2_000)


class Null(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


# Writing ----------------------------------------------------------------------------------------


def test_write_to_files(tmp_path):
    games = read_games(GAMES)
    text = write(games, "paragraphs")
    path = tmp_path / "out.txt"
    assert write_games(games, path) == write_games(iter(games), str(path)) == 30
    assert path.read_bytes() == text.encode()
    file = io.BytesIO()
    assert write_games(games, file, format="paragraphs") == 30
    assert file.getvalue() == text.encode()
    assert write_games([], path) == 0
    assert path.read_bytes() == b""


def test_a_file_can_be_rewritten_from_itself(tmp_path):
    path = tmp_path / "games.txt"
    path.write_bytes(GAMES.read_bytes())
    with iter_games(path) as games:
        assert write_games(games, path) == 30
    assert read_games(path) == read_games(GAMES)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("before")
    with pytest.raises(loa.LoaError, match="game 2 has no header id"):
        write_games([*read_games(GAMES)[:1], Game()], path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_formats_of_paths(tmp_path):
    for arguments in ((tmp_path / "games.unknown",), (io.StringIO(),)):
        with pytest.raises(loa.LoaError, match=r"no format for .*: expected one of paragraphs"):
            write_games([], *arguments)
    with pytest.raises(loa.LoaError, match="unknown format 'chess'"):
        write_games([], tmp_path / "games.txt", format="chess")


def test_games_come_before_the_path(tmp_path):
    path, games = tmp_path / "games.pgn", read_games(GAMES)
    for swapped in (path, str(path), io.StringIO(), io.BytesIO()):
        for options in ({}, {"format": "numbered"}):
            with pytest.raises(TypeError, match="expected games first, then the path"):
                write_games(swapped, games, **options)
    assert list(tmp_path.iterdir()) == []


def test_only_games_are_written():
    with pytest.raises(TypeError, match="3 among the games: expected a Game"):
        write([3], "paragraphs")


def test_nothing_is_left_out_unasked(monkeypatch):
    (game,) = read_games(io.StringIO(GOOD))
    game.node_at(1).add_line("h4-f2")
    with pytest.raises(loa.LoaError, match="game 1 has variations or comments: expected none in"):
        write([game], "paragraphs")
    assert write([game], "paragraphs", lossy=True) == write([game.plain()], "paragraphs")
    monkeypatch.setitem(
        FORMATS,
        "ids",
        Format(
            *("ids", "ids", (), lambda head: False, lambda source, rules: iter(())),
            lambda games: (" ".join(game.headers) for game in games),
            refuse_header=lambda key, value: None if key == "id" else "the id alone",
        ),
    )
    game.headers["black"] = "Ada"
    with pytest.raises(
        loa.LoaError, match="header 'black', 'Ada': expected the id alone in the format"
    ):
        write([game], "ids")
    assert write([game], "ids", lossy=True) == "id"
    assert game.headers["black"] == "Ada"


def test_half_characters_are_not_written(monkeypatch):
    monkeypatch.setitem(
        FORMATS,
        "ids",
        Format(
            *("ids", "ids", (), lambda head: False, lambda source, rules: iter(())),
            lambda games: (game.id for game in games),
        ),
    )
    with pytest.raises(loa.LoaError, match="half a surrogate pair"):
        write([Game({"id": "\udcff"})], "ids")


# What a format cannot hold ----------------------------------------------------------------------

HEADERS = {
    "id": 'a"b',
    "black": "A\nB",
    "White Elo": "x",
    "variant": "x",
    "fen": "x",
    "comment": "a\tb",
    "half": "\udcff",
    "result": "2-0",
    "white": "Ben",
}


@pytest.mark.parametrize("name", FORMATS)
def test_lossy_leaves_out_what_a_format_cannot_hold(name):
    each = FORMATS[name]
    game = Game(HEADERS)
    odd = "}\t\x00"
    game.add_move("c8-c6").comment = odd
    game.add_move("h4-f2").comment = "good"
    game.comment = "\udcff"
    before = copy.copy(game)
    with pytest.raises(loa.LoaError, match="or lossy to write the rest"):
        write([game], name)
    text = write([game, Game(), game], name, lossy=True)
    assert game == before
    found = read_games(io.StringIO(text), format=name)
    empty = [] if each.needs_moves else [[]]
    assert [other.moves for other in found] == [game.moves, *empty, game.moves]
    for other in (found[0], found[-1]):
        held = {key for key, value in HEADERS.items() if each.refuse_header(key, value) is None}
        assert {"white"} & held <= set(other.headers) <= held - {"half", "result"} | {"id"}
        comments = ["", odd, "good"] if each.holds_tree else [""] * 3
        if each.refuse_comment(odd) is not None:
            comments[1] = ""
        assert [other.node_at(ply).comment for ply in range(3)] == comments
    if each.needs_id:
        assert [other.id for other in found] == ["game-1", "game-3"]


def test_games_left_out_are_not_counted():
    games = [Game({"id": "a"}), Game({"id": "b"}, [loa.Move.from_text("c8-c6")])]
    file = io.StringIO()
    assert write_games(games, file, format="paragraphs", lossy=True) == 1
    assert [game.id for game in read_games(io.StringIO(file.getvalue()))] == ["b"]


def test_headers_are_texts():
    game = Game({"id": "a"}, [loa.Move.from_text("c8-c6")])
    game.headers["round"] = 5
    for name in FORMATS:
        with pytest.raises(TypeError, match="as headers: expected str to str"):
            write([game], name, lossy=True)


@pytest.mark.parametrize("name", ["numbered", "sgf", "lines", "uci", "paragraphs"])
def test_no_rule_is_asked_when_games_are_written(name):
    moves = [loa.Move.from_text(word) for word in ("c8-c5", "h4-e2", "c5-f7", "h5-d3")]
    game = Game({"id": "a"}, moves)
    plain = write([game], name, lossy=True)
    game.end.comment = "x"
    game.root.add_played(loa.Move.from_text("d8-e5"), loa.Move.from_text("a4-c6"))
    game.node_at(2).add_played(loa.Move.from_text("d8-e5"))
    text = write([game], name, lossy=True)
    assert all(str(move)[:2] in text for move in moves)
    if not FORMATS[name].holds_tree:
        assert text == plain


# Texts of two formats ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c8-c6 a6-c4\nc8-c6\n(;GM[9]GN[z];B[c8-c6])\n", "lines"),
        ("c8c6 a6c4\n(;GM[9]GN[z];B[c8-c6])\n", "uci"),
        ("1. c8-c6 {hello\n(;GM[9];B[c8-c6])\nbye} a6-c4\n", "numbered"),
        ("{hello\n(;GM[9];B[c8-c6])\nbye} 1. c8-c6\n", "numbered"),
        ("{" + "x" * 200_000 + "\n(;GM[9];B[c8-c6])} 1. c8-c6\n", "numbered"),
        ("{\n(;GM[9];B[c8-c6])\n" + "x" * 200_000 + "} 1. c8-c6\n", "numbered"),
        ("From: me\n\n(;GM[9];B[c8-c6])\n", "sgf"),
        ("1 game {in all}:\n(;GM[9];B[c8-c6])\n", "sgf"),
    ],
)
def test_sgf_is_looked_for_last(text, name):
    assert detect_format(io.StringIO(text)) == name


def test_one_reader_in_two_threads():
    reader = iter_games(io.StringIO("c8-c6 a6-c4 e8-b5\n" * 5_000))
    found = []

    def read():
        for game in reader:
            found.append(len(game.moves))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 5_000


def test_files_opened_in_another_encoding(tmp_path):
    path = tmp_path / "games"
    path.write_bytes(b"c8-c6 a6-c4 e8-b5 h3xf1 \n")
    with (
        path.open(encoding="utf-16") as file,
        pytest.raises(loa.InvalidRecordError, match="expected text"),
    ):
        read_games(file)


class Nosy(io.StringIO):
    """A file that asks for the next game while one is being read."""

    reader = None
    asked = 0

    def read(self, size=-1):
        self.ask()
        return super().read(size)

    def readline(self, size=-1):
        self.ask()
        return super().readline(size)

    def ask(self):
        if self.reader is not None:
            self.asked += 1
            with pytest.raises(loa.LoaError, match="within the reading of another"):
                next(self.reader)


def test_a_game_within_the_reading_of_another():
    file = Nosy("c8-c6\n" * 100_000)
    file.reader = iter_games(file, format="lines")
    assert sum(1 for _ in file.reader) == 100_000
    assert file.asked
