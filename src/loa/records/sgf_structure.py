r"""The structure of SGF: collections cut into games, games into nodes, nodes into properties.

Nothing here knows what a property means. The grammar is FF[4]'s:

    Collection = GameTree { GameTree }
    GameTree   = "(" Sequence { GameTree } ")"
    Sequence   = Node { Node }
    Node       = ";" { Property }
    Property   = name "[" value "]" { "[" value "]" }

with white space anywhere between these signs. Names are as in FF[1] to FF[3]: their
lower-case letters do not count (`GaMe` is `GM`), and they may have digits after a letter. A `\` in
a value takes the meaning from the character after it. Text before the first game is passed over,
as FF[4] has it, and so is a line there that starts with `#`; any other text outside of games is an
error. Source: the specifications of FF[4]
and FF[3], https://www.red-bean.com/sgf/sgf4.html and https://www.red-bean.com/sgf/ff1_3/ff3.html.

A game that lacks its last `)` costs the games after it too, except that a line which starts with
`(;FF[` or `(;GM[` outside of values always starts a game: those properties can be nowhere else.

One game is held at a time, as its text. That is cut up by patterns whose repetitions never go
back (`*+`), so that time grows with the length of the text whatever is in it, and nothing here
calls itself, so that nesting has no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loa.records.text import BLANKS, Source, is_utf8, quote, require_utf8
from loa.rules import InvalidRecordError

__all__ = [
    "SPACE",
    "VALUE",
    "GameText",
    "Property",
    "composed_parts",
    "escape",
    "games_of",
    "has_sgf",
    "looks_like_sgf",
    "normal_value",
    "simple_text_of",
    "text_of",
]

SPACE = r" \t\r\n\v\f"
"""White space, within a class of a pattern."""

VALUE = r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]"
"""A pattern of a value with its brackets; a `.` has to stand for every character there."""

_SPACE = re.compile(f"[{SPACE}]*+")
_SOLID = re.compile(f"[^{SPACE}]")

# Everything up to the next parenthesis, with whole values, or up to what stands in the way.
_BETWEEN_PARENTHESES = re.compile(rf"[^\[\]()]*+(?:{VALUE}[^\[\]()]*+)*+", re.DOTALL)
_REST_OF_VALUE = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)
_ROOT = re.compile(rf"\([{BLANKS}]*+;[{BLANKS}]*+(?:F[a-z]*+F|G[a-z]*+M)[a-z]*+[{BLANKS}]*+\[")

_PROPERTY = re.compile(
    rf"[{SPACE}]*+([A-Za-z][A-Za-z0-9]*+)[{SPACE}]*+((?:{VALUE}[{SPACE}]*+)++)", re.DOTALL
)
_VALUES = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
_NAME = re.compile("[A-Za-z][A-Za-z0-9]*+")
_LOWER_CASE = re.compile("[a-z]+")

_FIRST_GAME = re.compile(rf"(?:[{BLANKS}]*+(?:#[^\n]*+)?\r?\n)*+[{BLANKS}]*+\([{SPACE}]*+;")
_LATER_GAME = re.compile(rf"^[{BLANKS}]*+\([{SPACE}]*+;[{SPACE}]*+[A-Z][A-Za-z0-9]*+\[", re.M)


def looks_like_sgf(head: str) -> bool:
    """Whether a text begins with a game.

    >>> looks_like_sgf("# a comment\\n(;GM[9])"), looks_like_sgf("To: me\\n\\n(;GM[9])")
    (True, False)
    """
    return _FIRST_GAME.match(head) is not None


def has_sgf(head: str) -> bool:
    """Whether a text that begins like this has a game in it, at the start of a line.

    >>> has_sgf("To: me\\n\\n(;GM[9])")
    True
    """
    return _LATER_GAME.search(head) is not None


class Property:
    """A property: its name without lower-case letters, its values as written, and its place."""

    __slots__ = ("name", "start", "values")

    def __init__(self, name: str, values: list[str], start: int) -> None:
        self.name = name
        self.values = values
        self.start = start


class GameText:
    """The text of one game, from `(` to the `)` that belongs to it, and where it starts."""

    __slots__ = ("_column", "_line", "text")

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text = text
        self._line = line
        self._column = column

    def place(self, position: int) -> tuple[int, int]:
        """The line and column of a position in the text."""
        line = self.text.count("\n", 0, position)
        if not line:
            return self._line, self._column + position
        return self._line + line, position - self.text.rindex("\n", 0, position)

    def error(self, message: str, position: int, ply: int | None = None) -> InvalidRecordError:
        """The error that says this of a position."""
        return InvalidRecordError(message, *self.place(position), ply=ply)

    def require_utf8(self) -> None:
        """Raise `InvalidRecordError` at the first byte that is not UTF-8, if there is one."""
        if not is_utf8(self.text):
            column = self._column
            for line, text in enumerate(self.text.split("\n"), start=self._line):
                require_utf8(text, line, column)
                column = 1

    def decode(self, encoding: str) -> None:
        """Read the bytes of the text again, in an encoding that has a character for each byte."""
        content = self.text.encode("utf-8", "surrogateescape")
        try:
            self.text = content.decode(encoding)
        except UnicodeDecodeError as error:
            position = len(content[: error.start].decode("utf-8", "surrogateescape"))
            raise self.error(
                f"byte 0x{content[error.start]:02x}: expected text in {encoding}", position
            ) from None

    def node_after(self, position: int) -> int:
        """The position of the `;` that has to come after an opening parenthesis here."""
        position = self.skip_space(position + 1)
        if self.text[position] != ";":
            raise self.error(f"{self._quote(position)} after '(': expected ';'", position)
        return position

    def skip_space(self, position: int) -> int:
        """The position of what is not white space, from this one on."""
        match = _SPACE.match(self.text, position)
        assert match is not None  # it takes an empty text too
        return match.end()

    def properties(self, position: int) -> tuple[list[Property], int]:
        """The properties of the node whose `;` is here, and the position of what follows them."""
        text = self.text
        found = []
        position += 1
        while (match := _PROPERTY.match(text, position)) is not None:
            written, values = match.groups()
            name = written if written.isupper() else _LOWER_CASE.sub("", written)
            if not name[:1].isalpha():
                raise self.error(
                    f"{quote(written)}: expected a property with a capital letter in its name",
                    match.start(1),
                )
            found.append(Property(name, _VALUES.findall(values), match.start(1)))
            position = match.end()
        position = self.skip_space(position)
        if text[position] not in ";()":
            raise self._bad_property(position)
        return found, position

    def _bad_property(self, position: int) -> InvalidRecordError:
        match = _NAME.match(self.text, position)
        if match is None:
            expected = "a property, ';', '(' or ')'"
            return self.error(f"{self._quote(position)}: expected {expected}", position)
        end = self.skip_space(match.end())
        return self.error(
            f"{self._quote(end)} after the property name {quote(match[0])}: expected '['", end
        )

    def value_start(self, found: Property, number: int) -> int:
        """The position of a property's value, by its number from 0."""
        match = _PROPERTY.match(self.text, found.start)
        assert match is not None  # as it did when the property was found
        values = list(_VALUES.finditer(self.text, match.start(2), match.end()))
        return values[number].start(1)

    def _quote(self, position: int) -> str:
        return quote(self.text[position : position + 60].split("\n")[0].rstrip(), 20)


