"""Recorded games and the files that hold them.

`Game` is a record: headers, a start and a tree of moves. `read_games`, `iter_games` and
`write_games` are for files; `loa.records.files` tells how formats are told apart and what becomes
of bad games, and each format's own module what its texts look like.

>>> import io, loa
>>> game = loa.Game({"id": "example", "black": "Ada", "white": "Ben"})
>>> node = game.root.add_line("c8-c6 a6-c4 e8-b5 h3xf1")
>>> file = io.StringIO()
>>> loa.write_games([game], file, format="paragraphs")
1
>>> print(file.getvalue(), end="")
[id "example"] [black "Ada"] [white "Ben"] [setup "standard"]
c8-c6 a6-c4 e8-b5 h3xf1
>>> _ = file.seek(0)
>>> loa.read_games(file) == [game]
True
"""

from loa.records.cursor import Cursor
from loa.records.files import (
    FORMATS,
    GameReader,
    Games,
    detect_format,
    iter_games,
    read_games,
    write_games,
)
from loa.records.format import BadGame, Format
from loa.records.game import Game
from loa.records.game_statistics import GameStatistics, plot_statistics, statistics
from loa.records.node import Node
from loa.records.positions import export_positions, positions_of
from loa.records.san_notation import parse_san, san

__all__ = [
    "FORMATS",
    "BadGame",
    "Cursor",
    "Format",
    "Game",
    "GameReader",
    "GameStatistics",
    "Games",
    "Node",
    "detect_format",
    "export_positions",
    "iter_games",
    "parse_san",
    "plot_statistics",
    "positions_of",
    "read_games",
    "san",
    "statistics",
    "write_games",
]
