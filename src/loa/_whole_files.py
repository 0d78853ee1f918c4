"""Files that another process sees whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO, Any

__all__ = ["is_stream", "whole_file"]

_STREAMS = ("/dev/", "/proc/")
"""Where names stand for what is open already, a plain file perhaps, and not for a place."""


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path is of something to write into, such as a pipe, and not of a plain file.

    >>> is_stream("no such file"), is_stream("/dev/stdout")
    (False, True)
    """
    if os.path.abspath(path).startswith(_STREAMS):
        return True
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    r"""A file to write, which takes its place when the block is left.

    It is UTF-8 text with lines ended by `\n`, or has bytes. An error in the block leaves what was
    there before. A file that is replaced keeps its permissions. What is no plain file, such as a
    pipe, is written as it comes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(os.path.join(folder, "a.txt")) as file:
    ...         _ = file.write("text")
    ...     os.listdir(folder)
    ['a.txt']
    """
    if is_stream(path):
        # Opened as it is called: what is behind it may be a plain file that others write, too.
        with _open(path, os.O_WRONLY | os.O_APPEND, binary) as file:
            yield file
        return
    # Python would put a file beside the folder that these name.
    if os.path.basename(path) in ("", "."):
        kind = errno.EISDIR if path else errno.ENOENT
        raise OSError(kind, os.strerror(kind), os.fspath(path))
    target = os.path.realpath(path)
    # In the same folder, so that it can be renamed; with a name that nobody can know before, and
    # that is not too long where that of the file is not.
    unfinished = os.path.join(os.path.dirname(target), f".loa-{secrets.token_hex(8)}")
    try:
        file = _open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, binary)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with file:
            yield file
        with contextlib.suppress(FileNotFoundError):
            os.chmod(unfinished, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise


def _open(path: str | os.PathLike[str], flags: int, binary: bool) -> IO[Any]:
    def opener(name: str, _: int) -> int:
        return os.open(name, flags | getattr(os, "O_BINARY", 0), 0o666)

    if binary:
        return open(path, "wb", opener=opener)
    return open(path, "w", encoding="utf-8", newline="\n", opener=opener)
