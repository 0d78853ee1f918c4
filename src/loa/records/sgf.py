r"""The format `sgf`: Smart Game Format, FF[4], game 9, Lines of Action.

    (;FF[4]CA[UTF-8]GM[9]SZ[8]SU[Standard]GN[example]PB[Ada]PW[Ben]RE[?]
    ;B[c8-c6]C[A quiet start.](;W[a6-c4];B[e8-b5];W[h3:f1])(;W[a5-c7]))

Sources: the specification of FF[4] with its page on Lines of Action,
https://www.red-bean.com/sgf/loa.html, for what records should be; the viewer of the site
boardspace.net (ddyer0/boardspace.net on GitHub, `loa/Move_Spec.java`, `U.java`, `UIC.java` and
`LoaViewer.java`), for what its records are. `loa.records.sgf_structure` has the grammar.

**Root.** `FF` is 1 to 4. `GM` is 9, or `LOA` as boardspace writes it; a game without it is taken
as one too, where FF[4] would have Go. `SZ` is 3 to 8, or missing for 8. `SU` is Standard (or
missing, or boardspace's `LOA`), Scrambled-eggs (or Scrambled), or Custom for an empty board; `AB`,
`AW` and `AE`, points or rectangles `a1:b3`, add to it, and make any other start. `PL` moves first,
Black if it is missing. `MN` in a node before the first move is the number of moves made before.

**Headers.** `GN` is the header `id`, `PB` `black`, and so on as `HEADERS` in
`loa.records.sgf_words` lists them. Any other property before the first move that has one value is
the header of its name in lower case (`KM` is `km`). The writer puts other headers in properties
of their own if they have names that can be one (`opponent` is OPPONENT), and else in
`HD[name:value]`, which is a property of this format only.

`RE` is the header `result`, with `note` for how it came about: `B+Resign` is `1-0` and `W resigns`.
Whether the board agrees is not asked, as rules differ and games are lost on time. A result that
is none of those of FF[4] is the header `re`, as it stands. A move `resign` sets `note` only.

**Moves.** `e1-e3`, `C2:C5`, `c1 a3` and `c1xa3` are the same whether they capture or not; blanks
round them, signs such as `++` and `!` after them and boardspace's number before them say nothing.
`pass` is a forced pass; `resign`, `forfeit` and `winontime` end the main line, and are part of
the comment in a variation; `start` says nothing. Colours must alternate.

**Comments.** `C`. Other properties of nodes are kept at the end of the comment, as they are
written, so that nothing of a file is lost: `[%sgf TE[1]BL[12.5]]`. The writer makes properties of
them again. What nodes without a move say belongs to the place they are at.

**Encoding.** A text is UTF-8. A game with bytes that are not is read as its `CA` says, if that has
a byte for each character, and as ISO-8859-1 without a `CA`. UTF-8 is what is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from loa._board import Board
from loa.notation import Placement, parse_square
from loa.records.format import BadGame, Format, play_words, refusal
from loa.records.game import Game, make_game
from loa.records.node import Node
from loa.records.sgf_structure import (
    SPACE,
    GameText,
    Property,
    composed_parts,
    games_of,
    has_sgf,
    looks_like_sgf,
    normal_value,
    simple_text_of,
    text_of,
)
from loa.records.sgf_words import (
    BEFORE_MOVES,
    COLORS,
    ENDINGS,
    HEADERS,
    KEPT,
    LETTERS,
    MOVES,
    PLAYERS,
    RESULT_VALUES,
    ROOT_ONLY,
    SETUPS,
    TEXT_HEADERS,
    other_move,
    property_of,
)
from loa.records.sgf_writer import refuse_comment, refuse_header, write
from loa.records.starts import Starts, board_of, expected_position, starting_placement
from loa.records.text import Source, is_utf8, quote, shorten
from loa.rules import BLACK, InvalidRecordError, LoaError, Rules

__all__ = ["FORMAT"]

_Value = TypeVar("_Value")

# A node that has a move and nothing else, and a run of them. Runs are short enough to be looked at
# again after a node in them that takes more than playing its move.
_PLAIN_NODE = re.compile(rf";[{SPACE}]*+([BW])[{SPACE}]*+\[([^\]\\]*+)\][{SPACE}]*+(?=[;()])")
_PLAIN_NODES = re.compile(
    rf"(?:;[{SPACE}]*+[BW][{SPACE}]*+\[[^\]\\]*+\][{SPACE}]*+(?=[;()])){{1,64}}+"
)
_TURNS = {color: f"{LETTERS[color]}{LETTERS[color.opponent]}" for color in LETTERS}

_POINTS = re.compile(
    rf"[{SPACE}]*+([a-h][1-8])[{SPACE}]*+(?::[{SPACE}]*+([a-h][1-8])[{SPACE}]*+)?+", re.IGNORECASE
)
_NUMBER = re.compile(r"\+?([0-9]{1,10})")

_ENCODINGS = (
    (re.compile("iso8859(1[013-6]|[1-9])"), "iso8859-{}"),
    (re.compile("(?:windows|cp)(125[0-8])"), "cp{}"),
    (re.compile("koi8([ru])"), "koi8-{}"),
    (re.compile("l(?:atin)?1()"), "iso8859-1"),
)
"""Charsets with a character for each byte, by their names without signs, and as Python has them."""


def _read(source: Source, rules: Rules | None) -> Iterator[Game | BadGame]:
    starts = Starts(rules)
    for text in games_of(source):
        if isinstance(text, InvalidRecordError):
            yield BadGame(text)
            continue
        reader = _Reader(text, starts)
        try:
            yield reader.read()
        except InvalidRecordError as error:
            yield BadGame(error, None if error.ply is None else reader.game)


class _Reader:
    """Reads the text of one game; `game` is what has been read of it."""

    game: Game
    _board: Board
    _node: Node

    def __init__(self, text: GameText, starts: Starts) -> None:
        self._text = text
        self._starts = starts
        self._headers: dict[str, str] = {}
        # The properties that make the start: those there is one of, and by node the others.
        self._single: dict[str, Property] = {}
        self._stones: list[list[Property]] = []
        # What is said at places: comments, and properties as they are written.
        self._notes: dict[Node, tuple[list[str], list[str]]] = {}
        # Where somebody gave up.
        self._ended: Node | None = None

    def read(self) -> Game:
        position = self._text.node_after(0)
        if not is_utf8(self._text.text):
            root, _ = self._text.properties(position)
            self._decode(root)
        waiting, position = self._read_root(position)
        try:
            for properties in waiting:
                self._read_node(properties)
            self._read_tree(position)
        finally:
            for node, (comments, kept) in self._notes.items():
                if kept:
                    comments.append(f"{KEPT}{''.join(kept)}]")
                node.comment = "\n".join(comments)
        return self.game

    def _decode(self, root: list[Property]) -> None:
        """Read the text as the properties of the root say, as it has bytes that are not UTF-8."""
        text = self._text
        charset = next((each for each in root if each.name == "CA"), None)
        if charset is None:
            text.decode("iso8859-1")
            return
        name = re.sub("[^a-z0-9]", "", charset.values[0].lower())
        for pattern, encoding in _ENCODINGS:
            match = pattern.fullmatch(name)
            if match is not None:
                text.decode(encoding.format(match[1]))
                return
        if name not in {"utf8", "usascii", "ascii"}:
            raise text.error(
                f"CA is {quote(charset.values[0])}: expected UTF-8, or an encoding that has a "
                "character for each byte such as ISO-8859-1",
                charset.start,
            )
        text.require_utf8()

    # Before the first move ---------------------------------------------------------------------

    def _read_root(self, position: int) -> tuple[list[list[Property]], int]:
        """Read the start and the headers from the nodes before the first with a move.

        The first node counts in any case. Returns what else is in these nodes, and the position
        after them.
        """
        text = self._text
        properties, position = text.properties(position)
        has_move = any(each.name in COLORS for each in properties)
        waiting = [self._read_headers(properties, True, has_move)]
        while not has_move and text.text[position] == ";":
            if _PLAIN_NODE.match(text.text, position) is not None:
                break
            properties, end = text.properties(position)
            if any(each.name in COLORS for each in properties):
                break
            waiting.append(self._read_headers(properties, False, False))
            position = end
        placement, self._board = self._start()
        self.game = make_game(self._headers, [], placement)
        self._node = self.game.root
        return waiting, position

    def _read_headers(
        self, properties: list[Property], is_root: bool, has_move: bool
    ) -> list[Property]:
        """Take what is said about the game out of the properties of a node."""
        rest = []
        stones: list[Property] = []
        for each in properties:
            name = each.name
            if name in ROOT_ONLY and not is_root:
                raise self._error(each, f"{name} in a later node: expected it in the first one")
            if name in HEADERS:
                read = text_of if name in TEXT_HEADERS else simple_text_of
                self._add_header(HEADERS[name], read(self._value(each)), each)
            elif name in ("AB", "AW", "AE"):
                if name in (other.name for other in stones):
                    raise self._second(each)
                stones.append(each)
            elif name == "HD":
                self._read_other_headers(each)
            elif name == "RE":
                self._read_result(each)
            elif name in BEFORE_MOVES or (name == "MN" and not has_move):
                if name in self._single:
                    raise self._second(each)
                self._value(each)
                self._single[name] = each
            elif (
                not has_move
                and len(each.values) == 1
                and name.lower() not in self._headers
                and property_of(name.lower()) == name
            ):
                self._headers[name.lower()] = text_of(each.values[0])
            else:
                rest.append(each)
        if stones:
            self._stones.append(stones)
        return rest

    def _add_header(self, header: str, value: str, where: Property) -> None:
        if header in self._headers:
            raise self._error(
                where,
                f"header {quote(header)} for the second time, in {where.name}: "
                "expected each once a game",
            )
        self._headers[header] = value

    def _read_other_headers(self, where: Property) -> None:
        for value in where.values:
            parts = composed_parts(value)
            if parts is None:
                raise self._error(where, f"HD is {quote(value)}: expected name:value")
            header = text_of(parts[0])
            if header in HEADERS.values() or header == "result" or property_of(header) is not None:
                raise self._error(
                    where, f"HD has {quote(header)}: expected it in the property of that name"
                )
            self._add_header(header, text_of(parts[1]), where)

    def _read_result(self, where: Property) -> None:
        value = simple_text_of(self._value(where))
        known = RESULT_VALUES.get(value.strip().lower())
        if known is None:
            self._add_header("re", value, where)
            return
        result, note = known
        self._add_header("result", result, where)
        if note is not None:
            self._add_header("note", note, where)

    def _start(self) -> tuple[Placement, Board]:
        single = self._single
        starts = self._starts.under(self._headers)
        if "FF" in single:
            self._number("FF", 1, 4)
        if "GM" in single and single["GM"].values[0].strip().lower() not in ("9", "loa"):
            raise self._error(
                single["GM"], f"GM is {quote(single['GM'].values[0])}: expected 9, Lines of Action"
            )
        size = self._number("SZ", 3, 8) if "SZ" in single else 8
        setup = self._word("SU", SETUPS, "Standard, Scrambled-eggs or Custom") or "standard"
        turn = self._word("PL", PLAYERS, "B or W") or BLACK
        if setup != "custom" and turn is BLACK and not self._stones and "MN" not in single:
            placement, shared = starts.named(size, setup)
            return placement, shared.copy()

        plies = self._number("MN", 0, 2**31 - 1) if "MN" in single else int(turn)
        if plies % 2 != turn:
            raise self._error(
                single["MN"], f"MN is {plies} before a move by {turn}: expected the plies so far"
            )
        pieces = {"AB": 0, "AW": 0, "AE": 0}
        if setup != "custom":
            named = starting_placement(size, setup)
            pieces.update(AB=named.black, AW=named.white)
        for properties in self._stones:
            self._add_stones(properties, pieces, size)
        placement = Placement(size, pieces["AB"], pieces["AW"], turn, plies // 2 + 1)
        try:
            board = board_of(placement, starts.rules)
        except LoaError as error:
            position = min(
                [each.start for each in single.values() if each.name in ("SU", "PL", "MN")]
                + [each.start for properties in self._stones for each in properties]
            )
            raise self._text.error(f"the set-up: {expected_position(error)}", position) from None
        return placement, board

    def _add_stones(self, properties: list[Property], pieces: dict[str, int], size: int) -> None:
        """Change the pieces as the properties of one node say."""
        seen = 0
        for each in properties:
            for value in each.values:
                squares = self._squares(each, value, size)
                if squares & seen:
                    raise self._error(
                        each, f"{each.name}[{shorten(value, 40)}]: expected each point once a node"
                    )
                seen |= squares
                for name in pieces:
                    pieces[name] &= ~squares
                pieces[each.name] |= squares

    def _squares(self, where: Property, value: str, size: int) -> int:
        match = _POINTS.fullmatch(value)
        if match is not None:
            corners = [parse_square(point) for point in match.groups() if point]
            files = sorted(corner & 7 for corner in corners)
            ranks = sorted(corner >> 3 for corner in corners)
            if files[-1] < size and ranks[-1] < size:
                return sum(
                    1 << (8 * rank + file)
                    for rank in range(ranks[0], ranks[-1] + 1)
                    for file in range(files[0], files[-1] + 1)
                )
        last = f"{'abcdefgh'[size - 1]}{size}"
        raise self._error(
            where, f"{where.name} is {quote(value)}: expected points from a1 to {last}"
        )

    def _number(self, name: str, least: int, most: int) -> int:
        where = self._single[name]
        match = _NUMBER.fullmatch(where.values[0].strip())
        number = -1 if match is None else int(match[1])
        if not least <= number <= most:
            raise self._error(
                where, f"{name} is {quote(where.values[0])}: expected {least} to {most}"
            )
        return number

    def _word(self, name: str, words: dict[str, _Value], expected: str) -> _Value | None:
        if name not in self._single:
            return None
        where = self._single[name]
        word = simple_text_of(where.values[0]).strip().lower()
        if word not in words:
            raise self._error(where, f"{name} is {quote(where.values[0])}: expected {expected}")
        return words[word]

    # Moves -------------------------------------------------------------------------------------

    def _read_tree(self, position: int) -> None:
        """Read all that follows the nodes before the first move."""
        text = self._text.text
        branches: list[Node] = []
        # Whether a variation has ended here: then there is nothing but more of them.
        after_variation = False
        while True:
            sign = text[position]
            if sign == ";":
                if after_variation:
                    raise self._text.error(
                        "a node after a variation: expected '(' or ')'", position
                    )
                run = _PLAIN_NODES.match(text, position)
                if run is not None:
                    position = self._play_run(position, run.end())
                if run is None or position < run.end():
                    properties, position = self._text.properties(position)
                    self._read_node(properties)
            elif sign == "(":
                branches.append(self._node)
                position = self._text.node_after(position)
                after_variation = False
            elif sign == ")":
                if not branches:
                    return
                self._go_back(branches.pop())
                position = self._text.skip_space(position + 1)
                after_variation = True
            else:
                raise self._text.error(
                    f"{quote(text[position : position + 20])}: expected ';', '(' or ')'", position
                )

    def _go_back(self, node: Node) -> None:
        for _ in range(self._node.ply - node.ply):
            self._board.pop()
        self._node = node

    def _play_run(self, start: int, end: int) -> int:
        """Play nodes that have moves only, up to one with anything special; returns where it is."""
        if self._ended is not None and self._ended == self._node:
            return start
        text = self._text.text
        letters, words = zip(*_PLAIN_NODE.findall(text, start, end + 1), strict=True)
        board = self._board
        count = len(words)
        turns = _TURNS[board.turn] * (count // 2 + 1)
        if not turns.startswith("".join(letters)):
            count = next(i for i, letter in enumerate(letters) if letter != turns[i])
        moves = play_words(board, list(words[:count]), MOVES)
        self._node = self._node.add_played(*moves)
        if len(moves) == len(words):
            return end
        return next(islice(_PLAIN_NODE.finditer(text, start), len(moves), None)).start()

    def _read_node(self, properties: list[Property]) -> None:
        move = comment = None
        kept = []
        for each in properties:
            if each.name in COLORS:
                if move is not None:
                    raise self._error(each, f"{each.name} after {move.name}: expected a new node")
                move = each
            elif each.name == "C":
                if comment is not None:
                    raise self._second(each)
                comment = text_of(self._value(each))
            elif each.name in BEFORE_MOVES:
                raise self._error(
                    each, f"{each.name} after the first move: expected it before all moves"
                )
            else:
                kept.append(each.name + "".join(f"[{normal_value(x)}]" for x in each.values))
        ending = None if move is None else self._play(move)
        comments = [text for text in (ending, comment) if text]
        if comments or kept:
            notes = self._notes.setdefault(self._node, ([], []))
            notes[0].extend(comments)
            notes[1].extend(kept)

    def _play(self, where: Property) -> str | None:
        """Play a move; returns what the comment has to say of it."""
        if len(where.values) != 1:
            raise self._bad_move(where, 1, f"{where.name} has two values: expected one move")
        value = where.values[0]
        word = quote(value)
        if self._ended is not None and self._ended == self._node:
            raise self._bad_move(where, 0, f"{word} after a resignation: expected no more moves")
        try:
            move = MOVES[value]
        except KeyError:
            other = other_move(value)
            note = ENDINGS.get((where.name, other or ""))
            if note is not None:
                return self._end(where, note)
            if other in ("start", "start black", "start white") and self._node.ply == 0:
                return None
            raise self._bad_move(
                where, 0, f"{word}: expected a move such as e1-e3, C2:C5, pass or resign"
            ) from None
        board = self._board
        color = COLORS[where.name]
        if color is not board.turn and board.outcome() is None:
            raise self._bad_move(where, 0, f"{word} by {color}: expected a move by {board.turn}")
        message = refusal(board, value, move)
        if message is not None:
            raise self._bad_move(where, 0, message)
        board.push(move)
        self._node = self._node.add_played(move)
        return None

    def _end(self, where: Property, note: str) -> str | None:
        if self._node != self.game.end:
            return note
        if self._headers.setdefault("note", note) != note:
            raise self._bad_move(
                where,
                0,
                f"{quote(note)}, but the result says {quote(self._headers['note'])}"
                ": expected them to agree",
            )
        self._ended = self._node
        return None

    # Errors ------------------------------------------------------------------------------------

    def _value(self, where: Property) -> str:
        if len(where.values) != 1:
            raise self._text.error(
                f"{where.name} has {len(where.values)} values: expected one",
                self._text.value_start(where, 1),
            )
        return where.values[0]

    def _second(self, where: Property) -> InvalidRecordError:
        return self._error(where, f"{where.name} for the second time: expected each once")

    def _error(self, where: Property, message: str) -> InvalidRecordError:
        return self._text.error(message, where.start)

    def _bad_move(self, where: Property, number: int, message: str) -> InvalidRecordError:
        position = self._text.value_start(where, number)
        return self._text.error(message, position, self._node.ply + 1)


FORMAT = Format(
    name="sgf",
    description="Smart Game Format, with variations and comments",
    suffixes=(".sgf",),
    detect=looks_like_sgf,
    read=_read,
    write=write,
    refuse_header=refuse_header,
    refuse_comment=refuse_comment,
    detect_later=has_sgf,
)
