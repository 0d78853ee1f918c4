"""`BoardBatch` against `Board` and `loa.reference`, game by game; threads and batch sizes."""

import copy
import pickle
import random

import numpy as np
import pytest
from comparing import COLUMNS, check_row, expected_actions, reference_game, state, using_form
from hypothesis import given
from hypothesis import strategies as st
from positions import MAX_PLIES, OVER, PRESETS, boards, games, pick_move, play_on

import loa
from loa import BoardBatch, _batch_rows, encodings

TERMINATIONS = BoardBatch.TERMINATIONS


@pytest.fixture(params=_batch_rows._forms())
def form(request):
    with using_form(_batch_rows, request.param):
        yield request.param


@given(games(), st.integers(1, 4))
def test_random_games_agree_with_board_and_reference(start, rows):
    board, generator = start
    players = [board.copy() for _ in range(rows)]
    for player in players:
        play_on(player, generator, generator.randrange(12))
    batch = BoardBatch.from_boards(players)
    reference = None if rows > 1 else reference_game(players[0].copy(history=False))
    if reference is not None:
        players[0] = players[0].copy(history=False)
        batch = BoardBatch.from_boards(players)
    starts = [player.copy() for player in players]
    for _ in range(MAX_PLIES):
        checked = generator.randrange(rows)
        check_row(batch, checked, players[checked])
        if reference is not None:
            assert players[0].outcome() == reference.outcome()
        actions = np.full(rows, -1)
        for row, player in enumerate(players):
            if not player.is_game_over() and generator.random() < 0.9:
                move = pick_move(player, generator)
                actions[row] = encodings.action_of(player, move)
                player.push(move)
                if reference is not None:
                    reference.push((move.from_square, move.to_square))
        batch.step(actions)
        if all(player.is_game_over() for player in players):
            break
    for row, player in enumerate(players):
        check_row(batch, row, player)
    mask = np.array([generator.random() < 0.5 for _ in range(rows)])
    batch.reset(mask)
    for row in range(rows):
        check_row(batch, row, starts[row] if mask[row] else players[row])
    batch.reset()
    check_row(batch, rows - 1, starts[rows - 1])


@given(boards())
def test_any_position_has_the_moves_of_the_board(board):
    batch = BoardBatch.from_boards([board])
    for form in _batch_rows._forms():
        with using_form(_batch_rows, form):
            check_row(batch, 0, board)
    for move in board.legal_moves:
        board.push(move)
        after = board.copy()
        board.pop()
        batch.step([encodings.action_of(board, move)])
        check_row(batch, 0, after)
        batch.reset()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("size", range(3, 9))
def test_whole_games_under_every_preset(name, size, form):
    rules = PRESETS[name].replace(ply_limit=PRESETS[name].ply_limit or 400)
    batch = BoardBatch(6, size=size, rules=rules)
    players = [loa.Board(size=size, rules=rules) for _ in range(6)]
    for seed in range(401):
        actions = batch.sample_actions(seed)
        assert np.array_equal(actions < 0, batch.terminated)
        if batch.terminated.all():
            break
        for player, action in zip(players, actions.tolist(), strict=True):
            if action >= 0:
                player.push(encodings.move_of(player, action))
        batch.step(actions)
    assert batch.terminated.all()
    for row, player in enumerate(players):
        check_row(batch, row, player)


def test_every_way_to_end_occurs():
    rules = loa.Rules(no_legal_move=loa.NoLegalMove.LOSS, repetition_draw=2, ply_limit=60)
    batch = BoardBatch(3000, size=4, rules=rules)
    for seed in range(61):
        actions = batch.sample_actions(seed)
        actions[seed] = np.where(actions[seed] < 0, -1, 511)
        batch.step(actions, illegal="lose")
    assert batch.terminated.all()
    large = BoardBatch(20, rules=rules)
    for seed in range(60):
        large.step(large.sample_actions(seed))
    ends = set(batch.terminations.tolist()) | set(large.terminations.tolist())
    assert ends == set(range(len(TERMINATIONS)))


def test_positions_that_come_back_many_times():
    """Both sides move to and fro: more positions than the filter before the search tells apart."""
    rules = loa.Rules.MSO.replace(repetition_draw=None)
    for side_to_move in (True, False):
        board = loa.Board(rules=rules.replace(repetition_side_to_move=side_to_move))
        batch = BoardBatch.from_boards([board])
        generator = random.Random(2)
        for _ in range(600):
            stack = board.move_stack
            back = None
            if len(stack) > 1 and generator.random() < 0.7:
                back = loa.Move(stack[-2].to_square, stack[-2].from_square)
            quiet = [move for move in board.legal_moves if not board.is_capture(move)]
            move = back if back in quiet else generator.choice(quiet)
            batch.step([encodings.action_of(board, move)])
            board.push(move)
            if board.is_game_over():
                break
            assert batch.repetitions.tolist() == [board.repetition_count()]
            assert batch.planes()[0, 7, 0, 0] == min(board.repetition_count() - 1, 3)
        assert board.ply > 100
        check_row(batch, 0, board)


