"""Every form of the kernel that sums the last plies: plain loops and each kind of vectors."""

import pytest
from comparing import perft_by_pushing, using_form, without_history
from hypothesis import given
from positions import DATA, MAX_PLIES, boards, games, pick_move

import loa
from loa import _last_plies, suite

FORMS = _last_plies._forms()
SUITE = suite.read_suite(DATA / "perft.txt")


@pytest.fixture(scope="module", params=FORMS)
def form(request):
    with using_form(_last_plies, request.param):
        yield request.param


def test_there_is_a_plain_form_and_a_choice():
    assert FORMS[0] == 0
    assert len(FORMS) == len(set(FORMS))
    for wrong in (-1, 4, 17):
        with pytest.raises(ValueError, match=str(wrong)):
            _last_plies._use_form(wrong)


def test_suite(form):
    for entry in SUITE:
        board = loa.Board(entry.fen, rules=entry.rules)
        for depth, leaves in entry.counts(60_000_000):
            assert loa.perft(board, depth) == leaves, (entry.name, depth)


def check(board: loa.Board) -> None:
    plain = without_history(board)
    depth = 3 if len(plain.legal_moves) < 40 else 2
    assert loa.perft(board, depth) == perft_by_pushing(plain, depth)


@given(board=boards())
def test_any_position(form, board):
    check(board)


@given(start=games())
def test_random_games(form, start):
    """Positions towards the ends of games, where moves connect sides in every way there is."""
    board, generator = start
    while not board.is_game_over() and board.ply < MAX_PLIES:
        board.push(pick_move(board, generator))
        if generator.random() < 0.05:
            check(board)
    for _ in range(min(4, len(board.move_stack))):
        board.pop()
        check(board)
