"""Positions and games to test with: Hypothesis strategies, and the recorded data."""

import json
import random
from pathlib import Path

from hypothesis import strategies as st

import loa

DATA = Path(__file__).parent / "data"
PRESETS = loa.Rules.presets()

# A game that goes on for longer says little that its beginning did not.
MAX_PLIES = 150

# Positions in which one thing is so. The side to move has no move along a line, and passes.
BLACK_PASSES = "bw6/ww6/8/8/8/8/ww4ww/bw4wb b 1"
WHITE_PASSES = "1b2/4/bbbb/1wbw w 1"
# Neither side has a move along a line.
BOTH_STUCK = "8/2b1w1b1/1w1w1w1w/2b1w1b1/1b1b1b1b/2b1w1b1/1w1w1w1w/2b1w1b1 b 1"
# The game is over: Black is connected.
OVER = "8/8/8/3bb3/8/w6w/8/8 w 1"
# White wins by e8-e6 and by no other move.
WON_IN_ONE = "4w2b/8/8/3w2b1/4w1b1/1www2b1/2b4b/2b5 w 1"
# White's d2xd6 connects both sides.
BOTH_CONNECT_IN_ONE = "2w5/2ww4/1bwbw3/b1www3/1bb5/1bb5/3w4/8 w 1"


def literature_positions() -> dict[str, dict]:
    """Positions in print by their names, with the facts that are known of each."""
    return json.loads((DATA / "positions.json").read_text(encoding="utf-8"))


def mask_of(size: int) -> int:
    """The squares of a board."""
    return sum(((1 << size) - 1) << 8 * rank for rank in range(size))


def rules():
    """Presets, and combinations of fields that no source has."""
    return st.sampled_from(list(PRESETS.values())) | st.builds(
        loa.Rules,
        simultaneous_connection=st.sampled_from(loa.SimultaneousConnection),
        no_legal_move=st.sampled_from(loa.NoLegalMove),
        repetition_draw=st.none() | st.integers(2, 4),
        repetition_claim=st.none() | st.integers(2, 4),
        repetition_side_to_move=st.booleans(),
        ply_limit=st.none() | st.integers(0, 60),
        draws_precede_connection=st.booleans(),
    )


ANY_RULES = rules()


@st.composite
def boards(draw, rules=ANY_RULES):
    """Any position that there is: all sizes, any number of pieces of either colour from one up."""
    size = draw(st.integers(3, 8))
    mask = mask_of(size)
    bits = st.integers(0, 2**64 - 1)
    # One, two or three random words joined by "and" give dense, middling and sparse boards.
    occupied = mask
    for _ in range(draw(st.integers(0, 3))):
        occupied &= draw(bits)
    black = draw(bits) & occupied
    white = occupied & ~black
    black_square, white_square = draw(
        st.lists(
            st.sampled_from([square for square in range(64) if mask >> square & 1]),
            min_size=2,
            max_size=2,
            unique=True,
        )
    )
    black, white = black | 1 << black_square, white | 1 << white_square
    black, white = black & ~(1 << white_square), white & ~(1 << black_square)
    turn = draw(st.sampled_from(loa.Color))
    return loa.Board.from_bitboards(
        black,
        white,
        size=size,
        turn=turn,
        ply=2 * draw(st.integers(0, 40)) + turn,
        rules=draw(rules),
    )


def pick_move(board: loa.Board, generator: random.Random) -> loa.Move:
    """A random legal move that now and then takes the side's last move back: some games repeat."""
    moves = board.legal_moves
    stack = board.move_stack
    if len(stack) > 1 and not stack[-2].is_pass and generator.random() < 0.1:
        back = loa.Move(stack[-2].to_square, stack[-2].from_square)
        if back in moves:
            return back
    return generator.choice(moves)


def play_on(board: loa.Board, generator: random.Random, plies: int) -> None:
    """Makes so many random moves, or fewer where the game ends."""
    for _ in range(plies):
        if board.is_game_over():
            return
        board.push(pick_move(board, generator))


@st.composite
def games(draw, rules=ANY_RULES):
    """A board to play on and a generator of random numbers: starts and arbitrary positions."""
    start = st.builds(
        loa.Board,
        # Small boards end soon, so large ones are drawn more often.
        size=st.sampled_from([3, 4, 5, 6, 7, 8, 8, 8]),
        setup=st.sampled_from(["standard", "scrambled"]),
        rules=rules,
    )
    board = draw(start | start | boards(rules))
    return board, random.Random(draw(st.integers(0, 2**32 - 1)))
