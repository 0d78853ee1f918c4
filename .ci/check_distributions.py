"""Builds the source distribution and, from it, the wheel; checks what is in them."""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent


def check(condition: bool, complaint: str) -> None:
    """Stop with a complaint unless the condition holds."""
    if not condition:
        sys.exit(f"distributions: {complaint}")


def main() -> None:
    """Build in a folder of its own and look at every name."""
    modules = {path.stem for path in (SOURCES / "src/loa").glob("*.pyx")}
    shipped = {
        path.name
        for pattern in ("*.py", "*.pyi", "*.pxd", "py.typed")
        for path in (SOURCES / "src/loa").glob(pattern)
    }
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "build", "--outdir", folder, SOURCES], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        (archive,) = Path(folder).glob("*.tar.gz")
        with zipfile.ZipFile(wheel) as contents:
            names = {Path(name) for name in contents.namelist()}
        with tarfile.open(archive) as contents:
            sources = {Path(*Path(name).parts[1:]) for name in contents.getnames()}
    in_package = {path.name for path in names if path.parts[0] == "loa"}
    compiled = {name.split(".")[0] for name in in_package if name.endswith((".so", ".pyd"))}
    check(compiled == modules, f"the wheel has {compiled}: expected {modules}")
    others = {name for name in in_package if not name.endswith((".so", ".pyd"))}
    check(others == shipped, f"the wheel has {others ^ shipped} too many or too few")
    suffixes = {path.suffix for path in names | sources}
    check(not suffixes & {".cpp", ".c", ".o", ".obj"}, "there is generated code or an object file")
    for name in ("setup.py", "LICENSE", "src/loa/_bitboard.pyx", "tests/data/perft.txt"):
        check(Path(name) in sources, f"the source distribution lacks {name}")
    for path in sources:
        check(path.suffix not in {".so", ".pyd"}, f"the sources hold the compiled module {path}")
    print(f"distributions: {len(names)} files in the wheel, {len(sources)} in the sources: ok")


if __name__ == "__main__":
    main()