# Threads, sizes, forms


def play(batch: BoardBatch, steps: int) -> list[list[bytes]]:
    states = []
    for seed in range(steps):
        batch.step(batch.sample_actions(seed))
        if seed % 10 == 9:
            states.append(state(batch))
    return states


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("size", [5, 8])
def test_threads_and_forms_make_no_difference(size, auto_reset):
    rules = loa.Rules.MSO.replace(ply_limit=70)
    expected = play(BoardBatch(2100, size=size, rules=rules, auto_reset=auto_reset), 80)
    for threads in (2, 4, 1024):
        batch = BoardBatch(2100, size=size, rules=rules, auto_reset=auto_reset, threads=threads)
        assert play(batch, 80) == expected
    for form in _batch_rows._forms():
        with using_form(_batch_rows, form):
            batch = BoardBatch(2100, size=size, rules=rules, auto_reset=auto_reset)
            assert play(batch, 80) == expected


def test_batch_size_makes_no_difference():
    large = BoardBatch(700, size=6, auto_reset=True)
    small = [BoardBatch(count, size=6, auto_reset=True) for count in (1, 31, 32, 636)]
    for seed in range(60):
        actions = large.sample_actions(seed)
        large.step(actions)
        first = 0
        for batch in small:
            batch.step(actions[first : first + len(batch)])
            first += len(batch)
    for name in COLUMNS:
        parts = np.concatenate([getattr(batch, name) for batch in small])
        assert np.array_equal(getattr(large, name), parts)
    mask = np.concatenate([batch.legal_mask() for batch in small])
    assert np.array_equal(large.legal_mask(), mask)


# Sampling


def test_samples_are_legal_uniform_and_repeatable():
    batch = BoardBatch(20_000)
    actions = batch.sample_actions(5)
    assert actions.dtype == np.int32
    assert np.array_equal(actions, batch.sample_actions(5))
    assert np.array_equal(actions[:100], BoardBatch(100).sample_actions(5))
    assert not np.array_equal(actions, batch.sample_actions(6))
    legal, counts = np.unique(actions, return_counts=True)
    assert legal.tolist() == expected_actions(loa.Board())
    # 36 actions, each expected 556 times: chi squared with 35 degrees of freedom is below 67 in
    # all but one of a thousand seeds.
    assert ((counts - 20_000 / 36) ** 2 / (20_000 / 36)).sum() < 67
    # Different seeds are different in every row, too.
    one = BoardBatch(1)
    assert len({int(one.sample_actions(seed)[0]) for seed in range(300)}) == 36


@pytest.mark.parametrize("seed", [-1, 2**64, 10**30])
def test_seed_out_of_range(seed):
    with pytest.raises(loa.LoaError, match=r"seed is .*: expected 0 to 2\*\*64 - 1"):
        BoardBatch(1).sample_actions(seed)
    with pytest.raises(TypeError, match="seed is '1': expected an int"):
        BoardBatch(1).sample_actions("1")


# Automatic reset


def one_move_from_the_end() -> tuple[loa.Board, int]:
    generator = random.Random(4)
    while True:
        board = loa.Board(size=5)
        while not board.is_game_over():
            board.push(generator.choice(board.legal_moves))
        if board.outcome().termination is loa.Termination.CONNECTION and board.ply > 8:
            move = board.pop()
            return board, encodings.action_of(board, move)


def test_auto_reset_keeps_the_finished_game():
    board, action = one_move_from_the_end()
    batch = BoardBatch.from_boards([board, board], auto_reset=True)
    assert batch.auto_reset
    batch.step([action, -1])
    over = board.copy()
    over.push(encodings.move_of(board, action))
    assert batch.terminated.tolist() == [True, False]
    assert batch.winners.tolist() == [over.outcome().winner, -1]
    assert batch.terminations.tolist() == [0, -1]
    assert batch.plies.tolist() == [board.ply] * 2
    assert batch.to_boards() == [board, board]
    assert batch.to_boards(final=True) == [over, board]
    assert batch.to_boards(final=True)[0].outcome() == over.outcome()
    for view in ("mover", "absolute"):
        planes = batch.planes(final=True, view=view)
        assert np.array_equal(planes[0], encodings.planes(over, view=view))
        assert np.array_equal(planes[1], encodings.planes(board, view=view))
        assert np.array_equal(batch.planes(view=view)[0], encodings.planes(board, view=view))
    assert [again.repetition_count() for again in batch.to_boards()] == [
        board.repetition_count()
    ] * 2
    before = state(batch)
    for duplicate in (batch.copy(), pickle.loads(pickle.dumps(batch))):
        assert state(duplicate) == before
        duplicate.step([-1, action])
        assert duplicate.terminated.tolist() == [False, True]
        assert duplicate.winners.tolist() == [-1, over.outcome().winner]
        assert duplicate.to_boards(final=True) == [board, over]
    assert state(batch) == before
    batch.reset([True, False])
    assert batch.terminated.tolist() == [False, False]
    assert batch.to_boards(final=True) == [board, board]


