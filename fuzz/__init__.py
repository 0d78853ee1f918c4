"""Coverage-guided fuzzing: targets, each a property that has to hold for any bytes.

`python -m fuzz NAME` runs a target, `.ci/fuzz` all of them; `corpus/NAME` holds what each starts
from. The targets need no fuzzer: the tests run the corpus through them.
"""
