"""What the page of a replay does in a browser."""

import re
from types import SimpleNamespace

import pytest
from browser import browser_fixture, show  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import BLACK_PASSES, games, play_on
from test_replay import Page, random_board, recorded_game

import loa
from loa.replay import replay_html, replay_of
from loa.rules import WHITE, Color
from loa.svg import Theme

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
    play_on(board, generator, 12)
    replay = replay_of(board)
    page = replay_html(board, orientation=orientation)
    show(browser, tmp_path_factory.mktemp("games") / "game.html", page)
    captions = Page(page).data["captions"]
    for ply in range(len(replay.moves) + 1):
        check(browser, replay, ply, orientation is WHITE)
        assert seen(browser, board.size, orientation is WHITE).status == captions[ply]
        press(browser, key("ARROW_RIGHT"))


def test_passes(browser, tmp_path):
    board = loa.Board(BLACK_PASSES)
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
