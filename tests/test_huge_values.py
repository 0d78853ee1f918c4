"""Arguments that Python refuses to write out, or that nobody could read: errors stay short."""

import numpy as np
import pytest

import loa
from loa import distributed, encodings, notation, reference
from loa.rules import check_range, shown

HUGE = 10**5000
LONG = "c8" * 50_000
BOARD = loa.Board()
GAME = loa.Game({}, [loa.Move.from_text("c8-c6")])


@pytest.mark.parametrize("value", [HUGE, -HUGE], ids=["positive", "negative"])
@pytest.mark.parametrize(
    "call",
    [
        lambda value: loa.Board(size=value),
        lambda value: loa.Board.from_bitboards(value, 1),
        lambda value: loa.Board.from_bitboards(1, 2, ply=value),
        lambda value: loa.Board.from_bitboards(1, 2, turn=value),
        lambda value: BOARD.piece_at(value),
        lambda value: BOARD.moves_to(value),
        lambda value: BOARD.line_count(value, 0),
        lambda value: BOARD.line_count(0, value),
        lambda value: BOARD.groups(value),
        lambda value: BOARD.is_connected(value),
        lambda value: BOARD.transform(value),
        lambda value: BOARD.playout(value),
        lambda value: BOARD.playout(max_plies=value),
        lambda value: BOARD.svg(squares=[value]),
        lambda value: BOARD.svg(lines_from=value),
        lambda value: BOARD.svg(arrows=[(0, value)]),
        lambda value: loa.Move(value, 1),
        lambda value: loa.Move(1, value),
        lambda value: loa.Move.from_code(value),
        lambda value: BOARD.push(value),
        lambda value: BOARD.is_legal(value),
        lambda value: BOARD.legal_moves[value],
        lambda value: BOARD.legal_moves.index(value),
        lambda value: loa.Rules(ply_limit=value),
        lambda value: loa.Rules(repetition_draw=value),
        lambda value: loa.Rules.by_name(value),
        lambda value: notation.square(value, 0),
        lambda value: notation.square_name(value),
        lambda value: notation.squares(value),
        lambda value: notation.format_move(value, 0),
        lambda value: notation.format_fen(notation.Placement(value, 1, 2, loa.BLACK, 1)),
        lambda value: notation.format_fen(notation.Placement(8, 1, 2, loa.BLACK, value)),
        lambda value: notation.format_fen(notation.Placement(8, value, 2, loa.BLACK, 1)),
        lambda value: notation.board_text(1, 2, value),
        lambda value: reference.square_name(value),
        lambda value: reference.perft(reference.Position.start(), -abs(value)),
        lambda value: loa.perft(BOARD, value),
        lambda value: loa.perft(BOARD, 3, threads=value),
        lambda value: loa.perft(BOARD, 3, hash_mb=value),
        lambda value: loa.divide(BOARD, value),
        lambda value: loa.perft_statistics(BOARD, value),
        lambda value: loa.frontier(BOARD, value),
        lambda value: loa.frontier(BOARD, 2).perft(-value),
        lambda value: distributed.perft(BOARD, value, list),
        lambda value: distributed.perft(BOARD, 3, list, plies=value),
        lambda value: distributed.perft(BOARD, 3, list, chunk=-abs(value)),
        lambda value: distributed.perft(BOARD, 3, list, in_flight=-abs(value)),
        lambda value: distributed.perft(loa.frontier(BOARD, 2), 3, list, plies=value),
        lambda value: loa.playouts(BOARD, value),
        lambda value: loa.playouts(BOARD, 1, seed=value),
        lambda value: loa.playouts(BOARD, 1, threads=value),
        lambda value: loa.PlayoutPolicy.from_factors(capture=value),
        lambda value: loa.PlayoutPolicy.from_factors(closer=[value]),
        lambda value: loa.PlayoutPolicy([value] * 96),
        lambda value: loa.BoardBatch(value),
        lambda value: loa.BoardBatch(1, size=value),
        lambda value: loa.BoardBatch(1, threads=value),
        lambda value: loa.BoardBatch(1).step([value]),
        lambda value: loa.BoardBatch(1).playouts(value),
        lambda value: encodings.move_of(BOARD, value),
        lambda value: encodings.move_of_openspiel_action(BOARD, value),
        lambda value: GAME.board_at(value),
        lambda value: GAME.node_at(value),
        lambda value: loa.Game({}, [value]),
        lambda value: loa.Game({"id": value}),
        lambda value: loa.Game(size=value),
        lambda value: loa.Game(value),
        lambda value: GAME.root.add_variation(value),
        lambda value: loa.write_games([value], "never.txt"),
        lambda value: loa.replay_html(GAME, seconds=abs(value)),
        lambda value: check_range("n", value, 0, 8),
    ],
)
def test_numbers(call, value):
    with pytest.raises((loa.LoaError, TypeError, IndexError)) as caught:
        call(value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "call",
    [
        loa.Board,
        BOARD.push_text,
        BOARD.parse_move,
        BOARD.push,
        BOARD.fen,
        loa.Move.from_text,
        notation.parse_square,
        loa.Rules.by_name,
        lambda text: loa.Board(setup=text),
        lambda text: loa.Game({"result": text}).result,
        lambda text: loa.Game(text),
        lambda text: loa.Game({}, text),
        lambda text: GAME.root.add_variation(text),
        lambda text: GAME.root.add_line(text),
        lambda text: loa.Game(start=text),
        lambda text: loa.BoardBatch(1).step([0], illegal=text),
        lambda text: loa.BoardBatch(1).planes(view=text),
        lambda text: loa.write_games([], "never.txt", format=text),
        lambda text: loa.read_games(__file__, on_error=text),
        lambda text: BOARD.svg(theme=text),
        lambda text: BOARD.svg(fill=text),
        lambda text: check_range(text[:1], text, 0),
    ],
)
def test_texts(call):
    with pytest.raises((loa.LoaError, TypeError)) as caught:
        call(LONG)
    assert len(str(caught.value)) < 500


def test_values_as_messages_show_them():
    assert shown(2**64) == "18446744073709551616"
    assert shown([HUGE, -HUGE]) == "[a 16610-bit number, a 16610-bit number]"
    assert len(shown("a" * 1000)) == 60
    assert len(shown(np.arange(10**6))) <= 200

    class Silent:
        def __repr__(self):
            raise RuntimeError

    assert "Silent" in shown(Silent())
    # Some Pythons go by the name of a class alone.
    assert "array" in shown(type("array", (), {})())
    nested = ["c8-c6" * 20]
    for _ in range(5):
        nested = [nested] * 20
    assert len(shown(nested)) <= 200
