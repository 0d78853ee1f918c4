"""Replays of games: the page's text, and what it does in a browser."""

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from browser import browser_fixture, show  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DATA, games, pick_move

import loa
from loa.cli import main
from loa.replay import replay_html, replay_of, write_replay
from loa.rules import WHITE, Color, IllegalMoveError, LoaError
from loa.svg import Theme

GAMES = DATA / "games.txt"
# Black has no move and passes.
PASSING = "6wb/6ww/8/8/8/w7/ww6/bw4w1 b 1"


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


def random_board(size, plies, seed=0, fen=None):
    """A board with a random game on it."""
    generator = random.Random(seed)
    board = loa.Board(fen) if fen else loa.Board(size=size)
    while board.legal_moves and len(board.move_stack) < plies:
        board.push(pick_move(board, generator))
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
    board = loa.Board(PASSING).mirror()
    page = Page(replay_html(board, [loa.Move.PASS]))
    assert page.one("li").text == "1.…pass"
    assert page.data["moves"] == [None]
    assert page.data["captions"][1].startswith("Ply 1 of 1: White pass. Black to move.")


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
    replay = replay_of(board, iter([move]))
    assert replay.start == board
    assert replay.moves == [move]
    assert board.move_stack[-1] != move


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


def test_what_is_like_a_game():
    board = loa.Board(size=4)
    move = board.legal_moves[0]
    game = SimpleNamespace(headers={}, board_at=lambda ply: board, mainline=lambda: [move])
    assert replay_html(game) == replay_html(board, [move])


def test_rules_of_a_game():
    game = loa.Game({}, [loa.Move.PASS], start=PASSING)
    assert "Black pass." in replay_html(game)
    with pytest.raises(IllegalMoveError):
        replay_html(game, rules=loa.Rules.OPENSPIEL)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("game",), {}, TypeError, "game is 'game': expected a loa.Board, or a loa.Game"),
        ((loa.Board(), [loa.Move(2, 3)]), {}, IllegalMoveError, "c1-d1 is illegal"),
        ((loa.Game(), []), {}, LoaError, "a game has moves of its own: expected no moves"),
        ((loa.Board(),), {"rules": loa.Rules.MSO}, LoaError, "a board has rules of its own"),
        ((loa.Board(),), {"title": 3}, TypeError, "title is 3: expected a str"),
        ((loa.Board(),), {"headers": {"black": 3}}, TypeError, "header 'black' is 3: expected"),
        ((loa.Board(),), {"headers": {3: "x"}}, TypeError, "a header is 3: expected a str"),
        ((loa.Board(),), {"comments": {1: "x"}}, LoaError, "a comment at ply 1: expected 0 to 0"),
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
    write_replay(path, recorded_game(), title="Zoë\udc80")
    assert "<title>Zoë?</title>" in path.read_text(encoding="utf-8")
    with pytest.raises(LoaError):
        write_replay(tmp_path / "other.html", recorded_game(), seconds=-1)
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


# In a browser -----------------------------------------------------------------------------------

# Where the pieces and the mark of the last move are, in squares from the upper left corner.
READ = """
const picture = document.querySelector("#board svg");
const at = (x, y) => [(x - 20) / 40 - 0.5, (y - 20) / 40 - 0.5];
const pieces = (color) => [...picture.querySelectorAll(`.loa-${color} .loa-piece`)].map(
  (disc) => at(disc.cx.baseVal.value, disc.cy.baseVal.value));
const mark = picture.querySelector(".loa-last-move").getAttribute("d");
return {
  black: pieces("black"),
  white: pieces("white"),
  mark: [...mark.matchAll(/M([-0-9.]+) ([-0-9.]+)/g)].map((m) => at(+m[1] + 20, +m[2] + 20)),
  status: document.getElementById("status").textContent,
  comment: document.getElementById("comment").innerText,
  plies: [...document.querySelectorAll("[aria-current]")].map((e) => Number(e.dataset.ply)),
  playing: document.getElementById("play").getAttribute("aria-pressed"),
  off: [...document.querySelectorAll("[aria-disabled=true]")].map((e) => e.id),
};
"""


def seen(browser, size, turned=False):
    """What the page shows; squares as numbers."""
    state = browser.execute_script(READ)
    for name in ("black", "white", "mark"):
        squares = []
        for column, row in state[name]:
            file, rank = (size - 1 - column, row) if turned else (column, size - 1 - row)
            assert file in range(size)
            assert rank in range(size)
            squares.append(file + 8 * rank)
        state[name] = squares
    (state["ply"],) = state["plies"]
    return SimpleNamespace(**state)


