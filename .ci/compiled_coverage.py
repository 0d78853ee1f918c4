"""Which lines of Cython and C++ have been run, by what gcc has counted.

`python compiled_coverage.py TREE` looks in a tree in which the modules were built in place with
`gcc --coverage` and with Cython's `emit_linenums`, and in which they were run. Lines are those of
.pyx and .pxd files and of headers that code was made of; those that only declare are none.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

LEAST = 95
# Where the code at these lines is only the way out of a function, or nothing at all.
DECLARATION = re.compile(r"\s*(@|\)|(cdef|cpdef|def|class)\b(?!.* = ))")


def counts_of(tree: Path) -> dict[str, Counter[int]]:
    """How often the lines of each file of the package were run, at most, in any of its modules."""
    found: dict[str, Counter[int]] = {}
    for notes in sorted(tree.glob("build/temp*/**/*.gcno")):
        answer = subprocess.run(
            ["gcov", "--json-format", "--stdout", str(notes)],
            capture_output=True,
            check=True,
            text=True,
            cwd=tree,
        )
        for file in json.loads(answer.stdout)["files"]:
            path = tree / "src" / "loa" / Path(file["file"]).name
            if path.suffix not in {".pyx", ".pxd", ".h"} or not path.exists():
                continue
            lines = ["", *path.read_text(encoding="utf-8").splitlines()]
            counts = found.setdefault(path.name, Counter())
            for line in file["lines"]:
                number, count = line["line_number"], line["count"]
                # Code of Cython's own, such as what imports a module, follows the last line.
                if number < len(lines) and not DECLARATION.match(lines[number]):
                    counts[number] = max(counts[number], count)
    return found


def ranges(numbers: list[int]) -> str:
    """Numbers in ascending order, neighbours joined.

    >>> ranges([3, 7, 8, 9])
    '3, 7-9'
    """
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(
        str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups
    )


def main(tree: Path) -> int:
    """Print the table; 1 where too few lines were run."""
    found = counts_of(tree)
    print(f"\n{'Name':<24}{'Lines':>7}{'Missed':>8}{'Cover':>8}   Missing")
    total = run = 0
    for name, counts in sorted(found.items()):
        missed = sorted(number for number, count in counts.items() if not count)
        total += len(counts)
        run += len(counts) - len(missed)
        share = 100 * (1 - len(missed) / max(len(counts), 1))
        print(f"{name:<24}{len(counts):>7}{len(missed):>8}{share:>7.1f}%   {ranges(missed)}")
    share = 100 * run / max(total, 1)
    print(f"{'TOTAL':<24}{total:>7}{total - run:>8}{share:>7.1f}%")
    if share < LEAST:
        print(f"{share:.1f} % of the compiled lines were run: expected {LEAST} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
