"""`Rules`, `Outcome`, the enumerations and the errors."""

import copy
import dataclasses
import pickle

import pytest

import loa
from loa import NoLegalMove, Outcome, Rules, SimultaneousConnection, Termination
from loa.rules import starting_bitboards

DRAW, MOVER = SimultaneousConnection.DRAW, SimultaneousConnection.MOVER_WINS
PASS, LOSS, STUCK_DRAW = NoLegalMove.PASS, NoLegalMove.LOSS, NoLegalMove.DRAW

# Both connected, no move, drawn at occurrence, claimed at, side to move counts, plies, draws first.
TABLE = {
    "MSO": (DRAW, PASS, 3, None, True, None, False),
    "SACKSON_1969": (DRAW, PASS, None, None, True, None, False),
    "SACKSON_1982": (MOVER, PASS, None, None, True, None, False),
    "OPENSPIEL": (MOVER, LOSS, 2, None, False, 1000, True),
    "BOARDSPACE": (MOVER, PASS, None, None, True, None, False),
    "PLAYSTRATEGY": (DRAW, STUCK_DRAW, 5, 3, True, None, False),
    "ABSTRACT_PLAY": (DRAW, PASS, None, None, True, None, False),
    "CODINGAME": (MOVER, PASS, None, None, True, 150, False),
    "WINANDS_2000": (MOVER, LOSS, 2, None, True, None, False),
}


def test_presets():
    presets = Rules.presets()
    assert list(presets) == list(TABLE)
    assert Rules() == Rules.MSO
    for name, fields in TABLE.items():
        assert dataclasses.astuple(presets[name]) == fields
        assert getattr(Rules, name) is presets[name] is Rules.by_name(name)
        assert Rules.by_name(f" {name.lower().replace('_', '-')} ") is presets[name]


def test_presets_cannot_be_changed_through_their_table():
    Rules.presets().clear()
    assert len(Rules.presets()) == len(TABLE)


def test_values():
    for rules in [*Rules.presets().values(), Rules(ply_limit=7, no_legal_move=LOSS)]:
        assert eval(repr(rules), vars(loa)) == rules
        assert pickle.loads(pickle.dumps(rules)) == rules == copy.deepcopy(rules)
        assert hash(pickle.loads(pickle.dumps(rules))) == hash(rules)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules.MSO.ply_limit = 3
    assert Rules.MSO.replace(ply_limit=3) != Rules.MSO


@pytest.mark.parametrize(
    ("fields", "error", "fragment"),
    [
        ({"simultaneous_connection": "draw"}, TypeError, "'draw'"),
        ({"no_legal_move": None}, TypeError, "None"),
        ({"no_legal_move": Termination.CONNECTION}, TypeError, "CONNECTION"),
        ({"repetition_draw": 1}, loa.LoaError, "is 1"),
        ({"repetition_draw": 0}, loa.LoaError, "is 0"),
        ({"repetition_draw": True}, TypeError, "True"),
        ({"repetition_draw": 2.0}, TypeError, "2.0"),
        ({"repetition_draw": 2**40}, loa.LoaError, str(2**40)),
        ({"repetition_claim": 1}, loa.LoaError, "is 1"),
        ({"repetition_side_to_move": 1}, TypeError, "1"),
        ({"ply_limit": -1}, loa.LoaError, "-1"),
        ({"ply_limit": "9"}, TypeError, "'9'"),
        ({"ply_limit": 2**31}, loa.LoaError, str(2**31)),
        ({"draws_precede_connection": None}, TypeError, "None"),
        ({"komi": 6.5}, TypeError, "komi"),
    ],
)
def test_bad_fields(fields, error, fragment):
    with pytest.raises(error, match=fragment):
        Rules(**fields)
    with pytest.raises(error, match=fragment):
        Rules.MSO.replace(**fields)


def test_unknown_name():
    with pytest.raises(loa.LoaError, match=r"'chess'.*MSO"):
        Rules.by_name("chess")


def test_outcomes():
    assert Outcome(loa.BLACK, Termination.CONNECTION).result == "1-0"
    assert Outcome(loa.WHITE, Termination.RESIGNATION).result == "0-1"
    assert Outcome(None, Termination.REPETITION).result == "1/2-1/2"
    assert Outcome(loa.BLACK, Termination.CONNECTION) == Outcome(0, Termination.CONNECTION)


def test_enumerations_are_promises():
    assert [(color.name, color.value) for color in loa.Color] == [("BLACK", 0), ("WHITE", 1)]
    assert loa.BLACK.opponent is loa.WHITE
    assert loa.WHITE.opponent is loa.BLACK
    names = [direction.name for direction in loa.Direction]
    assert names == ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    assert [(symmetry.name, symmetry.value) for symmetry in loa.Symmetry] == [
        ("IDENTITY", 0),
        ("ROTATE_90", 1),
        ("ROTATE_180", 2),
        ("ROTATE_270", 3),
        ("FLIP_FILES", 4),
        ("FLIP_RANKS", 5),
        ("TRANSPOSE", 6),
        ("ANTI_TRANSPOSE", 7),
    ]


def test_errors_are_one_family():
    names = ["InvalidFenError", "InvalidMoveError", "IllegalMoveError", "InvalidRecordError"]
    for name in names:
        assert issubclass(getattr(loa, name), loa.LoaError)
    assert issubclass(loa.LoaError, ValueError)
    error = loa.InvalidRecordError("bad header", 3, 7)
    assert (str(error), error.line, error.column) == ("line 3, column 7: bad header", 3, 7)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_starting_bitboards():
    assert starting_bitboards() == (0x7E0000000000007E, 0x0081818181818100)
    black, white = starting_bitboards(8, "scrambled")
    assert (black | white) == 0x7E8181818181817E
    squares = {name: 1 << loa.parse_square(name) for name in ("a2", "b1", "h2", "b8")}
    assert white & squares["a2"]
    assert black & squares["b1"]
    assert black & squares["h2"]
    assert white & squares["b8"]


@pytest.mark.parametrize(
    ("winner", "termination", "text"),
    [
        (loa.WHITE, loa.Termination.CONNECTION, "White wins by connection"),
        (loa.BLACK, loa.Termination.NO_LEGAL_MOVE, "Black wins, no legal move for its opponent"),
        (None, loa.Termination.NO_LEGAL_MOVE, "draw by no legal move"),
    ],
)
def test_outcomes_as_text(winner, termination, text):
    assert str(loa.Outcome(winner, termination)) == text
