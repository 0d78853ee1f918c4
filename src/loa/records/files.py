"""Games in files: which format it is, reading one game after the other, and writing.

    loa.read_games("games.txt")                            a list of all games
    with loa.records.iter_games("games.txt") as games:     one after the other
    loa.write_games(games, "games.txt")

**Formats** are told apart by how the text begins, at most its first 131,072 characters. Those to
whose suffixes the file's name fits are asked first, then the others in the order of `FORMATS`;
the name alone decides nothing. SGF may follow other text, such as a letter's: it is looked for
there where no format knows the beginning. A text of blank lines and comments with `#` holds no
games in any format.

**Errors.** A game that cannot be read is an `InvalidRecordError` with line, column, the number
of the game in its file and, where a move is wrong, its ply. `on_error` says what becomes of it:

- `"raise"`: it is raised, and reading ends;
- `"skip"`: the game is left out;
- `"truncate"`: a game with a wrong move is kept up to that move, which also ends its variations
  that come later in the file; a game with anything else wrong is left out.

Errors that were passed over are in the attribute `errors` of what `read_games` and `iter_games`
return, in their order. Errors that leave no next game to be found, such as an unknown format, are
raised in any case.
"""

from __future__ import annotations

import contextlib
import copy
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import IO, Any, Literal, Self, get_args

from loa._whole_files import whole_file
from loa.records import numbered, one_line, paragraphs, sgf
from loa.records.format import BadGame, Format
from loa.records.game import RESULTS, Game, comments_of, require_game, written_headers
from loa.records.text import Source, first_content, is_utf8, open_text, quote, require_utf8
from loa.rules import InvalidRecordError, LoaError, Rules, shown

__all__ = [
    "FORMATS",
    "GameReader",
    "Games",
    "OnError",
    "detect_format",
    "formats_of_path",
    "iter_games",
    "named",
    "read_games",
    "write_games",
]

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        paragraphs.FORMAT,
        sgf.FORMAT,
        numbered.NUMBERED_FORMAT,
        numbered.PLAYSTRATEGY_FORMAT,
        one_line.LINES_FORMAT,
        one_line.UCI_FORMAT,
    )
}
"""The formats by name, in the order in which they are asked whether a text is theirs."""

OnError = Literal["raise", "skip", "truncate"]


class Games(list[Game]):
    """All games of a file, with the name of their `format` and the `errors` passed over.

    >>> import io
    >>> games = read_games(io.StringIO("c8-c6\\nc8-c5\\n"), on_error="skip")
    >>> len(games), games.format, [error.line for error in games.errors]
    (1, 'lines', [2])
    """

    def __init__(
        self,
        games: Iterable[Game] = (),
        *,
        format: str = "",
        errors: Iterable[InvalidRecordError] = (),
    ) -> None:
        super().__init__(games)
        self.format = format
        self.errors = list(errors)


