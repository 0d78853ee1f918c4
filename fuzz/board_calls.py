"""The target `board`: calls on a `Board`, each compared with the reference's game."""

from __future__ import annotations

import copy
import pickle

from comparing import check_position, pairs, reference_game, snapshot

import loa
from fuzz.choices import Choices
from loa import encodings, reference


def board(data: bytes) -> None:
    """Whatever is called on a board, it stands where the game of the reference stands."""
    choices = Choices(data)
    game = _Game(choices.board(3 + choices.below(6), choices.rules()))
    check_position(game.board, game.game)
    while choices.left:
        call = choices.pick(_CALLS)
        call(game, choices)
        check_position(game.board, game.game)
        assert pairs(game.board.move_stack) == game.game.moves


class _Game:
    """A board and the reference's game, and what is called on both."""

    def __init__(self, board: loa.Board) -> None:
        self.board = board
        self.game = reference_game(board)

    def refused(self, move: loa.Move, error: Exception) -> None:
        """Notes what a refusal has to say."""
        assert isinstance(error, loa.IllegalMoveError)
        assert (error.move, error.fen) == (move, self.board.fen())

    def push_legal(self, choices: Choices) -> None:
        number = choices.number()
        if moves := self.board.legal_moves:
            move = moves[number % len(moves)]
            self.board.push(move)
            self.game.push((move.from_square, move.to_square))

    def push_back(self, choices: Choices) -> None:
        """Takes the side's last move back by a move, which makes positions occur again."""
        moves = self.game.moves
        if len(moves) > 1 and moves[-2] != reference.PASS:
            self._push(loa.Move(*reversed(moves[-2])))

    def push_any(self, choices: Choices) -> None:
        self._push(choices.move())

    def _push(self, move: loa.Move) -> None:
        legal = (move.from_square, move.to_square) in self.game.legal_moves()
        assert self.board.is_legal(move) == (move in self.board.legal_moves) == legal
        before = snapshot(self.board)
        try:
            self.board.push(move)
        except loa.LoaError as error:
            assert not legal
            assert snapshot(self.board) == before
            self.refused(move, error)
        else:
            self.game.push((move.from_square, move.to_square))

    def push_text(self, choices: Choices) -> None:
        move = choices.move()
        text = str(move).replace("-", choices.pick(["-", "x", ":", " ", ""]))
        legal = (move.from_square, move.to_square) in self.game.legal_moves()
        try:
            assert self.board.push_text(text) is move
        except loa.LoaError as error:
            assert not legal
            self.refused(move, error)
        else:
            self.game.push((move.from_square, move.to_square))

    def push_unchecked(self, choices: Choices) -> None:
        """A piece may be carried to any square that is not its own side's, but the last one."""
        move = choices.move()
        pair = move.from_square, move.to_square
        position = self.game.position
        enemy = position.pieces(position.turn.opponent)
        file, rank = move.to_square % 8, move.to_square // 8
        own = position.pieces(position.turn)
        possible = move.is_pass or (
            move.from_square in own
            and reference.on_board(file, rank, position.size)
            and move.to_square not in own
            and enemy != {move.to_square}
        )
        try:
            self.board.push_unchecked(move)
        except loa.LoaError as error:
            assert not possible
            self.refused(move, error)
        else:
            assert possible
            self.game.moves.append(pair)
            self.game.history.append(reference.make_move(position, pair))

    def pop(self, choices: Choices) -> None:
        for _ in range(1 + choices.below(4)):
            try:
                move = self.board.pop()
            except IndexError:
                assert not self.game.moves
            else:
                assert (move.from_square, move.to_square) == self.game.pop()

    def duplicate(self, choices: Choices) -> None:
        """Goes on with a copy; the board that it was made from has another move made."""
        how = choices.below(4)
        before = self.board
        if how == 0:
            self.board = before.copy()
        elif how == 1:
            self.board = copy.deepcopy(before)
        elif how == 2:
            self.board = pickle.loads(pickle.dumps(before))
        else:
            self.board = before.copy(history=False)
            self.game = reference_game(before)
        assert self.board == before
        if before.legal_moves:
            before.push(before.legal_moves[0])

    def root(self, choices: Choices) -> None:
        root = self.board.root()
        first = self.game.history[0]
        assert (root.black, root.white) == (
            sum(1 << square for square in first.black), sum(1 << square for square in first.white)
        )  # fmt: skip
        for start, end in self.game.moves:
            root.push_unchecked(loa.Move(start, end) if (start, end) != (0, 0) else loa.Move.PASS)
        assert snapshot(root) == snapshot(self.board)

    def transform(self, choices: Choices) -> None:
        """Goes on with an image of the position."""
        symmetry = choices.pick(list(loa.Symmetry))
        image = self.board.transform(symmetry)
        assert image.canonical() == self.board.canonical()
        assert len(image.legal_moves) == len(self.board.copy(history=False).legal_moves)
        self.board = image
        self.game = reference_game(image)

    def text(self, choices: Choices) -> None:
        """Goes on with what a text says of the position."""
        dialect = choices.pick(loa.notation.DIALECTS)
        text = self.board.fen(dialect)
        if dialect != "openspiel":
            self.board = loa.Board.from_fen(text, dialect=dialect, rules=self.board.rules)
            self.game = reference_game(self.board)

    def squares(self, choices: Choices) -> None:
        """Asks about a square, on the board or not."""
        square, size = choices.below(80) - 8, self.board.size
        direction = choices.pick(list(loa.Direction))
        if not (0 <= square < 64 and reference.on_board(square % 8, square // 8, size)):
            for ask in (self.board.piece_at, self.board.moves_to):
                try:
                    ask(square)
                except loa.LoaError:
                    continue
                raise AssertionError(f"{square} is a square")
            return
        position = self.game.position
        expected = (
            loa.BLACK if square in position.black
            else loa.WHITE if square in position.white
            else None
        )  # fmt: skip
        assert self.board.piece_at(square) is expected
        assert self.board.line_count(square, direction) == reference.line_count(
            position, square, direction
        )
        assert sorted(pairs(self.board.moves_to(square))) == sorted(
            move for move in self.game.legal_moves() if move[1] == square and move != (0, 0)
        )

    def action(self, choices: Choices) -> None:
        """Makes the move of an action, if there is one."""
        action = choices.number(2) % 1024
        mask = encodings.legal_mask(self.board)
        legal = action < len(mask) and bool(mask[action])
        try:
            move = encodings.move_of(self.board, action)
        except (loa.InvalidMoveError, loa.IllegalMoveError):
            assert not legal
            return
        assert legal
        assert encodings.action_of(self.board, move) == action
        self._push(move)

    def perft(self, choices: Choices) -> None:
        depth = choices.below(3)
        if len(self.board.legal_moves) > 12:
            depth = min(depth, 1)
        assert loa.perft(self.board, depth) == reference.perft(
            self.game.position, depth, self.board.rules
        )


# What is there twice is called twice as often.
_CALLS = [
    _Game.push_legal,
    _Game.push_legal,
    _Game.push_back,
    _Game.push_any,
    _Game.push_text,
    _Game.push_unchecked,
    _Game.pop,
    _Game.duplicate,
    _Game.root,
    _Game.transform,
    _Game.text,
    _Game.squares,
    _Game.action,
    _Game.perft,
]
