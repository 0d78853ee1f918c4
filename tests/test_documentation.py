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