def check(browser, replay, ply, turned=False):
    board = replay.start.copy()
    for move in replay.moves[:ply]:
        board.push(move)
    state = seen(browser, board.size, turned)
    for color, bitboard in (("black", board.black), ("white", board.white)):
        squares = getattr(state, color)
        assert len(squares) == len(set(squares))
        assert sum(1 << square for square in squares) == bitboard
    last = replay.moves[ply - 1] if ply else loa.Move.PASS
    assert state.mark == ([] if last.is_pass else [last.from_square, last.to_square])
    assert state.ply == ply


def press(browser, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def key(name):
    from selenium.webdriver.common.keys import Keys

    return getattr(Keys, name)


def click(browser, selector):
    browser.find_element("css selector", selector).click()


def wait(browser, condition):
    """Until something is so; a minute is for ever."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60, poll_frequency=0.02).until(lambda _: condition())


def test_keys(browser, tmp_path):
    replay = replay_of(recorded_game())
    show(browser, tmp_path / "game.html", replay_html(recorded_game()))
    check(browser, replay, 0)
    for name, ply in (
        ("ARROW_LEFT", 0),
        ("ARROW_RIGHT", 1),
        ("ARROW_RIGHT", 2),
        ("ARROW_RIGHT", 3),
        ("ARROW_LEFT", 2),
        ("END", 36),
        ("ARROW_RIGHT", 36),
        ("ARROW_LEFT", 35),
        ("HOME", 0),
    ):
        press(browser, key(name))
        check(browser, replay, ply)
    assert browser.get_log("browser") == []


def test_keys_with_others_held_are_the_browsers(browser, tmp_path):
    from selenium.webdriver.common.action_chains import ActionChains

    show(browser, tmp_path / "game.html", replay_html(recorded_game()))
    for name in ("CONTROL", "SHIFT"):
        held = ActionChains(browser).key_down(key(name)).send_keys(key("ARROW_RIGHT"))
        held.key_up(key(name)).perform()
    press(browser, "x", key("ARROW_DOWN"))
    assert seen(browser, 8).ply == 0


def test_buttons(browser, tmp_path):
    replay = replay_of(recorded_game())
    show(browser, tmp_path / "game.html", replay_html(recorded_game()))
    for name, ply, off in (
        ("next", 1, []),
        ("next", 2, []),
        ("previous", 1, []),
        ("last", 36, ["next", "last"]),
        ("next", 36, ["next", "last"]),
        ("first", 0, ["first", "previous"]),
        ("previous", 0, ["first", "previous"]),
    ):
        click(browser, f"#{name}")
        check(browser, replay, ply)
        assert seen(browser, 8).off == off


def test_move_list(browser, tmp_path):
    replay = replay_of(recorded_game())
    show(browser, tmp_path / "game.html", replay_html(recorded_game()))
    for ply in (5, 36, 1, 0, 20):
        click(browser, f"[data-ply='{ply}']")
        check(browser, replay, ply)
    press(browser, key("END"))
    # The current move is in sight, and the page has not moved.
    assert browser.execute_script(
        "const list = document.getElementById('moves').getBoundingClientRect();"
        "const move = document.querySelector('[aria-current]').getBoundingClientRect();"
        "return list.top <= move.top && move.bottom <= list.bottom && scrollY === 0"
    )


@pytest.mark.parametrize("way", ["key", "button"])
def test_autoplay(browser, tmp_path, way):
    board = random_board(5, 8)
    page = replay_html(board, seconds=0.2)
    show(browser, tmp_path / "game.html", page)

    def toggle():
        press(browser, " ") if way == "key" else click(browser, "#play")

    toggle()
    assert seen(browser, 5).playing == "true"
    wait(browser, lambda: seen(browser, 5).ply >= 2)
    toggle()
    state = seen(browser, 5)
    assert state.playing == "false"
    assert 2 <= state.ply < 8
    # It stops, though the time of several moves goes by.
    browser.execute_async_script("setTimeout(arguments[0], 700)")
    assert seen(browser, 5).ply == state.ply
    toggle()
    wait(browser, lambda: seen(browser, 5).playing == "false")
    check(browser, replay_of(board), 8)
    # From the end it starts again.
    toggle()
    assert seen(browser, 5).ply == 0
    press(browser, key("ARROW_RIGHT"))
    state = seen(browser, 5)
    assert (state.ply, state.playing) == (1, "false")


def test_focus(browser, tmp_path):
    show(browser, tmp_path / "game.html", replay_html(recorded_game()))
    focused = "return document.activeElement.id || document.activeElement.dataset.ply"
    # With the keyboard alone: every button is reached, in order, and shows that it is.
    reached = []
    for _ in range(7):
        press(browser, key("TAB"))
        reached.append(browser.execute_script(focused))
    assert reached == ["first", "previous", "play", "next", "last", "0", "1"]
    assert (
        browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        == "solid"
    )
    press(browser, " ")
    state = seen(browser, 8)
    assert (state.ply, state.playing) == (1, "false")
    press(browser, key("TAB"), key("ENTER"))
    assert seen(browser, 8).ply == 2
    press(browser, key("ARROW_RIGHT"))
    assert seen(browser, 8).ply == 3
    # With the mouse: the space bar is for the game again.
    click(browser, "[data-ply='7']")
    press(browser, " ")
    assert seen(browser, 8).playing == "true"


@settings(max_examples=12)
@given(games(), st.sampled_from(Color))
def test_any_game(browser, tmp_path_factory, start, orientation):
    board, generator = start
    while board.legal_moves and len(board.move_stack) < 12:
        board.push(pick_move(board, generator))
    replay = replay_of(board)
    page = replay_html(board, orientation=orientation)
    show(browser, tmp_path_factory.mktemp("games") / "game.html", page)
    captions = Page(page).data["captions"]
    for ply in range(len(replay.moves) + 1):
        check(browser, replay, ply, orientation is WHITE)
        assert seen(browser, board.size, orientation is WHITE).status == captions[ply]
        press(browser, key("ARROW_RIGHT"))


def test_passes(browser, tmp_path):
    board = loa.Board(PASSING)
    board.push(loa.Move.PASS)
    show(browser, tmp_path / "game.html", replay_html(board))
    press(browser, key("END"))
    check(browser, replay_of(board), 1)


def test_comments(browser, tmp_path):
    comments = {0: "before", 2: "two\nlines & <b>"}
    show(browser, tmp_path / "game.html", replay_html(random_board(5, 3), comments=comments))
    for said in ("before", "", "two\nlines & <b>", ""):
        assert seen(browser, 5).comment == said
        press(browser, key("ARROW_RIGHT"))


def test_nothing_slips_in(browser, tmp_path):
    evil = "</script><script>window.injected = 1</script><img src=x onerror='window.injected = 1'>"
    page = replay_html(
        random_board(3, 1), headers={"black": evil, evil: evil}, comments={0: evil, 1: evil}
    )
    show(browser, tmp_path / "game.html", page)
    press(browser, key("END"))
    assert browser.find_element("css selector", "h1").text == f"{evil} – ?"
    assert seen(browser, 3).comment == evil
    assert browser.execute_script("return window.injected") is None
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []
    # Even what does get in does not run.
    browser.execute_script(
        "const script = document.createElement('script');"
        "script.textContent = 'window.injected = 1'; document.body.append(script);"
    )
    assert browser.execute_script("return window.injected") is None


def test_light_and_dark(browser, tmp_path):
    page = replay_html(recorded_game(), comments={0: "x"})
    grounds = {}
    for scheme, theme in (("light", Theme.LIGHT), ("dark", Theme.DARK)):
        show(browser, tmp_path / "game.html", page, prefers_color_scheme=scheme)
        press(browser, key("ARROW_RIGHT"))
        for part, color in (
            ("frame", theme.frame),
            ("dark-squares", theme.dark_squares),
            ("black", theme.black),
            ("white", theme.white),
            ("last-move", theme.last_move),
        ):
            red, green, blue = bytes.fromhex(color[1:])
            assert (
                browser.execute_script(
                    f"return getComputedStyle(document.querySelector('.loa-{part}')).fill"
                )
                == f"rgb({red}, {green}, {blue})"
            )
        grounds[scheme] = browser.execute_script(
            "const style = getComputedStyle(document.body); return style.backgroundColor"
        )
    assert sum(map(int, re.findall(r"\d+", grounds["light"]))) > 700
    assert sum(map(int, re.findall(r"\d+", grounds["dark"]))) < 100


@pytest.mark.parametrize(("preference", "moving"), [("no-preference", True), ("reduce", False)])
def test_motion(browser, tmp_path, preference, moving):
    path = tmp_path / "game.html"
    show(browser, path, replay_html(recorded_game()), prefers_reduced_motion=preference)
    count = browser.execute_script(
        "document.getElementById('next').click(); return document.getAnimations().length"
    )
    assert (count > 0) == moving


@pytest.mark.parametrize("width", [500, 760, 1600])
def test_it_fits(browser, tmp_path, width):
    names = {"black": "x" * 200, "white": "a long name " * 20}
    show(browser, tmp_path / "game.html", replay_html(random_board(8, 40), headers=names))
    browser.set_window_size(width, 900)
    assert browser.execute_script(
        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert browser.execute_script(
        "const box = document.querySelector('#board svg').getBoundingClientRect();"
        "return box.left >= 0 && box.right <= innerWidth && box.width === box.height"
    )


def test_without_script(browser, tmp_path):
    """The start, the names and the moves are there all the same."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, tmp_path / "game.html", replay_html(recorded_game()))
        text = browser.find_element("css selector", "body").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "needs JavaScript" in text
    assert "c8-c6" in text
