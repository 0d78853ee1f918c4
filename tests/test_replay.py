"""Replays of games: the page's text, what can be replayed, and the command."""

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import BLACK_PASSES, play_on
from record_files import GAMES

import loa
from loa.cli import main
from loa.replay import replay_html, replay_of, write_replay
from loa.rules import IllegalMoveError, LoaError


class Page(HTMLParser):
    """The elements of a page, with their texts; complains of tags that do not fit."""

    EMPTY = ("meta",)

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.open = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = SimpleNamespace(tag=tag, attributes=dict(attributes), text="")
        assert len(element.attributes) == len(attributes)
        self.elements.append(element)
        if tag not in self.EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def all(self, tag):
        return [element for element in self.elements if element.tag == tag]

    def one(self, tag):
        (element,) = self.all(tag)
        return element

    def by_id(self, name):
        (element,) = [e for e in self.elements if e.attributes.get("id") == name]
        return element

    @property
    def title(self):
        # The picture has one as well.
        return self.all("title")[0].text

    @property
    def data(self):
        return json.loads(self.by_id("data").text)


def random_board(size, plies):
    """A board with the moves of a random game on it."""
    board = loa.Board(size=size)
    play_on(board, random.Random(0), plies)
    return board


def recorded_game():
    return loa.read_games(GAMES)[0]


# The text ---------------------------------------------------------------------------------------


def test_parts_of_the_page():
    page = Page(replay_html(recorded_game()))
    assert page.title == page.one("h1").text == "Loa2D – MIA"
    headers = dict(
        zip([e.text for e in page.all("dt")], [e.text for e in page.all("dd")], strict=True)
    )
    assert headers["Black"] == "Loa2D"
    assert headers["Result"] == "0-1"
    assert page.one("html").attributes == {"lang": "en"}
    names = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(names) == len(set(names))
    for button in page.all("button"):
        assert button.attributes["type"] == "button"
        assert button.attributes["aria-label"]
    for element in page.all("svg"):
        assert element.attributes.get("role") == "img" or "aria-hidden" in element.attributes


