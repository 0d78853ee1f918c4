"""The work that is timed: perft, calls from Python and random games, for each engine.

OpenSpiel's Python API cannot take a move of this game back, so its tree is walked over copies.
`State.child` does in one call, and in the same time, what `clone` and `apply_action` do in two.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import loa
from benchmarks.batches import batch_benchmarks
from benchmarks.timing import ENGINES, Benchmark, Calls, Count
from loa import reference

LEAVES = (1, 36, 1244, 44952, 1563208, 55963132, 1938494632)
"""Perft of the standard start by depth, as in tests/data/perft.txt (`start-8x8`)."""

GAMES = {"loa": 500, "reference": 4, "OpenSpiel": 200}
"""How many random games each engine plays in a repeat."""

PLAYOUTS = {"loa": 100_000, "reference": 4, "OpenSpiel": 200}
"""How many of them where `loa.playouts` plays them."""

SEED = 1
"""Of the random games: every repeat plays the same ones."""

NO_REPETITION = loa.Rules.MSO.replace(repetition_draw=None)

PLIES = {
    ("random games: no repetition", "loa"): 105102,
    ("random games: no repetition", "reference"): 799,
    ("random games: OpenSpiel's rules", "loa"): 96427,
    ("loa.playouts: no repetition", "loa"): 21332505,
    ("loa.playouts: no repetition", "reference"): 799,
    ("loa.playouts: OpenSpiel's rules", "loa"): 19313608,
}
"""The plies of all `GAMES` together, counted once by these loops. They follow from the seed and
from the order of the moves, which these two engines document and OpenSpiel may change."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to do: depths of the perfts in Python, seconds for calls, boards of a batch."""

    count: Mapping[str, int]
    push: Mapping[str, int]
    push_unchecked: Mapping[str, int]
    call_seconds: float
    boards: int


# OpenSpiel counts what loa counts to depth 4 but no deeper: a board that comes back ends its
# game, and a board can come back after four plies.
FULL = Scale(
    count={"loa": 4, "reference": 3, "OpenSpiel": 4},
    push={"loa": 4, "reference": 2, "OpenSpiel": 3},
    push_unchecked={"loa": 4, "reference": 3, "OpenSpiel": 3},
    call_seconds=0.05,
    boards=4096,
)
QUICK = Scale(
    count={"loa": 3, "reference": 2, "OpenSpiel": 3},
    push={"loa": 3, "reference": 1, "OpenSpiel": 3},
    push_unchecked={"loa": 3, "reference": 2, "OpenSpiel": 3},
    call_seconds=0.01,
    boards=256,
)


