"""The format SGF: what is read and how, what is wrong and where, writing, trees, hostile texts."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import DATA, play_on
from positions import games as played_games
from record_files import GAMES, PASSED, words
from record_files import read as read_format
from record_files import write as write_format

import loa
from loa.notation import format_fen
from loa.records import Game, read_games

HEAD = "(;FF[4]GM[9]"
OPEN = ";B[c8-c6];W[a6-c4];B[e8-b5];W[h3:f1]"
MOVES = "c8-c6 a6-c4 e8-b5 h3-f1"
# The quickest recorded win, Black's at ply 9.
WON = ";B[d1-b3];W[h5-g4];B[b1-b4];W[g4:g1];B[b4-e7];W[a3:c1];B[b3-e6];W[h3:f1];B[e1-e5]"


def read(content, **options):
    return read_format(content, "sgf", **options)


def write(games) -> str:
    return write_format(games, "sgf")


# Reading ----------------------------------------------------------------------------------------

GOOD = [
    # a record of the moves MOVES, and its headers
    (HEAD + OPEN + ")", {}),
    ("(;" + OPEN[1:] + ")", {}),
    ("(;FF[4]GM[9]SZ[8]SU[Standard]" + OPEN + ")", {}),
    (" \n( ; FF [4]\tGM\n[9] ; B [c8-c6] ;\r\nW[a6-c4];B[e8-b5] ;W[h3:f1]\n)\n", {}),
    ("\ufeff" + HEAD + OPEN + ")", {}),
    ("From: a@b (me); hello [x]\n\n" + HEAD + OPEN + ")", {}),
    ("# (;GM[9])\n" + HEAD + OPEN + ")", {}),
    # Old names and numbers.
    ("(;FF[1]GaMe[9] SiZe[8] SetUp[Standard]\n" + OPEN + ")", {}),
    ("(;FileFormat[3]GaMe[9];Black[c8-c6];White[a6-c4];B[e8-b5];W[h3:f1])", {}),
    ("(;FF[2]GM[9]SZ[+08]" + OPEN + ")", {}),
    ("(;GM[loa]SU[Loa]" + OPEN + ")", {}),
    # Moves as they are found.
    (HEAD + ";B[C8-C6];W[A6-C4];B[E8-B5];W[H3:F1])", {}),
    (HEAD + ";B[c8 c6];W[ a6 c4];B[e8  b5];W[h3\nf1])", {}),
    (HEAD + ";B[C8-C6    ];W[A6-C4    ];B[E8-B5    ];W[H3:F1    ])", {}),
    (HEAD + ";B[c8-c6++];W[a6-c4!];B[e8-b5 ?!];W[h3:f1+])", {}),
    (HEAD + ";B[c8:c6];W[a6xc4];B[e8 - b5];W[h3-f1])", {}),
    (HEAD + ";B[1 C8-C6    ];W[2 A6-C4];B[3 E8-B5];W[4 H3:F1])", {}),
    (HEAD + ";B[0 Start];B[1 c8-c6];W[a6-c4];B[e8-b5];W[h3:f1])", {}),
    (HEAD + "B[c8-c6];W[a6-c4];B[e8-b5];W[h3:f1])", {}),
    (HEAD + "(;B[c8-c6](;W[a6-c4](;B[e8-b5](;W[h3:f1])))))", {}),
    (HEAD + ";" + OPEN + ";;)", {}),
    # Headers and values.
    (
        HEAD + "GN[g]PB[Ada]PW[]DT[1997-05]" + OPEN + ")",
        {"id": "g", "black": "Ada", "white": "", "date": "1997-05"},
    ),
    (
        HEAD + "EV[e]RO[1]PC[p]SO[s]GC[a\nb]" + OPEN + ")",
        {"event": "e", "round": "1", "place": "p", "source": "s", "comment": "a\nb"},
    ),
    (HEAD + "PB[A\\]\\\\b\\:c:d]" + OPEN + ")", {"black": "A]\\b:c:d"}),
    (HEAD + "PB[A\tb\r\nc\\\nd\n\re\\\tf]" + OPEN + ")", {"black": "A b cd e f"}),
    (HEAD + "GC[A\tb\r\nc\\\r\nd\n\re\rf\\\n\ng]" + OPEN + ")", {"comment": "A b\ncd\ne\nf\ng"}),
    (HEAD + "PB[(;FF[4]PW[)]" + OPEN + ")", {"black": "(;FF[4", "white": ")"}),
    (HEAD + "PlayerBlack[Zoë 王]" + OPEN + ")", {"black": "Zoë 王"}),
    (HEAD + ";PB[Ada];PW[Ben]" + OPEN + ")", {"black": "Ada", "white": "Ben"}),
    (HEAD + 'KM[6.5]AP[x:1]P0[id "x"]' + OPEN + ")", {"km": "6.5", "ap": "x:1", "p0": 'id "x"'}),
    (HEAD + "AS[None]IP[End]IY[true]" + OPEN + ")", {"as": "None", "ip": "End", "iy": "true"}),
    (HEAD + "HD[Annotator:x\\:y:z][:]" + OPEN + ")", {"Annotator": "x:y:z", "": ""}),
    # Results.
    (HEAD + "RE[B+]" + OPEN + ")", {"result": "1-0"}),
    (HEAD + "RE[W+]" + OPEN + ")", {"result": "0-1"}),
    (HEAD + "RE[B+R]" + OPEN + ")", {"result": "1-0", "note": "W resigns"}),
    (HEAD + "RE[W+Resign]" + OPEN + ")", {"result": "0-1", "note": "B resigns"}),
    (HEAD + "RE[ b+time ]" + OPEN + ")", {"result": "1-0", "note": "W runs out of time"}),
    (HEAD + "RE[W+F]" + OPEN + ")", {"result": "0-1", "note": "B forfeits"}),
    (HEAD + "RE[0]" + OPEN + ")", {"result": "1/2-1/2"}),
    (HEAD + "RE[Draw]" + OPEN + ")", {"result": "1/2-1/2"}),
    (HEAD + "RE[Void]" + OPEN + ")", {"result": "*", "note": "void"}),
    (HEAD + "RE[?]" + OPEN + ")", {"result": "*"}),
    (HEAD + "RE[1-0]" + OPEN + ")", {"result": "1-0"}),
    (HEAD + "RE[Black wins]" + OPEN + ")", {"re": "Black wins"}),
    (HEAD + "RE[]" + OPEN + ")", {"re": ""}),
    (HEAD + OPEN + ";B[resign])", {"note": "B resigns"}),
    (HEAD + OPEN + ";W[ 12 Resigns])", {"note": "W resigns"}),
    (HEAD + OPEN + ";W[forfeit])", {"note": "W forfeits"}),
    (HEAD + OPEN + ";W[winontime])", {"note": "B runs out of time"}),
    (HEAD + "RE[W+R]" + OPEN + ";B[resign])", {"result": "0-1", "note": "B resigns"}),
]


@pytest.mark.parametrize(("content", "headers"), GOOD)
def test_what_is_read(content, headers):
    (game,) = read(content)
    assert (words(game), game.headers) == (MOVES, headers)
    assert game.start == Game().start
    assert loa.records.detect_format(io.BytesIO(content.encode())) == "sgf"
    assert read(write([game])) == [game]


STARTS = [
    # the root's properties, and the start
    ("", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1"),
    ("PL[B]", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1"),
    ("SU[standard]SZ[5]", "1bbb1/w3w/w3w/w3w/1bbb1 b 1"),
    ("SU[Scrambled-eggs]", "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1"),
    ("SU[SCRAMBLED]", "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1"),
    ("SZ[3]SU[Custom]AB[a1]AW[C3]", "2w/3/b2 b 1"),
    ("AW[c3]PL[White]AB[a1:b1]SU[Custom]SZ[3]", "2w/3/bb1 w 1"),
    ("SU[Custom]SZ[4];AB[b4:a3];AW[b3 : d1];AE[c1]PL[w]", "bb2/bwww/1www/1w1w w 1"),
    ("SU[Custom]SZ[3]AB[a1]AW[c3]MN[12]", "2w/3/b2 b 7"),
    ("SU[Custom]SZ[3]AB[a1]AW[c3]MN[13]PL[W]", "2w/3/b2 w 7"),
    ("SZ[4]AE[b1][c1]AW[b2]", "1bb1/w2w/ww1w/4 b 1"),
    ("PL[W]", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1"),
]


@pytest.mark.parametrize(("root", "fen"), STARTS)
def test_starts(root, fen):
    (game,) = read(f"{HEAD}{root})")
    assert format_fen(game.start) == fen
    assert read(write([game])) == [game]


def test_scrambled_eggs_are_named():
    assert read(HEAD + "SU[Scrambled-Eggs])")[0].setup == "scrambled"


BROKEN = [
    # a text with one wrong game, line, column, a part of the message, the ply of a wrong move
    # Structure.
    ("hello", 1, 1, "'hello': expected a game, (;…)", None),
    ("\n ( B[c8-c6])", 2, 2, "'(': expected a game", None),
    ("(;", 1, 1, "a game with a '(' that is not closed: expected ')'", None),
    ("\n (;GM[9]C[abc\n;B[c8-c6\\])", 2, 2, "a game with a value that does not end: expect", None),
    ("(;GM[9]C[abc\\", 1, 1, "a value that does not end", None),
    (HEAD + ";B[c8-c6](;W[a6-c4])", 1, 1, "'(' that is not closed", None),
    (HEAD + "()" + ")", 1, 14, "'))' after '(': expected ';'", None),
    (HEAD + "(B[c8-c6]))", 1, 14, "'B[c8-c6]))' after '(': expected ';'", None),
    (HEAD + "(;B[c8-c6]);W[a6-c4])", 1, 24, "a node after a variation: expected '(' or ')'", None),
    (HEAD + "\n;B[c8-c6]]", 1, 1, "that is not closed", None),
    (HEAD + "\n;B[c8-c6]])", 2, 10, "'])': expected a property", None),
    (HEAD + "[x])", 1, 14, "GM has 2 values: expected one", None),
    (HEAD + ";[x])", 1, 14, "'[x])': expected a property", None),
    (HEAD + ";B)", 1, 15, "')' after the property name 'B': expected '['", None),
    (HEAD + "TE;B[c8-c6])", 1, 15, "';B[c8-c6])' after the property name 'TE'", None),
    (HEAD + "black[Ada])", 1, 13, "'black': expected a property with a capital letter", None),
    (HEAD + ";B[c8-c6]\n 1. x)", 2, 2, "'1. x)': expected a property", None),
    (HEAD + "\u00a0;B[c8-c6])", 1, 13, "expected a property", None),
    # Properties.
    ("(;FF[5]GM[9])", 1, 3, "FF is '5': expected 1 to 4", None),
    ("(;FF[4]GM[1])", 1, 8, "GM is '1': expected 9, Lines of Action", None),
    ("(;FF[4]\nGM[9]SZ[9])", 2, 6, "SZ is '9': expected 3 to 8", None),
    (HEAD + "SZ[8:8])", 1, 13, "SZ is '8:8': expected 3 to 8", None),
    (HEAD + "SZ[٨])", 1, 13, "SZ is '٨': expected 3 to 8", None),
    (HEAD + "SZ[" + "9" * 5000 + "])", 1, 13, "SZ is '9999", None),
    (HEAD + "SU[Parachute])", 1, 13, "SU is 'Parachute': expected Standard, Scrambled-eggs", None),
    (HEAD + "PL[X])", 1, 13, "PL is 'X': expected B or W", None),
    (HEAD + "MN[1])", 1, 13, "MN is 1 before a move by Black: expected the plies so far", None),
    (HEAD + "MN[3000000000])", 1, 13, "MN is '3000000000': expected 0 to", None),
    (HEAD + "SZ[8]SZ[8])", 1, 18, "SZ for the second time", None),
    (HEAD + ";SZ[8])", 1, 14, "SZ in a later node: expected it in the first one", None),
    (HEAD + "PB[a]PlayerB[b])", 1, 18, "header 'black' for the second time, in PB", None),
    (HEAD + "PB[a]\n[b])", 2, 2, "PB has 2 values: expected one", None),
    (HEAD + "C[a]C[b])", 1, 17, "C for the second time: expected each once", None),
    (HEAD + ";B[c8-c6]C[a][b])", 1, 27, "C has 2 values: expected one", None),
    (HEAD + "HD[x])", 1, 13, "HD is 'x': expected name:value", None),
    (HEAD + "HD[black:x])", 1, 13, "HD has 'black': expected it in the property of", None),
    (HEAD + "HD[result:2-0])", 1, 13, "HD has 'result': expected", None),
    (HEAD + "SU[Custom])", 1, 13, "the set-up: expected a position (", None),
    (HEAD + "SU[Custom]AB[a1])", 1, 13, "the set-up: expected a position (", None),
    (HEAD + "SZ[5]AB[f1])", 1, 18, "AB is 'f1': expected points from a1 to e5", None),
    (HEAD + "AB[aa])", 1, 13, "AB is 'aa': expected points from a1 to h8", None),
    (HEAD + "AB[])", 1, 13, "AB is '': expected points", None),
    (HEAD + "AB[c3:d4]AW[d4])", 1, 22, "AW[d4]: expected each point once a node", None),
    (HEAD + OPEN + ";AB[c3])", 1, 50, "AB after the first move: expected it before all", None),
    (HEAD + "(;AB[c3]))", 1, 15, "AB after the first move", None),
    (HEAD + ";B[c8-c6]W[a6-c4])", 1, 22, "W after B: expected a new node", None),
    # Moves.
    (HEAD + "\n;B[c8-c6]\n;W[a6-c9])", 3, 4, "'a6-c9': expected a move such as e1-e3", 2),
    (HEAD + ";B[pd])", 1, 16, "'pd': expected a move", 1),
    (HEAD + ";B[])", 1, 16, "'': expected a move", 1),
    (HEAD + ";B[c8c6])", 1, 16, "'c8c6': expected a move", 1),
    (HEAD + ";B[c8-c8])", 1, 16, "'c8-c8': expected a move", 1),
    (HEAD + ";B[c8-c6][c8-a6])", 1, 23, "B has two values: expected one move", 1),
    (HEAD + ";B[c8-c5])", 1, 16, "'c8-c5': c8-c5 is illegal", 1),
    (HEAD + ";B[c8-c5]C[x])", 1, 16, "'c8-c5': c8-c5 is illegal", 1),
    (HEAD + ";B[ C8-C5 ++])", 1, 16, "c8-c5 is illegal", 1),
    (HEAD + ";B[pass])", 1, 16, "'pass': pass is illegal", 1),
    (HEAD + ";W[a6-c4])", 1, 16, "'a6-c4' by White: expected a move by Black", 1),
    (HEAD + ";B[c8-c6];B[e8-b5])", 1, 25, "'e8-b5' by Black: expected a move by White", 2),
    (HEAD + WON + ";W[a2-b3])", 1, 97, "'a2-b3' after the end of the game (1-0 by conn", 10),
    (HEAD + OPEN + ";B[resign];B[c6-c4])", 1, 62, "'c6-c4' after a resignation: expected no", 5),
    (HEAD + OPEN + ";B[resign];B[c6-c4]C[])", 1, 62, "'c6-c4' after a resignation", 5),
    (HEAD + "RE[B+R]" + OPEN + ";B[resign])", 1, 59, "'B resigns', but the result says", 5),
    (HEAD + ";B[c8-c6];W[start])", 1, 25, "'start': expected a move", 2),
    (HEAD + "(;B[c8-c6])(;B[c8-c5]))", 1, 28, "'c8-c5': c8-c5 is illegal", 1),
    (HEAD + ";B[" + "x" * 10_000 + "])", 1, 16, "'" + "x" * 40 + "…'", 1),
    # Bytes.
    (b"(;GM[9]CA[UTF-8]\nPB[\xff])", 2, 4, "byte 0xff: expected UTF-8 text", None),
    (b"(;GM[9]CA[Shift_JIS]PB[\xff])", 1, 8, "CA is 'Shift_JIS': expected UTF-8, or", None),
    (b"(;GM[9]CA[cp1253]PB[\xaa])", 1, 21, "byte 0xaa: expected text in cp1253", None),
    (b"\xff", 1, 1, "byte 0xff: expected UTF-8 text", None),
]


@pytest.mark.parametrize(("content", "line", "column", "fragment", "ply"), BROKEN)
def test_what_is_broken(content, line, column, fragment, ply):
    content = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(content)
    error = caught.value
    assert (error.line, error.column, error.ply, error.game) == (line, column, ply, 1)
    assert fragment in str(error)
    assert str(error).isprintable()
    assert len(str(error)) < 400
    assert len(read(content, on_error="truncate")) == (ply is not None)
    if "does not end" not in str(error):
        # The collection goes on after it.
        good = f"\n{HEAD}{OPEN})\n".encode()
        games = read(good + content + good, on_error="skip")
        assert [words(game) for game in games] == [MOVES, MOVES]
        assert [error.game for error in games.errors] == [2]


def test_text_between_games():
    one = HEAD + OPEN + ")"
    games = read(f"{one}\n) x (\n (;GM[1])\n{one} y\nz (a;{one}\n ;", on_error="skip")
    assert [words(game) for game in games] == [MOVES] * 3
    assert [(error.game, error.line, error.column) for error in games.errors] == [
        (2, 2, 1),
        (3, 3, 4),
        (5, 4, 51),
        (7, 6, 2),
    ]
    assert "') x (': expected nothing between games" in str(games.errors[0])


def test_games_without_their_last_parenthesis():
    """A line that starts with the root of a game ends the game before it."""
    text = f"{HEAD}{OPEN}\n{HEAD}{OPEN})\n{HEAD}(;B[c8-c6]\n(;GM[9]{OPEN})"
    games = read(text, on_error="skip")
    assert [words(game) for game in games] == [MOVES, MOVES]
    assert [(error.game, error.line) for error in games.errors] == [(1, 1), (3, 3)]


def test_a_missing_bracket_costs_what_it_must():
    text = f"{HEAD}C[a{OPEN})\n" * 2 + f"{HEAD}{OPEN})\n"
    games = read(text, on_error="skip")
    assert words(games[-1]) == MOVES


def test_truncated_games_keep_their_tree():
    text = HEAD + "C[x];B[c8-c6]C[y](;W[a6-c4];B[e8-b4])(;W[a5-c7]))"
    (game,) = games = read(text, on_error="truncate")
    assert words(game) == "c8-c6 a6-c4"
    assert (game.comment, game.node_at(1).comment) == ("x", "y")
    assert (games.errors[0].ply, games.errors[0].column) == (3, 43)


def test_the_result_is_what_the_record_says():
    (game,) = read(HEAD + "RE[W+]" + WON + ")")
    assert game.result == "0-1"
    assert game.outcome().result == "1-0"


def test_forced_pass():
    """White has no move at ply 32."""
    text = "".join(f";{'BW'[ply % 2]}[{word}]" for ply, word in enumerate(PASSED.split()))
    (game,) = read(HEAD + text + ")")
    assert game.moves[31] == loa.Move.PASS
    assert ";W[pass];B[b5-c6])" in write([game])
    assert read(write([game])) == [game]
    assert read(HEAD + text.replace("pass", " 4 PASS ") + ")") == [game]
    with pytest.raises(loa.InvalidRecordError, match="'b5-c6' by Black: expected a move by White"):
        read(HEAD + text.replace(";W[pass]", "") + ")")


def test_samples_of_the_documentation():
    page = (DATA.parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    samples = re.findall(r"```sgf\n(.*?)```", page.split("\n## SGF\n")[1], re.DOTALL)
    example, old, custom = [read(sample)[0] for sample in samples[:3]]
    assert write([example]).replace("\n", "") == samples[0].replace("\n", "")
    assert (old.setup, old.headers) == ("scrambled", {"black": "Ada", "note": "W resigns"})
    assert words(old) == "b1-b3 c1-c3 b3-e6"
    assert custom.start.size == 5
    assert words(custom) == "e5-b2"


# Encodings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charset", "content", "name"),
    [
        ("", "Zoë".encode(), "Zoë"),
        ("", "Zoë".encode("latin-1"), "Zoë"),
        ("CA[ISO-8859-1]", "Zoë".encode("latin-1"), "Zoë"),
        ("CA[latin1]", "Zoë".encode("latin-1"), "Zoë"),
        ("CA[ISO-8859-1]", "Zoë".encode(), "Zoë"),
        ("CA[iso8859_2]", "Žoë".encode("iso8859-2"), "Žoë"),
        ("CA[windows-1252]", "“Zoë”".encode("cp1252"), "“Zoë”"),
        ("CA[KOI8-R]", "Аня".encode("koi8-r"), "Аня"),
        ("CA[UTF-8]", "王".encode(), "王"),
        ("CA[nonsense]", "王".encode(), "王"),
    ],
)
def test_encodings(charset, content, name):
    text = HEAD.encode() + charset.encode() + b"PB[" + content + b"]" + OPEN.encode() + b")"
    (game,) = read(text + b"\n")
    assert game.headers == {"black": name}
    assert write([game]).startswith(f"(;FF[4]CA[UTF-8]GM[9]SZ[8]SU[Standard]PB[{name}]\n")


def test_text_that_was_decoded_by_others():
    text = f"{HEAD}CA[ISO-8859-1]PB[Zoë]{OPEN})"
    (game,) = read_games(io.StringIO(text))
    assert game.headers["black"] == "Zoë"


# Trees ------------------------------------------------------------------------------------------

TREE = (
    HEAD + "C[root];B[c8-c6]C[one]TE[1](;W[a6-c4];B[e8-b5]C[main\nline])"
    "(;W[a5-c7]BL[12.5]CR[a1][b2])(;C[only]N[x];W[a6-c4]))"
)


def test_variations_and_comments():
    (game,) = read(TREE)
    one = game.node_at(1)
    assert words(game) == "c8-c6 a6-c4 e8-b5"
    assert [str(node.move) for node in one.variations] == ["a6-c4", "a5-c7", "a6-c4"]
    assert game.comment == "root"
    assert one.comment == "one\nonly\n[%sgf TE[1]N[x]]"
    assert game.end.comment == "main\nline"
    assert one.variations[1].comment == "[%sgf BL[12.5]CR[a1][b2]]"
    text = write([game])
    assert ";B[c8-c6]C[one\nonly]TE[1]N[x]\n(;W[a6-c4]" in text
    assert ";W[a5-c7]BL[12.5]CR[a1][b2]" in text
    assert read(text) == [game]


def test_comments_that_look_like_properties():
    for comment in (
        "[%sgf TE[1]]", "a\n[%sgf TE[1]]", "\n[%sgf TE[1]]", "a\n\n[%sgf TE[1]]", "[%sgf TE[1]] ",
        "[%sgf ]", "[%sgf B[c8-c6]]", "[%sgf C[x]]", "[%sgf SZ[3]]", "[%sgf KM[6]]", "[%sgf MN[1]]",
        "[%sgf N[a][b]]", "[%sgf PB[a][b]]", "[%sgf A[x\n[%sgf B[y]]", "[%sgf A[\\]]]",
        "[%sgf A[x]",
        "[%sgf A[x\n[%sgf N[y]]", "[%sgf a[x]]", "]", "\\", "a\\]", ":", "\n", "(;FF[4]\n(;GM[9]",
        "[%sgf RE[1]]", "[%sgf N[a]N[b]]", "[%sgf HD[a]]",
    ):  # fmt: skip
        game = Game()
        game.comment = comment
        game.add_move("c8-c6").comment = comment
        game.root.add_line("c8-a6").comment = comment
        game.end.comment = comment
        assert read(write([game])) == [game], comment


def test_resignations_in_variations_are_comments():
    (game,) = read(HEAD + ";B[c8-c6](;W[a6-c4])(;W[a5-c7];B[resign]C[why?]))")
    assert game.headers == {}
    assert game.node_at(1).variations[1].comment == "B resigns\nwhy?"


def test_places_that_say_nothing():
    """The first variation with a move is the main line, whatever stands before it."""
    (game,) = read(HEAD + "(;)(;;;)(;B[c8-c6])(;B[c8-a6]))")
    assert [str(node.move) for node in game.root.variations] == ["c8-c6", "c8-a6"]


def test_the_same_move_twice_is_two_variations():
    text = HEAD + "(;B[c8-c6])(;B[c8-c6]))"
    assert len(read(text)[0].root.variations) == 2


# Writing ----------------------------------------------------------------------------------------


def test_shipped_games_come_back():
    games = read_games(GAMES)
    text = write(games)
    assert read(text) == games
    assert all(len(line) < 300 for line in text.splitlines())
    assert text.startswith(
        "(;FF[4]CA[UTF-8]GM[9]SZ[8]SU[Standard]GN[msc2000_appendix_E_game1]PB[Loa2D]PW[MIA]"
    )
    assert "\n;B[c8-c6];W[h4-f2];B[g8-g6];W[h2-e2];B[b1-e4];W[a6-d3];B[c1-c3];W[a3-c5];" in text
    assert ";W[a1:c3]" in text


HEADERS = [
    ({"note": "B resigns"}, "\n;B[c8-c6];B[resign])"),
    ({"note": "W forfeits"}, "\n;B[c8-c6];W[forfeit])"),
    ({"note": "W runs out of time"}, "\n;B[c8-c6];B[winontime])"),
    ({"note": "x"}, "NOTE[x]\n"),
    ({"result": "1-0", "note": "W resigns"}, "RE[B+Resign]\n"),
    ({"result": "0-1", "note": "W resigns"}, "RE[W+]\n;B[c8-c6];W[resign])"),
    ({"result": "*", "note": "void"}, "RE[Void]\n"),
    ({"result": "*", "note": "y"}, "RE[?]NOTE[y]\n"),
    ({"result": "1/2-1/2"}, "RE[0]\n"),
    ({"re": "Black wins"}, "RE[Black wins]\n"),
    ({"re": "B+R"}, "HD[re:B+R]\n"),
    ({"re": "x", "result": "*"}, "RE[?]HD[re:x]\n"),
    ({"opponent": "a:]\\", "eco1": "\n"}, "OPPONENT[a:\\]\\\\]ECO1[\n]\n"),
    ({"White Elo": "a:]\\", "": "", "ab": "x"}, "HD[White Elo:a:\\]\\\\][:][ab:x]\n"),
    ({"b": "1", "pb": "2", "sz": "3", "ff": "4", "hd": "5"}, "HD[b:1][pb:2][sz:3][ff:4][hd:5]\n"),
    ({"a:]\\b": "x"}, "HD[a\\:\\]\\\\b:x]\n"),
    ({"setup": "x", "id": ""}, "GN[]SETUP[x]\n"),
]


@pytest.mark.parametrize(("headers", "text"), HEADERS)
def test_headers_come_back(headers, text):
    game = Game(headers, [loa.Move.from_text("c8-c6")])
    assert text in write([game])
    assert read(write([game])) == [game]
    # Also in a tree, and where there is no move to put the last one after.
    game.root.add_line("c8-a6").comment = "x"
    assert read(write([game, Game(headers)])) == [game, Game(headers)]


@pytest.mark.parametrize(
    ("headers", "fragment"),
    [
        ({"black": "a\nb"}, r"the header 'black', 'a\\nb': expected no white space but blanks in"),
        ({"comment": "a\tb"}, "header 'comment', .*but blanks and line ends"),
        ({"x\t": ""}, r"header 'x\\t'"),
        ({"X": "\r"}, "header 'X'"),
        ({"result": "2-0"}, "header 'result', '2-0': expected one of"),
        ({"black": "\udcff"}, "half a surrogate pair"),
    ],
)
def test_headers_that_cannot_be_written(headers, fragment):
    with pytest.raises(loa.LoaError, match=fragment):
        write([Game(headers)])


def test_comments_that_cannot_be_written():
    game = Game()
    game.add_move("c8-c6").comment = "a\tb"
    with pytest.raises(loa.LoaError, match=r"game 2 has at ply 1 the comment 'a\\tb': expected no"):
        write([Game(), game])


def test_moves_that_cannot_be_written():
    game = Game({}, [loa.Move.from_text("h4-f2")])
    with pytest.raises(loa.IllegalMoveError, match="h4-f2 is illegal"):
        write([game])
    game.comment = "x"
    with pytest.raises(loa.IllegalMoveError, match="h4-f2 is illegal"):
        write([game])


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\v\f"), max_size=8
) | st.sampled_from(["[%sgf TE[1]]", "a\n[%sgf TE[1]SQ[a1][b2]]", "]\\:[", "\n(;GM[9]"])


@given(played_games(), st.data())
def test_any_game_goes_there_and_back(board_and_generator, data):
    """From any start, with variations, comments and headers."""
    board, generator = board_and_generator
    play_on(board, generator, 12)
    keys = st.sampled_from(["id", "black", "comment", "opponent", "note", "re", "ab"]) | TEXTS
    headers = data.draw(st.dictionaries(keys, TEXTS, max_size=4))
    headers = {
        key: value if key in ("comment", "note") else value.replace("\n", "")
        for key, value in headers.items()
        if key != "result"
    }
    game = Game.from_board(board, headers)
    for node in list(game.nodes()):
        if data.draw(st.integers(0, 3)) == 0:
            node.comment = data.draw(TEXTS)
        moves = node.board(board.rules).legal_moves
        if len(moves) and data.draw(st.integers(0, 5)) == 0:
            node.add_variation(moves[generator.randrange(len(moves))], board.rules).comment = "x"
    assert read(write([game]), rules=board.rules) == [game]
