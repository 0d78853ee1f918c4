"""Positions of games as arrays, to learn from: what `loa convert games.txt games.npz` writes.

Each position of a game's main line in which a move was made is a row. The file is what
`numpy.load` reads, one array for each name, uncompressed and all of the same length:

    name          dtype   what it holds
    black         uint64  Black's pieces: bit 8 * rank + file, from a1 = bit 0, for all sizes
    white         uint64  White's pieces
    turn          uint8   the side to move: 0 Black, 1 White
    size          uint8   files and ranks of the board, 3 to 8
    action        int16   the move that was made, as an action: `loa.encodings.action_of`
    move          int16   the same move as its code: `Move.code`, from 64 * from_square + to_square
    result        int8    how the game ended, for Black: 1 won, 0 drawn, -1 lost, 127 not known
    mover_result  int8    the same for the side to move
    game          int32   the number of the game, from 0
    ply           int32   plies made before, from the start of the game on

and `version`, one int32: `VERSION` of this table, 1. A change of what is there comes as a new
version. The result is that on the board or, where the moves stop before the end, that of a
resignation or else of the record.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from loa._whole_files import is_stream, whole_file
from loa.encodings import ACTION_OF_CODE
from loa.records.game import Game, outcome_of, require_game, result_of
from loa.rules import Rules

__all__ = ["COLUMNS", "UNKNOWN", "VERSION", "export_positions", "positions_of"]

VERSION = 1
"""The version of the table in this module's documentation."""

UNKNOWN = 127
"""The result of a game of which it is not known."""

COLUMNS: dict[str, type[np.generic]] = {
    "black": np.uint64,
    "white": np.uint64,
    "turn": np.uint8,
    "size": np.uint8,
    "action": np.int16,
    "move": np.int16,
    "result": np.int8,
    "mover_result": np.int8,
    "game": np.int32,
    "ply": np.int32,
}
"""The arrays and their dtypes, in the order of the file."""

_CHUNK = 65_536
_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1, "*": UNKNOWN}

# A file with the same positions is the same file. This is the least date that a zip file has.
_DATE = (1980, 1, 1, 0, 0, 0)


def positions_of(
    games: Iterable[Game], rules: Rules | None = None
) -> Iterator[dict[str, NDArray[Any]]]:
    """The positions of games, 65,536 rows at a time, in the last chunk fewer.

    A chunk has an array for each of `COLUMNS`; the module's documentation says what they hold.
    Each game is played under `rules`, or under its own (`Game.rules`) where these are None.
    Memory is that of a chunk and of a game. Raises `IllegalMoveError` at a move that the rules do
    not allow and `TypeError` at what is no `Game`.

    >>> import loa
    >>> game = loa.Game({"result": "0-1"})
    >>> node = game.root.add_line("c8-c6 a6-c4 e8-b5")
    >>> (rows,) = positions_of([game])
    >>> rows["action"].tolist(), rows["mover_result"].tolist(), rows["ply"].tolist()
    ([468, 323, 485], [-1, 1, -1], [0, 1, 2])
    """
    rows: list[tuple[int, ...]] = []
    for number, game in enumerate(games):
        rows += _rows(require_game(game), number, rules)
        while len(rows) >= _CHUNK:
            yield _arrays(rows[:_CHUNK])
            del rows[:_CHUNK]
    if rows:
        yield _arrays(rows)


def _rows(game: Game, number: int, rules: Rules | None) -> list[tuple[int, ...]]:
    """The rows of a game, in the order of `COLUMNS`."""
    board = game.root.board(rules)
    size = board.size
    played = []
    for ply, move in enumerate(game.moves):
        turn = board.turn
        played.append((board.black, board.white, turn, size, move.code, ply))
        board.push(move)
    result = _RESULTS[result_of(game, outcome_of(game, board))]
    results = result, result if result == UNKNOWN else -result
    return [
        (black, white, turn, size, ACTION_OF_CODE[code], code, result, results[turn], number, ply)
        for black, white, turn, size, code, ply in played
    ]


def _arrays(rows: list[tuple[int, ...]]) -> dict[str, NDArray[Any]]:
    columns = zip(*rows, strict=True)
    return {
        name: np.array(column, dtype)
        for (name, dtype), column in zip(COLUMNS.items(), columns, strict=True)
    }


def export_positions(
    games: Iterable[Game], path: str | os.PathLike[str], rules: Rules | None = None
) -> int:
    """Write the positions of games to a file for `numpy.load`; returns their number.

    The module's documentation says what is in it. The games are taken one after the other in
    constant memory; what is found waits in a temporary directory beside the file, which is then
    written whole or not at all, unless it is a pipe. Raises what `positions_of` raises, and
    `OSError` where the file cannot be written.

    >>> import loa, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "positions.npz"
    ...     game = loa.Game({}, [loa.Move.from_text("c8-c6")])
    ...     count = export_positions([game], path)
    ...     with np.load(path) as arrays:
    ...         print(count, int(arrays["version"]), hex(arrays["black"][0]), arrays["result"])
    1 1 0x7e0000000000007e [127]
    """
    count = 0
    beside = None if is_stream(path) else os.path.dirname(os.path.realpath(path))
    with (
        whole_file(path, binary=True) as target,
        tempfile.TemporaryDirectory(prefix=".loa-", dir=beside) as name,
    ):
        folder = Path(name)
        with contextlib.ExitStack() as stack:
            files = {
                column: stack.enter_context((folder / column).open("wb")) for column in COLUMNS
            }
            for chunk in positions_of(games, rules):
                for column, array in chunk.items():
                    # The file is the same on all machines.
                    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
                    files[column].write(little.tobytes())
                count += len(chunk["turn"])
        with zipfile.ZipFile(target, "w") as archive:
            version = np.array(VERSION, "<i4")
            with _member(archive, "version", version.dtype, ()) as member:
                member.write(version.tobytes())
            for column, dtype in COLUMNS.items():
                kind = np.dtype(dtype).newbyteorder("<")
                with (
                    _member(archive, column, kind, (count,)) as member,
                    (folder / column).open("rb") as file,
                ):
                    shutil.copyfileobj(file, member, 1 << 20)
    return count


def _member(
    archive: zipfile.ZipFile, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> IO[bytes]:
    """An array's file in an archive, open for the bytes after its header."""
    member = archive.open(zipfile.ZipInfo(f"{name}.npy", _DATE), "w", force_zip64=True)
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(member, header)
    return member
