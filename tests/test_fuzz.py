"""The corpus of every fuzz target holds; and what the targets make of bytes."""

from pathlib import Path

import pytest

import loa
from fuzz.choices import Choices
from fuzz.targets import TARGETS
from loa import reference

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"
FILES = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_corpus(path):
    TARGETS[path.parent.name](path.read_bytes())


def test_every_target_has_a_corpus():
    assert {path.parent.name for path in FILES} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_no_bytes_at_all(target):
    target(b"")


@pytest.mark.parametrize("name", ["batch", "board"])
def test_targets_notice(name, monkeypatch):
    """Where the reference plays by other rules, calls on boards and batches fail."""
    monkeypatch.setattr(reference.Game, "repetition_count", lambda game: 9)
    with pytest.raises(AssertionError):
        TARGETS[name](b"")


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
