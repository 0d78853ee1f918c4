"""`Game`, a recorded game: headers, a start and a tree of moves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, SupportsIndex

from loa._board import Board
from loa._moves import Move
from loa.notation import Placement, format_fen, parse_fen
from loa.records.node import Node
from loa.records.starts import STANDARD, name_of, rules_of, starting_placement
from loa.records.text import quote
from loa.records.tree import Line, LineRow, lines, lines_of_rows, rows_of_lines, same_lines
from loa.rules import BLACK, WHITE, Color, LoaError, Outcome, Rules, Termination, check_range, shown

__all__ = [
    "RESIGNATIONS",
    "RESULTS",
    "Game",
    "comments_of",
    "make_game",
    "outcome_of",
    "require_game",
    "result_of",
    "written_headers",
]

RESULTS = {
    "1-0": "1-0",
    "0-1": "0-1",
    "1/2-1/2": "1/2-1/2",
    "0.5-0.5": "1/2-1/2",
    "*": "*",
}
"""The results a record can have, by the texts that are read as such."""

RESIGNATIONS = {"B resigns": BLACK, "W resigns": WHITE}
"""Who gave up, by the text of the header `note` that says so."""


# The two set-ups of 3x3 are one: it is called by its first name.
_SETUPS = {
    starting_placement(size, setup): setup
    for setup in ("scrambled", "standard")
    for size in range(3, 9)
}


class Game:
    """A recorded game: what is said about it, where it starts, and a tree of moves.

    The main line is the first continuation at each place; the others are variations. Every place
    has a comment, often empty. `headers` is a dict of str to str: `id` names the game, `black` and
    `white` are the players, `result` and `note` say what the properties `result` and `resigned`
    tell. The start is not among them: it is the standard one unless `start` (a FEN or a
    `loa.notation.Placement`), or `size` and `setup` (as `Board` has them), say otherwise.

    `moves` are the main line. They are trusted until they are played: `board_at` and `board`
    raise `IllegalMoveError` at one that the rules do not allow. Whatever is added later, and all
    that `loa.read_games` reads, has been played. Variations are added at places: those of the
    main line are `root`, `end` and `node_at(ply)`, and `Node` tells the rest.

    `rules` are those that the game is played under wherever no others are given: by default the
    preset that the header `rules` names. They can be set.

    Games are equal when their headers, starts and trees, comments included, are; rules count as
    the header `rules` that `write_games` writes for them. They can be copied and pickled whatever
    the depth of the tree.

    >>> import loa
    >>> game = loa.Game({"id": "example", "result": "*"})
    >>> node = game.add_move("c8-c6")
    >>> node.comment = "a quiet start"
    >>> game.root.add_line("c8xa6 a5-c7")
    <Node at ply 2: a5-c7>
    >>> game.moves, [str(child.move) for child in game.root.variations]
    ([Move.from_text('c8-c6')], ['c8-c6', 'c8-a6'])
    >>> game.board().fen()
    '1b1bbbb1/w6w/w1b4w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1'
    """

    __slots__ = ("_line", "_rules", "_start", "headers")

    headers: dict[str, str]
    _start: Placement
    _line: Line
    _rules: Rules | None

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        moves: Iterable[Move] = (),
        *,
        start: str | Placement | None = None,
        size: SupportsIndex | None = None,
        setup: str | None = None,
        rules: Rules | None = None,
    ) -> None:
        if isinstance(headers, Board):
            raise TypeError(
                f"headers is {shown(headers)}: expected a mapping; Game.from_board takes a board"
            )
        try:
            self.headers = {} if headers is None else dict(headers)
        except (TypeError, ValueError):
            raise TypeError(f"headers is {shown(headers)}: expected a mapping") from None
        for text in itertools.chain.from_iterable(self.headers.items()):
            if not isinstance(text, str):
                raise TypeError(f"{shown(text)} in the headers: expected str")
        self._rules = None
        if rules is not None:
            self.rules = rules
        if start is None:
            size = 8 if size is None else size
            self._start = starting_placement(size, "standard" if setup is None else setup)
        elif size is None and setup is None:
            self._start = _parse_start(start)
        else:
            raise LoaError("a start says its own size and set-up: expected no size or setup")
        self._line = Line(list(moves))
        for move in self._line.moves:
            if not isinstance(move, Move):
                raise TypeError(f"{shown(move)} among the moves: expected a Move")

    @classmethod
    def from_board(cls, board: Board, headers: Mapping[str, str] | None = None) -> Self:
        """The game that was played on a board, from the board's start on and under its rules.

        >>> import loa
        >>> board = loa.Board(size=5, rules=Rules.CODINGAME)
        >>> board.push(board.legal_moves[0])
        >>> game = Game.from_board(board)
        >>> game.board() == board, game.rules
        (True, Rules.CODINGAME)
        """
        if not isinstance(board, Board):
            raise TypeError(f"board is {shown(board)}: expected a Board")
        start = parse_fen(board.root().fen())
        return cls(headers, board.move_stack, start=start, rules=board.rules)

    # What the record says ----------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The name of the game in its file, empty where the headers have none.

        >>> Game({"id": "example"}).id
        'example'
        """
        return self.headers.get("id", "")

    @property
    def result(self) -> str:
        """What the record says: `"1-0"` (Black won), `"0-1"`, `"1/2-1/2"`, or `"*"` for nothing.

        Raises `LoaError` where the header is none of the results a record can have.

        >>> Game().result, Game({"result": "0.5-0.5"}).result
        ('*', '1/2-1/2')
        """
        text = self.headers.get("result", "*")
        if text not in RESULTS:
            raise LoaError(f"result {quote(text)}: expected one of {', '.join(RESULTS)}")
        return RESULTS[text]

    @property
    def resigned(self) -> Color | None:
        """The side that gave up: the header `note` is then `B resigns` or `W resigns`.

        >>> Game({"note": "W resigns"}).resigned
        <Color.WHITE: 1>
        """
        return RESIGNATIONS.get(self.headers.get("note", ""))

    @property
    def rules(self) -> Rules:
        """The rules that the game is played under where no others are given; can be set.

        They are those it was made with or read under. Where there were none, they are the preset
        that the header `rules` names (see `Rules.by_name`), or `Rules.MSO` where it names none.
        Setting them leaves the headers as they are.

        >>> Game({"rules": "openspiel"}).rules, Game(rules=Rules.CODINGAME).rules, Game().rules
        (Rules.OPENSPIEL, Rules.CODINGAME, Rules.MSO)
        """
        return rules_of(self.headers) if self._rules is None else self._rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        if not isinstance(rules, Rules):
            raise TypeError(f"rules is {shown(rules)}: expected a Rules")
        # Headers that say the same can be changed later, and the rules with them.
        self._rules = None if rules == rules_of(self.headers) else rules

    @property
    def start(self) -> Placement:
        """The position before the first move.

        >>> Game(size=5).start.size
        5
        """
        return self._start

    @property
    def setup(self) -> str:
        """`"standard"` or `"scrambled"`, of any size, or `"custom"` for every other start.

        >>> Game(size=5, setup="scrambled").setup
        'scrambled'
        """
        return _SETUPS.get(self._start, "custom")

    # The main line -----------------------------------------------------------------------------

    @property
    def moves(self) -> list[Move]:
        """The moves of the main line, in a list of the caller's own.

        >>> import loa
        >>> Game({}, [loa.Move.from_text("c8-c6")]).moves
        [Move.from_text('c8-c6')]
        """
        return self._line.moves.copy()

    def mainline(self) -> Iterator[Node]:
        """The places of the main line, from that after the first move on; see `Node.mainline`.

        >>> import loa
        >>> list(Game({}, [loa.Move.from_text("c8-c6")]).mainline())
        [<Node at ply 1: c8-c6>]
        """
        return self.root.mainline()

    def board_at(self, ply: SupportsIndex, rules: Rules | None = None) -> Board:
        """The board after this many plies (0: the start), with the moves before it to pop.

        Raises `LoaError` where the game is shorter and `IllegalMoveError` at a move that
        `rules`, by default the game's, do not allow.

        >>> Game().board_at(0).ply
        0
        """
        return self.node_at(ply).board(rules)

    def board(self, rules: Rules | None = None) -> Board:
        """The board of the last position, after all moves of the main line.

        That of the start is `board_at(0)`. Raises what `board_at` raises.

        >>> import loa
        >>> Game({}, [loa.Move.from_text("c8-c6")]).board().ply
        1
        """
        return self.end.board(rules)

    def outcome(self, rules: Rules | None = None) -> Outcome | None:
        """How the game ended: on the board, or by a resignation that the record's note tells of.

        None where the moves stop before the end under `rules`, by default the game's. The
        record's `result` has no part in this.

        >>> str(Game({"note": "W resigns"}).outcome())
        'Black wins by resignation'
        """
        return outcome_of(self, self.board(rules))

    # The tree ----------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The place before the first move.

        >>> Game().root
        <Node at ply 0: the start>
        """
        return Node(self, self._line, 0)

    @property
    def end(self) -> Node:
        """The place after the last move of the main line.

        >>> Game().end == Game().root, Game().end.ply
        (False, 0)
        """
        return Node(self, self._line, self._line.end)

    @property
    def comment(self) -> str:
        """What is said before the first move; can be set.

        >>> game = Game()
        >>> game.comment = "a rapid game"
        >>> game.root.comment
        'a rapid game'
        """
        return self.root.comment

    @comment.setter
    def comment(self, text: str) -> None:
        self.root.comment = text

    def node_at(self, ply: SupportsIndex) -> Node:
        """The place on the main line after this many plies; `LoaError` where there is none.

        >>> Game().node_at(0) == Game().root, Game().node_at(0).ply
        (False, 0)
        """
        return Node(self, self._line, check_range("ply", ply, 0, self._line.end))

    def nodes(self) -> Iterator[Node]:
        """All places, from the root on: each is followed by all that its variations hold.

        >>> [node.ply for node in Game({}, [Move.from_text("c8-c6")]).nodes()]
        [0, 1]
        """
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.variations)

    def add_move(self, move: Move | str, rules: Rules | None = None) -> Node:
        """Add a move at the end of the main line; returns the place after it.

        Raises `IllegalMoveError` where the rules do not allow it and `InvalidMoveError` where a
        text is no move, and leaves the game as it was. The game is played through for this; a
        `loa.records.Cursor` adds many moves at the price of one.

        >>> Game().add_move("c8-c6")
        <Node at ply 1: c8-c6>
        """
        return self.end.add_variation(move, rules)

    def has_tree(self) -> bool:
        """Whether there is more than the moves of the main line: a variation or a comment.

        >>> Game().has_tree()
        False
        """
        return bool(self._line.branches or self._line.comments)

    def plain(self) -> Self:
        """A copy without variations and comments.

        >>> game = Game()
        >>> game.comment = "a rapid game"
        >>> game.plain() == Game()
        True
        """
        copy = type(self).__new__(type(self))
        rows = rows_of_lines(Line(self.moves))
        copy.__setstate__((self.headers, self._start, rows, None, self._rules))
        return copy

    # Values ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (
            written_headers(self) == written_headers(other)
            and self._start == other._start
            and same_lines(self._line, other._line)
        )

    def __getstate__(self) -> _State:
        # Dicts that are nobody else's, since others may add to the game meanwhile.
        headers, added = dict(self.headers), dict(getattr(self, "__dict__", {}))
        # Some presets are equal: a name tells them apart in another process, too.
        rules = None if self._rules is None else name_of(self._rules) or self._rules
        return headers, self._start, rows_of_lines(self._line), added, rules

    def __setstate__(self, state: _State) -> None:
        headers, start, rows, added, rules = state
        self.headers = dict(headers)
        self._rules = Rules.by_name(rules) if isinstance(rules, str) else rules
        self._start = start
        self._line = lines_of_rows(rows)
        if added:
            self.__dict__.update(added)

    def __repr__(self) -> str:
        name = f" {quote(self.id)}" if self.id else ""
        start = "" if self._start == STANDARD else f" from {format_fen(self._start)}"
        plies = f"{self._line.end} {'ply' if self._line.end == 1 else 'plies'}"
        return f"<{type(self).__name__}{name}: {plies}{start}>"


_State = tuple[dict[str, str], Placement, list[LineRow], Any, Rules | str | None]
"""What is copied and pickled of a game: headers, start, tree, what subclasses add, rules."""


def make_game(headers: dict[str, str], moves: list[Move], start: Placement) -> Game:
    """A game of parts that are known to be right and that nobody else holds."""
    game = Game.__new__(Game)
    game.headers = headers
    game._start = start
    game._line = Line(moves)
    game._rules = None
    return game


def _parse_start(start: str | Placement) -> Placement:
    """The start that a FEN or a placement describes, which is then known to be a position."""
    if isinstance(start, Placement):
        start = format_fen(start)
    return parse_fen(start)


def require_game(game: object) -> Game:
    """A value that has to be a game, among others such.

    >>> require_game(3)
    Traceback (most recent call last):
    TypeError: 3 among the games: expected a Game
    """
    if not isinstance(game, Game):
        raise TypeError(f"{shown(game)} among the games: expected a Game")
    return game


def written_headers(game: Game) -> dict[str, str]:
    """The headers as they are written: with the game's rules, where they have a name.

    Where there is a header `rules` already, it stays as it is.

    >>> written_headers(Game({"id": "a"}, rules=Rules.OPENSPIEL))
    {'id': 'a', 'rules': 'openspiel'}
    """
    if game._rules is None or "rules" in game.headers:
        return game.headers
    name = name_of(game._rules)
    return game.headers if name is None else {**game.headers, "rules": name}


def outcome_of(game: Game, board: Board) -> Outcome | None:
    """How a game ended, of which this is the last board: there, or else by a resignation."""
    outcome = board.outcome()
    if outcome is None and game.resigned is not None:
        return Outcome(game.resigned.opponent, Termination.RESIGNATION)
    return outcome


def result_of(game: Game, outcome: Outcome | None) -> str:
    """The result of a game that ended so: that of the record, where there is no outcome."""
    return game.result if outcome is None else outcome.result


def comments_of(game: Game) -> Iterator[dict[int, str]]:
    """The comments of a game by ply, line by line: the game's own, to be looked at or changed."""
    return (line.comments for line in lines(game._line))
