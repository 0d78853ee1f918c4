"""`Game`, its tree of moves, `Node` and `Cursor`."""

import copy
import gc
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import OVER, play_on
from positions import games as played_games
from record_files import OPEN

import loa
from loa.notation import Placement, parse_fen
from loa.records import Cursor, Game

DEEP = 10_000
# Both sides go to and fro, which no rule of this value ends.
ENDLESS = loa.Rules.MSO.replace(repetition_draw=None)
TO_AND_FRO = [loa.Move.from_text(text) for text in ("c8-c6", "h4-f2", "c6-c8", "f2-h4")]
ASIDE = loa.Move.from_text("d8-d6")


def moves_of(text: str) -> list[loa.Move]:
    return [loa.Move.from_text(word) for word in text.split()]


def texts(nodes) -> list[str]:
    return [str(node.move) for node in nodes]


@pytest.fixture
def tree() -> Game:
    """A game with variations on three levels and comments on each."""
    game = Game({"id": "tree"})
    game.root.add_line(OPEN)
    game.comment = "before"
    game.node_at(2).comment = "after two"
    side = game.node_at(1).add_line("h4-f2 c6-c8")
    side.comment = "aside"
    side.parent.add_variation("b8-b6").comment = "aside again"
    game.node_at(1).add_line(["a5-c7"])
    game.root.add_line("c8xa6")
    return game


# Starts and headers -----------------------------------------------------------------------------


def test_an_empty_game():
    game = Game()
    assert (game.id, game.result, game.setup, game.comment) == ("", "*", "standard", "")
    assert game.resigned is None
    assert (game.moves, list(game.mainline()), game.outcome()) == ([], [], None)
    assert game.board() == loa.Board()
    assert game.root == game.end != Game().root


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("setup", ["standard", "scrambled"])
def test_starts_by_name(size, setup):
    game = Game(size=size, setup=setup)
    assert game.board() == loa.Board(size=size, setup=setup)
    # On 3x3 there is one start only.
    assert game.setup == (setup if size > 3 else "standard")
    assert game == Game(start=game.board().fen()) == Game(start=game.start)


@pytest.mark.parametrize("fen", ["w1b/3/2b w 7", "1b1/w1w/1b1 b 2", OVER])
def test_custom_starts(fen):
    game = Game(start=fen)
    assert game.setup == "custom"
    assert game.board() == loa.Board(fen)
    assert game.start == parse_fen(fen)
    assert game != Game()


@pytest.mark.parametrize(
    ("options", "error", "fragment"),
    [
        ({"setup": "other"}, loa.LoaError, "unknown setup 'other'"),
        ({"size": 9}, loa.LoaError, "size is 9"),
        ({"start": "8/8"}, loa.InvalidFenError, "8/8"),
        ({"start": "1b1/w1w/1b1", "size": 3}, loa.LoaError, "expected no size or setup"),
        ({"start": Placement(3, 1, 1, loa.BLACK, 1)}, loa.InvalidFenError, "expected"),
        ({"start": 3}, TypeError, "expected str"),
        ({"headers": {"id": 3}}, TypeError, "3 in the headers: expected str"),
        ({"headers": {3: "id"}}, TypeError, "3 in the headers: expected str"),
        ({"moves": ["c8-c6"]}, TypeError, "'c8-c6' among the moves: expected a Move"),
    ],
)
def test_bad_arguments(options, error, fragment):
    with pytest.raises(error, match=fragment):
        Game(**options)


def test_games_made_by_hand():
    game = Game({}, moves_of("c8-c5"))
    with pytest.raises(loa.IllegalMoveError, match="c8-c5 is illegal"):
        game.board()
    with pytest.raises(loa.LoaError, match=r"result '2-0': expected one of 1-0, 0-1"):
        _ = Game({"result": "2-0"}).result
    assert Game({"result": "0.5-0.5"}).result == "1/2-1/2"


