"""The command `python -m benchmarks.tables`: perft of every start, for docs/perft.md and a suite.

Each count is found by two methods, which have to agree. What is found goes to standard error as
it comes, and to a journal if there is one, from which a later run goes on. The exit status is 0;
1 for counts that differ or a file that cannot be written; 2 for wrong arguments; 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import loa
from benchmarks.command import exit_status, positive_int
from benchmarks.timing import WrongCountError

MAX_DEPTH = 9

PLAIN_LIMIT = 3 * 10**12
"""Leaves beyond which a plain count, which looks at the whole tree, takes too long."""

STATISTICS_LIMIT = 10**11
"""Leaves beyond which looking at each of them, in the distinct positions, takes too long."""

DIVIDE_LIMIT = 10**11
"""Leaves of the depth that is divided: the greatest one that has no more."""

PLAIN_COMMAND_LIMIT = 10**11
"""Leaves beyond which the command shown for a count has a hash table."""

FRONTIER_PLIES = 5
"""At most: millions of positions on the largest board, so that they fit into any memory."""

SMALL_FRONTIER = 100_000
"""Positions that are so few that it pays to have those one ply on, for their statistics."""

SETUPS = ("standard", "scrambled")

CATEGORIES = {
    "captures": "captures",
    "mover connects": "mover_connections",
    "opponent connects": "opponent_connections",
    "both connect": "simultaneous_connections",
    "passes": "passes",
}
"""Titles of columns, and the attributes of `loa.PerftStatistics` that they show."""


@dataclass(frozen=True, slots=True)
class Start:
    """A size of the board and a set-up on it."""

    size: int
    setup: str

    @property
    def name(self) -> str:
        """What it is called in suites.

        >>> Start(8, "standard").name, Start(5, "scrambled").name
        ('start-8x8', 'scrambled-5x5')
        """
        prefix = "start" if self.setup == "standard" else self.setup
        return f"{prefix}-{self.size}x{self.size}"

    @property
    def title(self) -> str:
        """What it is called in headings.

        >>> Start(8, "standard").title
        '8×8, standard'
        """
        return f"{self.size}×{self.size}, {self.setup}"

    @property
    def options(self) -> str:
        """The options of `loa perft` that are not at their defaults, each after a space."""
        size = "" if self.size == 8 else f" --size {self.size}"
        return size + ("" if self.setup == "standard" else f" --setup {self.setup}")

    def board(self) -> loa.Board:
        """The board before the first move."""
        return loa.Board(size=self.size, setup=self.setup)


STARTS = [Start(size, setup) for size in range(3, 9) for setup in SETUPS]


# Methods


def hash_mb_for(depth: int) -> int:
    """Megabytes for a hash table, enough for nearly all positions of the largest board."""
    return 64 if depth < 8 else 4096


def frontier_plies_for(depth: int) -> int:
    """Where a frontier is taken: two plies before the end at least, else little is left to do."""
    return max(0, min(depth - 2, FRONTIER_PLIES))


def count_plain(board: loa.Board, depth: int, threads: int) -> int:
    """The leaves, by a walk through the whole tree."""
    return loa.perft(board, depth, threads=threads)


def count_hashed(board: loa.Board, depth: int, threads: int) -> int:
    """The leaves, with a table of the counts below positions that were met before."""
    return loa.perft(board, depth, threads=threads, hash_mb=hash_mb_for(depth))


def count_frontier(board: loa.Board, depth: int, threads: int) -> int:
    """The leaves, as a sum over distinct positions, each counted plainly."""
    frontier = loa.frontier(board, frontier_plies_for(depth), threads=threads)
    return frontier.perft(depth, threads=threads)


METHODS: dict[str, Callable[[loa.Board, int, int], int]] = {
    "plain": count_plain,
    "hashed": count_hashed,
    "frontier": count_frontier,
}


def command(start: Start, depth: int, method: str, threads: int = 2) -> str:
    """The command line that counts by this method.

    >>> command(Start(6, "scrambled"), 9, "frontier")
    'loa perft 9 --size 6 --setup scrambled --workers 2 --plies 5'
    """
    options = {
        "plain": f"--threads {threads}",
        "hashed": f"--threads {threads} --hash-mb {hash_mb_for(depth)}",
        "frontier": f"--workers {threads} --plies {frontier_plies_for(depth)}",
    }
    return f"loa perft {depth}{start.options} {options[method]}"


def statistics_of(board: loa.Board, depth: int) -> loa.PerftStatistics:
    """What `loa.perft_statistics` gives, as a sum over distinct positions.

    >>> statistics_of(loa.Board(size=4), 5) == loa.perft_statistics(loa.Board(size=4), 5)
    True
    """
    frontier = loa.frontier(board, 0)
    while frontier.plies < depth - 2 and len(frontier) < SMALL_FRONTIER:
        frontier = loa.frontier(board, frontier.plies + 1)
    names = [column.name for column in dataclasses.fields(loa.PerftStatistics)]
    totals = dict.fromkeys(names, 0)
    for position, sequences in frontier.boards():
        below = loa.perft_statistics(position, depth - frontier.plies)
        for name in names:
            totals[name] += sequences * getattr(below, name)
    return loa.PerftStatistics(**totals)


def divide_by_symmetry(board: loa.Board, depth: int, threads: int) -> dict[tuple[str, ...], int]:
    """The leaves below each move, moves that lead to images of one position together.

    >>> divide_by_symmetry(loa.Board(size=3), 3, 1)
    {('b1-a1', 'b1-c1', 'b3-a3', 'b3-c3'): 10}
    """
    moves: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    hash_mb = hash_mb_for(depth)
    for move, leaves in loa.divide(board, depth, threads=threads, hash_mb=hash_mb).items():
        text = board.move_text(move)
        board.push(move)
        image = board.canonical().fen()
        board.pop()
        if counts.setdefault(image, leaves) != leaves:
            raise WrongCountError(f"{leaves:,} leaves below {text}, {counts[image]:,} by symmetry")
        moves.setdefault(image, []).append(text)
    return {tuple(texts): counts[image] for image, texts in moves.items()}


# Finding


class Journal:
    """What was found, by what was looked for: in memory, and in a file of JSON lines if wanted.

    All that is found can be written as JSON.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[tuple[str, int, str], Any] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                name, depth, what, found = json.loads(line)
                self._found[name, depth, what] = found

    def known(self, start: Start, depth: int, what: str) -> Any:
        """What was found already, else None."""
        return self._found.get((start.name, depth, what))

    def find(self, start: Start, depth: int, what: str, find: Callable[[], Any]) -> Any:
        """What is known, or else what the function finds."""
        key = start.name, depth, what
        if key not in self._found:
            found = self._found[key] = find()
            line = json.dumps([*key, found])
            print(textwrap.shorten(line, 120), file=sys.stderr, flush=True)
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
        return self._found[key]