# Collections ------------------------------------------------------------------------------------


def games_of(source: Source) -> Iterator[GameText | InvalidRecordError]:
    """The games of a collection, one after the other, or what is wrong where none can be found."""
    return _Splitter(source).games()


class _Splitter:
    """Cuts a text into games as its pieces come."""

    def __init__(self, source: Source) -> None:
        self._pieces = source.pieces()
        self._found = 0
        # The first text outside of games since the last one, with its place.
        self._stray: tuple[str, int, int] | None = None
        self._comment_line = 0
        # The game that is open: its parts so far, its place, and what is open in it.
        self._parts: list[str] = []
        self._line = self._column = 0
        self._depth = 0
        self._in_value = self._escaped = False

    def games(self) -> Iterator[GameText | InvalidRecordError]:
        for line, column, piece in self._pieces:
            if column == 1:
                if self._depth and not self._in_value and _ROOT.match(piece):
                    yield self._unclosed()
                elif not self._found and not self._parts and piece.lstrip(BLANKS)[:1] == "#":
                    self._comment_line = line
            if line == self._comment_line:
                continue
            position = 0
            while position < len(piece):
                if not self._parts:
                    position = self._open(piece, position, line, column)
                    continue
                if not self._depth:
                    # A parenthesis and blanks so far: a game if ';' comes next.
                    end = _end_of_space(piece, position)
                    if end < len(piece) and piece[end] != ";":
                        self._note_stray("".join(self._parts), self._line, self._column)
                        self._parts.clear()
                        position = end
                        continue
                    if end < len(piece):
                        if self._stray is not None and self._found:
                            yield self._stray_text()
                        self._stray = None
                        self._depth = 1
                        end += 1
                    self._parts.append(piece[position:end])
                    position = end
                    continue
                end = self._go_on(piece, position)
                self._parts.append(piece[position:end])
                position = end
                if not self._depth:
                    yield self._close()
        if self._depth:
            yield self._unclosed()
        elif self._parts:
            self._note_stray("".join(self._parts), self._line, self._column)
        if self._stray is not None:
            yield self._stray_text()

    def _open(self, piece: str, position: int, line: int, column: int) -> int:
        """Look for the parenthesis that a game starts with; returns the position after it."""
        start = piece.find("(", position)
        end = len(piece) if start < 0 else start
        solid = _SOLID.search(piece, position, end)
        if solid is not None:
            start_of_text = piece[solid.start() : solid.start() + 60]
            self._note_stray(start_of_text, line, column + solid.start())
        if start < 0:
            return end
        self._parts = ["("]
        self._line, self._column = line, column + start
        return start + 1

    def _go_on(self, piece: str, position: int) -> int:
        """Go to the end of the game or of the piece, whichever comes first, and return it."""
        while position < len(piece):
            if self._in_value:
                if self._escaped:
                    self._escaped = False
                    position += 1
                    continue
                match = _REST_OF_VALUE.match(piece, position)
                assert match is not None  # it takes an empty text too
                position = match.end()
                if position < len(piece):
                    # Before the end there can be a bracket only; at it, a lone backslash.
                    self._in_value = piece[position] != "]"
                    self._escaped = self._in_value
                    position += 1
                continue
            match = _BETWEEN_PARENTHESES.match(piece, position)
            assert match is not None  # it takes an empty text too
            position = match.end()
            if position == len(piece):
                break
            sign = piece[position]
            position += 1
            if sign == "(":
                self._depth += 1
            elif sign == ")":
                self._depth -= 1
                if not self._depth:
                    break
            elif sign == "[":
                self._in_value = True
        return position

    def _close(self) -> GameText:
        game = GameText("".join(self._parts), self._line, self._column)
        self._parts.clear()
        self._found += 1
        return game

    def _unclosed(self) -> InvalidRecordError:
        inside = "a value that does not end" if self._in_value else "a '(' that is not closed"
        expected = "']'" if self._in_value else "')'"
        self._parts.clear()
        self._found += 1
        self._depth = 0
        return InvalidRecordError(
            f"a game with {inside}: expected {expected} before the next game and the end",
            self._line,
            self._column,
        )

    def _note_stray(self, text: str, line: int, column: int) -> None:
        if self._stray is None:
            self._stray = text[:60].split("\n")[0].rstrip(), line, column

    def _stray_text(self) -> InvalidRecordError:
        assert self._stray is not None
        text, line, column = self._stray
        self._stray = None
        try:
            require_utf8(text, line, column)
        except InvalidRecordError as error:
            return error
        expected = "nothing between games and after them" if self._found else "a game, (;…)"
        return InvalidRecordError(f"{quote(text)}: expected {expected}", line, column)


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None  # it takes an empty text too
    return match.end()


