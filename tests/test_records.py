"""Reading recorded games: the shipped ones, malformed ones and random ones."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loa
from loa.records import Game, quote, read_games, read_lines

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games.txt"

HEAD = '[id "g"] [black "Ada"] [white "Ben"]\n'
# The quickest recorded win (Black's, at ply 9), and a game that is stopped before it ends.
WON = "d1-b3 h5-g4 b1-b4 g4xg1 b4-e7 a3xc1 b3-e6 h3xf1 e1-e5"
OPEN = "c8-c6 a6-c4 e8-b5 h3xf1"
# A game made up so that White is left without a move.
PASSED = """\
f1xh3 a7-a1 c8xa6 h4-f2 e8-g6 f2-c2 c1xa3 c2-c3 f8xh6 a4-c2 g6xc2 h2-e2 a6-c4 e2-h2 e1-e2
h5-g6 d1-f3 g6-h5 d8-b6 h7-g7 e2xh5 g7-d4 h6xh2 d4-d3 b8-b5 d3-d2 h2xd2 c3-e5 f3-c3 e5-h8
h5xh8 pass b5-c6
"""


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return read_games(GAMES)


@pytest.fixture
def read(tmp_path):
    """Reads games from a text or bytes."""

    def read(content, **options):
        path = tmp_path / "games.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_games(path, **options)

    return read


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
        "setup": "standard",
        "result": "0.5-0.5",
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


# Game -------------------------------------------------------------------------------------------


def test_board_at(games):
    game = games[0]
    board = game.board_at(3)
    assert board.ply == 3
    assert list(board.move_stack) == game.moves[:3]
    assert game.board_at(0) == loa.Board()
    assert game.board() == game.board_at(len(game.moves))
    assert game.board(loa.Rules.BOARDSPACE).rules is loa.Rules.BOARDSPACE


def test_board_at_scrambled_setup(games):
    game = next(game for game in games if game.setup == "scrambled")
    assert game.board_at(0) == loa.Board(setup="scrambled")


@pytest.mark.parametrize("ply", [-1, 37, 10**30])
def test_board_at_outside_the_game(games, ply):
    with pytest.raises(loa.LoaError, match=f"ply is {ply}: expected 0 to 36"):
        games[0].board_at(ply)


@pytest.mark.parametrize("ply", ["1", 1.0, None, True])
def test_board_at_wrong_type(games, ply):
    with pytest.raises(TypeError, match="expected an int"):
        games[0].board_at(ply)


def test_games_made_by_hand():
    game = Game({}, [loa.Move.from_text("c8-c5")])
    assert (game.id, game.result, game.setup, game.resigned) == ("", "*", "standard", None)
    with pytest.raises(loa.IllegalMoveError):
        game.board()
    with pytest.raises(loa.LoaError, match=r"result '2-0': expected one of 1-0, 0-1"):
        _ = Game({"result": "2-0"}, []).result
    with pytest.raises(loa.LoaError, match="setup"):
        Game({}, [], setup="other").board()
    assert Game({}, []) == Game({}, [])


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
def test_layouts(read, text):
    (game,) = read(text)
    assert (game.id, game.headers["black"], game.headers["white"]) == ("g", "Ada", "Ben")
    assert [str(move) for move in game.moves] == ["c8-c6", "a6-c4", "e8-b5", "h3-f1"]
    assert game.result == "*"


@pytest.mark.parametrize(
    ("written", "result"),
    [("1-0", "1-0"), ("0-1", "0-1"), ("0.5-0.5", "1/2-1/2"), ("1/2-1/2", "1/2-1/2"), ("*", "*")],
)
def test_results(read, written, result):
    (game,) = read(f'[id "g"] [result "{written}"]\n{OPEN}')
    assert game.result == result
    assert game.headers["result"] == written


def test_unicode_and_brackets_in_values(read):
    (game,) = read(f'[id "g"] [black "Zoë [ž] \\ 王"]\n{OPEN}')
    assert game.headers["black"] == "Zoë [ž] \\ 王"


def test_no_games(read):
    assert read("") == read("# nothing\n\n \t\n") == []


def test_forced_pass(read):
    (game,) = read(HEAD + PASSED)
    assert game.moves[31] == loa.Move.PASS
    assert game.board().turn is loa.WHITE
    with pytest.raises(loa.InvalidRecordError, match="ply 32: 'pass' after the end") as caught:
        read(HEAD + PASSED, rules=loa.Rules.MSO.replace(no_legal_move=loa.NoLegalMove.LOSS))
    assert (caught.value.line, caught.value.column) == (4, 7)


def test_rules_decide_what_is_legal(read):
    """Under the rules of OpenSpiel the first repetition of a board ends a game."""
    moves = "c8-c6 h4-f2 c6-c8 f2-h4 c8-c6 h4-f2"
    assert len(read(HEAD + moves)[0].moves) == 6
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(HEAD + moves, rules=loa.Rules.OPENSPIEL)
    assert (caught.value.line, caught.value.column) == (2, 25)
    assert "ply 5: 'c8-c6' after the end of the game (1/2-1/2 by repetition)" in str(caught.value)


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
    (HEAD + "pass", 2, 1, "ply 1: 'pass': pass is illegal"),
    (HEAD + WON + "\na2-b3", 3, 1, "ply 10: 'a2-b3' after the end of the game (1-0 by connection)"),
    (HEAD + "x" * 10_000, 2, 1, "'" + "x" * 40 + "…'"),
    (b'[id "g"] [black "\xc3\xab\xff"]\nc8-c6', 1, 19, "byte 0xff: expected UTF-8 text"),
    (b"\xef\xbb\xbf\n\n\xe4", 3, 1, "byte 0xe4: expected UTF-8 text"),
]


@pytest.mark.parametrize(("content", "line", "column", "fragment"), MALFORMED)
def test_malformed(read, content, line, column, fragment):
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(content)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert fragment in str(caught.value)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_games(tmp_path / "none.txt")
    with pytest.raises(OSError, match=r"directory|denied"):
        read_games(tmp_path)
    with pytest.raises(TypeError):
        read_games(0)


def test_read_lines_keeps_what_editors_count(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a\x0bb\u2028c\r\n\r\nd".encode())
    assert read_lines(path) == ["a\x0bb\u2028c", "", "d"]


def test_quote_is_bounded_and_on_one_line():
    assert quote("a\nb") == r"'a\nb'"
    assert quote("x" * 41) == "'" + "x" * 40 + "…'"


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


def read_random(content: bytes) -> None:
    """Reads the content; the only error may be InvalidRecordError, at a place that exists."""
    caught = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.txt")
        path.write_bytes(content)
        try:
            games = read_games(path)
        except loa.InvalidRecordError as error:
            caught = error
    if caught is None:
        assert all(game.id and game.board() for game in games)
        return
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert 1 <= caught.line <= len(lines)
    assert 1 <= caught.column <= len(lines[caught.line - 1]) + 1
    assert len(str(caught)) < 1000
    assert str(caught).isprintable()


@given(st.binary(max_size=200))
def test_random_bytes(content):
    read_random(content)


@given(st.text(max_size=200))
def test_random_text(text):
    read_random(text.encode())


@given(st.lists(PIECES | st.text(max_size=3), max_size=40))
def test_random_pieces(pieces):
    read_random("".join(pieces).encode())


@settings(max_examples=300)
@given(st.data())
def test_changed_games(data):
    """A valid file with some stretches replaced."""
    content = (HEAD + WON + "\n\n" + HEAD + OPEN + "\n").encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(len(content), start + 5)))
        new = data.draw(st.binary(max_size=3) | PIECES.map(str.encode))
        content = content[:start] + new + content[stop:]
    read_random(content)
