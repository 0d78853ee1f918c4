"""The examples of `docs/integrations.md`, which need extras and so are no doctests."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "integrations.md"


def run_examples(section: str) -> int:
    """Runs the Python blocks of one section, each by itself, and returns how many there are."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        exec(block, {})
    return len(blocks)
