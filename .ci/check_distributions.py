"""Checks what is in wheels and source distributions: `check_distributions.py FILE...`."""

import re
import sys
import tarfile
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


def check_wheel(path: Path) -> set[Path]:
    """Compare a wheel with the sources; return the names in it."""
    package = SOURCES / "src"
    modules = {
        path.relative_to(package).with_suffix("") for path in (package / "loa").rglob("*.pyx")
    }
    shipped = {
        path.relative_to(package)
        for pattern in ("*.py", "*.pyi", "*.pxd", "py.typed")
        for path in (package / "loa").rglob(pattern)
    }
    with zipfile.ZipFile(path) as contents:
        names = {Path(name) for name in contents.namelist() if not name.endswith("/")}
        check_declarations(contents)
    in_package = {path for path in names if path.parts[0] == "loa"}
    extensions = {path for path in in_package if path.suffix in {".so", ".pyd"}}
    compiled = {path.with_name(path.name.split(".")[0]) for path in extensions}
    check(compiled == modules, f"{path.name} has {compiled}: expected {modules}")
    others = in_package - extensions
    check(others == shipped, f"{path.name} has {others ^ shipped} too many or too few")
    others = {path.parts[0] for path in names - in_package}
    check(
        len(others) == 1 and others.pop().endswith(".dist-info"),
        f"{path.name} has {others} beside the package: expected its metadata only",
    )
    return names


def check_sources(path: Path) -> set[Path]:
    """Look for what a source distribution has to hold; return the names in it."""
    with tarfile.open(path) as contents:
        names = {Path(*Path(name).parts[1:]) for name in contents.getnames()}
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
        check(Path(name) in names, f"{path.name} lacks {name}")
    return names


def main(files: list[Path]) -> None:
    """Look at every name in every file."""
    wheels = {path.name: check_wheel(path) for path in files if path.suffix == ".whl"}
    sources = {path.name: check_sources(path) for path in files if path.suffix == ".gz"}
    check(len(wheels) + len(sources) == len(files) > 0, "expected names of .whl and .tar.gz files")
    for names in wheels.values():
        for others in wheels.values():
            check(names == others, f"one wheel has {names - others}, which another has not")
    for name, names in {**wheels, **sources}.items():
        suffixes = {path.suffix for path in names}
        check(not suffixes & {".cpp", ".c", ".o", ".obj"}, f"generated code or objects in {name}")
        compiled = {path for path in names if path.suffix in {".so", ".pyd"}}
        check(name in wheels or not compiled, f"{name} has compiled modules: {compiled}")
        print(f"distributions: {len(names)} files in {name}: ok")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
