r"""Numbered moves below tags, as chess has them in PGN: formats `numbered`, `playstrategy`.

    [Black "YL"]
    [White "MIA"]
    [Result "1-0"]

    1. b1-b3 h3-e3 2. b8-b6 h7-f7 {both wait} 3. b3xe3 (3. b1-b2 a7-a1) h6xe3 1-0

A game is its tags, if it has any, then its moves, and its result. A tag is `[Key "value"]` on a
line that starts with `[`; `\"` and `\\` in a value stand for `"` and `\`. Moves may be on any
number of lines. Before a move there may be its number, with one dot for the side that moves first
and more for the other; a number that is wrong is an error. A comment is in braces, after the move
it is about, or before the first move of the game; several for one place are joined by an end of
line. A variation is in parentheses, after the move it stands for, and may hold variations.

A game ends with its result, before a line that starts with `[`, and before a line that starts
with the number `1.`: so OpenSpiel's and the literature's games, which are numbered moves alone,
can follow each other. Blank lines mean nothing; a line that starts with `#` is left out.

In `numbered` a move is `c8-c6` or `d1xa4`, either sign for any move, or `pass`. In `playstrategy`
it is `Ldb3`: see `loa.records.san`. A text is in the latter if its first move begins with `L` or,
where there is none, its first FEN is that site's.

Tags are headers whose keys are in lower case, but for these:

- `Black` and `White` are the players, and so are `P1` and `P2`, as playstrategy.org calls them;
- `Site` is the header `place`;
- `Result` is the header `result`; the result at the end, if it is not `*`, says the same, or
  stands for it where there is no such tag;
- `FEN` is the start, native or of playstrategy.org; `Variant`, where it is missing, says whether
  that is `Lines of Action` or `Scrambled Eggs`; `SetUp` is `1` where there is a FEN. None of the
  three is among the headers.

Sources: *Portable Game Notation Specification and Implementation Guide* (S. Edwards, 1994) for
what these texts have in common; `modules/game/src/main/PgnDump.scala` in Mind-Sports-Games/lila
on GitHub for the tags; `open_spiel/games/lines_of_action/test_games` in google-deepmind/open_spiel
for numbered moves.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator

from loa._board import Board
from loa.notation import Placement
from loa.records.cursor import Cursor
from loa.records.format import BadGame, Format
from loa.records.game import RESULTS, Game, make_game
from loa.records.node import Node
from loa.records.numbered_spelling import COMMENT_CONTROL, NUMBERED, PLAYSTRATEGY, Spelling
from loa.records.numbered_tags import RESULT, detected, read_tags
from loa.records.numbered_writer import (
    refuse_numbered_comment,
    refuse_numbered_header,
    write_numbered,
)
from loa.records.starts import Starts
from loa.records.text import BLANKS, Source, is_utf8, quote, require_utf8
from loa.rules import InvalidRecordError, Rules

__all__ = ["NUMBERED_FORMAT", "PLAYSTRATEGY_FORMAT"]

# The games of a text ----------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class _Text:
    """The text of a game: lines of tags, and stretches of lines of moves, with their places."""

    tags: list[tuple[int, str]] = dataclasses.field(default_factory=list)
    moves: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)
    has_words: bool = False
    is_plain: bool = True
    """Whether there is neither a brace nor a parenthesis among the moves."""


_STRUCTURE = re.compile(rf"\{{[^}}]*\}}?|[()]|(?<![^{BLANKS}()}}]){RESULT}")
_FIRST_NUMBER = re.compile(rf"1\.(?![{BLANKS}]*\.)")
_SOME_WORD = re.compile(rf"[^{BLANKS}]")


def _texts(source: Source) -> Iterator[_Text]:
    """The text of each game: this looks at tags, comments, parentheses and results alone."""
    game = _Text()
    in_comment = False
    depth = 0
    for number, line in source.lines():
        position = 0
        if in_comment:
            end = line.find("}")
            if end < 0:
                game.moves.append((number, 1, line))
                continue
            in_comment = False
            position = end + 1
        else:
            content = line if line.startswith("[") else line.lstrip(BLANKS)
            if not content or (content.startswith("#") and is_utf8(line)):
                continue
            if content.startswith("["):
                if game.moves:
                    yield game
                    game, depth = _Text(), 0
                game.tags.append((number, line))
                continue
            if game.has_words and not depth and _FIRST_NUMBER.match(content):
                yield game
                game = _Text()
            if not _may_have_structure(line):
                game.moves.append((number, 1, line))
                game.has_words = True
                continue
        begin = 0
        for match in _STRUCTURE.finditer(line, position):
            if _SOME_WORD.search(line, position, match.start()):
                game.has_words = True
            position = match.end()
            sign = match[0][0]
            if sign == "(":
                depth += 1
            elif sign == ")":
                depth = max(0, depth - 1)
            elif sign == "{":
                in_comment = not match[0].endswith("}")
            elif not depth:
                game.moves.append((number, begin + 1, line[begin:position]))
                game.is_plain = game.is_plain and not _has_brackets(line, begin, position)
                yield game
                game = _Text()
                begin = position
        if _SOME_WORD.search(line, position):
            game.has_words = True
        if _SOME_WORD.search(line, begin):
            game.moves.append((number, begin + 1, line[begin:]))
            game.is_plain = game.is_plain and not _has_brackets(line, begin, len(line))
    if game.tags or game.moves:
        yield game


def _may_have_structure(line: str) -> bool:
    # Searching for a few letters is much faster than for a pattern.
    return (
        "-0" in line
        or "0-1" in line
        or "*" in line
        or "/2" in line
        or _has_brackets(line, 0, len(line))
    )


def _has_brackets(line: str, start: int, end: int) -> bool:
    return any(line.find(sign, start, end) >= 0 for sign in "{}()")


# Reading a game ---------------------------------------------------------------------------------

_TOKEN = re.compile(
    rf"\{{(?P<comment>[^}}]*)\}}|(?P<open>\()|(?P<close>\))|(?P<result>{RESULT})"
    rf"|(?P<number>[0-9]+(?:[.{BLANKS}]*\.)?)|(?P<word>[^{BLANKS}\n(){{}}]+)|(?P<brace>[{{}}])"
)
_COMMENT = re.compile(r"\{([^}]*)\}")
_WORD = re.compile(rf"[^{BLANKS}\n]+")
_NUMBERS = [f"{number}." for number in range(1, 2000)]


class _WrongMoveError(Exception):
    """A move at this offset of a game's moves is wrong, after so many plies."""

    def __init__(self, message: str, offset: int, plies: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.plies = plies


def _read(spelling: Spelling, source: Source, rules: Rules | None) -> Iterator[Game | BadGame]:
    starts = Starts(rules)
    for text in _texts(source):
        game: Game | BadGame
        try:
            game = _read_game(spelling, text, starts)
        except InvalidRecordError as error:
            game = BadGame(error)
        yield game


def _read_game(spelling: Spelling, text: _Text, starts: Starts) -> Game | BadGame:
    headers, start, shared = read_tags(text.tags, starts)
    rules = starts.under(headers).rules
    for number, column, stretch in text.moves:
        require_utf8(stretch, number, column)
    if text.is_plain:
        board = shared.copy()
        words = " ".join([stretch for _, _, stretch in text.moves]).strip(BLANKS).split(" ")
        result = words.pop() if words[-1] in RESULTS else "*"
        if (
            _take_numbers(words, board)
            and _is_same_result(headers, result)
            and len(moves := spelling.play(board, words)) == len(words)
        ):
            return _with_result(make_game(headers, moves, start), result)
    else:
        board = shared.copy()
        commented = _read_comments(spelling, text, headers, start, board)
        if commented is not None:
            return commented
    # Something is odd: it goes token by token, to say what and where.
    game = make_game(headers, [], start)
    try:
        result, offset = _read_tokens(spelling, text, game, rules)
    except _WrongMoveError as wrong:
        place = _place(text, wrong.offset)
        return BadGame(InvalidRecordError(wrong.message, *place, ply=wrong.plies + 1), game)
    if not _is_same_result(headers, result):
        raise InvalidRecordError(
            f"{quote(result)} after the result {headers['result']} in a tag: expected the same",
            *_place(text, offset),
        )
    return _with_result(game, result)


def _take_numbers(words: list[str], board: Board) -> bool:
    """Whether words are pairs of moves, each with its number before it, which is taken out."""
    number = board.ply // 2
    numbers = words[0::3]
    if board.ply % 2 or len(words) % 3 == 1 or numbers != _NUMBERS[number : number + len(numbers)]:
        return False
    del words[0::3]
    return True


def _read_comments(
    spelling: Spelling, text: _Text, headers: dict[str, str], start: Placement, board: Board
) -> Game | None:
    """The game of a text with comments and no variations; None where anything is odd."""
    content = "\n".join([stretch for _, _, stretch in text.moves])
    if "(" in content or ")" in content or COMMENT_CONTROL.search(content):
        return None
    if content.rfind("{") > content.rfind("}"):
        # The pattern would look for the end of each such comment in all of the rest.
        return None
    first = board.ply
    words: list[str] = []
    comments: dict[int, list[str]] = {}
    # The move that the last number is before: each has one at most, and no comment between.
    numbered = -1
    # Texts between comments come in turn with comments.
    for index, part in enumerate(_COMMENT.split(content)):
        if index % 2:
            if numbered == len(words):
                return None
            comments.setdefault(len(words), []).append(part)
            continue
        for word in _WORD.findall(part):
            if not word.endswith("."):
                words.append(word)
                continue
            number, second = divmod(first + len(words), 2)
            expected = f"{number + 1}..." if second else f"{number + 1}."
            if word != expected or numbered == len(words):
                return None
            numbered = len(words)
    result = "*"
    if words and words[-1] in RESULTS and len(words) not in comments:
        result = words.pop()
    if (
        numbered == len(words)
        or not (words or text.tags)
        or not _is_same_result(headers, result)
        or len(moves := spelling.play(board, words)) < len(words)
    ):
        return None
    game = make_game(headers, moves, start)
    for ply, parts in comments.items():
        game.node_at(ply).comment = "\n".join(filter(None, parts))
    return _with_result(game, result)


def _is_same_result(headers: dict[str, str], result: str) -> bool:
    return result == "*" or headers.get("result", RESULTS[result]) == RESULTS[result]


def _with_result(game: Game, result: str) -> Game:
    """The game with the result that is told after its moves."""
    if result != "*":
        game.headers["result"] = RESULTS[result]
    return game


def _place(text: _Text, offset: int) -> tuple[int, int]:
    """The line and column of an offset in the moves of a game."""
    number = column = 1
    for number, column, stretch in text.moves:
        if offset <= len(stretch):
            return number, column + offset
        offset -= len(stretch) + 1
    return number, column


def _read_tokens(spelling: Spelling, text: _Text, game: Game, rules: Rules) -> tuple[str, int]:
    """Read moves, comments and variations into a game; the result at its end, and its offset."""
    comments: dict[Node, list[str]] = {}
    try:
        return _read_tree(spelling, text, Cursor(game, rules), comments)
    finally:
        for node, parts in comments.items():
            node.comment = "\n".join(filter(None, parts))


def _read_tree(
    spelling: Spelling, text: _Text, cursor: Cursor, comments: dict[Node, list[str]]
) -> tuple[str, int]:
    """Read moves and variations where a cursor is, and comments apart from them."""
    content = "\n".join([stretch for _, _, stretch in text.moves])
    waiting: list[Node] = []
    opened: list[int] = []
    number_at: int | None = None
    may_comment = True
    result: str | None = None
    where = len(content)

    def wrong(message: str, offset: int) -> InvalidRecordError:
        return InvalidRecordError(message, *_place(text, offset))

    for match in _TOKEN.finditer(content):
        offset = match.start()
        kind = match.lastgroup
        if result is not None:
            raise wrong(f"{quote(match[0])} after the result: expected the next game", offset)
        if number_at is not None and kind != "word":
            raise _WrongMoveError(
                f"{quote(match[0])} after a number: expected a move", offset, cursor.node.ply
            )
        if kind == "word":
            number_at = None
            _read_word(spelling, cursor, match[0], offset)
            may_comment = True
        elif kind == "number":
            _check_number(match[0], cursor, offset)
            number_at = offset
        elif kind == "comment":
            if not may_comment:
                raise wrong("comment at the start of a variation: expected a move", offset)
            control = COMMENT_CONTROL.search(match["comment"])
            if control is not None:
                raise wrong(
                    f"{control[0]!r} in a comment: expected no control characters",
                    offset + 1 + control.start(),
                )
            comments.setdefault(cursor.node, []).append(match["comment"])
        elif kind == "open":
            parent = cursor.node.parent
            if parent is None or not may_comment:
                raise wrong("'(' before a move: expected the move it is instead of", offset)
            waiting.append(cursor.node)
            opened.append(offset)
            cursor.go_to(parent)
            may_comment = False
        elif kind == "close":
            if not waiting:
                raise wrong("')' outside a variation: expected a move", offset)
            if not may_comment:
                raise wrong("')' after '(': expected a move", offset)
            cursor.go_to(waiting.pop())
            opened.pop()
        elif kind == "result" and not waiting:
            result, where = match[0], offset
        elif kind == "result":
            raise wrong(f"{quote(match[0])} in a variation: expected ')' before", offset)
        else:
            expected = "'}' at the end of the comment" if match[0] == "{" else "'{' before"
            raise wrong(f"{quote(match[0])}: expected {expected}", offset)
    if number_at is not None:
        raise _WrongMoveError(
            "the end of the game after a number: expected a move", number_at, cursor.node.ply
        )
    if opened:
        raise wrong("'(' without its ')': expected one before the end of the game", opened[-1])
    if result is None and not text.tags and not text.has_words:
        begin = len(content) - len(content.lstrip(BLANKS + "\n"))
        raise wrong("a comment alone: expected a game with it", begin)
    return result or "*", where


def _read_word(spelling: Spelling, cursor: Cursor, word: str, offset: int) -> None:
    message = spelling.refuse(cursor.board, word)
    if message is not None:
        raise _WrongMoveError(message, offset, cursor.node.ply)
    # The cursor makes the move itself, to keep its place.
    (move,) = spelling.play(cursor.board.copy(history=False), [word])
    cursor.add_move(move)


def _check_number(text: str, cursor: Cursor, offset: int) -> None:
    ply = cursor.board.ply
    digits = text.rstrip("." + BLANKS)
    dots = text.count(".")
    expected = f"{ply // 2 + 1}{'...' if ply % 2 else '.'}"
    if digits != str(ply // 2 + 1) or (dots and (dots > 1) is not bool(ply % 2)):
        raise _WrongMoveError(
            f"{quote(text)}: expected the number {expected}", offset, cursor.node.ply
        )


def _format(name: str, description: str, suffix: str, spelling: Spelling) -> Format:
    return Format(
        name=name,
        description=description,
        suffixes=(suffix,),
        detect=lambda head: detected(head) == name,
        read=functools.partial(_read, spelling),
        write=functools.partial(write_numbered, spelling),
        refuse_header=functools.partial(refuse_numbered_header, spelling),
        refuse_comment=refuse_numbered_comment,
    )


NUMBERED_FORMAT = _format("numbered", "tags, then numbered moves as c8-c6", ".pgn", NUMBERED)
PLAYSTRATEGY_FORMAT = _format(
    "playstrategy", "tags, then numbered moves as Ldb3", ".san", PLAYSTRATEGY
)