@dataclass(slots=True)
class Row:
    """One depth of a start."""

    depth: int
    leaves: int
    methods: list[str]
    statistics: loa.PerftStatistics | None


@dataclass(slots=True)
class Table:
    """All that is found of a start: rows from depth 1 on, and one depth divided."""

    start: Start
    rows: list[Row] = field(default_factory=list)
    divided_depth: int = 0
    divided: dict[tuple[str, ...], int] = field(default_factory=dict)


def fill_journal(start: Start, max_leaves: int | None, threads: int, journal: Journal) -> None:
    """Count one start; go no deeper than a depth with more than so many leaves."""
    board = start.board()
    divided_depth = 1

    def count(depth: int, method: str) -> int:
        find = partial(METHODS[method], board, depth, threads)
        return int(journal.find(start, depth, method, find))

    for depth in range(1, MAX_DEPTH + 1):
        leaves = count(depth, "hashed")
        count(depth, "plain" if leaves <= PLAIN_LIMIT else "frontier")
        if leaves <= STATISTICS_LIMIT:
            journal.find(start, depth, "statistics", partial(_statistics_values, board, depth))
        if leaves <= DIVIDE_LIMIT:
            divided_depth = depth
        if max_leaves is not None and leaves > max_leaves:
            break
    divide = partial(_divided_items, board, divided_depth, threads)
    journal.find(start, divided_depth, "divide", divide)


def _statistics_values(board: loa.Board, depth: int) -> list[int]:
    return list(dataclasses.astuple(statistics_of(board, depth)))


