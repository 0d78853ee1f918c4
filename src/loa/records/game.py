"""`Game`, a recorded game, and `Node`, a place in its tree of moves."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, SupportsIndex

from loa._board import Board
from loa._moves import Move
from loa.notation import Placement, format_fen, parse_fen
from loa.records.text import quote
from loa.records.tree import Line, LineRow, lines, lines_of_rows, rows_of_lines, same_lines
from loa.rules import (
    BLACK,
    WHITE,
    Color,
    LoaError,
    Outcome,
    Rules,
    Termination,
    check_size,
    starting_bitboards,
)

__all__ = [
    "RESIGNATIONS",
    "RESULTS",
    "STANDARD",
    "Game",
    "Node",
    "board_of",
    "make_game",
    "push",
    "starting_placement",
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


def starting_placement(size: SupportsIndex = 8, setup: str = "standard") -> Placement:
    """The start of a game of this size (3 to 8) and set-up (`"standard"` or `"scrambled"`)."""
    number = check_size(size)
    return Placement(number, *starting_bitboards(number, setup), turn=BLACK, move_number=1)


STANDARD = starting_placement()

# The two set-ups of 3x3 are one: it is called by its first name.
_SETUPS = {
    starting_placement(size, setup): setup
    for setup in ("scrambled", "standard")
    for size in range(3, 9)
}


def board_of(start: Placement, rules: Rules = Rules.MSO) -> Board:
    """The board of a placement; raises `InvalidFenError` where it is no position."""
    return Board.from_bitboards(
        start.black,
        start.white,
        size=start.size,
        turn=start.turn,
        ply=2 * (start.move_number - 1) + start.turn,
        rules=rules,
    )


def push(board: Board, move: Move | str) -> Move:
    """Make a move, or the move that a text names, on a board, and return it.

    Raises what `Board.push` and `Board.push_text` raise, and `TypeError` for anything else.
    """
    if isinstance(move, str):
        return board.push_text(move)
    if not isinstance(move, Move):
        raise TypeError(f"move is {move!r}: expected a Move or a str")
    board.push(move)
    return move


class Game:
    """A recorded game: what is said about it, where it starts, and a tree of moves.

    The main line is the first continuation at each place; the others are variations. Every place
    has a comment, often empty. `headers` is a dict of str to str: `id` names the game, `black` and
    `white` are the players, `result` and `note` say what the properties `result` and `resigned`
    tell. The start is not among them: it is the standard one unless `start` (a FEN or a
    `loa.notation.Placement`), or `size` and `setup` (as `Board` has them), say otherwise.

    `moves` are the main line. They are trusted until they are played: `board_at` and `board`
    raise `IllegalMoveError` at one that the rules do not allow. Whatever is added later, and all
    that `loa.read_games` reads, has been played.

    Games are equal when their headers, starts and trees, comments included, are. They can be
    copied and pickled whatever the depth of the tree.

    >>> import loa
    >>> game = loa.Game({"id": "example", "result": "*"})
    >>> node = game.add_move("c8-c6")
    >>> node.comment = "a quiet start"
    >>> game.add_variation(0, "c8xa6 a5-c7")
    <Node at ply 2: a5-c7>
    >>> game.moves, [str(child.move) for child in game.root.variations]
    ([Move.from_text('c8-c6')], ['c8-c6', 'c8-a6'])
    >>> game.board().fen()
    '1b1bbbb1/w6w/w1b4w/w6w/w6w/w6w/w6w/1bbbbbb1 w 1'
    """

    __slots__ = ("_line", "_start", "headers")

    headers: dict[str, str]
    _start: Placement
    _line: Line

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        moves: Iterable[Move] = (),
        *,
        start: str | Placement | None = None,
        size: SupportsIndex | None = None,
        setup: str | None = None,
    ) -> None:
        self.headers = {} if headers is None else dict(headers)
        for text in itertools.chain.from_iterable(self.headers.items()):
            if not isinstance(text, str):
                raise TypeError(f"{text!r} in the headers: expected str")
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
                raise TypeError(f"{move!r} among the moves: expected a Move")

    @classmethod
    def from_board(cls, board: Board, headers: Mapping[str, str] | None = None) -> Self:
        """The game that was played on a board, from the board's start on.

        >>> import loa
        >>> board = loa.Board(size=5)
        >>> board.push(board.legal_moves[0])
        >>> Game.from_board(board).board() == board
        True
        """
        if not isinstance(board, Board):
            raise TypeError(f"board is {board!r}: expected a Board")
        moves = board.move_stack
        first = board.copy()
        for _ in moves:
            first.pop()
        return cls(headers, moves, start=parse_fen(first.fen()))

    # What the record says ----------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The name of the game in its file, empty where the headers have none."""
        return self.headers.get("id", "")

    @property
    def result(self) -> str:
        """What the record says: `"1-0"` (Black won), `"0-1"`, `"1/2-1/2"`, or `"*"` for nothing.

        Raises `LoaError` where the header is none of the results a record can have.
        """
        text = self.headers.get("result", "*")
        if text not in RESULTS:
            raise LoaError(f"result {quote(text)}: expected one of {', '.join(RESULTS)}")
        return RESULTS[text]

    @property
    def resigned(self) -> Color | None:
        """The side that gave up: the header `note` is then `B resigns` or `W resigns`."""
        return RESIGNATIONS.get(self.headers.get("note", ""))

    @property
    def start(self) -> Placement:
        """The position before the first move.

        >>> Game(size=5).start.size
        5
        """
        return self._start

    @property
    def setup(self) -> str:
        """`"standard"` or `"scrambled"`, of any size, or `"custom"` for every other start."""
        return "standard" if self._start is STANDARD else _SETUPS.get(self._start, "custom")

    # The main line -----------------------------------------------------------------------------

    @property
    def moves(self) -> list[Move]:
        """The moves of the main line, in a list of the caller's own."""
        return self._line.moves.copy()

    def mainline(self) -> Iterator[Move]:
        """The moves of the main line, one after the other.

        >>> import loa
        >>> next(Game({}, [loa.Move.from_text("c8-c6")]).mainline())
        Move.from_text('c8-c6')
        """
        return iter(self._line.moves)

    def board_at(self, ply: SupportsIndex, rules: Rules = Rules.MSO) -> Board:
        """The board after this many plies (0: the start), with the moves before it to pop.

        Raises `LoaError` where the game is shorter and `IllegalMoveError` at a move that
        `rules` do not allow.
        """
        return self.node_at(ply).board(rules)

    def board(self, rules: Rules = Rules.MSO) -> Board:
        """The board after the last move; raises what `board_at` raises."""
        return self.end.board(rules)

    def outcome(self, rules: Rules = Rules.MSO) -> Outcome | None:
        """How the game ended: on the board, or by a resignation that the record's note tells of.

        None where the moves stop before the end. The record's `result` has no part in this.
        """
        outcome = self.board(rules).outcome()
        if outcome is None and self.resigned is not None:
            return Outcome(self.resigned.opponent, Termination.RESIGNATION)
        return outcome

    # The tree ----------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The place before the first move."""
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
        """The place on the main line after this many plies; `LoaError` where there is none."""
        if isinstance(ply, bool) or not hasattr(ply, "__index__"):
            raise TypeError(f"ply is {ply!r}: expected an int")
        number = operator.index(ply)
        end = self._line.end
        if not 0 <= number <= end:
            raise LoaError(f"ply is {number}: expected 0 to {end}, as long as the game is")
        return Node(self, self._line, number)

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

    def add_move(self, move: Move | str, rules: Rules = Rules.MSO) -> Node:
        """Add a move at the end of the main line; returns the place after it.

        Raises `IllegalMoveError` where the rules do not allow it and `InvalidMoveError` where a
        text is no move, and leaves the game as it was. The game is played through for this; a
        `loa.records.Cursor` adds many moves at the price of one.
        """
        return self.end.add_move(move, rules)

    def add_variation(
        self, ply: SupportsIndex, moves: str | Iterable[Move | str], rules: Rules = Rules.MSO
    ) -> Node:
        """Add moves that leave the main line at this ply; see `Node.add_variation`."""
        return self.node_at(ply).add_variation(moves, rules)

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
        copy.__setstate__((self.headers, self._start, rows_of_lines(Line(self.moves)), None))
        return copy

    # Values ------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self.headers == other.headers
            and (self._start is other._start or self._start == other._start)
            and same_lines(self._line, other._line)
        )

    def __getstate__(self) -> tuple[dict[str, str], Placement, list[LineRow], Any]:
        added = getattr(self, "__dict__", None)
        return self.headers, self._start, rows_of_lines(self._line), added

    def __setstate__(self, state: tuple[dict[str, str], Placement, list[LineRow], Any]) -> None:
        headers, start, rows, added = state
        self.headers = dict(headers)
        self._start = STANDARD if start == STANDARD else start
        self._line = lines_of_rows(rows)
        if added:
            self.__dict__.update(added)

    def __repr__(self) -> str:
        name = f" {quote(self.id)}" if self.id else ""
        start = "" if self._start == STANDARD else f" from {format_fen(self._start)}"
        plies = f"{self._line.end} {'ply' if self._line.end == 1 else 'plies'}"
        return f"<{type(self).__name__}{name}: {plies}{start}>"