def load_openspiel() -> Any:
    """OpenSpiel's game, or None where OpenSpiel, or Lines of Action in it, is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    if "lines_of_action" not in pyspiel.registered_names():
        return None
    return pyspiel.load_game("lines_of_action")


def all_benchmarks(scale: Scale, depth: int, openspiel: Any) -> Iterator[Benchmark]:
    """Every benchmark, in the order of the table.

    `depth` is that of `loa.perft`, and no other perft goes deeper. `openspiel` is what
    `load_openspiel` gives.
    """
    yield from _perft_benchmarks(scale, depth, openspiel)
    yield from _call_benchmarks(scale.call_seconds, openspiel)
    yield from _game_benchmarks(openspiel)
    yield from batch_benchmarks(scale.boards, openspiel)


def _by_engine(values: Mapping[str, int], jobs: Mapping[str, object]) -> str:
    """The values of those engines that take part, in order."""
    return ", ".join(str(values[engine]) if engine in jobs else "-" for engine in ENGINES)


# Perft


def count_last_ply(board: loa.Board, depth: int) -> int:
    """The leaves, the last ply counted without making its moves."""
    if depth == 1:
        return len(board.legal_moves)
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += count_last_ply(board, depth - 1)
        board.pop()
    return leaves


def push_all(board: loa.Board, depth: int) -> int:
    """The leaves, every move made with `push`."""
    if depth == 0:
        return 1
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += push_all(board, depth - 1)
        board.pop()
    return leaves


def push_all_unchecked(board: loa.Board, depth: int) -> int:
    """The leaves, every move made with `push_unchecked`."""
    if depth == 0:
        return 1
    leaves = 0
    for move in board.legal_moves:
        board.push_unchecked(move)
        leaves += push_all_unchecked(board, depth - 1)
        board.pop()
    return leaves


def reference_count_last_ply(position: reference.Position, depth: int) -> int:
    """As `count_last_ply`."""
    moves = reference.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(
        reference_count_last_ply(reference.make_move(position, move), depth - 1) for move in moves
    )


def reference_push_all(game: reference.Game, depth: int) -> int:
    """As `push_all`."""
    if depth == 0:
        return 1
    leaves = 0
    for move in game.legal_moves():
        game.push(move)
        leaves += reference_push_all(game, depth - 1)
        game.pop()
    return leaves


def openspiel_count_last_ply(state: Any, depth: int) -> int:
    """As `count_last_ply`."""
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(openspiel_count_last_ply(state.child(action), depth - 1) for action in actions)


def openspiel_push_all(state: Any, depth: int) -> int:
    """As `push_all`."""
    if depth == 0:
        return 1
    leaves = 0
    for action in state.legal_actions():
        child = state.clone()
        child.apply_action_with_legality_check(action)
        leaves += openspiel_push_all(child, depth - 1)
    return leaves


def openspiel_push_all_unchecked(state: Any, depth: int) -> int:
    """As `push_all_unchecked`."""
    if depth == 0:
        return 1
    leaves = 0
    for action in state.legal_actions():
        leaves += openspiel_push_all_unchecked(state.child(action), depth - 1)
    return leaves


def _perft_benchmarks(scale: Scale, depth: int, openspiel: Any) -> Iterator[Benchmark]:
    board = loa.Board()
    position = reference.Position.start()
    state = openspiel.new_initial_state() if openspiel else None

    def benchmark(
        title: str, unit: str, depths: Mapping[str, int], *functions: Callable[[int], int]
    ) -> Benchmark:
        """The functions are one for each engine and take the depth."""
        jobs = {}
        capped = {engine: min(depth, depths[engine]) for engine in ENGINES}
        for engine, function in zip(ENGINES, functions, strict=True):
            if engine == "OpenSpiel" and state is None:
                continue
            plies = capped[engine]
            nodes = sum(LEAVES[1 : plies + 1])
            jobs[engine] = Count(
                partial(function, plies), "leaves", LEAVES[plies], {"nodes": nodes}
            )
        return Benchmark(title, f"depth {_by_engine(capped, jobs)}", (unit,), jobs)

    # Counting the last ply is the most that the other engines can do for a fast perft.
    reference_count = partial(reference_count_last_ply, position)
    openspiel_count = partial(openspiel_count_last_ply, state)
    yield benchmark(
        "loa.perft",
        "leaves",
        {**scale.count, "loa": depth},
        partial(loa.perft, board),
        reference_count,
        openspiel_count,
    )
    yield benchmark(
        "perft in Python: len(legal_moves)",
        "leaves",
        scale.count,
        partial(count_last_ply, board),
        reference_count,
        openspiel_count,
    )
    yield benchmark(
        "perft in Python: push, pop",
        "nodes",
        scale.push,
        partial(push_all, board),
        partial(reference_push_all, reference.Game(position)),
        partial(openspiel_push_all, state),
    )
    yield benchmark(
        "perft in Python: push_unchecked, pop",
        "nodes",
        scale.push_unchecked,
        partial(push_all_unchecked, board),
        partial(reference.perft, position),
        partial(openspiel_push_all_unchecked, state),
    )


# Calls, at the start of the game


# By title, the statement for each engine that has its like, and what to take off its time besides
# the loop. OpenSpiel looks for the end of the game when a move is made, and `legal_moves` alone
# lists nothing: neither has a like.
CALLS: dict[str, dict[str, tuple[str, str]]] = {
    "push(move), pop()": {
        "loa": ("board.push(move); board.pop()", "pass"),
        "reference": ("game.push(move); game.pop()", "pass"),
        "OpenSpiel": ("state.clone().apply_action_with_legality_check(move)", "pass"),
    },
    "push_unchecked(move), pop()": {
        "loa": ("board.push_unchecked(move); board.pop()", "pass"),
        "reference": ("reference.make_move(position, move)", "pass"),
        "OpenSpiel": ("state.clone().apply_action(move)", "pass"),
    },
    "legal_moves": {
        "loa": ("board.legal_moves", "pass"),
    },
    "list(legal_moves)": {
        "loa": ("list(board.legal_moves)", "pass"),
        "reference": ("reference.legal_moves(position)", "pass"),
        "OpenSpiel": ("state.legal_actions()", "pass"),
    },
    "len(legal_moves)": {
        "loa": ("len(board.legal_moves)", "pass"),
        "reference": ("len(reference.legal_moves(position))", "pass"),
        "OpenSpiel": ("len(state.legal_actions())", "pass"),
    },
    "move in legal_moves": {
        "loa": ("move in board.legal_moves", "pass"),
        "reference": ("move in reference.legal_moves(position)", "pass"),
        "OpenSpiel": ("move in state.legal_actions()", "pass"),
    },
    "copy()": {
        "loa": ("board.copy()", "pass"),
        "OpenSpiel": ("state.clone()", "pass"),
    },
    "is_game_over(), new position": {
        "loa": (
            "board.push_unchecked(move); board.is_game_over(); board.pop()",
            "board.push_unchecked(move); board.pop()",
        ),
        "reference": (
            "reference.Game(reference.make_move(position, move)).outcome()",
            "reference.Game(reference.make_move(position, move))",
        ),
    },
    "fen()": {
        "loa": ("board.fen()", "pass"),
        "reference": ("position.fen()", "pass"),
    },
}


def _call_benchmarks(seconds: float, openspiel: Any) -> Iterator[Benchmark]:
    board = loa.Board()
    game = reference.Game(reference.Position.start())
    variables: dict[str, dict[str, Any]] = {
        "loa": {"board": board, "moves": tuple(board.legal_moves)},
        "reference": {
            "reference": reference,
            "game": game,
            "position": game.position,
            "moves": game.legal_moves(),
        },
    }
    if openspiel:
        state = openspiel.new_initial_state()
        variables["OpenSpiel"] = {"state": state, "moves": state.legal_actions()}
    for title, statements in CALLS.items():
        jobs = {
            engine: Calls(statement, less, variables[engine], seconds)
            for engine, (statement, less) in statements.items()
            if engine in variables
        }
        yield Benchmark(title, f"{LEAVES[1]} moves", ("call",), jobs)


# Random games: every legal move equally likely


def play(rules: loa.Rules, games: int) -> int:
    """The plies of so many games."""
    # The one generator of Python that promises the same numbers in every release.
    draw = random.Random(SEED).random
    plies = 0
    for _ in range(games):
        board = loa.Board(rules=rules)
        while moves := board.legal_moves:
            board.push_unchecked(moves[int(draw() * len(moves))])
        plies += board.ply
    return plies


def reference_play(rules: loa.Rules, games: int) -> int:
    """As `play`, under rules that do not look back at earlier positions."""
    draw = random.Random(SEED).random
    plies = 0
    for _ in range(games):
        position = reference.Position.start()
        while moves := reference.legal_moves(position, rules):
            position = reference.make_move(position, moves[int(draw() * len(moves))])
            plies += 1
    return plies


def openspiel_play(openspiel: Any, games: int) -> int:
    """As `play`, under OpenSpiel's own rules."""
    draw = random.Random(SEED).random
    plies = 0
    for _ in range(games):
        state = openspiel.new_initial_state()
        while actions := state.legal_actions():
            state.apply_action(actions[int(draw() * len(actions))])
        plies += state.move_number()
    return plies


