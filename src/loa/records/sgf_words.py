"""The words of Lines of Action in SGF: what properties, results and moves are called.

Its reader and its writer are `loa.records.sgf` and `loa.records.sgf_writer`.
"""

from __future__ import annotations

import re

from loa._moves import Move
from loa.notation import parse_square
from loa.records.format import word_table
from loa.records.game import RESULTS
from loa.records.sgf_structure import SPACE, VALUE
from loa.rules import BLACK, WHITE

__all__ = [
    "BEFORE_MOVES",
    "COLORS",
    "ENDINGS",
    "HEADERS",
    "KEPT",
    "LETTERS",
    "MOVES",
    "PLAYERS",
    "RESULT_TEXTS",
    "RESULT_VALUES",
    "ROOT_ONLY",
    "SETUPS",
    "SETUP_NAMES",
    "TEXT_HEADERS",
    "is_header",
    "is_single",
    "kept_properties",
    "other_move",
    "property_of",
]

HEADERS = {
    "GN": "id",
    "PB": "black",
    "PW": "white",
    "DT": "date",
    "EV": "event",
    "RO": "round",
    "PC": "place",
    "SO": "source",
    "GC": "comment",
    "AN": "annotator",
    "BR": "black_rank",
    "BT": "black_team",
    "WR": "white_rank",
    "WT": "white_team",
    "CP": "copyright",
    "ON": "opening",
    "OT": "overtime",
    "RU": "rules",
    "TM": "time_limit",
    "US": "user",
}
"""The headers that the properties of a game are, in the order in which they are written."""

TEXT_HEADERS = frozenset({"GC"})
"""Those of them that may have line ends."""

ROOT_ONLY = frozenset({"FF", "GM", "CA", "SZ"})
BEFORE_MOVES = ROOT_ONLY | {"SU", "AB", "AW", "AE", "PL", "HD"}
_RESERVED = frozenset({*BEFORE_MOVES, *HEADERS, "RE", "MN", "B", "W", "C"})
_TAKEN = frozenset({*HEADERS.values(), "result"})
_HEADER = re.compile("[a-z][a-z0-9]*")


def property_of(header: str) -> str | None:
    """The property of this name that has none but the header's own name; None if it cannot be one.

    >>> property_of("opponent"), property_of("ab"), property_of("black"), property_of("A b")
    ('OPPONENT', None, None, None)
    """
    if header in _TAKEN or _HEADER.fullmatch(header) is None or header.upper() in _RESERVED:
        return None
    return header.upper()


# Sides and starts -------------------------------------------------------------------------------

COLORS = {"B": BLACK, "W": WHITE}
LETTERS = {BLACK: "B", WHITE: "W"}
PLAYERS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
"""What `PL` may say, in lower case."""

SETUPS = {
    "standard": "standard",
    "loa": "standard",
    "scrambled-eggs": "scrambled",
    "scrambled eggs": "scrambled",
    "scrambled": "scrambled",
    "custom": "custom",
}
"""What `SU` may say, in lower case, and the set-up that it means."""

SETUP_NAMES = {"standard": "Standard", "scrambled": "Scrambled-eggs", "custom": "Custom"}

# Results ----------------------------------------------------------------------------------------

RESULT_VALUES: dict[str, tuple[str, str | None]] = {
    **{text: (result, None) for text, result in RESULTS.items()},
    "0": ("1/2-1/2", None),
    "draw": ("1/2-1/2", None),
    "?": ("*", None),
    "void": ("*", "void"),
}
"""What `RE` may say, in lower case: the headers `result` and `note`."""

RESULT_TEXTS: dict[tuple[str, str | None], str] = {
    ("1/2-1/2", None): "0",
    ("*", None): "?",
    ("*", "void"): "Void",
}
"""What `RE` says for the headers `result` and `note`, where it can say both."""

_WAYS = {"Resign": "resigns", "Time": "runs out of time", "Forfeit": "forfeits"}