def test_what_is_passed_in_stays_the_callers():
    headers, moves = {"id": "g"}, moves_of(OPEN)
    game = Game(headers, moves)
    headers.clear()
    moves.clear()
    game.moves.clear()
    assert (game.id, len(game.moves)) == ("g", 4)


@pytest.mark.parametrize(
    ("note", "color", "winner"),
    [("B resigns", loa.BLACK, loa.WHITE), ("W resigns", loa.WHITE, loa.BLACK)],
)
def test_resignation(note, color, winner):
    game = Game({"note": note}, moves_of(OPEN))
    assert game.resigned is color
    assert game.outcome() == loa.Outcome(winner, loa.Termination.RESIGNATION)


def test_a_resignation_after_the_end_changes_nothing():
    game = Game({"note": "B resigns"}, start="bb1/3/w1w w 1")
    assert game.outcome() == loa.Outcome(loa.BLACK, loa.Termination.CONNECTION)


@given(played_games())
def test_from_board(board_and_generator):
    board, generator = board_and_generator
    start = board.copy()
    play_on(board, generator, 20)
    game = Game.from_board(board, {"id": "g"})
    assert game.id == "g"
    assert game.moves == board.move_stack
    assert game.rules == board.rules
    assert game.board_at(0) == game.board_at(0, board.rules) == start
    assert game.board() == game.board(board.rules) == board
    assert game.headers == {"id": "g"}


def test_from_board_takes_boards():
    with pytest.raises(TypeError, match="expected a Board"):
        Game.from_board("1b1/w1w/1b1")


def test_a_board_is_no_headers():
    with pytest.raises(TypeError, match=r"headers is Board\(.*: expected .* Game.from_board takes"):
        Game(loa.Board())


# The main line ----------------------------------------------------------------------------------


def test_board_at():
    game = Game({}, moves_of(OPEN))
    board = game.board_at(3)
    assert board.ply == 3
    assert board.move_stack == game.moves[:3]
    assert game.board_at(0) == loa.Board()
    assert game.board() == game.board_at(4)
    assert game.board(loa.Rules.BOARDSPACE).rules is loa.Rules.BOARDSPACE


@pytest.mark.parametrize("ply", [-1, 5, 10**30])
def test_board_at_outside_the_game(ply):
    game = Game({}, moves_of(OPEN))
    for call in (game.board_at, game.node_at):
        with pytest.raises(loa.LoaError, match=f"ply is {ply}: expected 0 to 4"):
            call(ply)


@pytest.mark.parametrize("ply", ["1", 1.0, None, True])
def test_board_at_wrong_type(ply):
    with pytest.raises(TypeError, match="expected an int"):
        Game().board_at(ply)


def test_add_move():
    game = Game()
    assert str(game.add_move("c8-c6").move) == "c8-c6"
    assert game.add_move(loa.Move.from_text("a6-c4")).ply == 2
    assert game.moves == moves_of("c8-c6 a6-c4")


@pytest.mark.parametrize(
    ("move", "error", "fragment"),
    [
        ("c8-c5", loa.IllegalMoveError, "c8-c5 is illegal"),
        ("pass", loa.IllegalMoveError, "pass is illegal"),
        (loa.Move.from_text("h3-f1"), loa.IllegalMoveError, "h3-f1 is illegal"),
        ("castles", loa.InvalidMoveError, "'castles' is not a move"),
        (3754, TypeError, "3754"),
        (None, TypeError, "None"),
    ],
)
def test_moves_that_cannot_be_added(tree, move, error, fragment):
    before = copy.copy(tree)
    with pytest.raises(error, match=fragment):
        tree.root.add_variation(move)
    for moves in ([move], ["c8-c6", "a6-c4", move]):
        with pytest.raises(error, match=fragment):
            tree.root.add_line(moves)
    cursor = Cursor(tree)
    with pytest.raises(error, match=fragment):
        cursor.add_move(move)
    assert (cursor.node, cursor.board) == (tree.root, loa.Board())
    assert tree == before


