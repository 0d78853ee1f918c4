"""Packages that `cimport loa`: built against the installed one, run, and compared with Python."""

import hashlib
import importlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from building import ROOT, install
from comparing import reference_game
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DATA, WON_IN_ONE, boards, games

import loa
from loa import reference
from loa.suite import read_suite

PROJECT = ROOT / "tests" / "downstream"
CHECKS = PROJECT / "checks"
DOCUMENT = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
INSTALLED = Path(loa.__file__).parent
SUITE = read_suite(DATA / "perft.txt")


def exported() -> set[str]:
    """The names that `__init__.pxd` takes from the modules of the package."""
    text = (INSTALLED / "__init__.pxd").read_text(encoding="utf-8")
    lists = re.findall(r"^from loa\.\w+ cimport (?:\(([^)]*)\)|(.*))$", text, re.MULTILINE)
    return {name for names in lists for name in re.findall(r"\w+", "".join(names))}


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A function that imports one of the modules built here."""
    folder = tmp_path_factory.mktemp("downstream")
    checks = [CHECKS / "layout.pyx", CHECKS / "surface.pyx"]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(install(PROJECT, folder, checks)))
        yield importlib.import_module


@pytest.fixture(scope="module")
def searcher(modules):
    return modules("searcher")


@pytest.fixture(scope="module")
def surface(modules):
    return modules("surface")


@pytest.fixture(scope="module")
def layout(modules):
    return modules("layout")


# A package with a search of its own ----------------------------------------------------------


@pytest.mark.parametrize("entry", SUITE, ids=lambda entry: f"{entry.name}-{entry.line}")
def test_perft(searcher, entry):
    board = loa.Board(entry.fen, rules=entry.rules)
    for depth, leaves in enumerate(entry.leaves, 1):
        if leaves <= 100_000:
            assert searcher.perft(board, depth) == leaves
    assert searcher.perft(board, 0) == 1


@settings(max_examples=50)
@given(board=boards())
def test_perft_of_any_position(searcher, board):
    assert searcher.perft(board, 2) == loa.perft(board, 2)


def value_of(board: loa.Board, depth: int) -> int:
    """What the searcher's alpha-beta has to come to, in Python and without cut-offs."""
    outcome = board.outcome()
    if outcome is not None:
        if outcome.winner is None:
            return 0
        return 1000 + depth if outcome.winner is board.turn else -1000 - depth
    if depth == 0:
        position = reference_game(board).position
        other = reference.Position.from_bitboards(
            board.black, board.white, board.size, board.turn.opponent
        )
        return len(reference.line_moves(position)) - len(reference.line_moves(other))
    return max(value for _, value in values_of(board, depth))


def values_of(board: loa.Board, depth: int) -> list[tuple[loa.Move, int]]:
    found = []
    for move in board.legal_moves:
        board.push(move)
        found.append((move, -value_of(board, depth - 1)))
        board.pop()
    return found


@settings(max_examples=50)
@given(board=boards(), depth=st.integers(1, 3))
def test_alpha_beta(searcher, board, depth):
    rules = board.rules.replace(repetition_draw=None, ply_limit=None)
    board = loa.Board(board.fen(), rules=rules)
    if board.is_game_over():
        with pytest.raises(ValueError, match="the game is over"):
            searcher.best_move(board, depth)
        return
    depth = depth if len(board.legal_moves) < 8 else 1
    # The first of equal moves, which is what max returns.
    assert searcher.best_move(board, depth) == max(
        values_of(board, depth), key=lambda pair: pair[1]
    )


def test_alpha_beta_finds_a_win(searcher):
    board = loa.Board(WON_IN_ONE)
    move, value = searcher.best_move(board, 3)
    assert (str(move), value) == ("e8-e6", 1002)
    assert move is loa.Move.from_text("e8-e6")


# Every function of the surface ----------------------------------------------------------------


def described(board: loa.Board) -> dict:
    return {
        "black": board.black,
        "white": board.white,
        "turn": board.turn,
        "size": board.size,
        "key": board.key,
    }


@given(game=games(), plies=st.integers(0, 12))
def test_moves_and_passes(surface, game, plies):
    board, generator = game
    start = board.copy()
    for _ in range(plies):
        if not board.legal_moves:
            break
        board.push(generator.choice(board.legal_moves))
    made, set_up = surface.after(start, board.move_stack[len(start.move_stack) :])
    assert made == set_up == surface.describe(board)
    assert made.items() >= described(board).items()


