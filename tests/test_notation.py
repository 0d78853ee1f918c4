"""Squares and moves as texts: what is read, what is refused, and with which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loa import notation
from loa.rules import InvalidMoveError, LoaError

# Squares


def test_squares_are_numbered_by_rank() -> None:
    names = [notation.square_name(index) for index in range(64)]
    assert [names[index] for index in (0, 1, 8, 63)] == ["a1", "b1", "a2", "h8"]
    assert len(set(names)) == 64
    for index, name in enumerate(names):
        file, rank = "abcdefgh".index(name[0]), "12345678".index(name[1])
        assert notation.square(file, rank) == index
        assert notation.parse_square(name) == notation.parse_square(f" {name.upper()}\n") == index


@pytest.mark.parametrize("value", [-1, 8, 10**30, -(10**5000)], ids=int.bit_length)
def test_files_and_ranks_out_of_range(value: int) -> None:
    with pytest.raises(LoaError, match=r"file is .*: expected 0 to 7"):
        notation.square(value, 0)
    with pytest.raises(LoaError, match=r"rank is .*: expected 0 to 7"):
        notation.square(0, value)


@pytest.mark.parametrize("value", [-1, 64, 10**30, 10**5000], ids=int.bit_length)
def test_squares_out_of_range(value: int) -> None:
    with pytest.raises(LoaError, match=r"square is .*: expected 0 to 63"):
        notation.square_name(value)
    with pytest.raises(LoaError, match=r"square is .*: expected 0 to 63"):
        notation.format_move(0, value)


@given(st.integers(0, 2**64 - 1))
def test_squares(bitboard: int) -> None:
    found = notation.squares(bitboard)
    assert found == sorted(set(found))
    assert sum(1 << square for square in found) == bitboard


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (-1, LoaError, r"bitboard is -1: expected 0 to 2\*\*64 - 1"),
        (2**64, LoaError, "bitboard is 18446744073709551616: expected 0 to"),
        ("b1", TypeError, "bitboard is 'b1': expected an int"),
        (1.0, TypeError, "bitboard is 1.0: expected an int"),
    ],
)
def test_bad_bitboards(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        notation.squares(value)


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, b"1", [1]])
def test_squares_are_ints(value: Any) -> None:
    for call in (
        lambda: notation.square(value, 0),
        lambda: notation.square(0, value),
        lambda: notation.square_name(value),
        lambda: notation.format_move(value, 1),
        lambda: notation.format_move(1, value),
    ):
        with pytest.raises(TypeError, match="expected an int"):
            call()


MALFORMED_SQUARES = [
    "", " ", "a", "1", "a0", "a9", "i1", "a11", "aa1", "1a", "a 1", "a-1", "a\xb2", "a\uff11",
    "\uff411", "\u04301", "a1 b2", "a1\x00", "\ud800", "a1" * 1000,
]  # fmt: skip


@pytest.mark.parametrize("text", MALFORMED_SQUARES)
def test_malformed_squares(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="is not a square: expected a1 to h8"):
        notation.parse_square(text)


# Moves


@pytest.mark.parametrize(
    ("text", "squares"),
    [
        ("c8-c6", ("c8", "c6")),
        ("d1xa4", ("d1", "a4")),
        ("d1:a4", ("d1", "a4")),
        ("D1 A4", ("d1", "a4")),
        ("d1a4", ("d1", "a4")),
        ("D1XA4", ("d1", "a4")),
        ("  h8 - a1\t", ("h8", "a1")),
        ("h8x a1\r\n", ("h8", "a1")),
        ("h8 \u00a0 :a1", ("h8", "a1")),
        ("a1b1", ("a1", "b1")),
        ("b1-a1", ("b1", "a1")),
    ],
)
def test_moves(text: str, squares: tuple[str, str]) -> None:
    expected = notation.parse_square(squares[0]), notation.parse_square(squares[1])
    assert notation.parse_move(text) == expected


@pytest.mark.parametrize("text", ["pass", "PASS", "Pass", " pass\n"])
def test_passes(text: str) -> None:
    assert notation.parse_move(text) == (0, 0)


MALFORMED_MOVES = [
    ("", "is not a move"),
    ("   ", "is not a move"),
    ("c8", "'c8' is not a move"),
    ("c8-", "is not a move"),
    ("-c8c6", "is not a move"),
    ("c8--c6", "is not a move"),
    ("c8-xc6", "is not a move"),
    ("c8=c6", "is not a move"),
    ("c8\u2013c6", "is not a move"),
    ("c8\xd7c6", "is not a move"),
    ("c8-c9", "'c8-c9' is not a move: expected two squares, such as 'c8-c6'"),
    ("c0-c6", "is not a move"),
    ("i8-c6", "is not a move"),
    ("c8-c6-c4", "is not a move"),
    ("c8-c6 c4", "is not a move"),
    ("c8-c66", "is not a move"),
    ("c 8-c6", "is not a move"),
    ("1. c8-c6", "is not a move"),
    ("c8-c6+", "is not a move"),
    ("c8-c6\x00", "is not a move"),
    ("c\xb2-c6", "is not a move"),
    ("c\uff18-c\uff16", "is not a move"),
    ("\u04418-\u04416", "is not a move"),
    ("pass!", "or 'pass'"),
    ("pas", "or 'pass'"),
    ("pa\u017fs", "or 'pass'"),
    ("--", "or 'pass'"),
    ("0000", "or 'pass'"),
    ("c8-c8", "'c8-c8' is not a move: expected two different squares"),
    ("a1a1", "expected two different squares"),
    ("A1 x a1", "expected two different squares"),
]


@pytest.mark.parametrize(("text", "fragment"), MALFORMED_MOVES)
def test_malformed_moves(text: str, fragment: str) -> None:
    with pytest.raises(InvalidMoveError) as error:
        notation.parse_move(text)
    assert fragment in str(error.value)


@given(from_square=st.integers(0, 63), to_square=st.integers(0, 63), capture=st.booleans())
def test_every_move_reads_back(from_square: int, to_square: int, capture: bool) -> None:
    if from_square == to_square:
        with pytest.raises(InvalidMoveError, match="expected"):
            notation.format_move(from_square, to_square, capture=from_square == 0 or capture)
    else:
        text = notation.format_move(from_square, to_square, capture=capture)
        assert text[2] == ("x" if capture else "-")
        assert notation.parse_move(text) == (from_square, to_square)


def test_move_text() -> None:
    c8, c6, d1, a4 = map(notation.parse_square, ("c8", "c6", "d1", "a4"))
    assert notation.format_move(c8, c6) == "c8-c6"
    assert notation.format_move(d1, a4, capture=True) == "d1xa4"
    assert notation.format_move(0, 0) == "pass"
    with pytest.raises(InvalidMoveError, match="from a2 to a2"):
        notation.format_move(8, 8)
    with pytest.raises(InvalidMoveError, match="a pass that captures"):
        notation.format_move(0, 0, capture=True)


@pytest.mark.parametrize("value", [None, 1, b"c8-c6", ["c8", "c6"]])
def test_only_text_is_read(value: Any) -> None:
    for call in (notation.parse_move, notation.parse_square):
        with pytest.raises(TypeError, match="expected str"):
            call(value)


# Arbitrary text


@settings(max_examples=300)
@given(text=st.text(st.characters()) | st.text(alphabet="abhipsx18-: 09\xb2\uff11", max_size=8))
def test_any_text_as_a_move(text: str) -> None:
    message = None
    try:
        move = notation.parse_move(text)
    except InvalidMoveError as error:
        message = str(error)
    if message is None:
        assert notation.parse_move(notation.format_move(*move)) == move
    else:
        assert len(message) < 200


@given(text=st.text(st.characters()) | st.text(alphabet="abhi0189 \xb2\uff11", max_size=4))
def test_any_text_as_a_square(text: str) -> None:
    message = None
    try:
        index = notation.parse_square(text)
    except InvalidMoveError as error:
        message = str(error)
    if message is None:
        assert notation.square_name(index) == text.strip().lower()
    else:
        assert len(message) < 200


@pytest.mark.parametrize(
    "text",
    [
        " " * 10**6,
        "c8" * 10**6,
        "c8-" * 10**6,
        "\x00" * 10**6,
        "\U0010ffff" * 10**6,
        f"c8{' ' * 10**6}c9",
        f"c8{' ' * 10**6}-{' ' * 10**6}c9",
        f"{' ' * 10**6}c8-c9{' ' * 10**6}",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_huge_text_is_refused_in_few_words(text: str) -> None:
    """In time that grows with its length: or this would take hours."""
    for parse in (notation.parse_move, notation.parse_square):
        with pytest.raises(InvalidMoveError) as error:
            parse(text)
        assert len(str(error.value)) < 200