class GameReader(Iterator[Game]):
    """The games of a file, one after the other: what `iter_games` returns.

    `format` is the name of their format. `errors` are those passed over so far; a caller who
    wants them to take no memory can clear the list at any time. The file is closed after the last
    game, after an error that is raised, by `close`, and at the end of a `with` statement; a file
    that was handed over open stays so.

    >>> import io
    >>> with GameReader(io.StringIO("c8-c6\\nd1-b3\\n")) as games:
    ...     next(games), games.format
    (<Game: 1 ply>, 'lines')
    """

    def __init__(
        self,
        path_or_file: str | os.PathLike[str] | IO[str] | IO[bytes],
        *,
        format: str | None = None,
        rules: Rules | None = None,
        on_error: OnError = "raise",
    ) -> None:
        if rules is not None and not isinstance(rules, Rules):
            raise TypeError(f"rules is {shown(rules)}: expected a Rules or None")
        if on_error not in get_args(OnError):
            raise LoaError(
                f"on_error is {shown(on_error)}: expected one of {', '.join(get_args(OnError))}"
            )
        chosen = None if format is None else _format_of_name(format)
        self.errors: list[InvalidRecordError] = []
        self._on_error = on_error
        self._rules = rules
        self._lock = threading.RLock()
        self._reading = False
        self._number = 0
        with contextlib.ExitStack() as stack:
            if isinstance(path_or_file, (str, os.PathLike)):
                file: IO[str] | IO[bytes] = stack.enter_context(open_text(path_or_file))
                name = os.fspath(path_or_file)
            else:
                file, name = path_or_file, ""
            source = Source(file)
            if chosen is None:
                chosen = _format_of_text(source.head, name)
            self._items = chosen.read(source, rules)
            self._opened = stack.pop_all()
        self.format = chosen.name

    def __next__(self) -> Game:
        with self._lock:
            if self._reading:
                # By a handler of signals, or by what the file calls: the thread waits for itself.
                raise LoaError("a game within the reading of another: expected one after the other")
            self._reading = True
            try:
                return self._next()
            finally:
                self._reading = False

    def _next(self) -> Game:
        try:
            for item in self._items:
                self._number += 1
                game = item if isinstance(item, Game) else self._pass_over(item)
                if game is not None:
                    if self._rules is not None:
                        game.rules = self._rules
                    return game
        except BaseException:
            self.close()
            raise
        self.close()
        raise StopIteration

    def _pass_over(self, bad: BadGame) -> Game | None:
        """The game to go on with instead of a bad one, if any; its error is raised or noted."""
        error = bad.error
        error = InvalidRecordError(
            error.message, error.line, error.column, game=self._number, ply=error.ply
        )
        if self._on_error == "raise":
            raise error
        self.errors.append(error)
        return bad.game if self._on_error == "truncate" else None

    def close(self) -> None:
        """Close the file and end the reading.

        >>> import io
        >>> games = GameReader(io.StringIO("c8-c6\\n"))
        >>> games.close()
        >>> list(games)
        []
        """
        self._items = iter(())
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def iter_games(
    path_or_file: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    format: str | None = None,
    rules: Rules | None = None,
    on_error: OnError = "raise",
) -> GameReader:
    """The games of a file one after the other, in constant memory; see `read_games`.

    >>> import io
    >>> with iter_games(io.StringIO('[id "example"]\\nc8-c6 a6-c4\\n')) as games:
    ...     [str(move) for game in games for move in game.moves]
    ['c8-c6', 'a6-c4']
    """
    return GameReader(path_or_file, format=format, rules=rules, on_error=on_error)


def read_games(
    path_or_file: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    format: str | None = None,
    rules: Rules | None = None,
    on_error: OnError = "raise",
) -> Games:
    """All games of a file, in its order, each move played under `rules`.

    Without `rules` each game is played under those that its header `rules` names (a preset, see
    `Rules.by_name`), and under `Rules.MSO` where it names none. Games remember the rules they
    were read under: `Game.rules`.

    The file is a path, or a file that is open for reading text or bytes. `format` is a name in
    `loa.records.FORMATS`; None finds it out. `on_error` is `"raise"`, `"skip"` or `"truncate"`:
    the module's docstring says what these do to a game that cannot be read, and the list that is
    returned has the errors that were passed over in its attribute `errors`.

    Raises `InvalidRecordError`, with line, column and game, for anything that is not in the
    format, for a move that is not legal and for a move after the end of a game; `LoaError` for an
    unknown format or `on_error`; `OSError` where the file cannot be read. A file without games
    gives an empty list.

    >>> import io
    >>> games = read_games(
    ...     io.StringIO('[id "a"]\\nc8-c6\\n\\n[id "b"]\\nc8-c6 a6-a5\\n'), on_error="truncate"
    ... )
    >>> [(game.id, len(game.moves)) for game in games]
    [('a', 1), ('b', 1)]
    >>> [(error.game, error.ply, error.line, error.column) for error in games.errors]
    [(2, 2, 5, 7)]
    """
    with iter_games(path_or_file, format=format, rules=rules, on_error=on_error) as reader:
        return Games(reader, format=reader.format, errors=reader.errors)


