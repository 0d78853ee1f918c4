"""Every example in a docstring runs, every public name has one, and the stubs know all names."""

import ast
import doctest
import enum
import importlib
import importlib.util
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import loa

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "loa"

MODULES = [
    f"loa.{info.name}" for info in pkgutil.iter_modules(loa.__path__) if info.name != "__main__"
] + [f"loa.records.{info.name}" for info in pkgutil.iter_modules(loa.records.__path__)]

COMPILED = [
    info.name
    for info in pkgutil.iter_modules(loa.__path__)
    if importlib.util.find_spec(f"loa.{info.name}").origin.endswith((".so", ".pyd"))
]


@pytest.mark.parametrize("name", ["loa", *MODULES])
def test_docstring_examples(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"loa": loa}, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_compiled_docstrings_are_collected():
    """Compiled classes hide their methods from doctest; Cython lists them in __test__."""
    finder = doctest.DocTestFinder()
    examples = {
        name: sum(
            len(test.examples) for test in finder.find(importlib.import_module(f"loa.{name}"))
        )
        for name in COMPILED
    }
    assert len(COMPILED) > 8
    assert examples["_board"] > 40
    assert examples["_moves"] > 8
    assert examples["_perft"] >= 4


def public_members(owner):
    return [
        (name, member)
        for name, member in vars(owner).items()
        if not name.startswith("_") and (callable(member) or inspect.isdatadescriptor(member))
    ]


PUBLIC_MODULES = (
    *(loa, loa.distributed, loa.encodings, loa.notation, loa.records),
    *(loa.replay, loa.suite, loa.svg),
)


def public_names():
    """What can be described: functions, classes, and their methods and properties, by name."""
    for module in PUBLIC_MODULES:
        for name in module.__all__:
            member = getattr(module, name)
            if inspect.isroutine(member) or inspect.isclass(member):
                yield f"{module.__name__}.{name}", member
            if inspect.isclass(member) and not issubclass(member, enum.Enum):
                # A field of a class is described with the class, those that it inherits elsewhere.
                fields = {*getattr(member, "_fields", ()), *getattr(member, "__slots__", ())}
                for attribute, value in public_members(member):
                    if attribute not in fields:
                        yield f"{module.__name__}.{name}.{attribute}", value


def text_of(name, member):
    """The documentation, without the signature that compiled classes have as a first line."""
    text = (member.__doc__ or "").strip()
    signature, _, rest = text.partition("\n")
    return rest.strip() if signature.startswith(f"{'.'.join(name.split('.')[-2:])}(") else text


def test_every_public_name_is_documented():
    found = dict(public_names())
    assert len(found) > 200
    assert [name for name, member in found.items() if not text_of(name, member)] == []


def test_every_public_name_has_an_example():
    """Of its own, or in that of its class; exceptions are shown where they are raised."""
    found = dict(public_names())
    missing = []
    for name, member in found.items():
        if ">>>" in text_of(name, member):
            continue
        if inspect.isclass(member) and issubclass(member, Exception):
            continue
        owner, _, attribute = name.rpartition(".")
        if owner in found and re.search(rf">>>.*\b{attribute}\b", text_of(owner, found[owner])):
            continue
        missing.append(name)
    assert missing == []


def test_signatures_are_where_help_and_inspect_look_for_them():
    """Defaults that are no literals cannot be told by `inspect`: docstrings begin with those."""
    told = 0
    for name, member in public_names():
        if not callable(member) or inspect.isclass(member):
            continue
        text = inspect.getdoc(member) or ""
        if not text.startswith(f"{name.rpartition('.')[2]}("):
            assert inspect.signature(member) is not None, name
            told += 1
    assert told > 60


@pytest.mark.parametrize("name", COMPILED)
def test_stubs_name_what_there_is(name):
    """Each compiled module ships a stub with its public functions, classes and methods."""
    module = importlib.import_module(f"loa.{name}")
    stub = ast.parse(Path(loa.__file__).with_name(f"{name}.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    for member_name, member in vars(module).items():
        if member_name.startswith("_") or getattr(member, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(member):
            stubbed = {
                node.name for node in classes[member_name].body if isinstance(node, ast.FunctionDef)
            } | {
                node.target.id
                for node in classes[member_name].body
                if isinstance(node, ast.AnnAssign)
            }
            assert {name for name, _ in public_members(member)} <= stubbed | {"PASS"}
        else:
            assert member_name in functions


def test_package_ships_what_other_packages_build_on():
    folder = Path(loa.__file__).parent
    for name in ("py.typed", "_bitboard.pxd", "_board.pxd", "_history.pxd", "_moves.pxd"):
        assert (folder / name).is_file()
    assert not list(folder.glob("*.cpp"))


# The floors of the house ------------------------------------------------------------------------

# Wheels are tested without the sources.
needs_sources = pytest.mark.skipif(not SOURCES.is_dir(), reason="needs the whole clone")
IMPORT = re.compile(r"^(?:from|cimport|import) (loa[\w.]*)(?: c?import (.*))?", re.MULTILINE)
HEADER = re.compile(r'^(?:cdef extern from|#include) "(_\w+\.h)"', re.MULTILINE)


def floors():
    """The rows of the table in `docs/engine.md` that name each file, from the top."""
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    section = page.partition("## The floors of the house\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| [")]
    found = {}
    for number, row in enumerate(rows):
        for name, target in re.findall(r"\[`([^`]+)`\]\(\.\./src/loa/([^)]+)\)", row):
            assert name == target
            found.setdefault(name, []).append(number)
    return found


def files_of_the_package():
    """All files with code, by their names on the page; a `.pxd` counts as part of its `.pyx`."""
    for path in sorted(SOURCES.rglob("*")):
        is_part = path.suffix == ".pxd" and path.with_suffix(".pyx").exists()
        if path.suffix in (".py", ".pyx", ".pxd", ".h") and not is_part:
            yield path.relative_to(SOURCES).as_posix()


@needs_sources
def test_every_file_has_its_floor():
    names = {name for name in files_of_the_package() if Path(name).stem != "__init__"}
    assert len(names) > 60
    assert {name: len(rows) for name, rows in floors().items()} == dict.fromkeys(names, 1)


def needed_at_import(name, names):
    """The files that a file needs; what calls load when they are made begins with blanks."""
    modules = {
        "loa." + each.partition(".")[0].replace("/", "."): each
        for each in names
        if not each.endswith(".h")
    }
    path = SOURCES / name
    parts = [path, *([path.with_suffix(".pxd")] if path.suffix == ".pyx" else [])]
    text = "\n".join(part.read_text(encoding="utf-8") for part in parts if part.exists())
    yield from HEADER.findall(text)
    for module, imported in IMPORT.findall(text):
        inner = [f"{module}.{each.strip()}" for each in imported.split(",")]
        for used in [each for each in inner if each in modules] or [module]:
            if used == "loa.records":
                yield from (each for each in names if each.startswith("records/"))
            elif used != "loa":  # What is there by then is the version.
                yield modules[used]


@needs_sources
def test_files_stand_on_floors_above_their_own_in_the_table():
    floor = {name: row for name, (row, *_) in floors().items()}
    needed = {name: set(needed_at_import(name, floor)) for name in floor}
    assert sum(map(len, needed.values())) > 200
    for name, others in needed.items():
        assert [other for other in others if floor[other] > floor[name]] == [], name
