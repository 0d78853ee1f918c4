"""Boards to and from states of OpenSpiel's game `lines_of_action`.

    >>> import loa, pyspiel
    >>> from loa.integrations import openspiel
    >>> board = loa.Board(rules=loa.Rules.OPENSPIEL)
    >>> _ = board.push_text("c8-c6")
    >>> state = openspiel.to_state(board)
    >>> state.action_to_string(state.history()[0]), state.current_player()
    ('c8-c6', 1)
    >>> state.apply_action(state.string_to_action("a6-c4"))
    >>> again = openspiel.from_state(state)
    >>> again.move_stack
    [Move.from_text('c8-c6'), Move.from_text('a6-c4')]
    >>> again.rules
    Rules.OPENSPIEL

Whole games are converted, move by move, so that both sides know what has occurred before and how
long the game is, and agree on its end. OpenSpiel plays the 8x8 board from the standard start with
its own rules and cannot set up a position (version 2.0 has no `new_initial_state` from a text for
this game), so a board converts if it holds its game from there on, under `Rules.OPENSPIEL` with
any `ply_limit` from 1 up: that is the game's parameter `max_game_length`.

The actions of single moves are in `loa.encodings`: `openspiel_action_of` and
`move_of_openspiel_action`.
"""

from __future__ import annotations

from typing import Any

from loa._board import Board
from loa.encodings import move_of_openspiel_action, openspiel_action_of
from loa.rules import LoaError, Rules, shown

try:
    import pyspiel
except ImportError as _error:
    raise ImportError(
        "loa.integrations.openspiel needs OpenSpiel: pip install 'loa[openspiel]'"
    ) from _error

__all__ = ["from_state", "to_state"]

_GAME = "lines_of_action"


def to_state(board: Board, game: Any = None) -> Any:
    """The `pyspiel.State` with the same game: its history holds the board's moves.

    `game` is the `pyspiel.Game` to make the state of, whose `max_game_length` has to be the
    `ply_limit` of the board's rules; by default a game with this length is loaded.

    Raises `LoaError` for what OpenSpiel does not have: rules that differ from `Rules.OPENSPIEL` in
    more than the ply limit, no ply limit, another size or set-up, a board without the moves that
    led there from the start, another game. `IllegalMoveError`, which is one too, is for a board
    whose moves were pushed unchecked and are not legal.

    >>> import loa
    >>> to_state(loa.Board(rules=loa.Rules.OPENSPIEL.replace(ply_limit=200))).get_game()
    lines_of_action(max_game_length=200)
    >>> to_state(loa.Board())
    Traceback (most recent call last):
    ...
    loa.rules.LoaError: the rules are Rules.MSO: expected Rules.OPENSPIEL with any ply limit
    """
    if not isinstance(board, Board):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board")
    limit = board.rules.ply_limit
    if board.rules.replace(ply_limit=Rules.OPENSPIEL.ply_limit) != Rules.OPENSPIEL:
        raise LoaError(f"the rules are {board.rules}: expected Rules.OPENSPIEL with any ply limit")
    # A game of length 0 is over before its first move here, and after it in OpenSpiel.
    if not limit:
        raise LoaError(f"the rules have the ply limit {limit}: expected one of 1 or more")
    moves, root = board.move_stack, board.root()
    replay = Board(rules=board.rules)
    if root != replay:
        raise LoaError(
            f"the board's moves begin at {root.fen()}: OpenSpiel expects all moves "
            f"from {replay.fen()}"
        )
    if game is None:
        game = pyspiel.load_game(_GAME, {"max_game_length": limit})
    elif _check_game(game) != limit:
        raise LoaError(
            f"the game's max_game_length is {game.max_game_length()}: expected {limit}, "
            "the ply limit of the board's rules"
        )
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(openspiel_action_of(replay, move))
        replay.push(move)
    return state


def from_state(state: Any, rules: Rules | None = None) -> Board:
    """The board with the same game as a `pyspiel.State` of `lines_of_action`.

    Its moves are those of `state.history()`, so it can be popped and knows repetitions. `rules`
    are by default `Rules.OPENSPIEL` with the game's `max_game_length` as ply limit, under which
    state and board agree on everything; under other rules the same moves are played.

    Raises `LoaError` for a state of another game and for one without a length (`max_game_length`
    below 1), `IllegalMoveError` where an action was applied unchecked that is not legal or where
    `rules` end the game earlier.

    >>> import loa, pyspiel
    >>> state = pyspiel.load_game("lines_of_action").new_initial_state()
    >>> from_state(state) == loa.Board(rules=loa.Rules.OPENSPIEL)
    True
    """
    if not isinstance(state, pyspiel.State):
        raise TypeError(f"state is {shown(state)}: expected a pyspiel.State")
    length = _check_game(state.get_game())
    if rules is None:
        # A state goes on at any length below 1 until its first move is made.
        if length < 1:
            raise LoaError(f"the game's max_game_length is {length}: expected 1 or more")
        rules = Rules.OPENSPIEL.replace(ply_limit=length)
    board = Board(rules=rules)
    for action in state.history():
        board.push(move_of_openspiel_action(board, action))
    return board


def _check_game(game: Any) -> int:
    """The length of a game of `lines_of_action`, which it has to be."""
    if not isinstance(game, pyspiel.Game):
        raise TypeError(f"game is {shown(game)}: expected a pyspiel.Game")
    name = game.get_type().short_name
    if name != _GAME:
        raise LoaError(f"the game is {name!r}: expected {_GAME!r}")
    length: int = game.max_game_length()
    return length
