"""Move lists: numbered moves, playstrategy.org's, a game on each line, and UCI."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import BLACK_PASSES, play_on
from positions import games as played_games
from record_files import GAMES, WON, changed, read, read_random, words, write

import loa
from loa.records import (
    FORMATS,
    Game,
    detect_format,
    iter_games,
    numbered,
    numbered_tags,
    read_games,
)

NAMES = ("numbered", "playstrategy", "lines", "uci")
TREES = ("numbered", "playstrategy")
SCRAMBLED = "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1"
SITE_SCRAMBLED = "1lLlLlL1/L6l/l6L/L6l/l6L/L6l/l6L/1LlLlLl1 w - - 0 1"


# Well-formed and odd ----------------------------------------------------------------------------

READ = [
    # format, text, FEN of the start (or None), moves, headers
    ("numbered", "1. c8-c6 a6-c4 2. e8-b5 h3xf1", None, "c8-c6 a6-c4 e8-b5 h3-f1", {}),
    ("numbered", "1. c8-c6 a6-c4\n2. e8-b5 h3xf1\n", None, "c8-c6 a6-c4 e8-b5 h3-f1", {}),
    ("numbered", "1. c8-c6 a6-c4\r\n2. e8-b5\r\n", None, "c8-c6 a6-c4 e8-b5", {}),
    ("numbered", "\ufeff# a\n\n  1.c8-c6 a6-c4\t2.e8-b5", None, "c8-c6 a6-c4 e8-b5", {}),
    ("numbered", "1. c8xc6 1... a6xc4", None, "c8-c6 a6-c4", {}),
    ("numbered", "1. c8-c6\n1. ... a6-c4", None, "c8-c6 a6-c4", {}),
    ("numbered", "1. c8-c6 a6-c4 2 e8-b5", None, "c8-c6 a6-c4 e8-b5", {}),
    ("numbered", "1. c8-c6 1-0", None, "c8-c6", {"result": "1-0"}),
    ("numbered", "1. c8-c6 0.5-0.5", None, "c8-c6", {"result": "1/2-1/2"}),
    ("numbered", "1. c8-c6 *", None, "c8-c6", {}),
    ("numbered", "*", None, "", {}),
    ("numbered", '[Result "*"]', None, "", {"result": "*"}),
    ("numbered", '[Black "Ada"]\nc8-c6 a6-c4', None, "c8-c6 a6-c4", {"black": "Ada"}),
    (
        "numbered",
        '[A_1 "\\"x\\\\\\y"] [B ""]\n1. c8-c6 *',
        None,
        "c8-c6",
        {"a_1": '"x\\\\y', "b": ""},
    ),
    (
        "numbered",
        '[Site "here"]\n[ Round  "王" ]\n1. c8-c6',
        None,
        "c8-c6",
        {"place": "here", "round": "王"},
    ),
    ("numbered", '[Result "0.5-0.5"]\n1. c8-c6 1/2-1/2', None, "c8-c6", {"result": "1/2-1/2"}),
    ("numbered", f'[FEN "{SCRAMBLED}"]\n[SetUp "1"]\n1. f1xh3', SCRAMBLED, "f1-h3", {}),
    ("numbered", '[Variant "Scrambled Eggs"]\n1. f1xh3', SCRAMBLED, "f1-h3", {}),
    ("numbered", '[Variant "linesOfAction"]\n[SetUp "0"]\n1. c8-c6', None, "c8-c6", {}),
    ("numbered", '[FEN "1b1/w1w/1b1 w 7"]\n7... a2-a1', "1b1/w1w/1b1 w 7", "a2-a1", {}),
    ("numbered", f'[FEN "{BLACK_PASSES}"]\n1. pass', BLACK_PASSES, "pass", {}),
    ("playstrategy", "1. Lcc6 L6c4 2. Lb5 Lhxf1", None, "c8-c6 a6-c4 e8-b5 h3-f1", {}),
    ("playstrategy", "Lcc6 L6c4", None, "c8-c6 a6-c4", {}),
    ("playstrategy", "1. Lc8c6 L6c4", None, "c8-c6 a6-c4", {}),
    (
        "playstrategy",
        '[P1 "Ada"]\n[P2 "Ben"]\n[Variant "Lines of action"]\n'
        '[FEN "1LLLLLL1/l6l/l6l/l6l/l6l/l6l/l6l/1LLLLLL1 w - - 0 1"]\n[SetUp "1"]\n\n'
        "1. Lcc6 { [%clk 0:03:00] } 1... L6c4 { [%clk 0:02:59] } *",
        *(None, "c8-c6 a6-c4", {"black": "Ada", "white": "Ben"}),
    ),
    ("playstrategy", f'[FEN "{SITE_SCRAMBLED}"]\n\n*', SCRAMBLED, "", {}),
    ("lines", "c8-c6 a6-c4 e8-b5 h3xf1", None, "c8-c6 a6-c4 e8-b5 h3-f1", {}),
    ("lines", "# a\r\n\r\n\tc8xc6  a6-c4 0-1 \r\n", None, "c8-c6 a6-c4", {"result": "0-1"}),
    ("lines", f"{SCRAMBLED} f1xh3 *", SCRAMBLED, "f1-h3", {"result": "*"}),
    ("lines", f"{SCRAMBLED}", SCRAMBLED, "", {}),
    ("lines", f"{BLACK_PASSES} pass", BLACK_PASSES, "pass", {}),
    ("uci", "c8c6 a6c4 e8b5 h3f1", None, "c8-c6 a6-c4 e8-b5 h3-f1", {}),
    ("uci", "position startpos moves c8c6", None, "c8-c6", {}),
    ("uci", "position startpos", None, "", {}),
    ("uci", "position startpos moves", None, "", {}),
    ("uci", f"position fen {SITE_SCRAMBLED} moves f1h3", SCRAMBLED, "f1-h3", {}),
    ("uci", f"position fen {SCRAMBLED} moves f1h3", SCRAMBLED, "f1-h3", {}),
    ("uci", f"position fen {BLACK_PASSES} moves 0000", BLACK_PASSES, "pass", {}),
]


@pytest.mark.parametrize(("name", "text", "start", "moves", "headers"), READ)
def test_reading(name, text, start, moves, headers):
    games = read(text)
    assert games.format == name
    (game,) = games
    assert words(game) == moves
    assert game.headers == headers
    assert game.start == Game(start=start or loa.Board().fen()).start
    assert read(write(games, name), name) == games


def test_comments_and_variations():
    text = (
        "{before} 1. c8-c6 {one}{two} (1. c8xa6 a5-c7 (1... a4-c6 {a\nb}) 2. d1-b3) (1. d1-b3) "
        "{three} 1... a6-c4 2. e8-b5 *"
    )
    (game,) = read(text)
    assert game.comment == "before"
    first, second, third = game.root.variations
    assert words(game) == "c8-c6 a6-c4 e8-b5"
    assert first.comment == "one\ntwo\nthree"
    assert [str(node.move) for node in (second, third)] == ["c8-a6", "d1-b3"]
    assert [str(node.move) for node in second.variations] == ["a5-c7", "a4-c6"]
    assert second.variations[1].comment == "a\nb"
    assert str(second.variations[0].variations[0].move) == "d1-b3"
    assert write([game], "numbered") == (
        "{before} 1. c8-c6 {one\ntwo\nthree} (1. c8xa6 a5-c7 (1... a4-c6 {a\nb}) 2. d1-b3) "
        "(1. d1-b3) 1... a6-c4 2. e8-b5 *\n"
    )
    for name in TREES:
        assert read(write([game], name)) == [game]


@pytest.mark.parametrize(
    "text",
    [
        "1. c8-c6 a6-c4\n1. d1-b3\n",
        "1. c8-c6 a6-c4 * 1. d1-b3 *",
        "1. c8-c6 a6-c4\n\n\n1. d1-b3 *\n",
        "c8-c6 {[A}\n a6-c4 *\nd1-b3\n",
        '[A "1"]\n1. c8-c6 a6-c4\n[A "2"]\n1. d1-b3',
        '[A "1"]\n\n1. c8-c6\n1... a6-c4 *\n[A "2"]\nd1-b3',
        "1. c8-c6 {1.\n1. 1-0 [\n# *} a6-c4 1-0 1. d1-b3",
        "1. c8-c6 (1. d1-b3\n1... h5-g4) a6-c4 *\n1. d1-b3",
    ],
)
def test_where_a_game_ends(text):
    games = read(text, "numbered")
    assert [words(game) for game in games] == ["c8-c6 a6-c4", "d1-b3"]


def test_samples_of_openspiel():
    """A game as its repository has it: `test_games/appendix_E_game7.txt`."""
    recorded = next(game for game in read_games(GAMES) if game.id == "msc2000_appendix_E_game7")
    texts = loa.records.format.move_texts(loa.Board(), recorded.moves)
    lines = [
        f"{number}. {' '.join(texts[first : first + 2])}\n"
        for number, first in enumerate(range(0, len(texts), 2), start=1)
    ]
    assert lines[0] == "1. b1-b3 h3-e3\n"
    assert lines[-1] == "18. a5-c3\n"
    (game,) = read("".join(lines))
    assert game.moves == recorded.moves


def test_moves_of_abstract_play():
    """That site's moves are those of `lines`, and it passes where there is no other move."""
    (game,) = read("c8-c6 a6-c4 e8-b5 h3xf1")
    assert words(game) == "c8-c6 a6-c4 e8-b5 h3-f1"
    text = write([game], "lines")
    assert re.fullmatch(r"(?:[a-h][1-8][-x][a-h][1-8][ \n])+", text)


