"""The tags of numbered games, and which of the two formats a text is in.

`loa.records.numbered` tells what these texts look like.
"""

from __future__ import annotations

import re

from loa._board import Board
from loa.notation import Placement, format_fen
from loa.records.game import RESULTS
from loa.records.numbered_spelling import KEYS, START_KEYS
from loa.records.starts import STANDARD, Starts, expected_position, starting_placement
from loa.records.text import BLANKS, CONTROL, quote, require_utf8
from loa.rules import InvalidFenError, InvalidRecordError

__all__ = ["RESULT", "detected", "read_tags"]

_STOP = rf"(?![^{BLANKS}\n(){{}}])"
RESULT = rf"(?:1-0|0-1|1/2-1/2|0\.5-0\.5|\*){_STOP}"
"""The pattern of a result, a word of its own."""

_VARIANTS = {
    "linesofaction": format_fen(STANDARD),
    "scrambledeggs": format_fen(starting_placement(8, "scrambled")),
}
"""The FENs of the starts of variants."""

_TAG = re.compile(
    rf'[{BLANKS}]*\[[{BLANKS}]*([A-Za-z][A-Za-z0-9_]*)[{BLANKS}]+"((?:[^"\\{CONTROL}]|\\[^{CONTROL}])*)"'
    rf"[{BLANKS}]*\][{BLANKS}]*"
)
_SIMPLE_TAG = re.compile(
    rf'^\[([A-Za-z][A-Za-z0-9_]*) "([^"\\{CONTROL}\ud800-\udfff]*)"\]$', re.MULTILINE
)
_ESCAPE = re.compile(r'\\(["\\])')
_Places = dict[str, tuple[int, int]]


def read_tags(
    lines: list[tuple[int, str]], starts: Starts
) -> tuple[dict[str, str], Placement, Board]:
    """The headers of a game, and its start with a board to be copied."""
    try:
        tags = _simple_tags(lines)
        return tags, *_read_start(tags, {}, starts)
    except InvalidRecordError:
        tags, places = _odd_tags(lines)
        return tags, *_read_start(tags, places, starts)


def _simple_tags(lines: list[tuple[int, str]]) -> dict[str, str]:
    """The tags of lines that have one each, written as usual; else an error somewhere."""
    text = "\n".join([line for _, line in lines])
    found = _SIMPLE_TAG.findall(text)
    tags: dict[str, str] = {}
    for tag, value in found:
        name = str(tag).lower()
        tags[KEYS.get(name, name)] = value
    length = sum([len(tag) + len(value) + len('[ ""]\n') for tag, value in found])
    result = tags.get("result", "*")
    if len(tags) != len(lines) or length != len(text) + bool(lines) or result not in RESULTS:
        raise InvalidRecordError("unusual tags", 1, 1)
    if "result" in tags:
        tags["result"] = RESULTS[result]
    return tags


def _odd_tags(lines: list[tuple[int, str]]) -> tuple[dict[str, str], _Places]:
    """The tags of lines, and where their values are; the error at the first that is none."""
    tags: dict[str, str] = {}
    places: _Places = {}
    for number, line in lines:
        require_utf8(line, number)
        position = 0
        while position < len(line):
            match = _TAG.match(line, position)
            if match is None:
                rest = line[position:].lstrip(BLANKS)
                raise InvalidRecordError(
                    f'{quote(rest)}: expected a tag, [Key "value"]',
                    number,
                    len(line) - len(rest) + 1,
                )
            name = match[1].lower()
            key = KEYS.get(name, name)
            if key in tags:
                raise InvalidRecordError(
                    f"tag {match[1]}, header {key!r}, for the second time: expected each once",
                    number,
                    match.start(1) + 1,
                )
            value = match[2]
            tags[key] = _ESCAPE.sub(r"\1", value) if "\\" in value else value
            places[key] = number, match.start(2) + 1
            position = match.end()
    if "result" in tags:
        if tags["result"] not in RESULTS:
            raise InvalidRecordError(
                f"result {quote(tags['result'])}: expected one of {', '.join(RESULTS)}",
                *places["result"],
            )
        tags["result"] = RESULTS[tags["result"]]
    return tags, places


def _read_start(tags: dict[str, str], places: _Places, starts: Starts) -> tuple[Placement, Board]:
    """The start that the tags tell; those for it alone are taken out."""

    def wrong(key: str, message: str) -> InvalidRecordError:
        return InvalidRecordError(message, *places.get(key, (1, 1)))

    starts = starts.under(tags)
    fen, setup, variant = (tags.pop(key, None) for key in START_KEYS)
    start = starts.standard
    if variant is not None:
        name = re.sub(r"[\W_]", "", variant).lower()
        if name not in _VARIANTS:
            raise wrong(
                "variant",
                f"variant {quote(variant)}: expected Lines of Action or Scrambled Eggs",
            )
        start = starts.of_fen(_VARIANTS[name])
    if setup is not None and setup != ("0" if fen is None else "1"):
        expected = "0 without a FEN" if fen is None else "1 with a FEN"
        raise wrong("setup", f"setup {quote(setup)}: expected {expected}")
    if fen is None:
        return start
    try:
        return starts.of_fen(fen)
    except InvalidFenError as error:
        raise wrong("fen", f"fen {quote(fen)}: {expected_position(error)}") from None


# Detection --------------------------------------------------------------------------------------

# Possessive, so that no text takes more than one pass.
_BEFORE_MOVES = re.compile(
    rf"(?:[{BLANKS}\r\n]++|\[[^\n]*+(?:\n|\Z)|\#[^\n]*+(?:\n|\Z)|\{{[^}}]*+\}}|\(|[0-9]++\.++)*+"
)
_NUMBERED_WORD = re.compile(rf"[a-h][1-8][-x][a-h][1-8]{_STOP}|pass{_STOP}|{RESULT}")
_SITE_WORD = re.compile(r"L[a-h1-8x]")
_SITE_FEN = re.compile(r'\[FEN "[^"]*[Ll]', re.IGNORECASE)
_TAGS = re.compile(rf"[{BLANKS}]*\[[{BLANKS}]*[A-Z]")
_COMMENT_LINES = re.compile(rf"(?:[{BLANKS}]*(?:\#[^\n]*)?\r?\n)*+")


def detected(head: str) -> str:
    """The name of the format a text is in; empty where it is neither."""
    begin = _end_of(_COMMENT_LINES, head)
    has_tags = _TAGS.match(head, begin) is not None
    if not has_tags and head[begin:].lstrip(BLANKS).startswith("["):
        return ""
    end = _end_of(_BEFORE_MOVES, head)
    if _SITE_WORD.match(head, end):
        return "playstrategy"
    has_move = re.compile("[a-hp]").match(head, end) is not None
    if has_tags:
        is_site = not has_move and _SITE_FEN.search(head, begin, end)
        return "playstrategy" if is_site else "numbered"
    if head.startswith("{", end):
        return "numbered"  # A comment that ends beyond what is looked at here, or never.
    if _NUMBERED_WORD.match(head, end) is None:
        return ""
    # Moves alone, without a number or a comment before them, are a game on a line.
    return "" if has_move and not head[begin:end].strip(BLANKS) else "numbered"


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
