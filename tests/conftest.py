"""Hypothesis profiles: `default` for every run, `long` for a search of some hours, `short`.

The option `--hypothesis-profile=long` chooses the long one. The short one is for programs
that are slowed down by being watched.
"""

import signal

from hypothesis import HealthCheck, settings

# Shells let programs that they start in the background ignore Ctrl-C, which some tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("short", max_examples=20, **COMMON)
settings.register_profile("default", max_examples=100, **COMMON)
# 60,000 games of about 18 plies are a million positions of random play.
settings.register_profile("long", max_examples=60_000, **COMMON)
settings.load_profile("default")