# Broken -----------------------------------------------------------------------------------------

BROKEN = [
    # format, text, line, column, ply (None: the game cannot be kept), a part of the message
    ("numbered", "1. c8-c5", 1, 4, 1, "'c8-c5': c8-c5 is illegal"),
    ("numbered", "1. c8c6", 1, 4, 1, "'c8c6': expected a move such as c8-c6, d1xa4 or pass"),
    ("numbered", "1. c8-c6 Lc4", 1, 10, 2, "'Lc4': expected a move"),
    ("numbered", "1. c8-c6!", 1, 4, 1, "'c8-c6!': expected a move"),
    ("numbered", "1. c8-c6\u00a0a6-c4", 1, 4, 1, r"'c8-c6\xa0a6-c4': expected a move"),
    ("numbered", "1. c8-c6 a6-c4 3. e8-b5", 1, 16, 3, "'3.': expected the number 2."),
    ("numbered", "1. c8-c6 1. a6-c4", 1, 10, 2, "'1.': expected the number 1..."),
    ("numbered", "1... c8-c6", 1, 1, 1, "'1...': expected the number 1."),
    ("numbered", '[FEN "1b1/w1w/1b1 w 7"]\n7. a2xb3', 2, 1, 1, "'7.': expected the number 7..."),
    ("numbered", "1. c8-c6 a6-c4 2.", 1, 16, 3, "the end of the game after a number"),
    ("numbered", "1. 1. c8-c6", 1, 4, 1, "'1.' after a number: expected a move"),
    ("numbered", "1. *", 1, 4, 1, "'*' after a number: expected a move"),
    ("numbered", "1. c8-c6 (a6-c4", 1, 11, 1, "'a6-c4': a6-c4 is illegal"),
    ("numbered", "1. c8-c6 (1. d1-b3", 1, 10, None, "'(' without its ')'"),
    ("numbered", "1. c8-c6 (1. d1-b3 *\n*", 1, 20, None, "'*' in a variation: expected ')' before"),
    ("numbered", "1. c8-c6 )", 1, 10, None, "')' outside a variation"),
    ("numbered", "1. c8-c6 ()", 1, 11, None, "')' after '(': expected a move"),
    ("numbered", "1. c8-c6 ({a} 1. d1-b3)", 1, 11, None, "comment at the start of a variation"),
    ("numbered", "1. c8-c6 ((1. d1-b3))", 1, 11, None, "'(' before a move"),
    ("numbered", '[A "1"]\n(1. c8-c6)', 2, 1, None, "'(' before a move"),
    ("numbered", "1. c8-c6 {a\n\nb", 1, 10, None, "'{': expected '}' at the end of the comment"),
    ("numbered", "1. c8-c6 a}", 1, 10, 2, "'a': expected a move"),
    ("numbered", "1. c8-c6 } a6-c4", 1, 10, None, "'}': expected '{' before"),
    ("numbered", "1. c8-c6 {a\x1bb}", 1, 12, None, r"'\x1b' in a comment"),
    ("numbered", "1. c8-c6 * {a}", 1, 12, None, "a comment alone: expected a game with it"),
    (
        "numbered",
        '[Result "1-0"]\n1. c8-c6 0-1',
        2,
        10,
        None,
        "'0-1' after the result 1-0 in a tag",
    ),
    ("numbered", '[Result "2-0"]\n1. c8-c6', 1, 10, None, "result '2-0': expected one of 1-0"),
    ("numbered", '[A "1"] c8-c6', 1, 9, None, "'c8-c6': expected a tag"),
    ("numbered", '[A "1]\n1. c8-c6', 1, 1, None, "'[A \"1]': expected a tag"),
    ("numbered", '[A "1"]\n[A-B "1"]', 2, 1, None, "expected a tag, [Key"),
    ("numbered", '[A "1"]\n[a "2"]\n', 2, 2, None, "header 'a', for the second time"),
    ("numbered", '[P1 "1"]\n[Black "2"]\n', 2, 2, None, "header 'black', for the second time"),
    ("numbered", '[FEN "8/8"]\n1. c8-c6', 1, 7, None, "fen '8/8': expected a position"),
    ("numbered", '[SetUp "1"]\n1. c8-c6', 1, 9, None, "setup '1': expected 0 without a FEN"),
    ("numbered", '[Variant "Chess"]\n1. c8-c6', 1, 11, None, "variant 'Chess': expected Lines"),
    ("numbered", b'[A "\xff"]\n1. c8-c6', 1, 5, None, "byte 0xff: expected UTF-8 text"),
    ("numbered", b"1. c8-c6 {\xe4}", 1, 11, None, "byte 0xe4: expected UTF-8 text"),
    (
        "numbered",
        f"{WON} a2-b3",
        1,
        55,
        10,
        "'a2-b3' after the end of the game (1-0 by connection)",
    ),
    ("playstrategy", "1. Lc9", 1, 4, 1, "'Lc9': expected a move such as Lc6, Ldb3 or Lxf1#"),
    ("playstrategy", "1. Lc6", 1, 4, 1, "'Lc6' fits several moves: expected one of Lcc6, Lec6"),
    ("playstrategy", "1. Lbc6", 1, 4, 1, "'Lbc6' is illegal: no piece can move so"),
    ("playstrategy", "1. Lcxc6", 1, 4, 1, "'Lcxc6' captures nothing: expected Lcc6"),
    ("playstrategy", "1. Lca6", 1, 4, 1, "'Lca6' captures a piece: expected Lxa6"),
    ("playstrategy", "1. Lcc6#", 1, 4, 1, "'Lcc6#' does not win the game: expected Lcc6"),
    ("playstrategy", "1. Lcc6+", 1, 4, 1, "'Lcc6+': expected a move"),
    ("playstrategy", "1. Lcc6 c6-c8", 1, 9, 2, "'c6-c8': expected a move such as Lc6"),
    ("playstrategy", "1. pass", 1, 4, 1, "'pass' is illegal"),
    ("playstrategy", f'[FEN "{BLACK_PASSES}"]\n1. pass Lb3', 2, 9, 2, "'Lb3'"),
    ("lines", "c8-c6 a6-c9", 1, 7, 2, "'a6-c9': expected a move such as c8-c6, d1xa4 or pass"),
    ("lines", "c8-c6\n\n  c8-c5", 3, 3, 1, "'c8-c5': c8-c5 is illegal"),
    ("lines", "c8-c6 1-0 a6-c4", 1, 7, 2, "'1-0': expected a move"),
    ("lines", "1b1/w1w", 1, 1, None, "'1b1/w1w': expected a position of three words"),
    ("lines", "1b1/w1w/1b1 x 1 b1-a1", 1, 1, None, "'1b1/w1w/1b1 x 1': expected a position"),
    ("lines", b"c8-c6 \xff", 1, 7, None, "byte 0xff"),
    ("uci", "c8c6 a6-c4", 1, 6, 2, "'a6-c4': expected a move such as c8c6 or 0000"),
    ("uci", "c8c6 c8c6", 1, 6, 2, "'c8c6': c8-c6 is illegal"),
    ("uci", "position", 1, 9, None, "'': expected startpos or fen"),
    ("uci", "position start", 1, 10, None, "'start': expected startpos or fen"),
    ("uci", "position startpos c8c6", 1, 19, None, "'c8c6': expected moves"),
    ("uci", "position fen 8/8 w moves c8c6", 1, 14, None, "'8/8 w': expected a position"),
    ("uci", "position fen", 1, 13, None, "'': expected a position"),
    ("uci", "0000", 1, 1, 1, "'0000': pass is illegal"),
]


