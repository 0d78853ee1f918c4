"""Positions as texts, in the four dialects: what is read, what is refused, and with which words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from positions import DATA

from loa import notation
from loa.notation import Placement
from loa.rules import BLACK, WHITE, Color, InvalidFenError, LoaError, starting_bitboards

SIZES = range(3, 9)
START = {
    "native": "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1",
    "playstrategy": "1LLLLLL1/l6l/l6l/l6l/l6l/l6l/l6l/1LLLLLL1 w - - 0 1",
    "openspiel": (
        "8.xxxxxx.\n7o......o\n6o......o\n5o......o\n4o......o\n3o......o\n2o......o\n1.xxxxxx.\n"
        " abcdefgh\n\n\nCurrent player: x"
    ),
    "cutechess": "1pppppp1/P6P/P6P/P6P/P6P/P6P/P6P/1pppppp1 b - - 0 1",
}
SCRAMBLED = {
    "native": "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1",
    "cutechess": "1PpPpPp1/p6P/P6p/p6P/P6p/p6P/P6p/1pPpPpP1 b - - 0 1",
}
SMALL = "1b1/w1w/1b1"
SMALL_PRINTED = "3.x.\n2o.o\n1.x.\n abc\n\n\nCurrent player: x"


def start(size: int = 8, setup: str = "standard") -> Placement:
    black, white = starting_bitboards(size, setup)
    return Placement(size=size, black=black, white=white, turn=BLACK, move_number=1)


# What is read


def test_dialects() -> None:
    assert notation.DIALECTS == ("native", "playstrategy", "openspiel", "cutechess")


@pytest.mark.parametrize("dialect", notation.DIALECTS)
def test_start(dialect: str) -> None:
    assert notation.format_fen(start(), dialect) == START[dialect]
    assert notation.parse_fen(START[dialect], dialect) == start()


@pytest.mark.parametrize("dialect", SCRAMBLED)
def test_scrambled_start(dialect: str) -> None:
    assert notation.format_fen(start(setup="scrambled"), dialect) == SCRAMBLED[dialect]


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("native", "1b1/w1w/1b1", (BLACK, 1)),
        ("native", "1b1/w1w/1b1 w", (WHITE, 1)),
        ("native", "1B1/W1w/1b1 W 3", (WHITE, 3)),
        ("native", "\t1b1/w1w/1b1\n  b  12\r\n", (BLACK, 12)),
        ("native", "1b1/w1w/1b1 b 0000000007", (BLACK, 7)),
        ("native", f"1b1/w1w/1b1 b {2**30}", (BLACK, 2**30)),
        ("playstrategy", "1L1/l1l/1L1", (BLACK, 1)),
        ("playstrategy", "1L1/l1l/1L1 b", (WHITE, 1)),
        ("playstrategy", "1L1/l1l/1L1 W - -", (BLACK, 1)),
        ("playstrategy", "1L1/l1l/1L1 b - - 37 9", (WHITE, 9)),
        ("cutechess", "1p1/P1P/1p1 b - -", (BLACK, 1)),
        ("cutechess", "1p1/P1P/1p1 w - - 0", (WHITE, 1)),
        ("cutechess", "1p1/P1P/1p1 w - - 0 1", (WHITE, 1)),
        ("cutechess", "1p1/P1P/1p1 w - - 0 2", (WHITE, 1)),
        ("cutechess", "1p1/P1P/1p1 b - - 0 2", (BLACK, 2)),
        ("cutechess", "1p1/P1P/1p1 w - - 0 3", (WHITE, 2)),
        ("cutechess", f"1p1/P1P/1p1 w - - 0 {2**30 + 1}", (WHITE, 2**30)),
        ("openspiel", SMALL_PRINTED, (BLACK, 1)),
        ("openspiel", SMALL_PRINTED.replace("player: x", "player: o"), (WHITE, 1)),
        ("openspiel", SMALL_PRINTED.upper(), (BLACK, 1)),
        ("openspiel", SMALL_PRINTED.replace("\n", " \r\n"), (BLACK, 1)),
        ("openspiel", "\n 3 . x .\n2 o . o\n1 . x .\n  a b c\nCurrent player:x\n\n", (BLACK, 1)),
    ],
)
def test_accepted_forms(dialect: str, text: str, expected: tuple[Color, int]) -> None:
    turn, move_number = expected
    placement = Placement(3, *starting_bitboards(3), turn, move_number)
    assert notation.parse_fen(text, dialect) == placement


def test_move_numbers_of_a_game() -> None:
    """The first four positions of a game, as each program numbers them."""
    texts = {
        "native": ["b 1", "w 1", "b 2", "w 2"],
        "playstrategy": ["w - - 0 1", "b - - 0 1", "w - - 0 2", "b - - 0 2"],
        "cutechess": ["b - - 0 1", "w - - 0 2", "b - - 0 2", "w - - 0 3"],
    }
    for dialect, endings in texts.items():
        for ply, ending in enumerate(endings):
            placement = Placement(3, *starting_bitboards(3), Color(ply % 2), ply // 2 + 1)
            text = notation.format_fen(placement, dialect)
            assert text.split(maxsplit=1)[1] == ending
            assert notation.parse_fen(text, dialect) == placement


def test_finished_positions_and_single_pieces_are_positions() -> None:
    placement = notation.parse_fen("b2/3/2w w 40")
    assert (placement.black, placement.white) == (1 << 16, 1 << 2)


def test_positions_of_the_perft_suite() -> None:
    lines = (DATA / "perft.txt").read_text(encoding="utf-8").splitlines()
    fens = [line.split("|")[1].strip() for line in lines if line and not line.startswith("#")]
    assert len(fens) > 100
    for fen in fens:
        assert notation.format_fen(notation.parse_fen(fen)) == fen


def test_states_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra: pip install 'loa[openspiel]'")
    game = pyspiel.load_game("lines_of_action")
    draw = random.Random(7)
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            placement = notation.parse_fen(str(state), "openspiel")
            assert notation.format_fen(placement, "openspiel") == str(state)
            assert placement.turn == state.current_player()
            state.apply_action(draw.choice(state.legal_actions()))
        with pytest.raises(InvalidFenError, match="a finished game does not say whose turn"):
            notation.parse_fen(str(state), "openspiel")


# What is refused

EXPECTED_NATIVE = "expected 'b', 'w', digits 1 to 8 and '/'"
MALFORMED = [
    # native: no board, another board
    ("native", "", "is empty: expected a position"),
    ("native", " \n\t", "is empty"),
    ("native", "b", "has 1 rank(s): expected 3 to 8"),
    ("native", "b 1", "has 1 rank(s)"),
    ("native", "bw/wb b 1", "'bw/wb' has 2 rank(s)"),
    ("native", "/".join(["9"] * 9), f"with '9' in it: {EXPECTED_NATIVE}"),
    ("native", "/".join(["b7w"] * 9), "has 9 rank(s): expected 3 to 8"),
    ("native", "/", "has 2 rank(s)"),
    ("native", "//", "rank 3 is '': expected 3 squares"),
    ("native", "1b1/w1w/1b1/", "rank 4 is '1b1': expected 4 squares"),
    ("native", "1b1/w1w/1b", "rank 1 is '1b': expected 3 squares, one for each rank"),
    ("native", "1b1/w2w/1b1", "rank 2 is 'w2w': expected 3 squares"),
    ("native", "1b1/4/1w1", "rank 2 is '4': expected 3 squares"),
    ("native", "1bb1/w2w/1bb1", "rank 3 is '1bb1': expected 3 squares"),
    ("native", "1b1/w11/1b1", "rank 2 is 'w11' with '11' in it: expected one digit for each run"),
    ("native", "1b1/w0w/1b1", "rank 2 is 'w0w' with '0' in it"),
    ("native", "1b1/w-w/1b1", "with '-' in it"),
    ("native", "1b1/w\xb2w/1b1", "with '\xb2' in it"),
    ("native", "1b1/w\uff11w/1b1", "with '\uff11' in it"),
    ("native", "1b1/w\u0661w/1b1", "with '\u0661' in it"),
    ("native", "1b1/w\u24d1w/1b1", "with '\u24d1' in it"),
    ("native", "1b1/w\x00w/1b1", r"with '\x00' in it"),
    ("native", "1b1/w\ud800w/1b1", r"with '\ud800' in it"),
    ("native", "1b1 /w1w/1b1", "has 1 rank(s)"),
    ("native", "1b1/w1w/ 1b1", "rank 1 is '': expected 3 squares"),
    ("native", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "with 'r' in it"),
    ("native", "3/3/3 b 1", "the board '3/3/3' has no 'b': expected a piece of each colour"),
    ("native", "1w1/w1w/1w1 b 1", "has no 'b'"),
    ("native", "1b1/b1b/1b1 b 1", "has no 'w'"),
    # native: other dialects
    ("native", START["playstrategy"], "'L' in it: expected 'b', 'w', digits"),
    ("native", START["playstrategy"], "; this looks like dialect='playstrategy'"),
    ("native", "1b1/l1l/1b1", "'l' in it"),
    ("native", "1b1/l1l/1b1", "; this looks like dialect='playstrategy'"),
    ("native", START["cutechess"], "; this looks like dialect='cutechess'"),
    ("native", START["openspiel"], "; this looks like dialect='openspiel'"),
    ("native", "1x1/o1o/1x1 x", "; this looks like dialect='openspiel'"),
    ("native", "1b1/O1w/1b1 x", "; this looks like dialect='openspiel'"),
    # native: side to move and move number
    ("native", f"{SMALL} 1", "the side to move is '1': expected 'b' (Black) or 'w' (White)"),
    ("native", f"{SMALL} x 1", "the side to move is 'x'"),
    ("native", f"{SMALL} - 1", "the side to move is '-'"),
    ("native", f"{SMALL} bb 1", "the side to move is 'bb'"),
    ("native", f"{SMALL} black 1", "the side to move is 'black'"),
    ("native", f"{SMALL} b 0", f"the move number is '0': expected 1 to {2**30}"),
    ("native", f"{SMALL} b -1", "the move number is '-1'"),
    ("native", f"{SMALL} b +1", "the move number is '+1'"),
    ("native", f"{SMALL} b 1.0", "the move number is '1.0'"),
    ("native", f"{SMALL} b 1_0", "the move number is '1_0'"),
    ("native", f"{SMALL} b 0x1", "the move number is '0x1'"),
    ("native", f"{SMALL} b one", "the move number is 'one'"),
    ("native", f"{SMALL} b \xb2", "the move number is '\xb2'"),
    ("native", f"{SMALL} b \uff11", "the move number is '\uff11'"),
    ("native", f"{SMALL} b {2**30 + 1}", f"the move number is '{2**30 + 1}'"),
    ("native", f"{SMALL} b 00000000001", "the move number is '00000000001'"),
    ("native", f"{SMALL} b {'9' * 5000}", "the move number is '999"),
    ("native", f"{SMALL} b 1 1", "unexpected '1' at the end: expected board, side to move"),
    ("native", f"{SMALL} b - - 0 1", "unexpected '- 0 1' at the end"),
    # playstrategy
    ("playstrategy", START["native"], "; this looks like dialect='native'"),
    ("playstrategy", START["cutechess"], "; this looks like dialect='cutechess'"),
    ("playstrategy", "1L1/L1L/1L1 w - - 0 1", "has no 'l'"),
    ("playstrategy", "1l1/l1l/1l1 w - - 0 1", "has no 'L'"),
    ("playstrategy", "1L1/l2l/1L1 w - - 0 1", "rank 2 is 'l2l'"),
    ("playstrategy", "1L1/l~l/1L1 w - - 0 1", "with '~' in it: expected 'L', 'l'"),
    ("playstrategy", "1L1/l1l/1L1 1", "the side to move is '1': expected 'w' (Black) or 'b'"),
    ("playstrategy", "1L1/l1l/1L1 w 1", "unexpected field '1': expected '-'"),
    ("playstrategy", "1L1/l1l/1L1 w KQkq - 0 1", "unexpected field 'KQkq': expected '-'"),
    ("playstrategy", "1L1/l1l/1L1 w - a3 0 1", "unexpected field 'a3': expected '-'"),
    ("playstrategy", "1L1/l1l/1L1 w - - - 1", "the half-move clock is '-': expected 0 to"),
    ("playstrategy", "1L1/l1l/1L1 w - - -1 1", "the half-move clock is '-1'"),
    ("playstrategy", "1L1/l1l/1L1 w - - \u0660 1", "the half-move clock is '\u0660'"),
    ("playstrategy", "1L1/l1l/1L1 w - - 0 0", "the move number is '0'"),
    ("playstrategy", "1L1/l1l/1L1 w - - 0 1 1", "unexpected '1' at the end"),
    # cutechess
    ("cutechess", START["native"], "; this looks like dialect='native'"),
    ("cutechess", START["playstrategy"], "; this looks like dialect='playstrategy'"),
    ("cutechess", "1p1/P1P/1p1", "has too few fields: expected at least 4 of board, side to"),
    ("cutechess", "1p1/P1P/1p1 b 1", "has too few fields"),
    ("cutechess", "1p1/P1P/1p1 b - 0 1", "unexpected field '0': expected '-'"),
    ("cutechess", "1p1/P1P/1p1 B - - 0 x", "the move number is 'x'"),
    ("cutechess", "1p1/P1P/1p1 w - - 0 0", "the move number is '0'"),
    ("cutechess", f"1p1/P1P/1p1 b - - 0 {2**30 + 1}", "the move number is"),
    ("cutechess", "1p1/P1P/1p1 black - - 0 1", "expected 'b' (Black) or 'w' (White)"),
    ("cutechess", "1p1/p1p/1p1 b - - 0 1", "has no 'P'"),
    # openspiel
    ("openspiel", "", "is empty"),
    ("openspiel", START["native"], "has 1 line(s): expected 3 to 8 ranks, the file letters"),
    ("openspiel", SMALL_PRINTED.replace("x", "b"), "the last line is 'Current player: b'"),
    ("openspiel", SMALL_PRINTED.replace(".x.", ".b."), "rank 3 is '.b.' with 'b' in it"),
    ("openspiel", SMALL_PRINTED.replace(".x.", "1x1"), "expected 'x', 'o', '.'"),
    ("openspiel", SMALL_PRINTED.replace("x", "o"), "has no 'x'"),
    ("openspiel", SMALL_PRINTED.replace("o", "x", 2), "has no 'o'"),
    ("openspiel", SMALL_PRINTED.replace("2o.o", "2o.o."), "rank 2 is 'o.o.': expected 3 squares"),
    ("openspiel", SMALL_PRINTED.replace("2o.o", "2"), "rank 2 is '': expected 3 squares"),
    ("openspiel", SMALL_PRINTED.replace("2o.o", "o.o"), "the line of rank 2 is 'o.o': expected 2"),
    ("openspiel", SMALL_PRINTED.replace("2o.o", "\xb2o.o"), "the line of rank 2 is '\xb2o.o'"),
    ("openspiel", SMALL_PRINTED.replace("2o.o", "\uff12o.o"), "the line of rank 2 is '\uff12o.o'"),
    ("openspiel", SMALL_PRINTED.replace("3.x.", "4.x."), "the line of rank 3 is '4.x.'"),
    ("openspiel", SMALL_PRINTED.replace(" abc", " abd"), "below 3 ranks is 'abd': expected 'abc'"),
    ("openspiel", SMALL_PRINTED.replace(" abc\n", ""), "has 4 line(s)"),
    ("openspiel", SMALL_PRINTED.replace("1.x.\n", ""), "has 4 line(s)"),
    ("openspiel", START["openspiel"].replace("1.xxxxxx.\n", ""), "below 7 ranks is 'abcdefgh'"),
    ("openspiel", START["openspiel"].partition("\n\n")[0], "the last line is 'abcdefgh'"),
    ("openspiel", SMALL_PRINTED.replace(": x", ":"), "expected 'Current player: x' or"),
    ("openspiel", SMALL_PRINTED.replace(": x", ": x 2"), "the last line is 'Current player: x 2'"),
    ("openspiel", SMALL_PRINTED.replace(": x", ": none (terminal)"), "does not say whose turn"),
    ("openspiel", "9.x.\n" * 9 + " abc\nCurrent player: x", "has 11 line(s)"),
]  # fmt: skip


def test_every_dialect_has_malformed_positions() -> None:
    assert {dialect for dialect, _, _ in MALFORMED} == set(notation.DIALECTS)


@pytest.mark.parametrize(("dialect", "text", "fragment"), MALFORMED)
def test_malformed_positions(dialect: str, text: str, fragment: str) -> None:
    with pytest.raises(InvalidFenError) as error:
        notation.parse_fen(text, dialect)
    assert fragment in str(error.value)
    str(error.value).encode()


@pytest.mark.parametrize("value", [None, 1, b"1b1/w1w/1b1", ["1b1/w1w/1b1"], START])
def test_only_text_is_read(value: Any) -> None:
    for call in (
        lambda: notation.parse_fen(value),
        lambda: notation.parse_fen(SMALL, value),
        lambda: notation.format_fen(start(), value),
    ):
        with pytest.raises(TypeError, match="expected str"):
            call()


@pytest.mark.parametrize("name", ["", "Native", "sgf", "native ", "x" * 10**6])
def test_unknown_dialects(name: str) -> None:
    for call in (
        lambda: notation.parse_fen(SMALL, name),
        lambda: notation.format_fen(start(), name),
    ):
        with pytest.raises(
            LoaError, match=r"unknown dialect .*: expected one of native, "
        ) as error:
            call()
        assert len(str(error.value)) < 200


# Writing


@pytest.mark.parametrize(
    ("changes", "fragment"),
    [
        ({"size": 2}, "size is 2: expected 3 to 8"),
        ({"size": 9}, "size is 9: expected 3 to 8"),
        ({"size": 7}, "black is '0x7e0000000000007e': expected squares of the 7x7 board"),
        ({"black": 0}, "black is 0: expected a piece of each colour"),
        ({"white": 0}, "white is 0: expected a piece of each colour"),
        ({"black": -1}, "black is '-0x1'"),
        ({"white": 1 << 64}, "white is '0x10000000000000000'"),
        ({"white": 1 << 100_000}, "white is '0x1000"),
        ({"white": 6}, "both colours have a piece on c1"),
        ({"move_number": 0}, "move_number is 0: expected 1 to 2**30"),
        ({"move_number": 2**30 + 1}, "move_number is 1073741825"),
        ({"move_number": 10**5000}, "move_number is a 16610-bit number"),
    ],
)
@pytest.mark.parametrize("dialect", notation.DIALECTS)
def test_what_is_no_position_is_not_written(
    changes: dict[str, int], fragment: str, dialect: str
) -> None:
    fields: dict[str, Any] = {name: getattr(start(), name) for name in Placement.__slots__}
    with pytest.raises(InvalidFenError) as error:
        notation.format_fen(Placement(**(fields | changes)), dialect)
    assert fragment in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 8.0},
        {"size": True},
        {"black": "1"},
        {"white": None},
        {"turn": 0},
        {"move_number": 1.0},
    ],
)
def test_types_of_what_is_written(changes: dict[str, Any]) -> None:
    fields: dict[str, Any] = {name: getattr(start(), name) for name in Placement.__slots__}
    with pytest.raises(TypeError, match=r" is .*: expected"):
        notation.format_fen(Placement(**(fields | changes)))


def test_only_placements_are_written() -> None:
    not_a_placement: Any = SMALL
    with pytest.raises(TypeError, match="placement is of type str: expected Placement"):
        notation.format_fen(not_a_placement)


def test_placements_are_values() -> None:
    assert len({start(), start()}) == 1
    with pytest.raises(AttributeError):
        start().size = 3  # type: ignore[misc]


def test_board_text() -> None:
    placement = start()
    assert notation.board_text(placement.black, placement.white, 8) == (
        "8 . b b b b b b .\n"
        "7 w . . . . . . w\n"
        "6 w . . . . . . w\n"
        "5 w . . . . . . w\n"
        "4 w . . . . . . w\n"
        "3 w . . . . . . w\n"
        "2 w . . . . . . w\n"
        "1 . b b b b b b .\n"
        "  a b c d e f g h"
    )
    assert notation.board_text(0, 0, 3) == "3 . . .\n2 . . .\n1 . . .\n  a b c"


def test_board_text_of_what_is_no_board() -> None:
    with pytest.raises(InvalidFenError, match="size is 9"):
        notation.board_text(0, 0, 9)
    with pytest.raises(InvalidFenError, match="both colours have a piece on a1"):
        notation.board_text(1, 1, 8)
    with pytest.raises(InvalidFenError, match="white is '0x8': expected squares of the 3x3 board"):
        notation.board_text(1, 8, 3)
    with pytest.raises(TypeError, match="black is of type float"):
        notation.board_text(1.0, 0, 8)  # type: ignore[arg-type]


# Arbitrary positions and arbitrary text


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    size = draw(st.sampled_from(SIZES))
    count = size * size
    cells = draw(st.lists(st.sampled_from(".bw"), min_size=count, max_size=count))
    black_at, white_at = draw(st.permutations(range(count)))[:2]
    cells[black_at], cells[white_at] = "b", "w"
    bitboards = [
        sum(1 << (8 * (i // size) + i % size) for i, cell in enumerate(cells) if cell == letter)
        for letter in "bw"
    ]
    turn = draw(st.sampled_from(Color))
    move_number = draw(st.one_of(st.integers(1, 40), st.integers(1, 2**30)))
    return Placement(size, bitboards[0], bitboards[1], turn, move_number)


@pytest.mark.parametrize("dialect", notation.DIALECTS)
@given(placement=placements())
def test_positions_read_back(dialect: str, placement: Placement) -> None:
    text = notation.format_fen(placement, dialect)
    move_number = 1 if dialect == "openspiel" else placement.move_number
    expected = Placement(
        placement.size, placement.black, placement.white, placement.turn, move_number
    )
    assert notation.parse_fen(text, dialect) == expected
    assert notation.parse_fen(f"\n  {text.replace(' ', '  ')} \r\n", dialect) == expected


@given(placement=placements())
def test_dialects_differ_in_letters_only(placement: Placement) -> None:
    native, playstrategy, cutechess = (
        notation.format_fen(placement, name).split()[0]
        for name in ("native", "playstrategy", "cutechess")
    )
    assert playstrategy == native.translate(str.maketrans("bw", "Ll"))
    assert cutechess == native.translate(str.maketrans("bw", "pP"))
    printed = notation.format_fen(placement, "openspiel").splitlines()[: placement.size]
    pictured = notation.board_text(placement.black, placement.white, placement.size)
    assert [line.translate(str.maketrans("xo", "bw")) for line in printed] == [
        line.replace(" ", "") for line in pictured.splitlines()[:-1]
    ]
    assert not any(line != line.rstrip() for line in pictured.splitlines())


def check_any_text(text: str, dialect: str) -> None:
    """Reading gives a position that can be written again, or the documented error, in few words."""
    message = None
    try:
        placement = notation.parse_fen(text, dialect)
    except InvalidFenError as error:
        message = str(error)
    if message is None:
        written = notation.format_fen(placement, dialect)
        assert notation.parse_fen(written, dialect) == placement
    else:
        assert len(message) < 400
        message.encode()


ANY_TEXT = st.text(st.characters()) | st.text(alphabet="bwLlxopP.12345678/- \n0a\xb2\uff11")


@settings(max_examples=300)
@given(text=ANY_TEXT, dialect=st.sampled_from(notation.DIALECTS))
@example(text="\ud800", dialect="native")
@example(text="\x1c\x1d\x85\u2028", dialect="openspiel")
def test_any_text_as_a_position(text: str, dialect: str) -> None:
    check_any_text(text, dialect)


@settings(max_examples=500)
@given(
    placement=placements(),
    written=st.sampled_from(notation.DIALECTS),
    read=st.sampled_from(notation.DIALECTS),
    edits=st.lists(
        st.tuples(
            st.integers(0, 120),
            st.integers(0, 3),
            st.sampled_from(
                ["", *"bwLlxopP.1289/- \n0\xb2\uff11\u017f\u212a\x00", "\u2028", "\ud800"]
            ),
        ),
        max_size=4,
    ),
)
def test_altered_text_as_a_position(
    placement: Placement, written: str, read: str, edits: list[tuple[int, int, str]]
) -> None:
    text = notation.format_fen(placement, written)
    for at, removed, inserted in edits:
        at %= len(text) + 1
        text = text[:at] + inserted + text[at + removed :]
    check_any_text(text, read)


HUGE = 10**6


@pytest.mark.parametrize(
    "text",
    [
        " " * HUGE,
        "\n" * HUGE,
        "/" * HUGE,
        "b" * HUGE,
        "1" * HUGE,
        "b1" * HUGE,
        "b/" * HUGE,
        "b " * HUGE,
        "x\n" * HUGE,
        "\x00" * HUGE,
        "\U0010ffff" * HUGE,
        "3/3/" + "b1" * HUGE,
        f"{SMALL} {'b' * HUGE}",
        f"{SMALL} b {'1' * HUGE}",
        f"{SMALL} b 1 {'1 ' * HUGE}",
        f"3{'.' * HUGE}\n2o.o\n1.x.\nabc\nCurrent player: x",
        f"3.x.\n2o.o\n1.x.\nabc\nCurrent player: {'x' * HUGE}",
        f"3.x.\n2o.o\n1.x.\n{'abc' * HUGE}\nCurrent player: x",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_huge_text_is_refused_in_few_words(text: str) -> None:
    """In time that grows with its length: or this would take hours."""
    for dialect in notation.DIALECTS:
        with pytest.raises(InvalidFenError) as error:
            notation.parse_fen(text, dialect)
        assert len(str(error.value)) < 400
