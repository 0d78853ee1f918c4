"""The rules that games are read under, played under, and written with."""

import copy
import io
import pickle

import pytest
from record_files import write

import loa
from loa.records import FORMATS, Game, read_games

# A board comes for the second time at ply 4: a draw for OpenSpiel, and for nobody else here.
REPEATED = "c8-c6 h4-f2 c6-c8 f2-h4"
MOVES = [loa.Move.from_text(word) for word in REPEATED.split()]
DRAW = loa.Outcome(None, loa.Termination.REPETITION)
WITH_HEADERS = ["paragraphs", "sgf", "numbered", "playstrategy"]


# Games --------------------------------------------------------------------------------------------


def test_rules_of_a_game():
    assert Game().rules is loa.Rules.MSO
    assert Game({"rules": "Winands_2000"}).rules is loa.Rules.WINANDS_2000
    assert Game({"rules": "as at the club"}).rules is loa.Rules.MSO
    assert Game({"rules": "openspiel"}, rules=loa.Rules.MSO).rules is loa.Rules.MSO
    game = Game(rules=loa.Rules.ABSTRACT_PLAY)
    assert game.rules is loa.Rules.ABSTRACT_PLAY
    assert game.headers == {}
    game.rules = loa.Rules.MSO.replace(ply_limit=2)
    assert game.rules.ply_limit == 2
    for wrong in ("openspiel", None):
        with pytest.raises(TypeError, match=rf"rules is {wrong!r}: expected a Rules"):
            game.rules = wrong
    assert game.rules.ply_limit == 2


def test_a_header_that_says_the_same_can_be_changed():
    game = Game({"rules": "openspiel"}, rules=loa.Rules.OPENSPIEL)
    game.headers["rules"] = "codingame"
    assert game.rules is loa.Rules.CODINGAME


@pytest.mark.parametrize("options", [{"rules": loa.Rules.OPENSPIEL}, {}])
def test_a_game_is_played_under_its_rules(options):
    headers = {} if options else {"rules": "openspiel"}
    game = Game(headers, MOVES, **options)
    assert game.outcome() == game.board().outcome() == game.end.board().outcome() == DRAW
    assert game.board_at(1).rules is loa.records.Cursor(game).board.rules is loa.Rules.OPENSPIEL
    assert loa.records.statistics([game]).ends == {"repetition": 1}
    assert next(loa.records.positions_of([game]))["result"].tolist() == [0] * 4
    assert loa.replay.replay_of(game).start.rules is loa.Rules.OPENSPIEL
    for add in (game.add_move, game.end.add_variation, game.end.add_line):
        with pytest.raises(loa.IllegalMoveError, match="game is over"):
            add("c8-c6")
    mso = loa.Rules.MSO
    assert game.outcome(mso) is game.board(mso).outcome() is None
    assert loa.records.statistics([game], mso).ends == {"unfinished": 1}
    assert next(loa.records.positions_of([game], mso))["result"].tolist() == [127] * 4
    assert loa.replay.replay_of(game, rules=mso).start.rules is mso
    assert loa.records.Cursor(game, mso).board.rules is mso
    assert game.add_move("c8-c6", mso).ply == 5


def test_rules_count_as_the_header_that_names_them():
    game = Game(rules=loa.Rules.OPENSPIEL)
    assert game == Game({"rules": "openspiel"})
    assert game != Game()
    assert game != Game({"rules": "OPENSPIEL"})
    # They have no name.
    assert Game(rules=loa.Rules.MSO.replace(ply_limit=2)) == Game()


def copies(game):
    return copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game)), game.plain()


@pytest.mark.parametrize("name", loa.Rules.presets())
def test_copies_have_the_same_rules(name):
    game = Game(rules=loa.Rules.by_name(name))
    for again in copies(game):
        assert repr(again.rules) == f"Rules.{name}"
        assert again == game
    other = game.rules = loa.Rules.MSO.replace(ply_limit=2)
    assert all(again.rules == other for again in copies(game))


# Files --------------------------------------------------------------------------------------------


def repeated(rules, headers=None, plies=4):
    board = loa.Board(rules=rules)
    for word in REPEATED.split()[:plies]:
        board.push_text(word)
    return Game.from_board(board, {"id": "g", **(headers or {})})