@pytest.mark.parametrize(("name", "text", "line", "column", "ply", "fragment"), BROKEN)
def test_broken(name, text, line, column, ply, fragment):
    with pytest.raises(loa.InvalidRecordError) as caught:
        read(text, name)
    error = caught.value
    assert fragment in str(error)
    assert (error.line, error.column, error.ply) == (line, column, ply)
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    kept = read(text, name, on_error="truncate")
    assert str(kept.errors[0]) == str(error)
    games = read(text, name, on_error="skip")
    assert len(kept) == len(games) + sum(each.ply is not None for each in kept.errors)


def test_a_wrong_move_in_a_variation_keeps_what_was_read():
    text = "1. c8-c6 {a} (1. d1-b3 h5-g4 2. b1-b9) a6-c4 * 1. d1-b3 *"
    kept = read(text, on_error="truncate")
    assert [words(game) for game in kept] == ["c8-c6", "d1-b3"]
    assert [str(node.move) for node in kept[0].nodes() if node.ply] == ["c8-c6", "d1-b3", "h5-g4"]
    assert (kept.errors[0].game, kept.errors[0].ply, kept.errors[0].column) == (1, 3, 33)


# Which format -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c8-c6 h4-f2", "lines"),
        ("c8c6 h4f2", "uci"),
        ("1. c8-c6 h4-f2", "numbered"),
        ("{a} c8-c6", "numbered"),
        ("1. Lcc6", "playstrategy"),
        ("Lcc6", "playstrategy"),
        ('[Black "Ada"]\n\n1. Lcc6', "playstrategy"),
        ('[Black "Ada"]\n\n{a\n}\n1. c8-c6', "numbered"),
        ('# a\n\n [Black "Ada"]', "numbered"),
        ('[id "a"]\nc8-c6', "paragraphs"),
        ("pass", "lines"),
        ("1-0", "numbered"),
    ],
)
def test_detection(text, name):
    assert detect_format(io.StringIO(text)) == name
    assert [each.name for each in FORMATS.values() if each.detect(text)] == [name]


