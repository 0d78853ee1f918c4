"""SGF that is deep, large, cut at odd places, or random."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_files import changed, read_random, words
from test_sgf import HEAD, MOVES, OPEN, TREE, WON, read, write

import loa
from loa.records import Cursor, Game, iter_games


def test_deep_nesting():
    """A hundred thousand variations in each other, and then one beside each of them."""
    depth = 100_000
    rules = loa.Rules.BOARDSPACE
    moves = ["c8-c6", "h4-f2", "c6-c8", "f2-h4"]
    cursor = Cursor(Game(), rules)
    nodes, others = [], []
    for color, move in zip("BWBW", moves, strict=True):
        nodes.append(f";{color}[{move}]")
        others.append(f";{color}[{cursor.board.legal_moves[0]}]")
        cursor.add_move(move)
    inner = "".join(f"({nodes[i % 4]}" for i in range(depth))
    (game,) = read(HEAD + inner + ")" * (depth + 1), rules=rules)
    assert (len(game.moves), game.has_tree()) == (depth, False)
    outer = "".join(f")({others[i % 4]})" for i in reversed(range(depth)))
    (game,) = read(HEAD + inner + outer + ")", rules=rules)
    assert sum(1 for _ in game.nodes()) == 2 * depth + 1
    assert read(write([game]), rules=rules) == [game]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 300_000,
        "(;" * 300_000,
        "()" * 300_000,
        "(;)" * 30_000,
        ")" * 300_000,
        "[" * 300_000,
        HEAD + "C[" + "[" * 300_000,
        HEAD + "C[" + "\\" * 300_001,
        HEAD + "C[" + "\\]" * 300_000,
        HEAD + "[" * 300_000 + ")",
        HEAD + "]" * 300_000 + ")",
        HEAD + "A" * 300_000 + ")",
        HEAD + " " * 300_000 + ")",
        HEAD + ";" * 300_000 + ")",
        HEAD + ";C[x]" * 100_000 + ")",
        HEAD + "C[" + "x\n" * 300_000 + "])",
        HEAD + "C[" + "\n[%sgf " * 100_000 + "])",
        HEAD + "CR" + "[a1]" * 200_000 + ")",
        HEAD + "(;)" * 100_000 + ")",
        HEAD + "(;B[c8-c6])" * 30_000 + ")",
        HEAD + ";B[c8-c6];W[h4-f2];B[c6-c8];W[f2-h4]" * 20_000 + ")",
        HEAD + ";B[start]" * 30_000 + ")",
        "(;GM[9]\n" * 50_000,
        "\n(" * 200_000,
        "(\n" * 200_000 + ";)",
    ],
    ids=lambda text: ascii(text[:30]) + ascii(text[-4:]),
)
def test_large_texts(text):
    """Each is read, or refused, in time that grows with its length: or this would not end."""
    games = read(text, on_error="skip", rules=loa.Rules.BOARDSPACE)
    if not games.errors:
        assert read(write(games), rules=loa.Rules.BOARDSPACE) == games


@pytest.mark.parametrize("filling", ["x", "\\]", "\\\\", "\\:"])
def test_pieces_cut_anywhere(filling):
    """Long lines come in pieces, which may end within an escape or between signs."""
    for length in range(131_040, 131_080):
        text = "x" * (length % 2) + filling * (length // len(filling))
        games = read(HEAD + f"GC[{text}]" + OPEN + ")(;GM[9]" + OPEN + ")")
        assert [words(game) for game in games] == [MOVES, MOVES]
        assert len(games[0].headers["comment"]) == length % 2 + length // len(filling)


def test_games_of_a_stream_come_one_by_one():
    """Each game is given before the text after it is asked for."""

    class Lines(io.StringIO):
        taken = 0

        def readline(self, size=-1):
            self.taken += 1
            return super().readline(size)

    lines = Lines((HEAD + OPEN + ")\n") * 20_000)
    games = iter_games(lines)
    for _ in range(5_000):
        next(games)
    assert lines.taken < 6_000


# Random files -----------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *HEAD.split("["), HEAD, *OPEN.replace(";", " ;").split(), "(;B[c8-c6])", "(;GM[9]", "(;",
        "(", ")", ";", "[", "]", "\\", ":", "\n", "\r\n", "\t", "C[x]", "RE[B+R]", "RE[x]", "PB[a]",
        "SZ[3]", "SU[Custom]", "AB[a1]", "AW[c3]", "AE[a1:c3]", "PL[W]", "MN[3]", "HD[a:b]",
        "CA[latin1]", "B[resign]", ";W[resign]", "B[pass]", "TE[1]", "N[a\nb]", "KM[1]", "NOTE[q]",
        "[%sgf ", "GaMe[9]",
    ]
)  # fmt: skip


@given(st.binary(max_size=200))
def test_random_bytes(content):
    read_random(content, "sgf")
    read_random(HEAD.encode() + content + b")", "sgf")


@given(st.text(max_size=200))
def test_random_text(text):
    read_random(text.encode(), "sgf")
    read_random(f"{HEAD}{text})".encode(), "sgf")


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=3), max_size=40))
def test_random_pieces(pieces):
    read_random("".join(pieces).encode(), "sgf")
    read_random((HEAD + "".join(pieces) + ")").encode(), "sgf")


@settings(max_examples=500)
@given(st.data())
def test_changed_games(data):
    """A valid collection with some stretches replaced."""
    content = (TREE + "\n" + HEAD + WON + ")\n(;SZ[4]GM[9]AE[b1]PB[ë]" + ")\n").encode()
    content = changed(data, content, PIECES)
    read_random(content, "sgf")