@given(board=boards())
def test_sides(surface, board):
    for color in loa.Color:
        position = reference.Position.from_bitboards(board.black, board.white, board.size, color)
        moves = [loa.Move(*pair) for pair in reference.line_moves(position)]
        pieces = board.white if color else board.black
        found = surface.side(board, color)
        assert found["count"] == len(found["moves"]) == len(moves)
        assert set(found["moves"]) == found["line_moves"] == set(moves)
        assert found["has_move"] == bool(moves)
        assert found["connected"] == board.is_connected(color)
        assert found["groups"] == board.groups(color)
        assert found["first_group"] == board.groups(color)[0]
        assert found["around"] == sum(
            1 << square
            for square in range(64)
            if square % 8 < board.size > square // 8
            and any(
                max(abs(square % 8 - other % 8), abs(square // 8 - other // 8)) < 2
                for other in range(64)
                if pieces >> other & 1
            )
        )


@given(board=boards())
def test_captures_and_connections(surface, board):
    enemy = board.black if board.turn else board.white
    goes_on = not any(map(board.is_connected, loa.Color))
    for move in [] if board.is_game_over() else board.legal_moves:
        if move.is_pass:
            continue
        taken, ends = surface.captured(board, move)
        assert taken == enemy & 1 << move.to_square
        if goes_on:
            after = board.copy()
            after.push(move)
            assert ends == any(map(after.is_connected, loa.Color))


def verdict_of(board: loa.Board) -> str | tuple[str, str]:
    outcome = reference_game(board).outcome()
    if outcome is None:
        return "pass" if board.legal_moves[0].is_pass else "moves"
    winner = "nobody" if outcome.winner is None else outcome.winner.name.lower()
    return winner, outcome.termination.value


@given(board=boards())
def test_verdicts(surface, board):
    assert surface.judge(board, False, board.ply) == verdict_of(board)


@given(board=boards())
def test_verdicts_where_a_position_is_repeated(surface, board):
    """A repetition is a ply limit that has been reached, by another name."""
    limited = loa.Board(board.fen(), rules=board.rules.replace(ply_limit=board.ply))
    expected = verdict_of(limited)
    if expected == ("nobody", "ply limit"):
        expected = ("nobody", "repetition")
    assert surface.judge(board, True, 0) == expected


@given(board=boards(), symmetry=st.sampled_from(loa.Symmetry))
def test_symmetries(surface, board, symmetry):
    image, least = surface.image(board, symmetry)
    assert (image, least) == (board.transform(symmetry), board.canonical())
    assert (image.rules, image.ply) == (board.rules, board.ply)


def test_none_is_no_board(searcher, surface):
    for call in (lambda: searcher.perft(None, 1), lambda: surface.describe(None)):
        with pytest.raises(TypeError):
            call()


# The document ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.py", "searcher.pyx"])
def test_document_shows_what_is_built_here(name):
    blocks = re.findall(r"^```\w+\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert (PROJECT / name).read_text(encoding="utf-8") in blocks


def test_document_has_every_name():
    assert {name for name in exported() if not re.search(rf"`{name}\b", DOCUMENT)} == set()
    assert len(exported()) > 40


def test_surface_is_shipped():
    asked = {
        name
        for path in INSTALLED.glob("*.pxd")
        for name in re.findall(r"^from loa\.(\w+) cimport", path.read_text("utf-8"), re.MULTILINE)
    }
    assert {"_bitboard", "_history", "_board", "_moves"} <= asked
    assert {name for name in asked if not (INSTALLED / f"{name}.pxd").is_file()} == set()


# The ABI number -------------------------------------------------------------------------------


def class_methods() -> dict[str, list[str]]:
    """C methods in the order of their slots, which is the order of their declarations."""
    found = {}
    for module in ("_history", "_board"):
        text = (INSTALLED / f"{module}.pxd").read_text(encoding="utf-8")
        (body,) = re.findall(r"^cdef class .*\n((?:    .*\n|\n)+)", text, re.MULTILINE)
        calls = re.findall(r"^    cdef ([^(\n]+\((?:[^)]*)\).*)$", body, re.MULTILINE)
        found[module] = [re.sub(r"(?<=\()\s+|\s+(?=\))", "", call) for call in calls]
    return found


def digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


@pytest.mark.skipif(
    sys.maxsize < 2**32 or sys.byteorder == "big", reason="recorded with 64 bits, low byte first"
)
def test_whoever_changes_the_abi_changes_its_number(layout):
    """If this fails, raise ABI in _bitboard.pxd and add what there is now under that number.

    What is recorded under the number of a release never changes.
    """
    there_is = {
        "structs": layout.structs(),
        "classes": layout.classes(loa.Board(), loa.Move.PASS),
        "methods": class_methods(),
        "constants": layout.constants(),
        "tables": {name: digest(parts) for name, parts in layout.tables().items()},
    }
    recorded = json.loads((DATA / "abi.json").read_text(encoding="utf-8"))
    assert recorded[str(layout.compiled_abi())] == there_is
    assert max(map(int, recorded)) == layout.compiled_abi()
    assert {name for name in exported() if name.isupper()} - {"ABI"} == set(there_is["constants"])


def test_another_abi_is_refused(layout, tmp_path):
    number = layout.compiled_abi() + 1
    declarations = tmp_path / "declarations"
    shutil.copytree(INSTALLED, declarations / "loa", ignore=lambda _, names: {
        name for name in names if not name.endswith(".pxd")
    })  # fmt: skip
    changed = declarations / "loa" / "_bitboard.pxd"
    text, changes = re.subn(
        r"^    ABI = \d+$", f"    ABI = {number}", changed.read_text("utf-8"), flags=re.MULTILINE
    )
    assert changes == 1
    changed.write_text(text, encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    for name in ("pyproject.toml", "setup.py", "checks/stranger.pyx"):
        shutil.copy(PROJECT / name, project)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(install(project, tmp_path, declarations=declarations)))
        with pytest.raises(ImportError) as caught:
            importlib.import_module("stranger")
    assert str(caught.value) == (
        f"compiled against ABI {number} of loa, but the installed loa has ABI {number - 1}: "
        "expected the same, so compile this module again"
    )