@pytest.mark.parametrize("name", NAMES)
@given(played_games())
@settings(max_examples=40)
def test_any_game_goes_there_and_back(name, board_and_generator):
    board, generator = board_and_generator
    play_on(board, generator, 20)
    game = Game.from_board(board)
    if name == "lines":
        game.headers["result"] = "*"
    text = write([game, game], name)
    assert [each.name for each in FORMATS.values() if each.detect(text)] == [name]
    assert read(text, rules=board.rules) == [game, game]


@pytest.mark.parametrize("name", TREES)
@given(played_games(), st.data())
@settings(max_examples=40)
def test_any_tree_goes_there_and_back(name, board_and_generator, data):
    board, generator = board_and_generator
    game = Game({"black": '"\\'}, start=loa.notation.parse_fen(board.fen()))
    comments = st.text(st.characters(exclude_characters="}", exclude_categories=["Cc", "Cs"]))
    nodes = [game.root]
    for _ in range(data.draw(st.integers(0, 12))):
        node = data.draw(st.sampled_from(nodes))
        moves = node.board().legal_moves
        if moves:
            nodes.append(node.add_variation(generator.choice(moves)))
            nodes[-1].comment = data.draw(comments).replace("\u2028", "").replace("\u2029", "")
    assert read(write([game, game], name), name) == [game, game]