@pytest.mark.parametrize("name", WITH_HEADERS)
@pytest.mark.parametrize("comment", ["", "drawn"])
def test_games_are_read_under_the_rules_that_they_name(name, comment):
    """Each of a file's games under its own, whether its text is read in one piece or not."""
    games = [
        repeated(loa.Rules.OPENSPIEL, {"rules": "OpenSpiel"}),
        repeated(loa.Rules.MSO),
        repeated(loa.Rules.MSO, {"rules": "as at the club"}),
    ]
    if FORMATS[name].holds_tree:
        for game in games:
            game.end.comment = comment
            if comment:
                game.root.add_line("b8-b6 h4-f2")
    text = write(games, name)
    again = read_games(io.StringIO(text))
    assert again == games
    assert [game.outcome() for game in again] == [DRAW, None, None]
    assert [game.rules for game in again] == [loa.Rules.OPENSPIEL, loa.Rules.MSO, loa.Rules.MSO]
    # Explicit rules win.
    for rules in (loa.Rules.CODINGAME, loa.Rules.OPENSPIEL, loa.Rules.MSO):
        again = read_games(io.StringIO(text), rules=rules)
        assert all(game.rules is rules for game in again)
        assert [game.headers for game in again] == [game.headers for game in games]


@pytest.mark.parametrize("name", WITH_HEADERS)
def test_errors_are_judged_by_the_rules_that_a_game_names(name):
    game = repeated(loa.Rules.MSO, {"rules": "openspiel"})
    game.rules = loa.Rules.MSO
    game.add_move("c8-c6")
    text = write([game], name)
    with pytest.raises(loa.InvalidRecordError) as caught:
        read_games(io.StringIO(text))
    assert caught.value.ply == 5
    assert "(1/2-1/2 by repetition) under Rules.OPENSPIEL: expected no more" in str(caught.value)
    (again,) = read_games(io.StringIO(text), rules=loa.Rules.MSO)
    assert len(again.moves) == 5
    (again,) = read_games(io.StringIO(text), on_error="truncate")
    assert (len(again.moves), again.rules) == (4, loa.Rules.OPENSPIEL)


@pytest.mark.parametrize("name", WITH_HEADERS)
def test_other_starts_are_read_under_the_rules_that_a_game_names(name):
    """Neither the starts that are kept nor those that are made for a game mix rules up."""
    fens = ["1bb1/w2w/w2w/1bb1 b 1", "1bb1/w2w/w2w/1bb1 w 3", loa.Board(setup="scrambled").fen()]
    presets = [loa.Rules.MSO, loa.Rules.OPENSPIEL, loa.Rules.MSO, loa.Rules.CODINGAME]
    games = [Game.from_board(loa.Board(fen, rules=each)) for fen in fens for each in presets]
    for number, game in enumerate(games):
        game.headers["id"] = str(number)
        game.add_move(game.board().legal_moves[0])
    again = read_games(io.StringIO(write(games, name)))
    assert again == games
    assert [game.rules for game in again] == presets * len(fens)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("rules", loa.Rules.presets().values(), ids=repr)
def test_rules_are_written_where_there_are_headers(name, rules):
    """The games stay as they are, and come back equal."""
    games = [repeated(rules, plies=3)]
    text = write(games, name, lossy=True)
    assert games[0].headers == {"id": "g"}
    (again,) = read_games(io.StringIO(text))
    if name in WITH_HEADERS:
        assert repr(again.rules) == repr(rules)
        assert [again] == games
        assert again.headers.keys() == {"id", *(["rules"] if rules != loa.Rules.MSO else [])}
        assert write([again], name) == text
    else:
        assert again.rules is loa.Rules.MSO
        assert read_games(io.StringIO(text), rules=rules)[0].rules is rules


def test_rules_that_have_no_name_are_not_written():
    game = repeated(loa.Rules.MSO.replace(ply_limit=300))
    text = write([game], "numbered")
    assert "ules" not in text
    assert read_games(io.StringIO(text)) == [game]


def test_games_read_under_explicit_rules_are_written_with_them():
    games = read_games(io.StringIO(REPEATED), rules=loa.Rules.OPENSPIEL)
    assert write(games, "lines") == REPEATED + "\n"
    assert read_games(io.StringIO(write(games, "numbered"))) == games