# Values -----------------------------------------------------------------------------------------

_SPECIAL = re.compile(r"[\\\r\n\t\v\f]")
_PART = re.compile(r"(\\?)(\r\n|\n\r|[\r\n])|\\?([\t\v\f])|\\(.)")
_LINE_END = re.compile(r"\r\n|\n\r|\r")
_BLANK = re.compile(r"[\t\v\f]")
_COLON = re.compile(r"((?:[^:\\]|\\.)*+):", re.DOTALL)


def text_of(value: str) -> str:
    r"""What a value of type Text says.

    Line ends are `\n`, those after a `\` none at all; other white space is a blank.

    >>> text_of("a\\]b\\\r\nc\t\r\nd")
    'a]bc \nd'
    """
    if _SPECIAL.search(value) is None:
        return value
    return _PART.sub(_text_part, value)


def simple_text_of(value: str) -> str:
    r"""What a value of type SimpleText says: as `text_of`, but with blanks for line ends.

    >>> simple_text_of("a\nb")
    'a b'
    """
    return text_of(value).replace("\n", " ")


def normal_value(value: str) -> str:
    r"""A value as written, but with line ends and other white space as `text_of` has them."""
    if _SPECIAL.search(value) is None:
        return value
    return _BLANK.sub(" ", _LINE_END.sub("\n", value))


def _text_part(match: re.Match[str]) -> str:
    if match[2]:
        return "" if match[1] else "\n"
    return " " if match[3] else match[4]


def composed_parts(value: str) -> tuple[str, str] | None:
    r"""The parts, as written, before and after the `:` of a composed value; None without one.

    >>> composed_parts("a\\:b:c")
    ('a\\:b', 'c')
    """
    match = _COLON.match(value)
    return None if match is None else (match[1], value[match.end() :])


def escape(text: str, *, composed: bool = False) -> str:
    r"""A text as a value, or as a part of a composed one; the inverse of `text_of`.

    White space other than blanks and `\n` does not come back.

    >>> escape("a]b")
    'a\\]b'
    """
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if composed else text