# Writing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game", "fragment"),
    [
        ("numbered", Game({"Black": "A"}), "game 1 has the header 'Black', 'A': expected a key"),
        ("numbered", Game({"site": "A"}), "header 'site'"),
        ("numbered", Game({"p1": "A"}), "header 'p1'"),
        ("numbered", Game({"fen": "A"}), "header 'fen'"),
        ("numbered", Game({"a": "A\nB"}), "expected no control characters"),
        ("playstrategy", Game({"variant": "A"}), "header 'variant'"),
        ("numbered", Game({"result": "2-0"}), "header 'result', '2-0': expected one of"),
        ("lines", Game({"result": "2-0"}), "header 'result', '2-0': expected one of"),
        ("lines", Game({"black": "A"}), "'black', 'A': expected no header but result in the form"),
        ("uci", Game({"result": "*"}), "'result', '\\*': expected no headers in the format uci"),
    ],
)
def test_what_cannot_be_written(name, game, fragment):
    with pytest.raises(loa.LoaError, match=fragment):
        write([game], name)


@pytest.mark.parametrize("comment", ["a}", "a\rb", "\x00"])
@pytest.mark.parametrize("name", TREES)
def test_comments_that_cannot_be_written(name, comment):
    game = Game()
    game.comment = comment
    with pytest.raises(loa.LoaError, match=r"game 1 has at ply 0 the comment .*: expected no }"):
        write([game], name)