def detect_format(path_or_file: str | os.PathLike[str] | IO[str] | IO[bytes]) -> str:
    """The name of the format that a file is in, as `read_games` finds it out.

    Reads the beginning of an open file. Raises `InvalidRecordError` where no format fits.

    >>> import io
    >>> detect_format(io.StringIO('[id "example"]\\nc8-c6\\n'))
    'paragraphs'
    """
    with GameReader(path_or_file) as reader:
        return reader.format


def write_games(
    games: Iterable[Game],
    path_or_file: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    format: str | None = None,
    lossy: bool = False,
) -> int:
    r"""Write games to a file, as UTF-8 with `\n` at the ends of lines; returns their number.

    The games are taken one after the other, in constant memory. `format` is a name in
    `loa.records.FORMATS`; None takes the first format to whose suffixes the path fits. A path is
    written whole or not at all, so that the games may come from the same file; a pipe or a device
    is written as the games come. Games are written as they are: a move need not be legal, unless
    the format, as `playstrategy`, has no word for it then. It has to move a piece of its side.

    Rules that a game was made with or read under (`Game.rules`), and that are those of a preset
    but not the ones it would be read under, are written as its header `rules`, unless it has one
    or the format has no place for it.

    Not every format has a place for variations, comments and headers, or for all that these may
    say. What has none is an error, or left out where `lossy` is true. Where a format has no games
    without moves, these are left out, and are not in the number; where it has none without an
    `id`, the game is named after its number, `game-1` and so on.

    Raises `LoaError` for a game that the format cannot hold, for an unknown format and for one
    that the path does not tell; `OSError` where the file cannot be written.

    >>> import io
    >>> file = io.StringIO()
    >>> write_games(read_games(io.StringIO('[id "a"]\nc8-c6\n')), file, format="paragraphs")
    1
    >>> file.getvalue()
    '[id "a"] [setup "standard"]\nc8-c6\n'
    """
    if isinstance(games, (str, os.PathLike)) or hasattr(games, "write"):
        raise TypeError(f"games is {shown(games)}: expected games first, then the path")
    if format is not None:
        chosen = _format_of_name(format)
    elif isinstance(path_or_file, (str, os.PathLike)) and formats_of_path(path_or_file):
        chosen = formats_of_path(path_or_file)[0]
    else:
        raise LoaError(f"no format for {shown(path_or_file)}: expected one of {', '.join(FORMATS)}")
    fitted = _Fitted(games, chosen, lossy)
    pieces = chosen.write(fitted)
    if isinstance(path_or_file, (str, os.PathLike)):
        with whole_file(path_or_file) as file:
            file.writelines(pieces)
    else:
        _write_file(path_or_file, pieces)
    return fitted.written


_TEXT_EXPECTED = "text, not half a surrogate pair"


