"""Text as the readers of records take it: read once, line by line, every place in it known."""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterator
from typing import IO

from loa.rules import InvalidRecordError, shown

__all__ = [
    "BLANKS",
    "CONTROL",
    "Source",
    "first_content",
    "is_utf8",
    "open_text",
    "quote",
    "require_utf8",
    "shorten",
]

BLANKS = " \t"
"""What separates words on a line."""

CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
"""The characters, within a class of a pattern, that do something to a line they are on."""

_HEAD = 65_536
_PIECE = re.compile(r"[^\n]*\n|[^\n]+")
_CONTENT = re.compile(rf"^[{BLANKS}]*(?![{BLANKS}#\r\n])[^\r\n]+", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Source:
    r"""The text of a file that is open for reading, from front to back and once.

    `file` gives str or bytes. Bytes are UTF-8, and lines end with `\n` or `\r\n`; a text file
    gives what it was opened to give. A byte that is not UTF-8 is read as the lone surrogate
    0xDC00 + byte, so that one bad byte costs one game: readers call `require_utf8` on the text
    of each. The file stays the caller's to close.

    `head` is the beginning: 65,536 characters without a byte order mark, and of the line they end
    in up to as many more. It is looked at to tell formats apart, and is part of what `lines` and
    `pieces` give.

    >>> list(Source(io.BytesIO(b"a\r\n\nb")).lines())
    [(1, 'a'), (2, ''), (3, 'b')]
    """

    def __init__(self, file: IO[str] | IO[bytes]) -> None:
        self._file: IO[str] = _text_file(file)
        try:
            head = self._file.read(_HEAD).removeprefix("\ufeff")
            # A line that has begun is looked at as a whole, if it ends soon.
            self.head: str = head + self._file.readline(_HEAD)
        except UnicodeError as error:
            raise _undecodable(error, 1) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number, from 1, and without its end."""
        number = 0
        *whole, rest = self.head.split("\n")
        try:
            # The last line of the head goes on in the file.
            for number, text in enumerate(
                itertools.chain(whole, [rest + self._file.readline()], self._file), start=1
            ):
                yield number, text.removesuffix("\n").removesuffix("\r")
        except UnicodeError as error:
            raise _undecodable(error, number + 1) from None

    def pieces(self) -> Iterator[tuple[int, int, str]]:
        """The text in pieces, each with the line and column where it starts, both from 1.

        A piece ends with the end of its line, or before where the line is very long: this is
        for formats in which a line may hold any number of games.
        """
        line = column = 1
        rest = iter(lambda: self._file.readline(_HEAD), "")
        try:
            for text in itertools.chain(_PIECE.findall(self.head), rest):
                yield line, column, text
                if text.endswith("\n"):
                    line, column = line + 1, 1
                else:
                    column += len(text)
        except UnicodeError as error:
            raise _undecodable(error, line) from None


def open_text(path: str | os.PathLike[str]) -> IO[str]:
    """The text of a file for a `Source`, to be closed by whoever opens it."""
    return _decoded(io.TextIOWrapper, open(path, "rb"))


class _BorrowedText(io.TextIOWrapper):
    """The text of a file of bytes that is somebody else's, and so is never closed from here."""

    def close(self) -> None:
        self.detach()


def _text_file(file: IO[str] | IO[bytes]) -> IO[str]:
    try:
        # Nothing is read: what comes back tells text from bytes.
        if isinstance(file.read(0), str):
            return file  # type: ignore[return-value]
        return _decoded(_BorrowedText, file)  # type: ignore[arg-type]
    except AttributeError:
        raise TypeError(f"{shown(file)}: expected a path or a file open for reading") from None


def _decoded(kind: type[io.TextIOWrapper], file: IO[bytes]) -> io.TextIOWrapper:
    # Bytes that are not UTF-8 are the reader's to report, with their place.
    return kind(file, encoding="utf-8", errors="surrogateescape", newline="\n")


def _undecodable(error: UnicodeError, line: int) -> InvalidRecordError:
    """What a text file that was opened by somebody else could not decode, at this line or after."""
    return InvalidRecordError(f"cannot be decoded from here on ({error}): expected text", line, 1)


def is_utf8(text: str) -> bool:
    """Whether a text from a `Source` has no byte in it that is not UTF-8."""
    return text.isascii() or _SURROGATE.search(text) is None


def require_utf8(text: str, line: int, column: int = 1) -> None:
    """Raise `InvalidRecordError` at the first byte that is not UTF-8, if there is one.

    The text, from a `Source`, is on one line and starts in this column.
    """
    bad = None if text.isascii() else _SURROGATE.search(text)
    if bad is not None:
        byte = ord(bad[0]) - 0xDC00
        what = f"byte 0x{byte:02x}" if 0x80 <= byte <= 0xFF else ascii(bad[0])
        raise InvalidRecordError(f"{what}: expected UTF-8 text", line, column + bad.start())


def first_content(text: str) -> tuple[int, int, str] | None:
    """The first line that is neither blank nor a comment with `#`: line, column, content.

    >>> first_content("# a comment\\n\\n  (;GM[9])\\n")
    (3, 3, '(;GM[9])')
    """
    match = _CONTENT.search(text)
    if match is None:
        return None
    content = match[0].lstrip(BLANKS)
    return text.count("\n", 0, match.start()) + 1, len(match[0]) - len(content) + 1, content


def quote(text: str, length: int = 40) -> str:
    """A text as error messages show it: quoted, on one line, cut where it is longer.

    >>> quote("c8-c6 " * 10, 12)
    "'c8-c6 c8-c6…'"
    """
    return repr(shorten(text, length))


def shorten(text: str, length: int) -> str:
    """A text, cut after `length` characters where it is longer."""
    return text if len(text) <= length else text[:length].rstrip() + "…"
