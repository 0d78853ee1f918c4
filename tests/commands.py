"""The commands of `benchmarks`, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run_command(
    module: str, *arguments: str, before: str = ""
) -> subprocess.CompletedProcess[str]:
    """What a module's `main` does with these arguments, some Python run before it."""
    code = f"{before}\nimport sys\nfrom {module} import main\nsys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True
    )