def _add_wins(winner: str, loser: str, result: str) -> None:
    RESULT_VALUES[f"{winner}+".lower()] = result, None
    RESULT_TEXTS[result, None] = f"{winner}+"
    for way, verb in _WAYS.items():
        note = f"{loser} {verb}"
        for text in (way, way[0]):
            RESULT_VALUES[f"{winner}+{text}".lower()] = result, note
        RESULT_TEXTS[result, note] = f"{winner}+{way}"


_add_wins("B", "W", "1-0")
_add_wins("W", "B", "0-1")

ENDINGS = {
    ("B", "resign"): "B resigns",
    ("B", "resigns"): "B resigns",
    ("B", "forfeit"): "B forfeits",
    ("B", "winontime"): "W runs out of time",
    ("W", "resign"): "W resigns",
    ("W", "resigns"): "W resigns",
    ("W", "forfeit"): "W forfeits",
    ("W", "winontime"): "B runs out of time",
}
"""The moves that end a game, with the header `note` that they are; of two, the first is written."""

# Moves ------------------------------------------------------------------------------------------

_NUMBER = rf"[{SPACE}]*+(?:[0-9]++[{SPACE}]++)?"
_MOVE = re.compile(
    rf"{_NUMBER}([a-h][1-8])(?:[{SPACE}]*+[-:x][{SPACE}]*+|[{SPACE}]++)([a-h][1-8])"
    rf"[{SPACE}]*+[+!?#=]*+[{SPACE}]*+",
    re.IGNORECASE,
)
_OTHER_MOVE = re.compile(rf"{_NUMBER}([a-z]++(?: (?:black|white))?+)[{SPACE}]*+", re.IGNORECASE)


class _Moves(dict[str, Move]):
    """The usual texts of moves; the others are read when they are asked for, and not kept."""

    def __missing__(self, word: str) -> Move:
        match = _MOVE.fullmatch(word)
        if match is None:
            if other_move(word) == "pass":
                return Move.PASS
            raise KeyError(word)
        squares = parse_square(match[1]), parse_square(match[2])
        if squares[0] == squares[1]:
            raise KeyError(word)
        return Move(*squares)


MOVES = _Moves(word_table("-", ":"))
"""The moves that values name.

>>> str(MOVES["c2:c5"]), str(MOVES["12 C2:C5++ "]), str(MOVES["Pass"])
('c2-c5', 'c2-c5', 'pass')
"""


def other_move(word: str) -> str | None:
    """The word, in lower case, that a value has for what is done without squares.

    >>> other_move("4 Resigns"), other_move("c2-c5")
    ('resigns', None)
    """
    match = _OTHER_MOVE.fullmatch(word)
    return None if match is None else match[1].lower()


# Properties of nodes ----------------------------------------------------------------------------

_KEPT_PROPERTY = re.compile(rf"([A-Z][A-Z0-9]*+)((?:{VALUE})++)", re.DOTALL)
_KEPT = re.compile(rf"\[%sgf ((?:[A-Z][A-Z0-9]*+(?:{VALUE})++)++)\]", re.DOTALL)
_SINGLE = re.compile(VALUE, re.DOTALL)

KEPT = "[%sgf "
"""What properties of nodes start with where they are part of a comment; `]` ends them."""


def kept_properties(text: str) -> list[tuple[str, str]] | None:
    """The properties, as they are written, that are a part of a comment; None where it has none.

    >>> kept_properties("[%sgf TE[1]SQ[a1][b2]]"), kept_properties("[%sgf B[c8-c6]]")
    ([('TE', '[1]'), ('SQ', '[a1][b2]')], None)
    """
    match = _KEPT.fullmatch(text)
    if match is None:
        return None
    found = _KEPT_PROPERTY.findall(match[1])
    return None if any(name in BEFORE_MOVES or name in "BWC" for name, _ in found) else found


def is_single(values: str) -> bool:
    """Whether there is one value only in what is written after a property's name."""
    return _SINGLE.fullmatch(values) is not None


def is_header(name: str) -> bool:
    """Whether a property before the first move has a meaning of its own."""
    return name in _RESERVED
