"""Writing games as numbered moves below tags: see `loa.records.numbered`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loa.notation import format_fen
from loa.records.game import Game
from loa.records.node import Node
from loa.records.numbered_spelling import (
    COMMENT_CONTROL,
    KEYS,
    PLAYSTRATEGY,
    START_KEYS,
    Spelling,
)
from loa.records.starts import STANDARD, board_of
from loa.records.text import CONTROL
from loa.rules import Rules

__all__ = ["refuse_numbered_comment", "refuse_numbered_header", "write_numbered"]

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


def refuse_numbered_header(spelling: Spelling, key: str, value: str) -> str | None:
    """What is expected in the place of a header that no tag can be; None where one can."""
    name = _tag_name(spelling, key).lower()
    if _KEY.fullmatch(key) is None or key in START_KEYS or KEYS.get(name, name) != key:
        return "a key of lower-case letters, digits and _ that is no other tag's"
    return "no control characters" if _VALUE_CONTROL.search(value) else None


def refuse_numbered_comment(comment: str) -> str | None:
    """What is expected in the place of a comment that braces cannot hold; None where they can."""
    if "}" in comment or COMMENT_CONTROL.search(comment):
        return "no } and no control characters"
    return None


def write_numbered(spelling: Spelling, games: Iterable[Game]) -> Iterator[str]:
    """The text of games, in pieces: what the writer of a format gives."""
    for number, game in enumerate(games, start=1):
        if number > 1:
            yield "\n"
        tags = _tags(spelling, game)
        if tags:
            yield "\n".join(tags) + "\n\n"
        words = _tree_words(spelling, game) if game.has_tree() else _words(spelling, game)
        words.append(game.result)
        yield " ".join(words) + "\n"


def _tags(spelling: Spelling, game: Game) -> list[str]:
    keys = [key for key in _FIRST_KEYS if key in game.headers]
    keys += [key for key in game.headers if key not in _FIRST_KEYS]
    values = dict(game.headers)
    if "result" in values:
        values["result"] = game.result
    tags = [_tag(spelling, key, values[key]) for key in keys]
    if spelling is PLAYSTRATEGY:
        # That site has these in each game.
        name = "Scrambled Eggs" if game.setup == "scrambled" else "Lines of Action"
        tags.append(f'[Variant "{name}"]')
    if spelling is PLAYSTRATEGY or game.start != STANDARD:
        tags += [f'[FEN "{format_fen(game.start, spelling.dialect)}"]', '[SetUp "1"]']
    return tags


def _tag_name(spelling: Spelling, key: str) -> str:
    return spelling.tags.get(key) or _TAG_NAMES.get(key) or key[:1].upper() + key[1:]


def _tag(spelling: Spelling, key: str, value: str) -> str:
    name = _tag_name(spelling, key)
    return '[{} "{}"]'.format(name, value.replace("\\", "\\\\").replace('"', '\\"'))


def _words(spelling: Spelling, game: Game) -> list[str]:
    """The moves of a game without variations, with their numbers."""
    board = board_of(game.start, _FREE)
    number, second = divmod(board.ply, 2)
    words = spelling.texts(board, game.moves)
    numbered = []
    if second and words:
        numbered = [f"{number + 1}... {words.pop(0)}"]
        number += 1
    for first in range(0, len(words), 2):
        number += 1
        numbered.append(f"{number}. {' '.join(words[first : first + 2])}")
    return numbered


_Todo = tuple[str, Node | None, bool]


def _tree_words(spelling: Spelling, game: Game) -> list[str]:
    """The moves of a game with comments and variations, in the order of the text."""
    board = board_of(game.start)
    first = board.ply
    words = _comment_words(game.root)
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
            while board.ply - first > node.parent.ply:
                board.pop()
            ply = board.ply
            if ply % 2 == 0:
                words.append(f"{opening}{ply // 2 + 1}.")
            elif needs_number:
                words.append(f"{opening}{ply // 2 + 1}...")
            opening = ""
            words += spelling.texts(board.copy(history=False), [node.move])
            comment = _comment_words(node)
            words += comment
            variations = node.parent.variations[1:] if todo == "main" else ()
            waiting.append(("after", node, bool(comment or variations)))
            for other in reversed(variations):
                waiting += [(")", None, False), ("variation", other, True), ("(", None, False)]
        else:
            if node.move is not None:
                while board.ply - first >= node.ply:
                    board.pop()
                board.push_unchecked(node.move)
            following = node.variations
            if following:
                waiting.append(("main", following[0], needs_number))
    return words


def _comment_words(node: Node) -> list[str]:
    return [f"{{{node.comment}}}"] if node.comment else []
