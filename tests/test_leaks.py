"""Nothing is left over by any operation, not one object nor one allocation in some thousands.

Each is repeated in a process of its own, a million times altogether for the quick ones, and what
that leaves is far less than one object each time would be.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from leaking import operations

PROGRAM = Path(__file__).with_name("leaking.py")
TIMES = {name: times for name, (times, _) in operations().items()}
LEAKS = ("leak_an_object", "leak_memory")

# glibc's caches of freed memory, one for each thread, count as memory in use.
ENVIRONMENT = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}

# Half of what one allocation of one byte takes from the C library each time.
LEAST_BYTES = 16
# How much of each measure may change for other reasons.
NOISE = {"blocks": 20, "bytes by malloc": 2**11, "bytes of the process": 2**20}


def leaks(name: str) -> list[str]:
    """What one operation leaves, in whatever of the three measures the system has."""
    result = subprocess.run(
        [sys.executable, PROGRAM, name], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    times = TIMES[name]
    found = []
    for (unit, noise), left in zip(NOISE.items(), map(int, result.stdout.split()), strict=True):
        most = noise + (times // 2 if unit == "blocks" else LEAST_BYTES * times)
        if left > most:
            found.append(f"{left} {unit} after {times} times: expected {most} at most")
    return found


@pytest.mark.parametrize("name", [name for name in TIMES if name not in LEAKS])
def test_nothing_is_left(name):
    assert leaks(name) == []


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_would_be_found(name):
    assert leaks(name) != []
