"""How fast loa is, beside its own reference and OpenSpiel: `python -m benchmarks` says.

One run prints every figure, each the median of several repeats. Whatever is counted on the way
is compared with what it has to be, so that a faster wrong answer never passes for progress.

Other commands are `benchmarks.plots` (the pictures of docs/performance.md), `benchmarks.tables`
(docs/perft.md), `benchmarks.records` (files of games) and `benchmarks.import_time`.
"""