def test_no_move_after_the_end():
    game = Game(start="bb1/3/w1w w 1")
    with pytest.raises(loa.IllegalMoveError, match="the game is over by connection"):
        game.add_move("a1-a2")


def test_rules_decide_what_can_be_added():
    game = Game({}, TO_AND_FRO)
    game.add_move("c8-c6")
    with pytest.raises(loa.IllegalMoveError, match="over by repetition"):
        game.add_move("h4-f2", loa.Rules.OPENSPIEL)


def test_mainline(tree):
    assert [node.move for node in tree.mainline()] == tree.moves == tree.end.moves
    assert list(tree.mainline())[-1] == tree.end
    aside = tree.node_at(1).variations[1]
    assert texts(aside.mainline()) == ["c6-c8"]
    assert [str(move) for move in aside.mainline_moves()] == ["c6-c8"]
    assert list(tree.root.mainline_moves()) == tree.moves
    assert list(tree.end.mainline()) == list(tree.end.mainline_moves()) == []
    tree.end.moves.clear()
    assert len(tree.end.moves) == 4


@pytest.mark.parametrize("moves", [loa.Move.from_text("c8-c6"), 3, None])
def test_lines_are_iterables(moves):
    with pytest.raises(TypeError, match="expected a str or an iterable of moves"):
        Game().root.add_line(moves)


def test_integers_of_numpy_are_plies():
    game = Game({}, moves_of(OPEN))
    assert game.node_at(np.int8(3)) == game.node_at(3)
    with pytest.raises(TypeError, match="expected an int"):
        game.node_at(np.True_)


@pytest.mark.parametrize("game", ["x", None, loa.Board()])
def test_cursors_are_of_games(game):
    with pytest.raises(TypeError, match=r"game is .*: expected a Game"):
        Cursor(game)


# The tree ---------------------------------------------------------------------------------------


def test_variations(tree):
    assert tree.moves == moves_of(OPEN)
    assert texts(tree.root.variations) == ["c8-c6", "c8-a6"]
    assert texts(tree.node_at(1).variations) == ["a6-c4", "h4-f2", "a5-c7"]
    aside = tree.node_at(1).variations[1]
    assert texts(aside.variations) == ["c6-c8", "b8-b6"]
    assert [node.comment for node in aside.variations] == ["aside", "aside again"]
    assert aside.variations[1].moves == moves_of("c8-c6 h4-f2 b8-b6")
    assert aside.variations[1].board().move_stack == moves_of("c8-c6 h4-f2 b8-b6")
    assert tree.end.variations == ()


def test_nodes_are_listed_line_by_line(tree):
    assert texts(tree.nodes()) == [
        "None",
        *OPEN.replace("x", "-").split(),
        *("h4-f2", "c6-c8", "b8-b6", "a5-c7"),
        "c8-a6",
    ]
    assert [node.ply for node in tree.nodes()] == [0, 1, 2, 3, 4, 2, 3, 3, 2, 1]


def test_parents_and_children_agree(tree):
    assert tree.root.parent is None
    for node in tree.nodes():
        assert node.game is tree
        assert all(child.parent == node for child in node.variations)
        assert all(child.ply == node.ply + 1 for child in node.variations)
        assert len(node.moves) == node.ply
        if node.parent is not None:
            assert node in node.parent.variations
            assert node.moves == [*node.parent.moves, node.move]


def test_comments(tree):
    assert (tree.comment, tree.root.comment) == ("before", "before")
    assert tree.node_at(2).comment == "after two"
    tree.comment = tree.node_at(2).comment = ""
    assert (tree.comment, tree.node_at(2).comment) == ("", "")
    with pytest.raises(TypeError, match="expected a str"):
        tree.comment = None
    plain = Game({}, moves_of(OPEN))
    plain.end.comment = "x"
    assert plain != Game({}, moves_of(OPEN))
    plain.end.comment = ""
    assert plain == Game({}, moves_of(OPEN))


