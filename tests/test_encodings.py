"""Action indices, planes and symmetries: against the reference, by properties, and pinned."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from comparing import reference_game
from hypothesis import given
from hypothesis import strategies as st
from positions import OVER, WHITE_PASSES, boards, games, pick_move

import loa
from loa import encodings, reference
from loa.encodings import (
    ACTIONS,
    OPENSPIEL_ACTIONS,
    PASS_ACTION,
    PLANES,
    action_of,
    action_permutation,
    legal_mask,
    move_of,
    move_of_openspiel_action,
    openspiel_action_of,
    planes,
    transform_actions,
    transform_planes,
)

# In the order of loa.Direction, as steps from square to square and not as files and ranks.
STEPS = (8, 9, 1, -7, -8, -9, -1, 7)


def reference_mask(position, moves):
    """The mask, from the pairs of squares the reference gives."""
    mask = np.zeros(513, bool)
    for move in moves:
        if move == reference.PASS:
            mask[512] = True
            continue
        origin, target = move
        (direction,) = (
            direction
            for direction in loa.Direction
            if target in reference.line_squares(origin, direction, position.size)
            and (target - origin) % STEPS[direction] == 0
            and (target - origin) // STEPS[direction] > 0
        )
        mask[8 * origin + direction] = True
    return mask


def reference_planes(position, repetitions):
    array = np.zeros((8, position.size, position.size))
    for rank in range(position.size):
        for file in range(position.size):
            square = 8 * rank + file
            array[0, rank, file] = square in position.pieces(position.turn)
            array[1, rank, file] = square in position.pieces(position.turn.opponent)
            for plane, direction in enumerate(
                (loa.Direction.N, loa.Direction.NE, loa.Direction.E, loa.Direction.SE), start=2
            ):
                array[plane, rank, file] = reference.line_count(position, square, direction)
    array[6] = position.turn
    array[7] = min(repetitions, 3)
    return array


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def test_names_and_numbers():
    assert encodings.VERSION == 1
    assert (ACTIONS, PASS_ACTION) == (513, 512)
    assert (encodings.FROM_TO_ACTIONS, OPENSPIEL_ACTIONS) == (4096, 8192)
    assert encodings.MAX_REPETITIONS == 3
    assert PLANES == (
        "own",
        "enemy",
        "file_count",
        "diagonal_count",
        "rank_count",
        "anti_diagonal_count",
        "side_to_move",
        "repetitions",
    )
    assert encodings.ABSOLUTE_PLANES[:2] == ("black", "white")
    assert encodings.ABSOLUTE_PLANES[2:] == PLANES[2:]


# Actions


@given(boards())
def test_every_legal_move_is_one_action(board):
    moves = list(board.legal_moves)
    actions = [action_of(board, move) for move in moves]
    assert len(set(actions)) == len(actions)
    assert [move_of(board, action) for action in actions] == moves
    assert np.flatnonzero(legal_mask(board)).tolist() == sorted(actions)
    for move, action in zip(moves, actions, strict=True):
        if not move.is_pass:
            assert action // 8 == move.from_square


@given(boards())
def test_mask_agrees_with_the_reference(board):
    game = reference_game(board)
    mask = legal_mask(board)
    assert mask.shape == (513,)
    assert mask.dtype == np.bool_
    assert (mask == reference_mask(game.position, game.legal_moves())).all()


@given(boards(), st.integers(0, 512))
def test_illegal_actions_are_refused_and_change_nothing(board, action):
    before = board.copy()
    if legal_mask(board)[action]:
        assert action_of(board, move_of(board, action)) == action
        return
    with pytest.raises(loa.IllegalMoveError) as caught:
        move_of(board, action)
    assert caught.value.fen == board.fen()
    assert caught.value.move is None or not board.is_legal(caught.value.move)
    assert board == before


@given(boards(), st.integers(0, 4095))
def test_illegal_moves_have_no_action(board, code):
    from_square, to_square = divmod(code, 64)
    move = loa.Move.PASS if from_square == to_square else loa.Move(from_square, to_square)
    for function in (action_of, openspiel_action_of):
        if board.is_legal(move):
            continue
        with pytest.raises(loa.IllegalMoveError) as caught:
            function(board, move)
        assert caught.value.move is move


@given(boards())
def test_openspiel_actions_go_there_and_back(board):
    for move in board.legal_moves:
        if move.is_pass:
            continue
        action = openspiel_action_of(board, move)
        assert divmod(action, 2) == (move.code, board.is_capture(move))
        assert move_of_openspiel_action(board, action) is move
        with pytest.raises(loa.IllegalMoveError, match="capture, and the move is"):
            move_of_openspiel_action(board, action ^ 1)


@given(boards(), st.integers(0, 8191))
def test_numbers_that_are_no_openspiel_action_now(board, action):
    if action // 2 in [move.code for move in board.legal_moves if not move.is_pass]:
        return
    with pytest.raises((loa.IllegalMoveError, loa.InvalidMoveError)):
        move_of_openspiel_action(board, action)


def test_pass():
    board = loa.Board(WHITE_PASSES)
    assert list(board.legal_moves) == [loa.Move.PASS]
    assert np.flatnonzero(legal_mask(board)).tolist() == [512]
    assert action_of(board, loa.Move.PASS) == 512
    assert move_of(board, 512) is loa.Move.PASS
    with pytest.raises(loa.InvalidMoveError, match="no action for a pass"):
        openspiel_action_of(board, loa.Move.PASS)
    with pytest.raises(loa.IllegalMoveError, match="black has a move to make"):
        move_of(loa.Board(), 512)


def test_finished_games_have_no_action():
    board = loa.Board(OVER)
    assert not legal_mask(board).any()
    with pytest.raises(loa.IllegalMoveError, match="the game is over by connection"):
        move_of(board, 8 * loa.parse_square("a3") + loa.Direction.E)
    # Nor have those that are over by their history.
    board = loa.Board(rules=loa.Rules.OPENSPIEL)
    for text in ("b1-b3", "a2-c2", "b3-b1", "c2-a2"):
        assert legal_mask(board).any()
        board.push_text(text)
    assert board.outcome().termination is loa.Termination.REPETITION
    assert not legal_mask(board).any()


def test_numbers_out_of_range():
    for function, actions in ((move_of, ACTIONS), (move_of_openspiel_action, OPENSPIEL_ACTIONS)):
        for action, shown in (
            (actions, str(actions)),
            (-1, "-1"),
            (10**5000, "a 16610-bit number"),
        ):
            message = f"^action is {shown}: expected 0 to {actions - 1}$"
            with pytest.raises(loa.InvalidMoveError, match=message):
                function(loa.Board(), action)


def test_openspiel_action_to_the_same_square():
    with pytest.raises(loa.InvalidMoveError, match="action 130 goes from b1 to itself"):
        move_of_openspiel_action(loa.Board(), 2 * 65)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (8 * loa.parse_square("h8"), "leads to no other square of the 5x5 board"),
        (8 * loa.parse_square("b1") + loa.Direction.S, "leads to no other square of the 5x5 board"),
        (8 * loa.parse_square("b1") + loa.Direction.W, "leads to no other square of the 5x5 board"),
        (8 * loa.parse_square("a2"), "black is to move and has no piece on a2"),
    ],
)
def test_reasons(action, reason):
    with pytest.raises(loa.IllegalMoveError, match=reason):
        move_of(loa.Board(size=5), action)


@pytest.mark.parametrize("action", [True, np.True_, 1.0, "10", None, np.zeros(2, int)])
def test_actions_of_wrong_types(action):
    for function in (move_of, move_of_openspiel_action):
        with pytest.raises(TypeError, match=r"action is .*: expected an int"):
            function(loa.Board(), action)


def test_numpy_integers_are_welcome():
    assert move_of(loa.Board(), np.int64(10)) is loa.Move.from_text("b1-h1")
    assert move_of_openspiel_action(loa.Board(), np.uint16(142)) is loa.Move.from_text("b1-h1")


def test_arguments_of_wrong_types():
    for call in (
        lambda board: action_of(board, loa.Move.PASS),
        lambda board: move_of(board, 0),
        lambda board: openspiel_action_of(board, loa.Move.PASS),
        lambda board: move_of_openspiel_action(board, 0),
        lambda board: legal_mask(board),
        lambda board: planes(board),
    ):
        with pytest.raises(TypeError, match=r"board is 3: expected a loa.Board"):
            call(3)
    for function in (action_of, openspiel_action_of):
        with pytest.raises(TypeError, match=r"move is 'b1-h1': expected a loa.Move"):
            function(loa.Board(), "b1-h1")


# Planes


@given(games())
def test_planes_agree_with_the_reference(game):
    board, generator = game
    mirror = reference_game(board)
    for _ in range(12):
        expected = reference_planes(mirror.position, mirror.repetition_count() - 1)
        for dtype in (np.float32, np.uint8):
            array = planes(board, dtype=dtype)
            assert array.dtype == dtype
            assert array.shape == expected.shape
            assert (array == expected).all()
        if board.turn is loa.WHITE:
            expected[[0, 1]] = expected[[1, 0]]
        assert (planes(board, view="absolute") == expected).all()
        if board.is_game_over():
            break
        move = pick_move(board, generator)
        board.push(move)
        mirror.push((move.from_square, move.to_square))


def test_repetitions_are_counted_to_three():
    board = loa.Board(rules=loa.Rules.SACKSON_1969)
    seen = []
    for _ in range(5):
        seen.append(planes(board)[7].tolist())
        for text in ("b1-b3", "a2-c2", "b3-b1", "c2-a2"):
            board.push_text(text)
    assert [plane[0][0] for plane in seen] == [0, 1, 2, 3, 3]
    assert all(plane == [[plane[0][0]] * 8] * 8 for plane in seen)


def test_planes_are_float32_from_the_movers_view_unless_told():
    board = loa.Board()
    board.push_text("b1-b3")
    assert planes(board).dtype == np.float32
    assert (planes(board) == planes(board, view="mover")).all()
    assert planes(board)[0, 1, 0] == 1  # a2 is White's, who is to move.


def test_planes_are_of_one_moment():
    """As where another thread plays on while they are made."""

    class Restless(loa.Board):
        def line_count(self, square, direction):
            if not board.move_stack:
                board.push_text("b1-b3")
            return super().line_count(square, direction)

    board = Restless()
    assert (planes(board) == planes(loa.Board())).all()
    assert board.ply == 1


def test_planes_refuse_other_views_and_types():
    with pytest.raises(loa.LoaError, match="view is 'white': expected 'mover' or 'absolute'"):
        planes(loa.Board(), view="white")
    for view in (None, 1, np.zeros(2)):
        with pytest.raises(loa.LoaError, match="expected 'mover' or 'absolute'"):
            planes(loa.Board(), view=view)
    for dtype in (np.int8, np.float64, ">f4"):
        with pytest.raises(TypeError, match=r"dtype is .*: expected float32 or uint8"):
            planes(loa.Board(), dtype=dtype)
    with pytest.raises(TypeError):
        planes(loa.Board(), dtype="bogus")


# Symmetries


@given(boards(), st.sampled_from(loa.Symmetry))
def test_symmetric_positions_have_symmetric_encodings(board, symmetry):
    image = board.transform(symmetry)
    assert (transform_actions(legal_mask(board), symmetry, board.size) == legal_mask(image)).all()
    for view in ("mover", "absolute"):
        transformed = transform_planes(planes(board, view=view), symmetry)
        assert (transformed == planes(image, view=view)).all()


@given(boards(), st.sampled_from(loa.Symmetry))
def test_permutation_says_where_each_move_goes(board, symmetry):
    permutation = action_permutation(symmetry, board.size)
    image = board.transform(symmetry)
    for move in board.legal_moves:
        there = move_of(image, permutation[action_of(board, move)])
        after, after_there = board.copy(history=False), image.copy()
        after.push(move)
        after_there.push(there)
        assert after.transform(symmetry) == after_there


@pytest.mark.parametrize("size", range(3, 9))
def test_permutations_are_a_group(size):
    tables = [action_permutation(symmetry, size) for symmetry in loa.Symmetry]
    for table in tables:
        assert table.dtype == np.intp
        assert table.shape == (513,)
        assert sorted(table) == list(range(513))
        assert table[512] == 512
        for square in range(64):
            if max(square % 8, square // 8) >= size:
                block = slice(8 * square, 8 * square + 8)
                assert (table[block] == np.arange(512)[block]).all()
    assert (tables[loa.Symmetry.IDENTITY] == np.arange(513)).all()
    assert len({table.tobytes() for table in tables}) == 8
    assert {first[second].tobytes() for first in tables for second in tables} == {
        table.tobytes() for table in tables
    }
    quarter, half = tables[loa.Symmetry.ROTATE_90], tables[loa.Symmetry.ROTATE_180]
    assert (quarter[quarter] == half).all()
    assert (quarter[half] == tables[loa.Symmetry.ROTATE_270]).all()


@pytest.mark.parametrize("symmetry", loa.Symmetry)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.float64])
def test_batches(symmetry, dtype):
    generator = np.random.default_rng(1)
    policies = generator.integers(0, 2, (2, 3, 513)).astype(dtype)
    before = policies.copy()
    transformed = transform_actions(policies, symmetry, 6)
    assert transformed.dtype == dtype
    assert (policies == before).all()
    assert not np.shares_memory(policies, transformed)
    permutation = action_permutation(symmetry, 6)
    for index in np.ndindex(2, 3):
        assert (transformed[index][permutation] == policies[index]).all()
        assert (transformed[index] == transform_actions(policies[index], symmetry, 6)).all()

    stack = generator.integers(0, 9, (2, 3, 8, 6, 6)).astype(dtype)
    before = stack.copy()
    transformed = transform_planes(stack, symmetry)
    assert transformed.dtype == dtype
    assert (stack == before).all()
    assert not np.shares_memory(stack, transformed)
    for index in np.ndindex(2, 3):
        assert (transformed[index] == transform_planes(stack[index], symmetry)).all()


def test_arrays_need_not_be_contiguous():
    board = loa.Board("w1b/3/2b b 1")
    wide = np.repeat(planes(board), 2, axis=-1)[..., ::2]
    image = board.transform(loa.Symmetry.ROTATE_90)
    assert (transform_planes(wide, loa.Symmetry.ROTATE_90) == planes(image)).all()
    listed = transform_actions(legal_mask(board).tolist(), loa.Symmetry.ROTATE_90, 3)
    assert (listed == legal_mask(image)).all()


def test_which_count_planes_change_places():
    """Each symmetry keeps the two names of a pair of planes or exchanges them."""
    for first, second, exchanging in (
        ("file_count", "rank_count", "ROTATE_90 ROTATE_270 TRANSPOSE ANTI_TRANSPOSE"),
        ("diagonal_count", "anti_diagonal_count", "ROTATE_90 ROTATE_270 FLIP_FILES FLIP_RANKS"),
    ):
        for symmetry in loa.Symmetry:
            array = np.zeros((8, 4, 4))
            array[PLANES.index(first)] = 1
            (place,) = np.flatnonzero(transform_planes(array, symmetry).any((1, 2)))
            assert PLANES[place] == (second if symmetry.name in exchanging.split() else first)


def test_symmetries_of_wrong_shapes_and_values():
    for shape in ((), (512,), (513, 2)):
        with pytest.raises(loa.LoaError, match=r"expected \(\.\.\., 513\)"):
            transform_actions(np.zeros(shape), 0, 8)
    for shape in ((), (8, 8), (7, 8, 8), (8, 8, 7), (8, 2, 2), (8, 9, 9), (8, 8, 8, 1)):
        with pytest.raises(loa.LoaError, match=r"expected \(\.\.\., 8, size, size\)"):
            transform_planes(np.zeros(shape), 0)
    for call in (
        lambda symmetry: action_permutation(symmetry, 8),
        lambda symmetry: transform_actions(np.zeros(513), symmetry, 8),
        lambda symmetry: transform_planes(np.zeros((8, 8, 8)), symmetry),
    ):
        for symmetry in (8, -1, 2**70):
            with pytest.raises(loa.LoaError, match=r"symmetry is .*: expected 0 to 7"):
                call(symmetry)
        for symmetry in (None, "TRANSPOSE", 1.0, True):
            with pytest.raises(TypeError, match=r"symmetry is .*: expected an int"):
                call(symmetry)
    with pytest.raises(loa.LoaError, match="size is 9: expected 3 to 8"):
        action_permutation(0, 9)


# What never changes


def test_actions_of_the_start_are_pinned():
    assert np.flatnonzero(legal_mask(loa.Board(size=4))).tolist() == [
        8, 9, 10, 16, 22, 23, 202, 203, 204, 212, 213, 214,
    ]  # fmt: skip
    board = loa.Board()
    assert np.flatnonzero(legal_mask(board)).tolist() == [
        8, 9, 10, 16, 17, 23, 24, 25, 31, 32, 33, 39, 40, 41, 47, 48, 54, 55,
        458, 459, 460, 467, 468, 469, 475, 476, 477, 483, 484, 485, 491, 492, 493, 500, 501, 502,
    ]  # fmt: skip
    assert sorted(openspiel_action_of(board, move) for move in board.legal_moves) == [
        142, 162, 166, 289, 292, 296, 418, 422, 426, 548, 552, 556, 678, 682, 687, 768, 808, 812,
        7378, 7382, 7422, 7505, 7508, 7512, 7634, 7638, 7642, 7764, 7768, 7772, 7894, 7898, 7903,
        8024, 8028, 8048,
    ]  # fmt: skip


def test_planes_of_a_small_board_are_pinned():
    board = loa.Board("w1b/3/2b w 1")
    assert planes(board, dtype=np.uint8).tolist() == [
        [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 1], [0, 0, 0], [0, 0, 1]],
        [[1, 0, 2], [1, 0, 2], [1, 0, 2]],
        [[1, 0, 1], [0, 1, 0], [1, 0, 1]],
        [[1, 1, 1], [0, 0, 0], [2, 2, 2]],
        [[0, 0, 2], [0, 2, 0], [2, 0, 1]],
        [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    ]


@pytest.mark.parametrize(
    ("pieces", "digests"),
    [
        (
            "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1",
            ["7c3a2566d53aeed0", "a588bbb69b374f50"],
        ),
        ("8/2w1b3/1b2w3/3b4/2w2b2/8/3w1b2/8", ["67db23aec919b329", "94662ebe3fbe47be"]),
        ("1bbb1/w3w/2b1w/w3w/1bb2", ["0fe4782640ec9ee4", "6367cc53cfd48a51"]),
    ],
)
def test_planes_are_pinned(pieces, digests):
    """The digests of the planes as uint8, with Black and with White to move."""
    assert [
        digest(planes(loa.Board(f"{pieces} {turn} 1"), dtype=np.uint8)) for turn in "bw"
    ] == digests


@pytest.mark.parametrize(
    ("size", "digests"),
    [
        (
            8,
            "80c254aa6f2f9832 9a9a154400279023 a439b725888910a0 1672cba937e65fd2 "
            "41132ca669baf320 5f41f1f088edb0fa d82661d030656c3b fc15cabe378ed051",
        ),
        (
            5,
            "80c254aa6f2f9832 ad080800210ec609 e84dbce19bac04b2 18b78a74c04d7a9e "
            "990e62023e3e94af 8b31e2788157bacf 61d90124b1bb8fb7 1a661969ad9c7452",
        ),
    ],
)
def test_permutations_are_pinned(size, digests):
    """The digests of the permutations as 16-bit numbers, in the order of the symmetries."""
    tables = (action_permutation(symmetry, size) for symmetry in loa.Symmetry)
    assert [digest(table.astype("<i2")) for table in tables] == digests.split()


# The tables, which are in the module's documentation and on a page


def page_table(first_cell: str) -> list[list[str]]:
    """The cells of a table's rows, without marks, from the page's row that begins so."""
    page = (Path(__file__).parent.parent / "docs" / "encodings.md").read_text(encoding="utf-8")
    rows = page[page.index(f"| {first_cell} |") :].split("\n\n")[0].splitlines()[2:]
    plain = str.maketrans({"`": None, "×": "*", "–": "-"})
    return [[cell.strip().translate(plain) for cell in row.strip("|").split("|")] for row in rows]


def docstring_table(first_cell: str) -> list[list[str]]:
    text = encodings.__doc__
    rows = text[text.index(f"    {first_cell} ") :].split("\n\n")[0].splitlines()[1:]
    return [re.split("  +", row.strip()) for row in rows]


def test_the_page_has_the_actions_of_the_docstring():
    described = docstring_table("name")
    # The functions are too many for the last line and go on in the next.
    described[2][-1] += f" {described.pop()[0]}"
    for row, page in zip(described, page_table("index"), strict=True):
        name, count, index, by_pass, functions = row
        assert [name, count, by_pass] == [page[0], page[1], page[3]]
        assert re.findall(r"\d+|[+*]|from|to|direction|capture", index) == re.findall(
            r"\d+|[+*]|from|to|direction|capture", page[2]
        )
        assert set(re.findall(r"\w+_of\w*|\w+code", functions)) == set(
            re.findall(r"\w+_of\w*|\w+code", page[4])
        )


def test_the_page_has_the_planes_of_the_docstring():
    described = docstring_table("plane")
    table = page_table("plane")
    assert [row[0] for row in described] == [row[0] for row in table]
    names = [" ".join(row[1:3]).strip() for row in table]
    assert [row[1].replace(", or", "") for row in described] == names
    assert tuple(row[1] for row in table) == PLANES
    assert tuple(row[2] or row[1] for row in table) == encodings.ABSOLUTE_PLANES
