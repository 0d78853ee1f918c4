"""The format of paragraphs: the shipped games, malformed ones and random ones."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DATA, pick_move
from positions import games as played_games
from record_files import GAMES, OPEN, PASSED, WON, changed, read_random
from record_files import read as read_format
from record_files import write as write_format

import loa
from loa.records import Game, read_games
from loa.records.text import Source, quote

HEAD = '[id "g"] [black "Ada"] [white "Ben"]\n'


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return read_games(GAMES)


def read(content, **options):
    return read_format(content, "paragraphs", **options)


def write(games) -> str:
    return write_format(games, "paragraphs")


# The shipped games ------------------------------------------------------------------------------


def test_all_shipped_games_are_read(games):
    text = GAMES.read_text(encoding="utf-8")
    assert len(games) == 30
    assert [game.id for game in games] == re.findall(r'^\[id "(.*?)"', text, re.MULTILINE)
    words = re.findall(r"\b[a-h][1-8][-x][a-h][1-8]\b", text)
    assert [str(move) for game in games for move in game.moves] == [
        word.replace("x", "-") for word in words
    ]


def test_shipped_games_reach_the_positions_of_the_suite(games):
    """The suite has the position one ply before the end of most games, found independently."""
    fens = dict(
        re.findall(
            r"^(\S+)-1ply-before-end \| (\S+ [bw]) 1 \| pass",
            (DATA / "perft.txt").read_text(),
            re.M,
        )
    )
    found = {
        game.id: game.board_at(len(game.moves) - 1).fen().rsplit(" ", 1)[0]
        for game in games
        if game.id in fens
    }
    assert len(fens) == 28
    assert found == fens


def test_captures_are_written_where_they_happen(games):
    words = iter(re.findall(r"\b[a-h][1-8][-x][a-h][1-8]\b", GAMES.read_text(encoding="utf-8")))
    for game in games:
        board = game.board_at(0)
        for move in game.moves:
            assert board.move_text(move) == next(words)
            board.push(move)


def test_ends_of_shipped_games_agree_with_their_results(games):
    unfinished = []
    for game in games:
        outcome = game.outcome()
        if outcome is None:
            unfinished.append((game.id, game.result))
        else:
            assert outcome.result == game.result, game.id
    assert unfinished == [
        ("mso1997_r1_kok_wikman", "1-0"),
        ("wikipedia_rules_example", "*"),
        ("wikipedia_expert_example", "*"),
    ]


def test_headers(games):
    game = games[14]
    assert game.headers == {
        "id": "phd2004_YL_vs_MIA4pp_g2",
        "black": "YL",
        "white": "MIA4++",
        "result": "1/2-1/2",
        "source": "Winands PhD thesis 2004 appendix A",
    }
    assert game.result == "1/2-1/2"
    assert game.outcome() == loa.Outcome(None, loa.Termination.REPETITION)
    assert {game.setup for game in games} == {"standard", "scrambled"}


def test_resignation(games):
    resigned = {game.id: game.resigned for game in games if game.resigned is not None}
    assert resigned == {
        "bs_LoA_Board_a73": loa.WHITE,
        "bs_LoA_Board_a75": loa.WHITE,
        "bs_Dyer_vs_Mona": loa.BLACK,
        "bs_Vogel_vs_Mona": loa.BLACK,
    }
    game = next(game for game in games if game.id == "bs_Dyer_vs_Mona")
    assert game.outcome() == loa.Outcome(loa.WHITE, loa.Termination.RESIGNATION)
    assert not game.board().is_game_over()


# The format -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        HEAD + OPEN,
        HEAD + OPEN + "\n",
        HEAD + "c8-c6 a6-c4\n  e8-b5\th3xf1  \n",
        "# first\n\n\n" + HEAD + "# between\n" + OPEN + "\n# last",
        '[id   "g"]\n\t[black "Ada"][white "Ben"]  \n' + OPEN,
        (HEAD + OPEN + "\n").replace("\n", "\r\n"),
        "\ufeff" + HEAD + OPEN,
        HEAD + "c8xc6 a6xc4 e8xb5 h3-f1",
    ],
)
def test_layouts(text):
    (game,) = read(text)
    assert (game.id, game.headers["black"], game.headers["white"]) == ("g", "Ada", "Ben")
    assert [str(move) for move in game.moves] == ["c8-c6", "a6-c4", "e8-b5", "h3-f1"]
    assert game.result == "*"


@pytest.mark.parametrize(
    ("written", "result"),
    [("1-0", "1-0"), ("0-1", "0-1"), ("0.5-0.5", "1/2-1/2"), ("1/2-1/2", "1/2-1/2"), ("*", "*")],
)
def test_results(written, result):
    (game,) = read(f'[id "g"] [result "{written}"]\n{OPEN}')
    assert game.result == result
    assert game.headers["result"] == result


def test_unicode_and_brackets_in_values():
    (game,) = read(f'[id "g"] [black "Zoë [ž] \\ 王"]\n{OPEN}')
    assert game.headers["black"] == "Zoë [ž] \\ 王"


def test_no_games():
    assert read("") == read("# nothing\n\n \t\n") == []


def test_forced_pass():
    (game,) = read(HEAD + PASSED)
    assert game.moves[31] == loa.Move.PASS
    assert game.board().turn is loa.WHITE
    with pytest.raises(loa.InvalidRecordError, match="ply 32: 'pass' after the end") as caught:
        read(HEAD + PASSED, rules=loa.Rules.MSO.replace(no_legal_move=loa.NoLegalMove.LOSS))
    assert (caught.value.line, caught.value.column) == (4, 7)


def test_rules_decide_what_is_legal():
    """Under the rules of OpenSpiel the first repetition of a board ends a game."""
    moves = "c8-c6 h4-f2 c6-c8 f2-h4 c8-c6 h4-f2"
    assert len(read(HEAD + moves)[0].moves) == 6
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(HEAD + moves, rules=loa.Rules.OPENSPIEL)
    assert (caught.value.line, caught.value.column) == (2, 25)
    expected = "after the end of the game (1/2-1/2 by repetition) under Rules.OPENSPIEL: expected"
    assert f"ply 5: 'c8-c6' {expected}" in str(caught.value)


# Two moves lead to the last ply that a board counts.
LAST_PLY = f'[id "g"] [fen "{loa.Board().fen().split()[0]} w {2**30 - 1}"]\n'

MALFORMED = [
    # what is wrong, line, column, a part of the message
    ("c8-c6\n", 1, 1, "'c8-c6': expected a game to start with [id"),
    ("\n\n  hello", 3, 3, "'hello': expected a game to start with [id"),
    ('[black "Ada"]\nc8-c6', 1, 1, "expected [id"),
    ('  [black "Ada"] [id ""]\nc8-c6', 1, 22, "expected [id"),
    ('[id "g"] [setup "chess"]\nc8-c6', 1, 18, "setup 'chess': expected one of standard, scr"),
    ('[id "g"] [result "2-0"]\nc8-c6', 1, 19, "result '2-0': expected one of 1-0, 0-1"),
    ('[id "g"]\n[black "A"] [black "B"]\nc8-c6', 2, 14, "header 'black' for the second time"),
    ('[id "g"\nc8-c6', 1, 8, "end of line in a header: expected ]"),
    ('[id "g]\nc8-c6', 1, 5, "'\"g]' in a header: expected a value between quotation marks"),
    ("[id g]\nc8-c6", 1, 5, "'g]' in a header: expected a value between quotation marks"),
    ('[id "g"] [fen "3/3"]\nc8-c6', 1, 16, "fen '3/3': expected a position ("),
    ('[id "g"] [setup "standard"] [fen ""]', 1, 35, "fen beside setup: expected one of them"),
    ('[id"g"]\nc8-c6', 1, 4, "expected a blank after the key"),
    ('[ID "g"]\nc8-c6', 1, 2, "'ID \"g\"]' in a header: expected a key of lower-case"),
    ('[id "g"] c8-c6\na6-c4', 1, 10, "'c8-c6' in a header: expected [key"),
    ('[id "g"] [black "A\\"B"]\nc8-c6', 1, 19, 'in a header: expected no \\"'),
    ('[id "g"] [black "A\tB"]\nc8-c6', 1, 19, "'\\t' in header 'black': expected no control"),
    ('[id "g"] [black "A\x1b[31mB"]\nc8-c6', 1, 19, "'\\x1b' in header 'black'"),
    ('[id "g"]\n\nc8-c6', 1, 9, "game 'g' ends after '[id \"g\"]': expected its moves"),
    (HEAD + OPEN + "\n" + HEAD + OPEN, 3, 1, "expected headers before the moves, and a blank"),
    (HEAD + "c8-c6 a6-c9", 2, 7, "game 'g', ply 2: 'a6-c9': expected a move such as c8-c6"),
    (HEAD + "1. c8-c6", 2, 1, "game 'g', ply 1: '1.': expected a move"),
    (HEAD + "C8-C6", 2, 1, "'C8-C6': expected a move"),
    (HEAD + "c8c6", 2, 1, "'c8c6': expected a move"),
    (HEAD + "c8:c6", 2, 1, "'c8:c6': expected a move"),
    (HEAD + "c8-c6 # good", 2, 7, "ply 2: '#': expected a move"),
    (HEAD + "c8-c6\u00a0a6-c4", 2, 1, "'c8-c6\\xa0a6-c4': expected a move"),
    (HEAD + "c8-c6\ra6-c4", 2, 1, "'c8-c6\\ra6-c4': expected a move"),
    (HEAD + "c8-c6\n\n\x0c\n", 4, 1, "'\\x0c': expected a game to start"),
    (HEAD + "c8-c8", 2, 1, "ply 1: 'c8-c8': expected two different squares"),
    (HEAD + "c8-c6 a6-c4\n e8-b4", 3, 2, "game 'g', ply 3: 'e8-b4': e8-b4 is illegal"),
    (HEAD + "c8-c6 c6-c8", 2, 7, "ply 2: 'c6-c8'"),
    (LAST_PLY + "h4-f2 c8-c6 a6-c4", 2, 13, "ply 3: 'a6-c4': ply 2147483648: expected no game"),
    (HEAD + "pass", 2, 1, "ply 1: 'pass': pass is illegal"),
    (HEAD + WON + "\na2-b3", 3, 1, "ply 10: 'a2-b3' after the end of the game (1-0 by connection)"),
    (HEAD + "x" * 10_000, 2, 1, "'" + "x" * 40 + "…'"),
    (b'[id "g"] [black "\xc3\xab\xff"]\nc8-c6', 1, 19, "byte 0xff: expected UTF-8 text"),
    (b"\xef\xbb\xbf\n\n\xe4", 3, 1, "byte 0xe4: expected UTF-8 text"),
    (HEAD.encode() + b"# \xff\nc8-c6", 2, 3, "byte 0xff: expected UTF-8 text"),
]


@pytest.mark.parametrize(("content", "line", "column", "fragment"), MALFORMED)
def test_malformed(content, line, column, fragment):
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(content)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert fragment in str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_lines_are_those_that_editors_count():
    source = Source(io.BytesIO("a\x0bb\u2028c\r\n\r\nd".encode()))
    assert list(source.lines()) == [(1, "a\x0bb\u2028c"), (2, ""), (3, "d")]


def test_quote_is_bounded_and_on_one_line():
    assert quote("a\nb") == r"'a\nb'"
    assert quote("x" * 41) == "'" + "x" * 40 + "…'"


# Writing ----------------------------------------------------------------------------------------


def test_shipped_games_are_written_as_they_are(games):
    """But for the comments, and for draws, which have another spelling there."""
    lines = GAMES.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#")).strip("\n") + "\n"
    assert write(games) == text.replace('"0.5-0.5"', '"1/2-1/2"')


@pytest.mark.parametrize(
    "fen", ["2b/w1w/1b1 w 7", "1b1/w1w/1b1 b 1", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 2"]
)
def test_other_starts(fen):
    game = Game({"id": "g"}, start=fen)
    game.add_move(game.board().legal_moves[0])
    text = write([game])
    assert text.startswith(f'[id "g"] [fen "{fen}"]\n')
    assert read(text) == [game]


def test_headers_are_written_in_order():
    headers = {"z": "", "result": "0.5-0.5", "white": "王", "a_1": "[x] \\ y", "id": "g"}
    game = Game(headers, [loa.Move.from_text("c8-c6")])
    assert write([game]) == (
        '[id "g"] [white "王"] [setup "standard"] [result "1/2-1/2"] [z ""] [a_1 "[x] \\ y"]\n'
        "c8-c6\n"
    )
    assert headers["result"] == "0.5-0.5"


@pytest.mark.parametrize(
    ("headers", "fragment"),
    [
        ({}, "game 1 has no header id: expected a name"),
        ({"id": ""}, "game 1 has no header id"),
        (
            {"id": "g", "Black": "Ada"},
            "game 1 has the header 'Black', 'Ada': expected a key of lower-case",
        ),
        ({"id": "g", "": "Ada"}, "header '', 'Ada'"),
        ({"id": "g", "black": 'A"B'}, 'expected a key .* and a value without ",'),
        ({"id": "g", "black": "A\\"}, r"'A\\\\': expected a key"),
        ({"id": "g", "black": "A\nB"}, r"'A\\nB': expected"),
        ({"id": "g", "black": "\udcff"}, "half a surrogate pair"),
        ({"id": "g", "result": "2-0"}, "header 'result', '2-0': expected one of"),
        ({"id": "g", "setup": "standard"}, "header 'setup', 'standard': expected the start to be"),
        ({"id": "g", "fen": "1b1/w1w/1b1"}, "has the header 'fen'"),
    ],
)
def test_headers_that_cannot_be_written(headers, fragment):
    with pytest.raises(loa.LoaError, match=fragment):
        write([Game(headers, [loa.Move.from_text("c8-c6")])])


def test_moves_that_cannot_be_written():
    with pytest.raises(loa.LoaError, match="game 2 has no moves: expected one at least"):
        write([Game({"id": "f"}, [loa.Move.from_text("c8-c6")]), Game({"id": "g"})])
    with pytest.raises(loa.IllegalMoveError):
        write([Game({"id": "g"}, [loa.Move.from_text("h4-f2")])])


@given(played_games())
def test_any_game_goes_there_and_back(board_and_generator):
    board, generator = board_and_generator
    root = board.copy()
    while not board.is_game_over() and board.ply < root.ply + 20:
        board.push(pick_move(board, generator))
    game = Game.from_board(board, {"id": "g"})
    if game.moves:
        assert read(write([game]), rules=board.rules) == [game]


# Random files -----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *HEAD.split(),
        *WON.split(),
        '[id "g"]',
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\t",
        "#",
        "pass",
        '"',
        "[",
    ]
)


@given(st.binary(max_size=200))
def test_random_bytes(content):
    read_random(content, "paragraphs")


@given(st.text(max_size=200))
def test_random_text(text):
    read_random(text.encode(), "paragraphs")


@given(st.lists(PIECES | st.text(max_size=3), max_size=40))
def test_random_pieces(pieces):
    read_random("".join(pieces).encode(), "paragraphs")


@settings(max_examples=300)
@given(st.data())
def test_changed_games(data):
    """A valid file with some stretches replaced."""
    content = (HEAD + WON + "\n\n" + HEAD + OPEN + "\n").encode()
    read_random(changed(data, content, PIECES), "paragraphs")
