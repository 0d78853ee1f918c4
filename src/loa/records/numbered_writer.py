"""Writing games as numbered moves below tags: see `loa.records.numbered`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loa.notation import format_fen
from loa.records.cursor import Cursor
from loa.records.game import STANDARD, Game, Node, board_of
from loa.records.numbered_spelling import (
    COMMENT_CONTROL,
    KEYS,
    PLAYSTRATEGY,
    START_KEYS,
    Spelling,
)
from loa.records.text import CONTROL, quote
from loa.rules import LoaError, Rules

__all__ = ["write_numbered"]

_FIRST_KEYS = ("id", "event", "place", "date", "round", "black", "white", "result")
_TAG_NAMES = {
    "eco": "ECO",
    "utcdate": "UTCDate",
    "utctime": "UTCTime",
    "timecontrol": "TimeControl",
    "p1elo": "P1Elo",
    "p2elo": "P2Elo",
    "p1ratingdiff": "P1RatingDiff",
    "p2ratingdiff": "P2RatingDiff",
}
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_VALUE_CONTROL = re.compile(f"[{CONTROL}]")
_FREE = Rules(repetition_draw=None)
"""Records are written as they are, so that no repetition ends them."""


def write_numbered(spelling: Spelling, games: Iterable[Game]) -> Iterator[str]:
    """The text of games, in pieces: what the writer of a format gives."""
    for number, game in enumerate(games, start=1):
        if number > 1:
            yield "\n"
        tags = _tags(spelling, game, number)
        if tags:
            yield "\n".join(tags) + "\n\n"
        words = _tree_words(spelling, game, number) if game.has_tree() else _words(spelling, game)
        words.append(game.result)
        yield " ".join(words) + "\n"


def _tags(spelling: Spelling, game: Game, number: int) -> list[str]:
    keys = [key for key in _FIRST_KEYS if key in game.headers]
    keys += [key for key in game.headers if key not in _FIRST_KEYS]
    values = dict(game.headers)
    if "result" in values:
        values["result"] = game.result
    tags = [_tag(spelling, key, values[key], number) for key in keys]
    if spelling is PLAYSTRATEGY:
        # That site has these in each game.
        name = "Scrambled Eggs" if game.setup == "scrambled" else "Lines of Action"
        tags.append(f'[Variant "{name}"]')
    if spelling is PLAYSTRATEGY or game.start != STANDARD:
        tags += [f'[FEN "{format_fen(game.start, spelling.dialect)}"]', '[SetUp "1"]']
    return tags


def _tag(spelling: Spelling, key: str, value: str, number: int) -> str:
    name = spelling.tags.get(key) or _TAG_NAMES.get(key) or key[:1].upper() + key[1:]
    lower = name.lower()
    if _KEY.fullmatch(key) is None or key in START_KEYS or KEYS.get(lower, lower) != key:
        raise LoaError(
            f"game {number}, header {quote(key)}: {quote(value)}: expected a key of lower-case "
            "letters, digits and _ that is no other tag's"
        )
    if _VALUE_CONTROL.search(value):
        raise LoaError(
            f"game {number}, header {quote(key)}: {quote(value)}: expected no control characters"
        )
    return '[{} "{}"]'.format(name, value.replace("\\", "\\\\").replace('"', '\\"'))


def _words(spelling: Spelling, game: Game) -> list[str]:
    """The moves of a game without variations, with their numbers."""
    board = board_of(game.start, _FREE)
    number, second = divmod(board.ply, 2)
    words = spelling.texts(board, game.mainline())
    numbered = []
    if second and words:
        numbered = [f"{number + 1}... {words.pop(0)}"]
        number += 1
    for first in range(0, len(words), 2):
        number += 1
        numbered.append(f"{number}. {' '.join(words[first : first + 2])}")
    return numbered


_Todo = tuple[str, Node | None, bool]


def _tree_words(spelling: Spelling, game: Game, number: int) -> list[str]:
    """The moves of a game with comments and variations, in the order of the text."""
    cursor = Cursor(game, _FREE)
    words = _comment_words(game.root, number)
    opening = ""
    waiting: list[_Todo] = [("after", game.root, True)]
    while waiting:
        todo, node, needs_number = waiting.pop()
        if node is None:
            if todo == "(":
                opening = "("
            else:
                words[-1] += ")"
            continue
        if todo in ("main", "variation"):
            assert node.parent is not None
            assert node.move is not None
            cursor.go_to(node.parent)
            board = cursor.board.copy(history=False)
            ply = board.ply
            if ply % 2 == 0:
                words.append(f"{opening}{ply // 2 + 1}.")
            elif needs_number:
                words.append(f"{opening}{ply // 2 + 1}...")
            opening = ""
            words += spelling.texts(board, [node.move])
            comment = _comment_words(node, number)
            words += comment
            variations = node.parent.variations[1:] if todo == "main" else ()
            waiting.append(("after", node, bool(comment or variations)))
            for other in reversed(variations):
                waiting += [(")", None, False), ("variation", other, True), ("(", None, False)]
        else:
            following = node.variations
            if following:
                waiting.append(("main", following[0], needs_number))
    return words


def _comment_words(node: Node, number: int) -> list[str]:
    comment = node.comment
    if not comment:
        return []
    if "}" in comment or COMMENT_CONTROL.search(comment):
        raise LoaError(
            f"game {number}, comment at ply {node.ply}: {quote(comment)}: expected no }} and no "
            "control characters"
        )
    return [f"{{{comment}}}"]
