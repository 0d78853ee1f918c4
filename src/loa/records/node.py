"""`Node`, a place in a recorded game's tree of moves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from loa._board import Board
from loa._moves import Move
from loa.records.starts import board_of
from loa.records.tree import Line, lines
from loa.rules import Rules, shown

if TYPE_CHECKING:
    from loa.records.game import Game

__all__ = ["Node", "push"]


def push(board: Board, move: Move | str) -> Move:
    """Make a move, or the move that a text names, on a board, and return it.

    Raises what `Board.push` and `Board.push_text` raise, and `TypeError` for anything else.
    """
    if isinstance(move, str):
        return board.push_text(move)
    if not isinstance(move, Move):
        raise TypeError(f"move is {shown(move)}: expected a Move or a str")
    board.push(move)
    return move


class Node:
    """A place in a game's tree: the position after a move, or before the first one.

    Nodes are made when they are asked for and are equal when they mean the same place of the
    same game. What is said of them holds for the game: a comment that is set, or a move that is
    added, is there for every other node too.

    >>> import loa
    >>> game = loa.Game()
    >>> node = game.root.add_line("c8-c6 a6-c4")
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
        """The game this is a place of.

        >>> import loa
        >>> game = loa.Game()
        >>> game.root.game is game
        True
        """
        return self._game

    @property
    def ply(self) -> int:
        """The number of moves from the game's start to here.

        >>> import loa
        >>> loa.Game().root.ply
        0
        """
        return self._ply

    @property
    def move(self) -> Move | None:
        """The move that leads here; None before the first one.

        >>> import loa
        >>> loa.Game().add_move("c8-c6").move
        Move.from_text('c8-c6')
        """
        return self._line.moves[self._ply - self._line.base - 1] if self._ply else None

    @property
    def comment(self) -> str:
        """What is said about the move that leads here, or before the game; can be set.

        >>> import loa
        >>> node = loa.Game().add_move("c8-c6")
        >>> node.comment = "a quiet start"
        >>> node.comment
        'a quiet start'
        """
        return self._line.comments.get(self._ply, "")

    @comment.setter
    def comment(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"comment is {shown(text)}: expected a str")
        if text:
            self._line.comments[self._ply] = text
        else:
            self._line.comments.pop(self._ply, None)

    @property
    def parent(self) -> Node | None:
        """The place before the move that leads here; None for the root.

        >>> import loa
        >>> loa.Game().add_move("c8-c6").parent
        <Node at ply 0: the start>
        """
        if not self._ply:
            return None
        line = self._line
        if line.parent is not None and self._ply - 1 == line.base:
            line = line.parent
        return Node(self._game, line, self._ply - 1)

    @property
    def variations(self) -> tuple[Node, ...]:
        """The places after this one, the main continuation first.

        >>> import loa
        >>> game = loa.Game()
        >>> _ = game.root.add_variation("c8-c6"), game.root.add_variation("c8xa6")
        >>> game.root.variations
        (<Node at ply 1: c8-c6>, <Node at ply 1: c8-a6>)
        """
        line, ply = self._line, self._ply
        if ply == line.end:
            return ()
        first = Node(self._game, line, ply + 1)
        others = line.branches.get(ply)
        if others is None:
            return (first,)
        return (first, *(Node(self._game, other, ply + 1) for other in others))

    def mainline(self) -> Iterator[Node]:
        """The places after this one, following the main continuation of each.

        >>> import loa
        >>> list(loa.Game().root.add_line("c8-c6 a6-c4").parent.mainline())
        [<Node at ply 2: a6-c4>]
        """
        line = self._line
        return (Node(self._game, line, ply) for ply in range(self._ply + 1, line.end + 1))

    def mainline_moves(self) -> Iterator[Move]:
        """The moves to those places.

        >>> import loa
        >>> list(loa.Game().root.add_line("c8-c6 a6-c4").parent.mainline_moves())
        [Move.from_text('a6-c4')]
        """
        return iter(self._line.moves[self._ply - self._line.base :])

    @property
    def moves(self) -> list[Move]:
        """The moves from the game's start to here, in a list of the caller's own.

        >>> import loa
        >>> loa.Game().add_move("c8-c6").moves
        [Move.from_text('c8-c6')]
        """
        parts = []
        line: Line | None = self._line
        ply = self._ply
        while line is not None:
            parts.append(line.moves[: ply - line.base])
            ply = line.base
            line = line.parent
        return [move for part in reversed(parts) for move in part]

    def board(self, rules: Rules | None = None) -> Board:
        """The board here, with the moves before to pop.

        Raises `IllegalMoveError` at a move that `rules`, by default the game's, do not allow.

        >>> import loa
        >>> loa.Game().add_move("c8-c6").board().ply
        1
        """
        board = board_of(self._game.start, self._game.rules if rules is None else rules)
        for move in self.moves:
            board.push(move)
        return board

    def add_variation(self, move: Move | str, rules: Rules | None = None) -> Node:
        """Add a move after this place, as its last variation; returns the place after the move.

        Raises what `Game.add_move` raises, and leaves the game as it was. A move that is there
        already is added beside itself.

        >>> import loa
        >>> loa.Game().root.add_variation("c8-c6")
        <Node at ply 1: c8-c6>
        """
        return self.add_played(push(self.board(rules), move))

    def add_line(self, moves: str | Iterable[Move | str], rules: Rules | None = None) -> Node:
        """Add moves one after the other, the first as the last variation of this place.

        They are an iterable of moves or of their texts, or one text with blanks between the
        moves. Returns the place after the last. Raises what `Game.add_move` raises, and leaves
        the game as it was where one of them is not legal.

        >>> import loa
        >>> loa.Game().root.add_line("c8-c6 a6-c4")
        <Node at ply 2: a6-c4>
        """
        if isinstance(moves, str):
            moves = moves.split()
        elif not isinstance(moves, Iterable):
            raise TypeError(f"moves is {shown(moves)}: expected a str or an iterable of moves")
        board = self.board(rules)
        return self.add_played(*[push(board, move) for move in moves])

    def add_played(self, *moves: Move) -> Node:
        """Add moves that are known to be legal, as `add_line` does.

        For readers that play on a board of their own: no rule is asked.

        >>> import loa
        >>> loa.Game().root.add_played(Move.from_text("c8-c6"))
        <Node at ply 1: c8-c6>
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
