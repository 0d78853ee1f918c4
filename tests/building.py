"""Builds packages that `cimport loa`, as their users would, without the network."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def install(
    project: Path,
    folder: Path,
    modules: Iterable[Path] = (),
    declarations: Path | None = None,
) -> Path:
    """Installs the copy of a project, with more modules in it; the folder to import from.

    The declarations are those of the loa that is installed, or those in another folder.
    """
    source, target = folder / "source", folder / "installed"
    shutil.copytree(project, source, ignore=shutil.ignore_patterns("checks", "build", "*.cpp"))
    for module in modules:
        shutil.copy(module, source)
    environment = dict(os.environ)
    if declarations is not None:
        paths = [str(declarations), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--no-index", "--no-deps", "--no-build-isolation"),
        *("--target", str(target), str(source)),
    ]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return target
