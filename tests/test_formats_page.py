"""The samples of `docs/formats.md` are read as what they are said to be."""

import io
import re
from pathlib import Path

import pytest

from loa.records import FORMATS, detect_format, read_games, write_games

PAGE = Path(__file__).parent.parent / "docs" / "formats.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
SAMPLES = [(name, text) for name, text in BLOCKS if name in FORMATS]


def test_there_is_a_sample_of_each_format():
    assert {name for name, _ in SAMPLES} == set(FORMATS)
    assert {name for name, _ in BLOCKS} - set(FORMATS) <= {"", "python"}


@pytest.mark.parametrize(("name", "text"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_samples(name, text):
    assert detect_format(io.StringIO(text)) == name
    games = read_games(io.StringIO(text))
    assert games
    assert all(game.moves for game in games)
    written = io.StringIO()
    write_games(games, written, format=name)
    assert read_games(io.StringIO(written.getvalue())) == games


def test_the_table_names_all_formats_and_suffixes():
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\(#.*?\) \| `(\.\w+)` \|", page, re.MULTILINE)
    assert dict(rows) == {name: each.suffixes[0] for name, each in FORMATS.items()}
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings]
    for anchor in re.findall(r"\]\(#(.*?)\)", page):
        assert anchor in anchors
