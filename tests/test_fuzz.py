"""The corpus of every fuzz target holds; and what the targets make of bytes."""

from pathlib import Path

import pytest

import loa
from fuzz.choices import Choices
from fuzz.targets import TARGETS

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"
FILES = sorted(CORPUS.glob("*/*"))
# One mistake for each target, in the package or in what it is compared with.
MISTAKES = {
    "batch": ("loa.reference.Game.repetition_count", lambda game: 9),
    "board": ("loa.reference.Game.repetition_count", lambda game: 9),
    "fen": ("loa.notation.format_fen", lambda placement, dialect: "1b1/w1w/1b1 b 1"),
    "moves": ("fuzz.texts.san", lambda board, move: "Lcc6"),
    "playouts": ("fuzz.playout_games.play", lambda *arguments: (0, 0, 0, 0)),
    "records": ("record_files.write_games", lambda games, file, **options: 0),
    "suites": ("loa.reference.perft", lambda position, depth, rules: 0),
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_corpus(path):
    TARGETS[path.parent.name](path.read_bytes())


def test_every_target_has_a_corpus():
    assert {path.parent.name for path in FILES} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_no_bytes_at_all(target):
    target(b"")


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_notices_a_mistake(name, monkeypatch):
    monkeypatch.setattr(*MISTAKES[name])
    with pytest.raises((AssertionError, loa.LoaError)):
        for path in FILES:
            if path.parent.name == name:
                TARGETS[name](path.read_bytes())


def test_choices_reach_every_kind_of_position():
    boards = [
        Choices(bytes([setup, *range(7, 60)])).board(size, loa.Rules.MSO)
        for setup in range(4)
        for size in range(3, 9)
    ]
    assert {board.size for board in boards} == set(range(3, 9))
    assert len({board.fen() for board in boards}) > 20
    rules = {Choices(bytes([number, 3, 2, 1, 2, 1, 0, 1])).rules() for number in range(18)}
    assert set(loa.Rules.presets().values()) < rules
