"""Positions and moves as numbers for learning programs: action indices, planes, symmetries.

Everything here is `VERSION` 1. Networks outlive releases, so a change of any number below comes
as a new version. Squares are those of the 8x8 grid whatever the size of the board, and so an
action has one index on all sizes.

Action indices, for policies and masks:

    name        actions  index                              pass  functions
    action          513  8 * from_square + direction         512  action_of, move_of
    from-to       4,096  64 * from_square + to_square          0  Move.code, Move.from_code
    OpenSpiel     8,192  2 * (64 * from + to) + capture     none  openspiel_action_of,
                                                                  move_of_openspiel_action

Directions are those of `loa.Direction`: N, NE, E, SE, S, SW, W, NW are 0 to 7. How far a piece
goes is fixed by the line, so square and direction say all. `capture` is 1 where the move captures.
(OpenSpiel's index is that of `LinesOfActionState` in `lines_of_action.cc`: the digits row,
column, row, column, capture in the bases 8, 8, 8, 8, 2.)

Observation planes, shape `(8, size, size)` as [plane, rank, file], the first rank being rank 1:

    plane  name                 value on a square
    0      own, or black        1 for a piece of the side to move (absolute view: of Black), else 0
    1      enemy, or white      1 for a piece of the other side (absolute view: of White), else 0
    2      file_count           pieces of both colours on the whole file through the square
    3      diagonal_count       the same for the diagonal that rises to the right
    4      rank_count           the same for the rank
    5      anti_diagonal_count  the same for the diagonal that falls to the right
    6      side_to_move         0 everywhere if Black is to move, 1 if White is
    7      repetitions          everywhere how often the position has occurred before, 3 at most

The board is never turned for White. A symmetry of the board (`loa.Symmetry`) moves squares and
directions, and makes planes 2 to 5 change places: `transform_planes` and `transform_actions` do
that for planes, masks and policies.

    >>> import loa
    >>> board = loa.Board()
    >>> action_of(board, loa.Move.from_text("c8-c6"))
    468
    >>> int(legal_mask(board).sum()), planes(board).shape
    (36, (8, 8, 8))
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from loa._batch import _planes_dtype
from loa._board import Board
from loa._moves import Move
from loa.notation import square_name
from loa.rules import (
    WHITE,
    Direction,
    IllegalMoveError,
    InvalidMoveError,
    LoaError,
    Symmetry,
    check_range,
    check_size,
    shown,
)

__all__ = [
    "ABSOLUTE_PLANES",
    "ACTIONS",
    "FROM_TO_ACTIONS",
    "MAX_REPETITIONS",
    "OPENSPIEL_ACTIONS",
    "PASS_ACTION",
    "PLANES",
    "VERSION",
    "action_of",
    "action_permutation",
    "legal_mask",
    "move_of",
    "move_of_openspiel_action",
    "openspiel_action_of",
    "planes",
    "transform_actions",
    "transform_planes",
]

VERSION = 1
"""The version of all numbers in this module."""

ACTIONS = 513
"""The number of actions: one for each square and direction, and the pass."""

PASS_ACTION = 512
"""The action of the pass, the last one."""

FROM_TO_ACTIONS = 4096
"""The number of from-to indices, which are the codes of moves: `Move.code`, `Move.from_code`."""

OPENSPIEL_ACTIONS = 8192
"""The number of actions of OpenSpiel's `lines_of_action`."""

PLANES = (
    "own",
    "enemy",
    "file_count",
    "diagonal_count",
    "rank_count",
    "anti_diagonal_count",
    "side_to_move",
    "repetitions",
)
"""The names of the planes in the mover's view, in order."""

ABSOLUTE_PLANES = ("black", "white", *PLANES[2:])
"""The names of the planes in the absolute view, in order."""

MAX_REPETITIONS = 3
"""The greatest value in the plane `repetitions`."""

_STEPS = tuple(direction.step for direction in Direction)

# The first of the four planes of line counts; they are in the order of the first four Directions.
_FIRST_COUNT = PLANES.index("file_count")

