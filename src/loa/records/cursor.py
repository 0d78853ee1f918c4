"""`Cursor`: a place in a game with the board there, for those who add many moves."""

from __future__ import annotations

from loa._board import Board
from loa._moves import Move
from loa.records.game import Game
from loa.records.node import Node, push
from loa.rules import LoaError, Rules, shown

__all__ = ["Cursor"]


class Cursor:
    """A place in a game, and the board of that place, kept in step.

    It starts at the root. `add_move` costs the same at every depth, and `go_to` what lies
    between the two places, so that a tree can be built in time that grows with its size only.
    `board` is for looking at: the cursor is lost where somebody else moves on it. Its rules are
    `rules`, by default the game's.

    Raises `IllegalMoveError` or `InvalidMoveError` for moves the rules do not allow; the game
    and the cursor stay as they were.

    >>> import loa
    >>> cursor = loa.records.Cursor(loa.Game())
    >>> before = cursor.node
    >>> cursor.add_move("c8-c6"), cursor.board.ply
    (<Node at ply 1: c8-c6>, 1)
    >>> cursor.go_to(before)
    >>> cursor.add_move("c8xa6"), len(before.variations)
    (<Node at ply 1: c8-a6>, 2)
    """

    __slots__ = ("_board", "_node")

    def __init__(self, game: Game, rules: Rules | None = None) -> None:
        if not isinstance(game, Game):
            raise TypeError(f"game is {shown(game)}: expected a Game")
        self._node = game.root
        self._board = self._node.board(rules)

    @property
    def node(self) -> Node:
        """The place.

        >>> Cursor(Game()).node
        <Node at ply 0: the start>
        """
        return self._node

    @property
    def board(self) -> Board:
        """The board of that place, with the moves before to pop on a copy.

        >>> Cursor(Game()).board.ply
        0
        """
        return self._board

    def add_move(self, move: Move | str) -> Node:
        """Add a move here, as the last variation, and go there; returns the place after it.

        >>> Cursor(Game()).add_move("c8-c6")
        <Node at ply 1: c8-c6>
        """
        self._node = self._node.add_played(push(self._board, move))
        return self._node

    def go_to(self, node: Node) -> None:
        """Go to another place of the same game; `LoaError` where it is of another.

        >>> game = Game({}, [Move.from_text("c8-c6")])
        >>> cursor = Cursor(game)
        >>> cursor.go_to(game.end)
        >>> cursor.node
        <Node at ply 1: c8-c6>
        """
        if not isinstance(node, Node):
            raise TypeError(f"node is {shown(node)}: expected a Node")
        if node.game is not self._node.game:
            raise LoaError(f"{shown(node)} is of another game: expected one of this cursor's game")
        here, there = self._node, node
        back: list[Move] = []
        forward: list[Move] = []
        while here != there:
            if here.ply >= there.ply:
                back.append(_move_to(here))
                here = _before(here)
            else:
                forward.append(_move_to(there))
                there = _before(there)
        for _ in back:
            self._board.pop()
        made = 0
        try:
            for move in reversed(forward):
                self._board.push(move)
                made += 1
        except LoaError:
            # A game made by hand may have moves that are not legal.
            for _ in range(made):
                self._board.pop()
            for move in reversed(back):
                self._board.push_unchecked(move)
            raise
        self._node = node


def _move_to(node: Node) -> Move:
    assert node.move is not None
    return node.move


def _before(node: Node) -> Node:
    assert node.parent is not None
    return node.parent