@pytest.mark.parametrize("name", ["numbered", "playstrategy", "lines"])
def test_moves_that_cannot_be_written(name):
    with pytest.raises(loa.IllegalMoveError, match="h4-f2 is illegal"):
        write([Game({}, [loa.Move.from_text("h4-f2")])], name)


# Random and huge files --------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *("1.", "c8-c6", "a6-c4", "2.", "Lcc6", "L6c4", "c8c6", "a6c4"),
        *("pass", "0000", "position", "startpos", "moves", "fen", "1b1/w1w/1b1 b 1"),
        *('[Black "Ada"]', '[Result "1-0"]', '[FEN "1b1/w1w/1b1 b 1"]', '[SetUp "1"]'),
        *("{", "}", "{a}", "(", ")", "*", "1-0", "1/2-1/2", "...", "#"),
        *("\n", "\n\n", "\r\n", " ", "\t", "[", '"'),
    ]
)


@pytest.mark.parametrize("name", NAMES)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_random_bytes_and_text(name, content):
    read_random(content, name)


@pytest.mark.parametrize("name", NAMES)
@given(pieces=st.lists(PIECES | st.text(max_size=3), max_size=40))
@settings(max_examples=300)
def test_random_pieces(name, pieces):
    read_random(" ".join(pieces).encode(), name)
    read_random("".join(pieces).encode(), name)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=200)
def test_changed_games(name, data):
    """A valid file with some stretches replaced."""
    board = loa.Board()
    for word in WON.split():
        board.push_text(word)
    game = Game.from_board(board)
    if name in TREES:
        game.node_at(2).add_line("b1-b4 g4xg1").comment = "a comment"
        game.headers = {"black": "Ada", "result": "1-0"}
    content = write([game, game], name).encode()
    content = changed(data, content, PIECES)
    read_random(content, name)