def test_auto_reset_goes_on_as_new_batches_do():
    batch = BoardBatch(40, size=5, auto_reset=True)
    manual = BoardBatch(40, size=5)
    ended = 0
    for seed in range(200):
        actions = batch.sample_actions(seed)
        batch.step(actions)
        manual.step(actions)
        for name in ("terminated", "winners", "terminations"):
            assert np.array_equal(getattr(batch, name), getattr(manual, name))
        assert np.array_equal(batch.planes(final=True), manual.planes())
        assert batch.to_boards(final=True) == manual.to_boards()
        ended += manual.terminated.sum()
        manual.reset(manual.terminated)
        assert np.array_equal(batch.planes(), manual.planes())
        assert np.array_equal(batch.repetitions, manual.repetitions)
        assert np.array_equal(batch.legal_mask(), manual.legal_mask())
    assert ended > 100


def test_auto_reset_needs_games_that_go_on():
    over = loa.Board(OVER)
    with pytest.raises(loa.LoaError, match=r"the game of board 1 is over \(.* w 1\): expected"):
        BoardBatch.from_boards([loa.Board(), over], auto_reset=True)
    with pytest.raises(loa.LoaError, match="the game of board 0 is over"):
        BoardBatch(3, rules=loa.Rules.MSO.replace(ply_limit=0), auto_reset=True)
    batch = BoardBatch.from_boards([loa.Board(), over])
    assert batch.terminated.tolist() == [False, True]
    assert not batch.legal_mask()[1].any()


# Copies


def played(rules=loa.Rules.MSO, **options) -> BoardBatch:
    batch = BoardBatch(50, size=5, rules=rules, **options)
    for seed in range(30):
        actions = batch.sample_actions(seed)
        actions[seed] = 511 if actions[seed] >= 0 else -1
        batch.step(actions, illegal="lose")
    return batch


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("rules", [loa.Rules.MSO, loa.Rules.OPENSPIEL])
def test_copies_are_the_same_and_independent(auto_reset, rules):
    batch = played(rules, auto_reset=auto_reset, threads=3)
    before = state(batch)
    makers = (BoardBatch.copy, copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b)))
    copies = [make(batch) for make in makers]
    expected = None
    for duplicate in copies:
        assert (len(duplicate), duplicate.size, duplicate.rules) == (50, 5, rules)
        assert (duplicate.auto_reset, duplicate.threads) == (auto_reset, 3)
        assert state(duplicate) == before
        after = play(duplicate, 40)
        duplicate.reset()
        after.append(state(duplicate))
        assert state(batch) == before
        expected = expected or after
        assert after == expected


def test_pickle_of_a_batch_from_boards():
    generator = random.Random(3)
    boards = []
    for _ in range(5):
        board = loa.Board(size=6)
        for _ in range(10):
            board.push(generator.choice(board.legal_moves))
        boards.append(board)
    batch = BoardBatch.from_boards(iter(boards))
    batch.step(batch.sample_actions(1))
    again = pickle.loads(pickle.dumps(batch))
    assert state(again) == state(batch)
    again.reset()
    assert again.to_boards() == boards


def test_pickles_that_lie_are_refused():
    restore, (starts, boards, finals, lost, auto_reset, threads) = played().__reduce__()
    for arguments, message in (
        (([], boards, finals, lost, auto_reset, threads), "0 starts of 50 games"),
        ((starts, [], finals, lost, auto_reset, threads), "1 starts of 0 games"),
        ((starts * 2, boards, finals, lost, auto_reset, threads), "2 starts of 50 games"),
        ((starts, boards, {0: boards[0]}, lost, False, threads), "without auto_reset"),
        ((starts, boards, {50: boards[0]}, lost, True, threads), "row 50: expected 0 to 49"),
        ((starts, boards, {-1: boards[0]}, lost, True, threads), "row -1: expected 0 to 49"),
        ((starts, boards, finals, [50], auto_reset, threads), "row 50: expected 0 to 49"),
        ((starts, boards, finals, lost, auto_reset, 0), "threads is 0: expected 1 to 1024"),
        ((starts, [*boards[1:], loa.Board()], finals, lost, auto_reset, threads), "has size 8"),
        ((starts, boards, {1: loa.Board(size=6)}, lost, True, threads), "has size 6"),
    ):
        with pytest.raises(loa.LoaError, match=message):
            restore(*arguments)
    with pytest.raises(TypeError, match=r"is None: expected a loa\.Board"):
        restore(starts, [None, *boards[1:]], finals, lost, auto_reset, threads)
