"""Runs a target under atheris: `python -m fuzz NAME [options and folders of libFuzzer]`.

The package and `tests` have to be on the path: `.ci/fuzz` sees to that.
"""

import functools
import sys

import atheris
from atheris.import_hook import instrument_imports


def main(arguments: list[str]) -> None:
    """Fuzz the target that the arguments name."""
    # What the reference does says nothing of the package, and being watched would slow it down.
    with instrument_imports(include=["loa"], exclude=["loa.reference"]):
        from fuzz.targets import TARGETS
        from loa import reference
    # It is slow enough as it is, and asked the same things again and again.
    for name in ("line_squares", "line_moves", "groups"):
        setattr(reference, name, functools.lru_cache(4096)(getattr(reference, name)))
    name, *options = arguments
    atheris.Setup(["fuzz", *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