def _divided_items(board: loa.Board, depth: int, threads: int) -> list[tuple[list[str], int]]:
    divided = divide_by_symmetry(board, depth, threads)
    return [(list(moves), leaves) for moves, leaves in divided.items()]


def make_table(start: Start, journal: Journal) -> Table:
    """All that the journal holds of a start; `WrongCountError` where it contradicts itself."""
    table = Table(start)
    for depth in range(1, MAX_DEPTH + 1):
        known = {method: journal.known(start, depth, method) for method in METHODS}
        counts = {method: int(leaves) for method, leaves in known.items() if leaves is not None}
        if not counts:
            break
        row = Row(depth, next(iter(counts.values())), list(counts), None)
        if (statistics := journal.known(start, depth, "statistics")) is not None:
            row.statistics = loa.PerftStatistics(*statistics)
            counts["statistics"] = row.statistics.leaves
        if (divided := journal.known(start, depth, "divide")) is not None:
            table.divided_depth = depth
            table.divided = {tuple(moves): leaves for moves, leaves in divided}
            counts["divide"] = sum(len(moves) * leaves for moves, leaves in table.divided.items())
        if len(set(counts.values())) > 1:
            found = ", ".join(f"{method} {leaves:,}" for method, leaves in counts.items())
            raise WrongCountError(f"{start.name} at depth {depth}: {found}")
        table.rows.append(row)
    return table


# Writing


SUITE_HEAD = """\
# Leaves of both set-ups on all sizes; written by python -m benchmarks.tables, see docs/perft.md.
# name | FEN | rule for a side without a move | leaves at depth 1, 2, 3, ...
"""


def suite_text(tables: Sequence[Table]) -> str:
    """The suite file; docs of its format are in `loa.suite`."""
    lines = [
        f"{table.start.name} | {table.start.board().fen()} | pass | "
        + " ".join(str(row.leaves) for row in table.rows)
        for table in tables
    ]
    return SUITE_HEAD + "\n".join(lines) + "\n"


INTRODUCTION = f"""\
# Perft of the starting positions

How many sequences of exactly *n* legal plies lead on from the start: numbers to check a move
generator with, on boards of 3×3 to 8×8, in both set-ups. The same numbers are in
[`start-positions.txt`](../tests/data/start-positions.txt), which `loa perft --suite` checks. Both
files are written by `python -m benchmarks.tables`.

## What is counted

The numbers follow from the rules, whatever program or machine finds them. Black moves first. A
connection of either side or of both ends the game, so that no ply follows it; the ply that makes
it is a leaf at its own depth, not at later ones. A side without a move passes, and the pass is a
ply; where neither side has a move the game is over. Repetition and length of games do not count.
These are `Rules.MSO`, which are the default. On 3×3 both set-ups are the same position.

The categories sort the leaves by what their last ply did. A leaf whose last ply captures may
connect somebody too, and is then in both columns; *mover connects* and *opponent connects* are
those where only that side got connected.

```python
>>> import loa
>>> board = loa.Board(size=5, setup="scrambled")
>>> loa.perft(board, 5), loa.perft_statistics(board, 5).captures
SCRAMBLED_5

```

## How

Every count was found by two methods, unless its row says *only*, and the command that writes this
file fails if they differ.

- *plain*: `loa perft DEPTH --threads 2` goes through the whole tree down to the last plies, which
  it counts without making their moves.
- *hashed*: `loa perft DEPTH --threads 2 --hash-mb MEGABYTES` keeps the counts below positions, up
  to symmetry, and looks them up when they come again. (No table is asked for the last two plies,
  so that at depths 1 and 2 this is the plain count.)
- *frontier*: `loa perft DEPTH --workers 2 --plies {FRONTIER_PLIES}` lists the distinct positions
  after {FRONTIER_PLIES} plies, up to symmetry, with the number of sequences to each, and counts
  below each plainly. It stands in for the plain count where that takes too long: above
  {PLAIN_LIMIT:,} leaves.

The categories are a third count: a program of its own makes every move in the distinct positions,
the last one too, and the sum of its leaves has to be the same. They are given up to
{STATISTICS_LIMIT:,} leaves.

The command in each row counts in the way that is fast at its depth. Leave `--threads` away, or
give other numbers of threads or megabytes: the result is always the same.
"""


