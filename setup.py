"""Builds the compiled modules; everything declarative is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = [
    "_batch",
    "_batch_games",
    "_batch_rows",
    "_bitboard",
    "_board",
    "_frontier",
    "_hash_table",
    "_history",
    "_last_plies",
    "_moves",
    "_perft",
    "_playout",
    "_playout_tables",
    "_reasons",
    "_statistics",
]
PLAYOUT_HEADERS = ["_bytes.h", "_forms.h", "_playout.h", "_playout_steps.h", "_splitmix.h"]
HEADERS = {
    "_batch_games": ["_batch_threads.h"],
    "_batch_rows": ["_batch_kernels.h", "_bytes.h", "_forms.h", "_splitmix.h"],
    "_bitboard": ["_splitmix.h"],
    "_frontier": ["_frontier.h"],
    "_last_plies": ["_forms.h", "_lanes.h", "_lanes_children.h"],
    "_playout": PLAYOUT_HEADERS,
    "_playout_tables": PLAYOUT_HEADERS,
}

# C semantics for integer division, and no checks on C arrays: every index in the kernels is
# bounded by construction. `embedsignature` puts signatures where help() and inspect look for them.
# Methods are not bound by Cython, whose functions trust their first argument: Board.fen(3) would
# crash.
# That the modules need no lock of Python's is shown on the page on architecture.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "embedsignature": True,
    "embedsignature.format": "clinic",
    "freethreading_compatible": True,
    "binding": False,
}


class BuildExtensions(build_ext):
    """Adds the options that each compiler family spells its own way."""

    def build_extensions(self):
        if self.compiler.compiler_type == "msvc":
            options = ["/O2", "/std:c++20"]
        else:
            options = ["-O3", "-std=c++20"]
        for extension in self.extensions:
            extension.extra_compile_args += options
        super().build_extensions()


setup(
    cmdclass={"build_ext": BuildExtensions},
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=cythonize(
        [
            Extension(
                f"loa.{name}",
                [f"src/loa/{name}.pyx"],
                depends=[f"src/loa/{header}" for header in HEADERS.get(name, [])],
                language="c++",
            )
            for name in MODULES
        ],
        build_dir="build/cython",
        compiler_directives=DIRECTIVES,
    ),
)
