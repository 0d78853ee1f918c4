"""Builds the source distribution and, from it, the wheel; checks what is in them."""

import re
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


def check_declarations(contents: zipfile.ZipFile) -> None:
    """What the declarations in a wheel cimport has to be in it, and the surface at its head."""
    names = set(contents.namelist())
    check("loa/__init__.pxd" in names, "the wheel lacks loa/__init__.pxd: no `cimport loa`")
    for name in sorted(names):
        if not name.endswith(".pxd"):
            continue
        text = contents.read(name).decode("utf-8")
        for module in re.findall(r"^(?:from|cimport) loa\.(\w+)", text, re.MULTILINE):
            check(f"loa/{module}.pxd" in names, f"{name} needs loa/{module}.pxd")


def main() -> None:
    """Build in a folder of its own and look at every name."""
    package = SOURCES / "src"
    modules = {
        path.relative_to(package).with_suffix("") for path in (package / "loa").rglob("*.pyx")
    }
    shipped = {
        path.relative_to(package)
        for pattern in ("*.py", "*.pyi", "*.pxd", "py.typed")
        for path in (package / "loa").rglob(pattern)
    }
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "build", "--outdir", folder, SOURCES], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        (archive,) = Path(folder).glob("*.tar.gz")
        with zipfile.ZipFile(wheel) as contents:
            names = {Path(name) for name in contents.namelist()}
            check_declarations(contents)
        with tarfile.open(archive) as contents:
            sources = {Path(*Path(name).parts[1:]) for name in contents.getnames()}
    in_package = {path for path in names if path.parts[0] == "loa"}
    extensions = {path for path in in_package if path.suffix in {".so", ".pyd"}}
    compiled = {path.with_name(path.name.split(".")[0]) for path in extensions}
    check(compiled == modules, f"the wheel has {compiled}: expected {modules}")
    others = in_package - extensions
    check(others == shipped, f"the wheel has {others ^ shipped} too many or too few")
    suffixes = {path.suffix for path in names | sources}
    check(not suffixes & {".cpp", ".c", ".o", ".obj"}, "there is generated code or an object file")
    for name in (
        "setup.py",
        "LICENSE",
        "docs/embedding.md",
        "examples/uct_cython/pyproject.toml",
        "examples/uct_cython/uct_cython.pyx",
        "src/loa/_bitboard.pyx",
        "tests/data/perft.txt",
        "tests/downstream/pyproject.toml",
        "tests/downstream/searcher.pyx",
    ):
        check(Path(name) in sources, f"the source distribution lacks {name}")
    for path in sources:
        check(path.suffix not in {".so", ".pyd"}, f"the sources hold the compiled module {path}")
    print(f"distributions: {len(names)} files in the wheel, {len(sources)} in the sources: ok")


if __name__ == "__main__":
    main()