def kernel_play(rules: loa.Rules, games: int) -> int:
    """As `play`, without Python."""
    return int(loa.playouts(loa.Board(rules=rules), games, seed=SEED).plies.sum())


def _game_benchmarks(openspiel: Any) -> Iterator[Benchmark]:
    for title, player, games in (
        ("random games", play, GAMES),
        ("loa.playouts", kernel_play, PLAYOUTS),
    ):
        free: dict[str, Callable[[int], int]] = {
            "loa": partial(player, NO_REPETITION),
            "reference": partial(reference_play, NO_REPETITION),
        }
        own: dict[str, Callable[[int], int]] = {"loa": partial(player, loa.Rules.OPENSPIEL)}
        if openspiel:
            own["OpenSpiel"] = partial(openspiel_play, openspiel)
        yield _game_benchmark(f"{title}: no repetition", games, free)
        yield _game_benchmark(f"{title}: OpenSpiel's rules", games, own)


def _game_benchmark(
    title: str, games: Mapping[str, int], players: Mapping[str, Callable[[int], int]]
) -> Benchmark:
    jobs = {
        engine: Count(
            partial(play_games, games[engine]),
            "plies",
            PLIES.get((title, engine)),
            {"games": games[engine]},
        )
        for engine, play_games in players.items()
    }
    return Benchmark(title, f"{_by_engine(games, jobs)} games", ("games", "plies"), jobs)
