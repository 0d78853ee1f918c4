"""What `import loa` loads at once and what later, and what is said where an extra is missing."""

import subprocess
import sys

import pytest

import loa

# Big modules of loa and of the standard library that programs without use for them do not load.
LATE = [
    "concurrent.futures",
    "loa.cli",
    "loa.distributed",
    "loa.encodings",
    "loa.frontiers",
    "loa.integrations",
    "loa.random_games",
    "loa.records",
    "loa.reference",
    "loa.replay",
    "loa.suite",
    "loa.svg",
    "logging",
]


def run(code: str) -> str:
    """What a new process prints that has imported nothing yet."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_little():
    code = (
        "import sys, numpy\nbefore = set(sys.modules)\nimport loa\n"
        "loa.Board().push_text('c8-c6'), loa.perft(loa.Board(), 3), loa.BoardBatch(2).planes()\n"
        f"print([name for name in {LATE} if name in sys.modules and name not in before])"
    )
    assert run(code) == "[]\n"


@pytest.mark.parametrize("name", loa.__all__)
def test_every_name_is_there_from_the_start(name):
    assert name in dir(loa)
    assert getattr(loa, name) is getattr(loa, name)


@pytest.mark.parametrize("name", loa.__all__)
def test_each_name_by_itself(name):
    """No name depends on another one that was asked for before."""
    assert run(f"from loa import {name}\nprint({name!r} in dir())") == "True\n"


def test_star_import():
    code = "from loa import *\nimport loa\nprint(sorted(set(loa.__all__) - set(globals())))"
    assert run(code) == "[]\n"


def test_unknown_name():
    with pytest.raises(AttributeError, match=r"module 'loa' has no attribute 'bord'"):
        loa.bord  # noqa: B018


def test_threads_that_ask_for_late_names_at_once():
    code = (
        "import threading, loa\n"
        "names = [n for n in loa.__all__ if n not in vars(loa)]\n"
        "barrier = threading.Barrier(8)\n"
        "found = []\n"
        "def ask():\n"
        "    barrier.wait()\n"
        "    found.append([getattr(loa, name) for name in names])\n"
        "threads = [threading.Thread(target=ask) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "print(len(found), all(\n"
        "    one is other for row in found for one, other in zip(row, found[0])))\n"
    )
    assert run(code) == "8 True\n"


@pytest.mark.parametrize(
    ("module", "package", "message"),
    [
        ("gymnasium", "gymnasium", "needs Gymnasium: pip install 'loa[gymnasium]'"),
        ("openspiel", "pyspiel", "needs OpenSpiel: pip install 'loa[openspiel]'"),
        ("pettingzoo", "pettingzoo", "needs PettingZoo: pip install 'loa[pettingzoo]'"),
        ("pillow", "PIL", "needs Pillow: pip install 'loa[pictures]'"),
    ],
)
def test_integrations_say_which_extra_they_need(module, package, message):
    code = f"import sys; sys.modules[{package!r}] = None; import loa.integrations.{module}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert message in result.stderr
