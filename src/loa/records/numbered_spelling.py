"""What sets the formats `numbered` and `playstrategy` apart, and what their two sides share."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable

from loa._board import Board
from loa._moves import Move
from loa.records.format import MOVE_EXPECTED, MOVES, move_texts, play_words, refusal
from loa.records.san_notation import play_san, san_refusal, san_texts
from loa.records.text import quote

__all__ = ["COMMENT_CONTROL", "KEYS", "NUMBERED", "PLAYSTRATEGY", "START_KEYS", "Spelling"]


@dataclasses.dataclass(frozen=True, slots=True)
class Spelling:
    """How a format writes moves, starts and players.

    - `play`: play words on a board up to a wrong one, and return the moves.
    - `refuse`: why a word cannot be played on a board; None where it can.
    - `texts`: the words of moves that are made on a board.
    - `dialect`: of FENs.
    - `tags`: of headers whose key is not the tag in lower case.
    """

    play: Callable[[Board, list[str]], list[Move]]
    refuse: Callable[[Board, str], str | None]
    texts: Callable[[Board, Iterable[Move]], list[str]]
    dialect: str
    tags: dict[str, str]


def _play_numbered(board: Board, words: list[str]) -> list[Move]:
    return play_words(board, words, MOVES)


def _refuse_numbered(board: Board, word: str) -> str | None:
    if word not in MOVES:
        return f"{quote(word)}: expected {MOVE_EXPECTED}"
    return refusal(board, word, MOVES[word])


NUMBERED = Spelling(_play_numbered, _refuse_numbered, move_texts, "native", {"place": "Site"})
PLAYSTRATEGY = Spelling(
    *(play_san, san_refusal, san_texts, "playstrategy"),
    {"place": "Site", "black": "P1", "white": "P2"},
)

KEYS = {"site": "place", "p1": "black", "p2": "white"}
"""The keys of headers whose tags have another name, in lower case."""

START_KEYS = ("fen", "setup", "variant")
"""The keys of tags that tell the start and are no headers."""

COMMENT_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""What a comment does not hold: the control characters, but for tab and end of line."""
