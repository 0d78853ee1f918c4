"""How fast loa is, beside its own reference and OpenSpiel: `python -m benchmarks` says.

One run prints every figure, each the median of several repeats. Whatever is counted on the way
is compared with what it has to be, so that a faster wrong answer never passes for progress.
"""