def make_game(headers: dict[str, str], moves: list[Move], start: Placement = STANDARD) -> Game:
    """A game of parts that are known to be right and that nobody else holds."""
    game = Game.__new__(Game)
    game.headers = headers
    game._start = start
    game._line = Line(moves)
    return game


def _parse_start(start: str | Placement) -> Placement:
    """The start that a FEN or a placement describes, which is then known to be a position."""
    if isinstance(start, Placement):
        start = format_fen(start)
    placement = parse_fen(start)
    return STANDARD if placement == STANDARD else placement


class Node:
    """A place in a game's tree: the position after a move, or before the first one.

    Nodes are made when they are asked for and are equal when they mean the same place of the
    same game. What is said of them holds for the game: a comment that is set, or a move that is
    added, is there for every other node too.

    >>> import loa
    >>> game = loa.Game()
    >>> node = game.root.add_variation("c8-c6 a6-c4")
    >>> node.ply, str(node.move), node.parent.parent == game.root
    (2, 'a6-c4', True)
    """

    __slots__ = ("_game", "_line", "_ply")

    def __init__(self, game: Game, line: Line, ply: int) -> None:
        self._game = game
        self._line = line
        self._ply = ply

    @property
    def game(self) -> Game:
        """The game this is a place of."""
        return self._game

    @property
    def ply(self) -> int:
        """The number of moves from the game's start to here."""
        return self._ply

    @property
    def move(self) -> Move | None:
        """The move that leads here; None before the first one."""
        return self._line.moves[self._ply - self._line.base - 1] if self._ply else None

    @property
    def comment(self) -> str:
        """What is said about the move that leads here, or before the game; can be set."""
        return self._line.comments.get(self._ply, "")

    @comment.setter
    def comment(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"comment is {text!r}: expected a str")
        if text:
            self._line.comments[self._ply] = text
        else:
            self._line.comments.pop(self._ply, None)

    @property
    def parent(self) -> Node | None:
        """The place before the move that leads here; None for the root."""
        if not self._ply:
            return None
        line = self._line
        if line.parent is not None and self._ply - 1 == line.base:
            line = line.parent
        return Node(self._game, line, self._ply - 1)

    @property
    def variations(self) -> tuple[Node, ...]:
        """The places after this one, the main continuation first."""
        line, ply = self._line, self._ply
        if ply == line.end:
            return ()
        first = Node(self._game, line, ply + 1)
        others = line.branches.get(ply)
        if others is None:
            return (first,)
        return (first, *(Node(self._game, other, ply + 1) for other in others))

    def moves(self) -> list[Move]:
        """The moves from the game's start to here."""
        parts = []
        line: Line | None = self._line
        ply = self._ply
        while line is not None:
            parts.append(line.moves[: ply - line.base])
            ply = line.base
            line = line.parent
        return [move for part in reversed(parts) for move in part]

    def board(self, rules: Rules = Rules.MSO) -> Board:
        """The board here, with the moves before to pop.

        Raises `IllegalMoveError` at a move that `rules` do not allow.
        """
        board = board_of(self._game.start, rules)
        for move in self.moves():
            board.push(move)
        return board

    def add_move(self, move: Move | str, rules: Rules = Rules.MSO) -> Node:
        """Add a move after this place, as its last variation; returns the place after the move.

        Raises what `Game.add_move` raises, and leaves the game as it was. A move that is there
        already is added beside itself.
        """
        return self.add_played(push(self.board(rules), move))

    def add_variation(self, moves: str | Iterable[Move | str], rules: Rules = Rules.MSO) -> Node:
        """Add moves one after the other, the first as the last variation of this place.

        They are an iterable of moves or of their texts, or one text with blanks between the
        moves. Returns the place after the last. Raises what `Game.add_move` raises, and leaves
        the game as it was where one of them is not legal.
        """
        board = self.board(rules)
        if isinstance(moves, str):
            moves = moves.split()
        return self.add_played(*[push(board, move) for move in moves])

    def add_played(self, *moves: Move) -> Node:
        """Add moves that are known to be legal, as `add_variation` does.

        For readers that play on a board of their own: no rule is asked.
        """
        if not moves:
            return self
        line = self._line.add(self._ply, list(moves))
        return Node(self._game, line, self._ply + len(moves))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._line is other._line and self._ply == other._ply

    def __hash__(self) -> int:
        return hash((id(self._line), self._ply))

    def __reduce__(self) -> tuple[Any, ...]:
        number = next(
            number for number, line in enumerate(lines(self._game._line)) if line is self._line
        )
        return _restore_node, (self._game, number, self._ply)

    def __repr__(self) -> str:
        move = "the start" if self.move is None else str(self.move)
        return f"<Node at ply {self._ply}: {move}>"


def _restore_node(game: Game, number: int, ply: int) -> Node:
    """Unpickles a node: the place on this line of its game's."""
    return Node(game, next(itertools.islice(lines(game._line), number, None)), ply)