# What each Symmetry does to (file, rank) seen from the centre of the board. A rotation by 90
# degrees is clockwise: what lay to the north lies to the east.
_MATRICES = np.array(
    [
        [[1, 0], [0, 1]],
        [[0, 1], [-1, 0]],
        [[-1, 0], [0, -1]],
        [[0, -1], [1, 0]],
        [[-1, 0], [0, 1]],
        [[1, 0], [0, -1]],
        [[0, 1], [1, 0]],
        [[0, -1], [-1, 0]],
    ]
)


# Actions


def action_of(board: Board, move: Move) -> int:
    """The action, 0 to 512, of a legal move: `8 * from_square + direction`; the pass is 512.

    Raises `IllegalMoveError` for a move that is not legal on this board.

    >>> import loa
    >>> board = loa.Board()
    >>> move = board.parse_move("b1-h1")  # 8 times b1, which is 1, plus E, which is 2
    >>> action_of(board, move)
    10
    """
    _require_legal(board, move)
    return ACTION_OF_CODE[move.code]


def move_of(board: Board, action: SupportsIndex) -> Move:
    """The legal move of an action, 0 to 512.

    Raises `InvalidMoveError` for a number that is no action and `IllegalMoveError` for an action
    that is not legal on this board; the error's `move` is None where the action leads to no
    square of the board.

    >>> import loa
    >>> move_of(loa.Board(), 10)
    Move.from_text('b1-h1')
    """
    _require_board(board)
    number = _require_action(action, ACTIONS)
    if number == PASS_ACTION:
        move = Move.PASS
    else:
        square, direction = divmod(number, 8)
        target = _target(board, square, direction)
        if target is None:
            fen = board.fen()
            raise IllegalMoveError(
                f"action {number} ({square_name(square)} {Direction(direction).name}) is illegal: "
                f"it leads to no other square of the {board.size}x{board.size} board ({fen})",
                None,
                fen,
            )
        move = Move(square, target)
    _require_legal(board, move)
    return move


def legal_mask(board: Board) -> NDArray[np.bool_]:
    """Which actions are legal, shape `(513,)`, dtype bool: none where the game is over.

    >>> import loa
    >>> np.flatnonzero(legal_mask(loa.Board(size=3))).tolist()
    [10, 14, 138, 142]
    """
    _require_board(board)
    mask = np.zeros(ACTIONS, np.bool_)
    for move in board.legal_moves:
        mask[ACTION_OF_CODE[move.code]] = True
    return mask


def openspiel_action_of(board: Board, move: Move) -> int:
    """The action, 0 to 8,191, that OpenSpiel's `lines_of_action` has for a legal move.

    Raises `IllegalMoveError` for a move that is not legal on this board and `InvalidMoveError`
    for the pass, which OpenSpiel does not have.

    >>> import loa
    >>> board = loa.Board()
    >>> [openspiel_action_of(board, board.parse_move(text)) for text in ("b1-h1", "c1xa3")]
    [142, 289]
    """
    _require_legal(board, move)
    if move.is_pass:
        raise InvalidMoveError("OpenSpiel has no action for a pass: expected a move")
    return 2 * move.code + board.is_capture(move)


def move_of_openspiel_action(board: Board, action: SupportsIndex) -> Move:
    """The legal move of an action, 0 to 8,191, of OpenSpiel's `lines_of_action`.

    Raises `InvalidMoveError` for a number that is no action and `IllegalMoveError` for an action
    that is not legal on this board, be it only that it is wrong about the capture.

    >>> import loa
    >>> move_of_openspiel_action(loa.Board(), 142)
    Move.from_text('b1-h1')
    """
    _require_board(board)
    number = _require_action(action, OPENSPIEL_ACTIONS)
    code, capture = divmod(number, 2)
    from_square, to_square = divmod(code, 64)
    if from_square == to_square:
        raise InvalidMoveError(
            f"action {number} goes from {square_name(from_square)} to itself: "
            "expected two different squares"
        )
    move = Move(from_square, to_square)
    _require_legal(board, move)
    if capture != board.is_capture(move):
        fen = board.fen()
        raise IllegalMoveError(
            f"action {number} is illegal: it says {'a' if capture else 'no'} capture, "
            f"and the move is {board.move_text(move)} ({fen})",
            move,
            fen,
        )
    return move