def test_a_move_can_be_there_twice():
    game = Game()
    for _ in range(2):
        game.root.add_variation("c8-c6")
    assert texts(game.root.variations) == ["c8-c6", "c8-c6"]


def test_a_variation_at_the_end_goes_on_with_the_main_line():
    game = Game()
    game.root.add_line("c8-c6")
    assert game.node_at(1).add_line("a6-c4") == game.end
    assert game.end.add_line([]) == game.end
    assert game.moves == moves_of("c8-c6 a6-c4")


def test_nodes_are_values(tree):
    assert {tree.node_at(2), tree.node_at(2)} == {tree.end.parent.parent}
    assert tree.node_at(2) != copy.copy(tree).node_at(2)
    assert tree.root != 0
    for node in tree.nodes():
        again = pickle.loads(pickle.dumps(node))
        assert (again.ply, again.moves, again.comment) == (node.ply, node.moves, node.comment)
        assert again.game == tree


def test_plain(tree):
    before = copy.copy(tree)
    plain = tree.plain()
    assert tree.has_tree() and not plain.has_tree()
    assert plain == Game({"id": "tree"}, moves_of(OPEN))
    plain.headers["id"] = "other"
    assert tree == before


def test_repr(tree):
    assert repr(tree) == "<Game 'tree': 4 plies>"
    assert repr(Game(size=3)) == "<Game: 0 plies from 1b1/w1w/1b1 b 1>"
    assert repr(tree.root) == "<Node at ply 0: the start>"
    assert repr(tree.node_at(1)) == "<Node at ply 1: c8-c6>"


# Values -----------------------------------------------------------------------------------------


def copies(game):
    yield copy.copy(game)
    yield copy.deepcopy(game)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(game, protocol))


def test_copies(tree):
    for again in copies(tree):
        assert type(again) is Game
        assert again == tree
        assert texts(again.nodes()) == texts(tree.nodes())
        again.headers["id"] = "other"
        again.node_at(1).variations[1].variations[0].comment = "changed"
        again.add_move(again.board().legal_moves[0])
        assert tree.id == "tree"
        assert len(tree.moves) == 4
        assert tree.node_at(1).variations[1].variations[0].comment == "aside"


def test_copies_of_subclasses(tree):
    class Annotated(Game):
        pass

    game = Annotated({"id": "g"})
    game.stars = ["*"]
    shallow, deep = copy.copy(game), copy.deepcopy(game)
    assert type(shallow) is type(deep) is type(game.plain()) is Annotated
    assert shallow.stars is game.stars
    assert deep.stars == game.stars
    assert deep.stars is not game.stars
    assert shallow == game == Game({"id": "g"})