@pytest.mark.parametrize("name", TREES)
@given(data=st.data())
@settings(max_examples=200)
def test_shortcuts_change_nothing(name, data):
    """Usual texts are read in fewer steps than odd ones, with the same games and errors."""
    words = st.sampled_from(
        [
            *("1.", "c8-c6", "a6-c4", "2.", "e8-b5", "Lcc6", "L6c4", "Lb5", "1...", "2. ", "  "),
            *("{a}", "{", "{}", "1. {b} ", "(", ")", "*", "1-0"),
            *("\n", '[A ""]\n', '[Result "1-0"]\n'),
        ]
    )
    usual = "1. c8-c6 a6-c4 2. e8-b5 *\n" if name == "numbered" else "1. Lcc6 L6c4 2. Lb5 *\n"
    parts = usual.split(" ")
    for _ in range(data.draw(st.integers(0, 4))):
        parts.insert(data.draw(st.integers(0, len(parts))), data.draw(words))
    text = " ".join(parts) + usual
    games = read(text, name, on_error="truncate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered, "_take_numbers", lambda words, board: False)
        patch.setattr(numbered, "_read_comments", lambda *arguments: None)
        patch.setattr(numbered_tags, "_simple_tags", failing_tags)
        slowly = read(text, name, on_error="truncate")
    assert games == slowly
    assert [str(error) for error in games.errors] == [str(error) for error in slowly.errors]


def failing_tags(lines):
    raise loa.InvalidRecordError("to be read with care", 1, 1)


HUGE = [
    "(" * 100_000,
    "1. c8-c6 " + "(1. d1-b3 " * 10_000,
    "1. c8-c6 " + "(1. d1-b3) " * 10_000 + "*",
    "{" * 200_000,
    "1. c8-c6 " + "{a}" * 20_000,
    "1. c8-c6 {" + "a\n" * 200_000,
    "1. c8-c6 * " * 20_000,
    "1" + " " * 200_000 + "c8-c6",
    "1 " * 50_000,
    '[A "' + "\\" * 200_000,
    '[A "1"] ' * 50_000,
    "c8-c6 c8c6 " * 50_000,
    "c8-c6 a6-c4 c6-c8 c4-a6 " * 20_000,
    "Lcc6 L6c4 " * 20_000,
    "c8c6 a6c4 " * 20_000,
    "8/" * 100_000,
    "position fen " + "8/" * 100_000,
    "*" * 200_000,
    "." * 200_000,
    "1." * 100_000,
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", HUGE, ids=range(len(HUGE)))
def test_huge_files(name, text):
    """A reader that took quadratic time would need minutes for these."""
    with iter_games(io.StringIO(text), format=name, on_error="truncate") as games:
        kept = sum(1 for _ in games)
    assert kept + len(games.errors) > 0
    try:
        detected = detect_format(io.StringIO(text))
    except loa.InvalidRecordError:
        detected = None
    known = [each.name for each in FORMATS.values() if each.detect(text)]
    assert known == ([] if detected is None else [detected])


@pytest.mark.parametrize("name", TREES)
def test_deep_and_wide_trees(name):
    line = [loa.Move.from_text(text) for text in ("c8-c6", "h4-f2", "c6-c8", "f2-h4")]
    rules = loa.Rules(repetition_draw=None)
    wide = Game(rules=rules)
    for _ in range(3_000):
        wide.root.add_played(line[0], line[1])
    deep = Game(rules=rules)
    cursor = loa.records.Cursor(deep, rules)
    for depth in range(3_000):
        before = cursor.node
        cursor.add_move(line[depth % 4])
        after = cursor.node
        cursor.go_to(before)
        cursor.add_move(line[depth % 4])
        cursor.go_to(after)
    for each in (wide, deep):
        assert read(write([each], name), name, rules=rules) == [each]


@pytest.mark.parametrize("name", TREES)
def test_many_comments_in_one_place(name):
    """Quadratic time would take minutes for these."""
    first = "c8-c6" if name == "numbered" else "Lcc6"
    for text in (f"1. {first} " + "{a}" * 200_000, f"1. {first} {{}} ()" + "{a}" * 200_000):
        games = read(text, name, on_error="skip")
        assert [game.end.comment for game in games] in ([], ["a\n" * 199_999 + "a"])


def test_control_characters_after_a_backslash():
    with pytest.raises(loa.InvalidRecordError, match="expected a tag"):
        read('[Black "A\\\x1b[31m"]\n1. c8-c6')