def _actions_by_code() -> list[int]:
    actions = [-1] * FROM_TO_ACTIONS
    for square in range(64):
        for direction, (files, ranks) in enumerate(_STEPS):
            file, rank = square % 8 + files, square // 8 + ranks
            while 0 <= file < 8 and 0 <= rank < 8:
                actions[64 * square + 8 * rank + file] = 8 * square + direction
                file, rank = file + files, rank + ranks
    actions[Move.PASS.code] = PASS_ACTION
    return actions


ACTION_OF_CODE = _actions_by_code()
"""The action of each move by its code, -1 for what is along no line."""


def _target(board: Board, square: int, direction: int) -> int | None:
    """The square that a piece on `square` would move to, None if that is no other on the board."""
    file, rank = square % 8, square // 8
    if max(file, rank) >= board.size:
        return None
    distance = board.line_count(square, direction)
    file += distance * _STEPS[direction][0]
    rank += distance * _STEPS[direction][1]
    if not distance or not (0 <= file < board.size and 0 <= rank < board.size):
        return None
    return file + 8 * rank


# Planes


def planes(board: Board, *, view: str = "mover", dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """The observation planes of a board, shape `(8, size, size)`: [plane, rank, file].

    The table in this module's documentation says what each of `PLANES` holds. `view` is
    `"mover"` (planes 0 and 1 are the pieces of the side to move and of the other) or `"absolute"`
    (Black's and White's), else `LoaError` is raised; `dtype` is float32 or uint8, else `TypeError`
    is raised, and the values are the same. Repetitions are counted as the board's rules count them
    (`Board.repetition_count`).

    >>> import loa
    >>> own, enemy = planes(loa.Board(size=4), dtype=np.uint8)[:2]
    >>> enemy[1].tolist()  # rank 2
    [1, 0, 0, 1]
    """
    _require_board(board)
    kind = _planes_dtype(view, dtype)
    # Another thread may play on meanwhile.
    board = board.copy()
    squares = [[8 * rank + file for file in range(board.size)] for rank in range(board.size)]
    sides = [board.black, board.white]
    if view == "mover" and board.turn is WHITE:
        sides.reverse()
    array = np.empty((len(PLANES), board.size, board.size), kind)
    for plane, side in enumerate(sides):
        array[plane] = [[side >> square & 1 for square in rank] for rank in squares]
    for orientation in range(4):
        array[_FIRST_COUNT + orientation] = [
            [board.line_count(square, orientation) for square in rank] for rank in squares
        ]
    array[PLANES.index("side_to_move")] = board.turn
    array[PLANES.index("repetitions")] = min(board.repetition_count() - 1, MAX_REPETITIONS)
    return array


# Symmetries


def action_permutation(symmetry: SupportsIndex, size: SupportsIndex) -> NDArray[np.intp]:
    """What becomes of each action under a symmetry of the board: shape `(513,)`, dtype intp.

    Where a piece may make the action `a`, the action `permutation[a]` is its image in
    `board.transform(symmetry)`. So a policy is carried over by `transformed[permutation] =
    policy` (`transform_actions` does it), and `policy[permutation]` carries one back. The pass
    stays what it is, as do actions from squares that the board does not have.

    `symmetry` is a `loa.Symmetry` or its number, `size` 3 to 8; anything else raises `LoaError`
    or `TypeError`.

    >>> import loa
    >>> board = loa.Board()
    >>> action = action_of(board, board.parse_move("b1-b3"))
    >>> turned = board.transform(loa.Symmetry.ROTATE_180)
    >>> move_of(turned, action_permutation(loa.Symmetry.ROTATE_180, 8)[action])
    Move.from_text('g8-g6')
    """
    matrix = _matrix(symmetry)
    size = check_size(size)
    permutation = np.arange(ACTIONS, dtype=np.intp)
    squares, directions = np.divmod(permutation[:PASS_ACTION], 8)
    files, ranks = squares % 8, squares // 8
    on_board = (files < size) & (ranks < size)
    files, ranks = _transform_squares(matrix, files, ranks, size)
    images = 8 * (files + 8 * ranks) + _transform_directions(matrix)[directions]
    permutation[:PASS_ACTION][on_board] = images[on_board]
    return permutation


def transform_actions(
    array: ArrayLike, symmetry: SupportsIndex, size: SupportsIndex
) -> NDArray[Any]:
    """Masks or policies, shape `(..., 513)`, under a symmetry of the board, as a new array.

    The result fits `board.transform(symmetry)` as `array` fits the board. `size` is the board's.
    Raises `LoaError` for another shape, symmetry or size.

    >>> import loa
    >>> board = loa.Board("w1b/3/2b b 1")
    >>> turned = transform_actions(legal_mask(board), loa.Symmetry.ROTATE_90, board.size)
    >>> bool((turned == legal_mask(board.transform(loa.Symmetry.ROTATE_90))).all())
    True
    """
    actions = np.asarray(array)
    if actions.shape[-1:] != (ACTIONS,):
        raise LoaError(f"the actions have the shape {actions.shape}: expected (..., {ACTIONS})")
    transformed = np.empty_like(actions)
    transformed[..., action_permutation(symmetry, size)] = actions
    return transformed


def transform_planes(planes: ArrayLike, symmetry: SupportsIndex) -> NDArray[Any]:
    """Planes of either view, shape `(..., 8, size, size)`, under a symmetry, as a new array.

    The result is what `planes` gives for `board.transform(symmetry)`, but for the repetitions,
    which stay: squares move, and the planes of line counts change places where their lines do.
    A quarter turn, for one, makes files of ranks and diagonals of anti-diagonals. Raises
    `LoaError` for another shape or symmetry.

    >>> import loa
    >>> board = loa.Board("w1b/3/2b b 1")
    >>> turned = transform_planes(planes(board), loa.Symmetry.ROTATE_90)
    >>> bool((turned == planes(board.transform(loa.Symmetry.ROTATE_90))).all())
    True
    """
    matrix = _matrix(symmetry)
    array = np.asarray(planes)
    size = array.shape[-1] if array.ndim else 0
    if not 3 <= size <= 8 or array.shape[-3:] != (len(PLANES), size, size):
        raise LoaError(
            f"the planes have the shape {array.shape}: expected (..., {len(PLANES)}, size, size) "
            "with a size of 3 to 8"
        )
    ranks, files = np.indices((size, size))
    files, ranks = _transform_squares(matrix, files, ranks, size)
    places = np.arange(len(PLANES))
    # Opposite directions are one line.
    places[_FIRST_COUNT : _FIRST_COUNT + 4] = _FIRST_COUNT + _transform_directions(matrix)[:4] % 4
    transformed = np.empty_like(array)
    transformed[..., places[:, None, None], ranks, files] = array
    return transformed


def _transform_squares(
    matrix: NDArray[np.int_], files: NDArray[np.int_], ranks: NDArray[np.int_], size: int
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Where squares of the board go, as files and ranks."""
    # Twice the distance from the centre is a whole number on every board.
    last = size - 1
    east, north = 2 * files - last, 2 * ranks - last
    return (
        (matrix[0, 0] * east + matrix[0, 1] * north + last) // 2,
        (matrix[1, 0] * east + matrix[1, 1] * north + last) // 2,
    )


def _transform_directions(matrix: NDArray[np.int_]) -> NDArray[np.int_]:
    """What becomes of each of the eight directions."""
    return np.array([_STEPS.index(tuple(matrix @ step)) for step in _STEPS])


# Arguments


def _require_board(board: object) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"board is {shown(board)}: expected a loa.Board")


def _require_legal(board: Board, move: Move) -> None:
    _require_board(board)
    if not isinstance(move, Move):
        raise TypeError(f"move is {shown(move)}: expected a loa.Move")
    if not board.is_legal(move):
        # Raises the error that says which rule the move breaks.
        board.parse_move(str(move))


def _require_action(action: SupportsIndex, actions: int) -> int:
    return check_range("action", action, 0, actions - 1, error=InvalidMoveError)


def _matrix(symmetry: SupportsIndex) -> NDArray[np.int_]:
    matrix: NDArray[np.int_] = _MATRICES[check_range("symmetry", symmetry, 0, len(Symmetry) - 1)]
    return matrix