class _Fitted(Iterator[Game]):
    """Games on their way to a writer, as far as its format can hold them.

    `number` games have been looked at, and `written` of them are on their way.
    """

    def __init__(self, games: Iterable[Game], format: Format, lossy: bool) -> None:
        self.number = 0
        self.written = 0
        self._games = iter(games)
        self._format = format
        self._lossy = lossy

    def __next__(self) -> Game:
        while True:
            game = require_game(next(self._games))
            self.number += 1
            if game.has_tree():
                game = self._without_comments(self._without_tree(game))
            game = self._without_headers(self._with_rules(game))
            if self._format.needs_id and not game.id:
                self._leave_out("no header id: expected a name")
                game = named(game, self.number)
            if game.end.ply or not self._format.needs_moves:
                self.written += 1
                return game
            self._leave_out("no moves: expected one at least")

    def _without_tree(self, game: Game) -> Game:
        """The game, without what hangs on its main line where the format has no place for it."""
        if self._format.holds_tree:
            return game
        self._leave_out("variations or comments: expected none")
        return game.plain()

    def _without_comments(self, game: Game) -> Game:
        """The game without the comments that the format cannot hold."""
        if not any(map(self._refused_comments, comments_of(game))):
            return game
        # The caller's game stays as it is.
        game = copy.copy(game)
        for comments in comments_of(game):
            for ply in self._refused_comments(comments):
                del comments[ply]
        return game

    def _refused_comments(self, comments: dict[int, str]) -> list[int]:
        refused = []
        for ply, comment in comments.items():
            expected = self._format.refuse_comment(comment)
            if expected is None and not is_utf8(comment):
                expected = _TEXT_EXPECTED
            if expected is not None:
                self._leave_out(f"at ply {ply} the comment {quote(comment)}: expected {expected}")
                refused.append(ply)
        return refused

    def _with_rules(self, game: Game) -> Game:
        """The game with the header that names its rules, where the format has a place for it."""
        headers = written_headers(game)
        if headers is game.headers or self._format.refuse_header("rules", headers["rules"]):
            return game
        game = copy.copy(game)
        game.headers = headers
        return game

    def _without_headers(self, game: Game) -> Game:
        """The game without the headers that the format cannot hold."""
        headers = game.headers
        try:
            plain = is_utf8("".join([*headers, *headers.values()]))
        except TypeError:
            raise TypeError(f"{shown(headers)} as headers: expected str to str") from None
        refuse = self._format.refuse_header
        refused = {}
        for key, value in headers.items():
            expected = refuse(key, value)
            if expected is not None:
                refused[key] = expected
        if headers.get("result", "*") not in RESULTS:
            refused.setdefault("result", f"one of {', '.join(RESULTS)}")
        if not plain:
            for key, value in headers.items():
                if not is_utf8(key + value):
                    refused.setdefault(key, _TEXT_EXPECTED)
        for key, expected in refused.items():
            header = f"{quote(key)}, {quote(headers[key])}"
            self._leave_out(f"the header {header}: expected {expected}")
        if refused:
            game = copy.copy(game)
            game.headers = {key: headers[key] for key in headers if key not in refused}
        return game

    def _leave_out(self, what: str) -> None:
        if not self._lossy:
            raise LoaError(
                f"game {self.number} has {what} in the format {self._format.name}, "
                "or lossy to write the rest"
            )


def named(game: Game, number: int) -> Game:
    """A copy of a game that has no id, named after its number.

    >>> named(Game(), 3).id
    'game-3'
    """
    game = copy.copy(game)
    game.headers = {**game.headers, "id": f"game-{number}"}
    return game


def _write_file(file: IO[str] | IO[bytes], pieces: Iterator[str]) -> None:
    write: Callable[[Any], object] | None = getattr(file, "write", None)
    if write is None:
        raise TypeError(f"{shown(file)}: expected a path or a file open for writing")
    try:
        # Nothing is written: it tells text from bytes.
        write("")
    except TypeError:
        for piece in pieces:
            write(piece.encode())
    else:
        for piece in pieces:
            write(piece)


# Formats ----------------------------------------------------------------------------------------


def _format_of_name(name: str) -> Format:
    if not isinstance(name, str):
        raise TypeError(f"format is {shown(name)}: expected a str")
    if name not in FORMATS:
        raise LoaError(f"unknown format {quote(name)}: expected one of {', '.join(FORMATS)}")
    return FORMATS[name]


def formats_of_path(path: str | os.PathLike[str]) -> list[Format]:
    """The formats to whose suffixes the path fits.

    >>> [each.name for each in formats_of_path("games.SGF")]
    ['sgf']
    """
    name = os.fspath(path).lower()
    return [each for each in FORMATS.values() if name.endswith(each.suffixes)]


def _format_of_text(head: str, path: str) -> Format:
    fitting = formats_of_path(path)
    formats = [*fitting, *(each for each in FORMATS.values() if each not in fitting)]
    for each in formats:
        if each.detect(head):
            return each
    for each in formats:
        if each.detect_later(head):
            return each
    content = first_content(head)
    if content is None:
        return next(iter(FORMATS.values()))
    line, column, text = content
    require_utf8(text, line, column)
    raise InvalidRecordError(
        f"{quote(text)}: expected a game in one of the formats {', '.join(FORMATS)}", line, column
    )