CHANGES = [
    lambda game: game.headers.update(id="other"),
    lambda game: game.headers.update(more=""),
    lambda game: setattr(game, "comment", "other"),
    lambda game: setattr(game.end, "comment", "other"),
    lambda game: setattr(game.node_at(1).variations[1].variations[1], "comment", ""),
    lambda game: game.add_move(game.board().legal_moves[0]),
    lambda game: game.node_at(2).add_line("b8-b6"),
    lambda game: game.node_at(1).add_line("h5-f7"),
    lambda game: game.node_at(1).variations[2].add_variation("b8-b6"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_games_that_differ(tree, change):
    other = copy.copy(tree)
    change(other)
    assert other != tree
    assert tree != other


def test_order_of_variations_counts():
    one, other = Game(), Game()
    for text in ("c8-c6", "b8-b6", "d8-d6"):
        one.root.add_variation(text)
    for text in ("c8-c6", "d8-d6", "b8-b6"):
        other.root.add_variation(text)
    assert one != other


def test_games_are_no_keys():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Game())
    assert Game() != 0


@st.composite
def random_trees(draw):
    """A game with random variations and comments, and the same tree as nested plain values."""
    generator = random.Random(draw(st.integers(0, 2**32 - 1)))
    game = Game(size=draw(st.integers(3, 8)))
    cursor = Cursor(game)
    nodes = [cursor.node]
    model = {cursor.node: []}
    for _ in range(draw(st.integers(0, 30))):
        cursor.go_to(generator.choice(nodes[-4:] if generator.random() < 0.7 else nodes))
        before = cursor.node
        if cursor.board.is_game_over():
            continue
        node = cursor.add_move(generator.choice(cursor.board.legal_moves))
        assert node.parent == before
        assert cursor.board == node.board()
        model[before].append(node)
        model[node] = []
        nodes.append(node)
        if generator.random() < 0.3:
            node.comment = f"comment {len(nodes)}"
    return game, model


@given(random_trees())
def test_random_trees(game_and_model):
    """Every place has the variations that were added there, in their order."""
    game, model = game_and_model
    assert len(list(game.nodes())) == len(model)
    for node, variations in model.items():
        assert list(node.variations) == variations
    for again in copies(game):
        assert again == game
        pairs = list(zip(game.nodes(), again.nodes(), strict=True))
        assert all(
            (one.move, one.ply, one.comment, len(one.variations))
            == (other.move, other.ply, other.comment, len(other.variations))
            for one, other in pairs
        )


# Cursor -----------------------------------------------------------------------------------------


def test_a_cursor_goes_everywhere(tree):
    cursor = Cursor(tree)
    nodes = list(tree.nodes())
    for one in nodes:
        for other in nodes:
            cursor.go_to(one)
            cursor.go_to(other)
            assert cursor.node == other
            assert cursor.board == other.board()
            assert cursor.board.move_stack == other.moves


def test_a_cursor_stays_where_it_cannot_go():
    game = Game({}, moves_of("c8-c6 a6-c4 e8-b4"))
    side = game.root.add_line("c8xa6 h4-f2")
    cursor = Cursor(game)
    cursor.go_to(side)
    with pytest.raises(loa.IllegalMoveError, match="e8-b4 is illegal"):
        cursor.go_to(game.end)
    assert cursor.node == side
    assert cursor.board == side.board()
    with pytest.raises(loa.LoaError, match="of another game"):
        cursor.go_to(Game().root)
    with pytest.raises(TypeError, match="expected a Node"):
        cursor.go_to(3)


# Size -------------------------------------------------------------------------------------------


def long_game() -> Game:
    game = Game()
    cursor = Cursor(game, ENDLESS)
    for index in range(DEEP):
        cursor.add_move(TO_AND_FRO[index % 4])
    return game


def nested_game() -> Game:
    """Each variation leaves the one before it."""
    node = (game := Game()).root
    for index in range(DEEP):
        node.add_played(ASIDE)
        node = node.add_played(TO_AND_FRO[index % 4])
    node.comment = "the deepest"
    return game


def wide_game() -> Game:
    game = Game()
    for index in range(DEEP):
        game.root.add_played(TO_AND_FRO[index % 4]).comment = str(index)
    return game


@pytest.mark.parametrize("make", [long_game, nested_game, wide_game])
def test_deep_and_wide_trees(make):
    """Nothing here calls itself, so the limit of recursion is never met."""
    game = make()
    nodes = list(game.nodes())
    assert len(nodes) == {long_game: DEEP, nested_game: 2 * DEEP, wide_game: DEEP}[make] + 1
    assert max(node.ply for node in nodes) == (1 if make is wide_game else DEEP)
    for again in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert again == game
        deepest = max(again.nodes(), key=lambda node: node.ply)
        deepest.comment = "changed"
        assert again != game
        assert len(deepest.moves) == deepest.ply
        del again, deepest
        gc.collect()
    assert len(game.plain().moves) == len(game.moves)


def test_pickles_do_not_hand_out_what_a_game_holds():
    class Noted(loa.Game):
        pass

    game = Noted({"id": "a"})
    game.note = 1
    headers, *_, added, _ = game.__getstate__()
    headers["id"], added["note"] = "b", 2
    assert (game.id, game.note) == ("a", 1)