def document(tables: Sequence[Table]) -> str:
    """The text of docs/perft.md."""
    board = loa.Board(size=5, setup="scrambled")
    example = loa.perft(board, 5), loa.perft_statistics(board, 5).captures
    parts = [INTRODUCTION.replace("SCRAMBLED_5", str(example)), _overview(tables)]
    parts += [_section(table) for table in tables]
    return "\n".join(parts)


def _overview(tables: Sequence[Table]) -> str:
    """All counts in one table for each set-up."""
    parts = ["## All counts\n"]
    for setup in SETUPS:
        chosen = [table for table in tables if table.start.setup == setup]
        depth = max(len(table.rows) for table in chosen)
        rows = [
            [str(index + 1)]
            + [
                f"{table.rows[index].leaves:,}" if index < len(table.rows) else ""
                for table in chosen
            ]
            for index in range(depth)
        ]
        sizes = [f"{table.start.size}×{table.start.size}" for table in chosen]
        parts.append(f"{setup.capitalize()} set-up:\n")
        parts.append(_markdown([setup, *sizes], "r" * (1 + len(sizes)), rows))
    return "\n".join(parts)


def _section(table: Table) -> str:
    """The part about one start."""
    start = table.start
    rows = []
    for row in table.rows:
        categories = [
            f"{getattr(row.statistics, name):,}" if row.statistics else ""
            for name in CATEGORIES.values()
        ]
        methods = ", ".join(row.methods) if len(row.methods) > 1 else f"{row.methods[0]} only"
        fast = "plain" if row.leaves <= PLAIN_COMMAND_LIMIT else "hashed"
        method = fast if fast in row.methods else row.methods[0]
        rows.append(
            [
                str(row.depth),
                f"{row.leaves:,}",
                methods,
                *categories,
                f"`{command(start, row.depth, method)}`",
            ]
        )
    titles = ["depth", "leaves", "found by", *CATEGORIES, "command"]
    divided = [
        [" ".join(moves), str(len(moves)), f"{leaves:,}"] for moves, leaves in table.divided.items()
    ]
    divide_command = f"loa perft {table.divided_depth}{start.options} --divide"
    return "\n".join(
        [
            f"## {start.title}\n",
            f"`{start.board().fen()}`\n",
            _markdown(titles, "rrl" + "r" * len(CATEGORIES) + "l", rows),
            f"Depth {table.divided_depth} divided (`{divide_command}`); a row holds moves that "
            "are images of each other:\n",
            _markdown(["moves", "number", "leaves below each"], "lrr", divided),
        ]
    )


def _markdown(titles: Sequence[str], alignment: str, rows: Sequence[Sequence[str]]) -> str:
    """A table; `alignment` has a letter for each column, l or r."""
    rules = ["---:" if letter == "r" else "---" for letter in alignment]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (titles, rules, *rows))


# The command


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (None: those of the process); return its exit status."""
    return exit_status(_run, _parser().parse_args(argv))


def _run(options: argparse.Namespace) -> None:
    journal = Journal(options.journal)
    tables = []
    for start in STARTS:
        if not options.only_known:
            fill_journal(start, options.max_leaves, options.threads, journal)
        tables.append(make_table(start, journal))
    for path, text in ((options.out, document(tables)), (options.suite, suite_text(tables))):
        path.write_text(text, encoding="utf-8", newline="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables",
        description="Count all starts by two methods each, and write the tables.",
    )
    parser.add_argument(
        "--max-leaves",
        type=positive_int,
        metavar="N",
        help=f"go no deeper than a depth with more (default: depth {MAX_DEPTH}, which takes hours)",
    )
    parser.add_argument("--threads", type=positive_int, default=2, metavar="N", help="(2)")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/perft.md"), metavar="FILE", help="(%(default)s)"
    )
    parser.add_argument(
        "--suite",
        type=Path,
        default=Path("tests/data/start-positions.txt"),
        metavar="FILE",
        help="(%(default)s)",
    )
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help="keep each count in FILE and go on from there"
    )
    parser.add_argument(
        "--only-known", action="store_true", help="count nothing: write what the journal holds"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