def test_nothing_is_loaded():
    text = replay_html(recorded_game())
    assert re.findall(r"\w+://[^\s\"<]+", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\b(src|href)=|@import|url\(", text)
    page = Page(text)
    (policy,) = [
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()}'"
        for element in (page.one("style"), page.all("script")[-1])
    ]
    assert policy == f"default-src 'none'; style-src {hashes[0]}; script-src {hashes[1]}"


def test_moves_and_captions():
    game = recorded_game()
    page = Page(replay_html(game))
    moves = [button for button in page.all("button") if "data-ply" in button.attributes]
    assert [int(button.attributes["data-ply"]) for button in moves] == list(range(37))
    assert [button.text for button in moves[:4]] == ["Start", "c8-c6", "h4-f2", "g8-g6"]
    assert moves[11].text == "f8xc5"
    assert moves[11].attributes["aria-label"] == "6. Black f8xc5"
    captions = page.data["captions"]
    assert captions[0] == "Start. Black to move. Groups: Black 2, White 2."
    assert captions[11] == "Ply 11 of 36: Black f8xc5. White to move. Groups: Black 7, White 5."
    assert captions[-1] == (
        "Ply 36 of 36: White h7-h5. White wins by connection. Groups: Black 2, White 1."
    )
    assert page.by_id("status").text == captions[0]


def test_a_start_with_white_to_move_and_a_pass():
    board = loa.Board(BLACK_PASSES).mirror()
    page = Page(replay_html(board, [loa.Move.PASS]))
    assert page.one("li").text == "1.…pass"
    assert page.data["moves"] == [None]
    assert page.data["captions"][1].startswith("Ply 1 of 1: White pass. Black to move.")


def test_moves_with_comments_are_marked():
    page = Page(replay_html(random_board(5, 3), comments={0: "before", 2: "a comment", 3: ""}))
    marked = {
        int(button.attributes["data-ply"])
        for button in page.all("button")
        if button.attributes.get("class") == "commented"
    }
    assert marked == {0, 2}


def test_the_time_for_a_move():
    assert Page(replay_html(loa.Board())).data["seconds"] == 1.0
    assert Page(replay_html(loa.Board(), seconds=0.25)).data["seconds"] == 0.25


def test_no_moves():
    page = Page(replay_html(loa.Board(size=3)))
    assert page.one("h1").text == "Lines of Action"
    assert page.all("dl") == page.all("li") == []
    assert page.data["captions"] == ["Start. Black to move. Groups: Black 2, White 2."]


@given(
    st.dictionaries(st.text(min_size=1), st.text(min_size=1), max_size=4),
    st.text(),
    st.text(),
    st.sampled_from([None, "</title>", '"><img src=x>']),
)
def test_texts_stay_texts(headers, first, second, title):
    board = random_board(3, 1)
    comments = {0: first, 1: second}
    text = replay_html(board, headers=headers, comments=comments, title=title)
    text.encode("utf-8")
    page = Page(text)
    plain = Page(replay_html(board, title="t"))
    skipped = ("dl", "div", "dt", "dd")
    for parsed in (page, plain):
        parsed.shape = [
            (e.tag, sorted(e.attributes)) for e in parsed.elements if e.tag not in skipped
        ]
    assert [tag for tag, _ in page.shape] == [tag for tag, _ in plain.shape]
    assert [e.text for e in page.all("dd")] == list(map(written, headers.values()))
    assert page.by_id("comment").text == written(first)
    said = {"0": first, "1": second}
    assert page.data["comments"] == {ply: text for ply, text in said.items() if text}
    if title is not None:
        assert page.title == page.one("h1").text == title


def written(text):
    """What becomes of a text that may have half a surrogate pair in it."""
    return text.encode("utf-8", "replace").decode()


def test_texts_that_end_elements():
    evil = "</script><script>window.injected = 1</script><!--"
    text = replay_html(random_board(3, 1), headers={"black": evil}, comments={1: evil}, title=evil)
    assert text.count("<script") == text.count("</script") == 2
    assert "<!--" not in text
    assert Page(text).data["comments"] == {"1": evil}


# What can be replayed ---------------------------------------------------------------------------


def test_a_board_with_moves_made_on_it():
    board = random_board(5, 6)
    before = board.copy()
    replay = replay_of(board)
    assert replay.start == loa.Board(size=5)
    assert replay.moves == board.move_stack
    assert board == before
    assert board.move_stack == before.move_stack


def test_a_board_with_moves_to_make():
    board = random_board(5, 6)
    move = board.legal_moves[0]
    before = board.copy()
    replay = replay_of(board, iter([move]))
    assert replay.start == board == before
    assert replay.moves == [move]
    # What becomes of the board later does not matter.
    board.pop()
    assert replay.start == before


def test_a_game():
    game = loa.Game({"black": "Ada", "note": "W resigns"}, size=5)
    game.add_move("b1-b3").comment = "here"
    game.comment = "before"
    game.root.add_line("b1-d3")
    replay = replay_of(game)
    assert replay.moves == game.moves
    assert replay.headers == game.headers
    assert replay.comments == {0: "before", 1: "here"}
    other = replay_of(game, headers={"white": "Ben"}, comments={1: "there"})
    assert other.headers == {"white": "Ben"}
    assert other.comments == {1: "there"}


def test_rules_of_a_game():
    game = loa.Game({}, [loa.Move.PASS], start=BLACK_PASSES)
    assert "Black pass." in replay_html(game)
    with pytest.raises(IllegalMoveError, match="the game is over by no legal move"):
        replay_html(game, rules=loa.Rules.OPENSPIEL)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("game",), {}, TypeError, "game is 'game': expected a loa.Board or a loa.Game"),
        ((loa.Board(), [loa.Move(2, 3)]), {}, IllegalMoveError, "c1-d1 is illegal"),
        ((loa.Game(), []), {}, LoaError, "a game has moves of its own: expected no moves"),
        ((loa.Board(),), {"rules": loa.Rules.MSO}, LoaError, "a board has rules of its own"),
        ((loa.Board(),), {"title": 3}, TypeError, "title is 3: expected a str"),
        ((loa.Board(),), {"headers": {"black": 3}}, TypeError, "header 'black' is 3: expected"),
        ((loa.Board(),), {"headers": {3: "x"}}, TypeError, "a header is 3: expected a str"),
        ((loa.Board(),), {"comments": {1: "x"}}, LoaError, "of a comment is 1: expected 0 to 0"),
        ((loa.Board(),), {"comments": {"0": "x"}}, TypeError, "the ply of a comment is '0'"),
        ((loa.Board(),), {"comments": {0: 3}}, TypeError, "the comment at ply 0 is 3: expected"),
        ((loa.Board(),), {"orientation": 1}, TypeError, "orientation is 1: expected a loa.Color"),
        ((loa.Board(),), {"dark": "dark"}, TypeError, "dark is 'dark': expected a loa.svg.Theme"),
        ((loa.Board(),), {"light": None}, TypeError, "light is None: expected a loa.svg.Theme"),
        ((loa.Board(),), {"seconds": 0}, LoaError, "seconds is 0: expected more than 0 and up"),
        ((loa.Board(),), {"seconds": float("nan")}, LoaError, "seconds is nan: expected more"),
        ((loa.Board(),), {"seconds": 10**400}, LoaError, "expected more than 0 and up to 3600"),
        ((loa.Board(),), {"seconds": True}, TypeError, "seconds is True: expected a number"),
    ],
)
def test_errors(arguments, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        replay_html(*arguments, **options)


def test_the_package_has_it():
    assert loa.replay_html is replay_html


def test_writing(tmp_path):
    path = tmp_path / "game.html"
    write_replay(recorded_game(), path, title="Zoë\udc80")
    assert "<title>Zoë?</title>" in path.read_text(encoding="utf-8")
    with pytest.raises(LoaError, match="seconds is -1"):
        write_replay(recorded_game(), tmp_path / "other.html", seconds=-1)
    assert not (tmp_path / "other.html").exists()


# The command ------------------------------------------------------------------------------------


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def test_command(capsys, tmp_path):
    path = tmp_path / "game.html"
    for name in ("msc2000_appendix_E_game3", 2):
        status, output, error = run(capsys, "replay", GAMES, "--game", name, "--html", path)
        assert (status, error) == (0, "")
        assert output.splitlines()[-1].startswith("1 game, ")
        assert path.read_text(encoding="utf-8") == replay_html(loa.read_games(GAMES)[1])
        path.unlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--html", "x.html"], "expected --game with the id or the number of one"),
        (["--game", "nobody"], "--game is 'nobody': expected an id in "),
        (["--game", "0"], "--game is '0': expected an id in "),
        (["--game", "9" * 30], ": expected an id in "),
        (["--game", "1", "--html", "no such folder/x.html"], "No such file or directory"),
    ],
)
def test_command_errors(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    status, output, error = run(capsys, "replay", GAMES, *arguments)
    assert (status, output) == (1, "")
    assert message in error
    assert list(tmp_path.iterdir()) == []


def test_command_with_an_id_that_two_games_have(capsys, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text('[id "a"]\nc8-c6\n\n[id "a"]\nc8-c6\n')
    status, _, error = run(capsys, "replay", path, "--game", "a")
    assert status == 1
    assert "has 2 games with the id 'a': expected one" in error
