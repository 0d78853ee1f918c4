"""The starts and the rules of recorded games: what records say of them, and boards for them."""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Mapping
from typing import SupportsIndex

from loa._board import Board
from loa.notation import Placement, parse_fen
from loa.records.text import shorten
from loa.rules import BLACK, LoaError, Rules, check_size, starting_bitboards

__all__ = [
    "STANDARD",
    "Starts",
    "board_of",
    "expected_position",
    "name_of",
    "rules_of",
    "starting_placement",
]


def starting_placement(size: SupportsIndex = 8, setup: str = "standard") -> Placement:
    """The start of a game of this size (3 to 8) and set-up (`"standard"` or `"scrambled"`)."""
    number = check_size(size)
    return Placement(number, *starting_bitboards(number, setup), turn=BLACK, move_number=1)


STANDARD = starting_placement()


def board_of(start: Placement, rules: Rules = Rules.MSO) -> Board:
    """The board of a placement; raises `InvalidFenError` where it is no position."""
    return Board.from_bitboards(
        start.black,
        start.white,
        size=start.size,
        turn=start.turn,
        ply=2 * (start.move_number - 1) + start.turn,
        rules=rules,
    )


def rules_of(headers: Mapping[str, str]) -> Rules:
    """The preset that the header `rules` names; `Rules.MSO` where it names none.

    Records say in many ways what their rules are: a text that is no preset's name is no error.

    >>> rules_of({"rules": "openspiel"}), rules_of({"rules": "as in the club"})
    (Rules.OPENSPIEL, Rules.MSO)
    """
    if "rules" in headers:
        with contextlib.suppress(LoaError):
            return Rules.by_name(headers["rules"])
    return Rules.MSO


def name_of(rules: Rules) -> str | None:
    """What the header `rules` calls these rules; None for rules that are no preset.

    >>> name_of(Rules.WINANDS_2000), name_of(Rules(ply_limit=300))
    ('winands-2000', None)
    """
    presets = Rules.presets()
    # Some presets are equal: those that are no copies keep their names.
    for same in (operator.is_, operator.eq):
        for name, preset in presets.items():
            if same(rules, preset):
                return name.lower().replace("_", "-")
    return None


_MAX_KNOWN = 64
"""How many boards are kept: many different starts do not come again."""


class Starts:
    """The starts of a file's games, each with its board under some rules, to be copied.

    Without rules they are `Rules.MSO`, and `under` takes those that a game's headers name.

    Files have many games and few starts, and making a board costs as much as some twenty moves.

    >>> starts = Starts(Rules.MSO)
    >>> starts.of_fen("1LL1/l2l/l2l/1LL1 b - - 0 1")[1].fen()
    '1bb1/w2w/w2w/1bb1 w 1'
    >>> starts.named(4, "standard")[1].fen()
    '1bb1/w2w/w2w/1bb1 b 1'
    """

    def __init__(self, rules: Rules | None) -> None:
        self.rules = Rules.MSO if rules is None else rules
        self.standard = STANDARD, board_of(STANDARD, self.rules)
        # The starts under other rules, where the headers are asked.
        self._others: dict[Rules, Starts] | None = {} if rules is None else None
        self._known: dict[str | tuple[int, str], tuple[Placement, Board]] = {}

    def named(self, size: int = 8, setup: str = "standard") -> tuple[Placement, Board]:
        """The start of this size, `"standard"` or `"scrambled"`."""
        known = self._known.get((size, setup))
        if known is not None:
            return known
        return self._add((size, setup), starting_placement(size, setup))

    def of_fen(self, fen: str) -> tuple[Placement, Board]:
        """The start of a FEN, native or of playstrategy.org; `InvalidFenError` where it is none."""
        known = self._known.get(fen)
        if known is not None:
            return known
        dialect = "playstrategy" if re.search("[Ll]", fen) else "native"
        return self._add(fen, parse_fen(fen, dialect))

    def under(self, headers: Mapping[str, str]) -> Starts:
        """The starts under the rules of a game with these headers.

        >>> Starts(None).under({"rules": "openspiel"}).rules
        Rules.OPENSPIEL
        >>> Starts(Rules.MSO).under({"rules": "openspiel"}).rules
        Rules.MSO
        """
        if self._others is None or "rules" not in headers:
            return self
        rules = rules_of(headers)
        if rules == self.rules:
            return self
        if rules not in self._others:
            self._others[rules] = Starts(rules)
        return self._others[rules]

    def _add(self, name: str | tuple[int, str], placement: Placement) -> tuple[Placement, Board]:
        made = self.standard
        if placement != STANDARD:
            made = placement, board_of(placement, self.rules)
        if len(self._known) == _MAX_KNOWN:
            self._known.clear()
        self._known[name] = made
        return made


def expected_position(error: LoaError) -> str:
    """What is said of a text that describes no position, after the text.

    >>> expected_position(LoaError("2 ranks: expected 3 to 8"))
    'expected a position (2 ranks: expected 3 to 8)'
    """
    return f"expected a position ({shorten(str(error), 200)})"
