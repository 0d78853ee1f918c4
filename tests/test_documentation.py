"""Every example in a docstring runs, every public name has one, and the stubs know all names."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
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


def test_every_public_name_is_documented():
    missing = []
    for name in loa.__all__:
        member = getattr(loa, name)
        described = inspect.isclass(member) or inspect.isroutine(member) or inspect.ismodule(member)
        if described and not (member.__doc__ or "").strip():
            missing.append(name)
    for owner in (loa.Board, loa.Move, loa.LegalMoves):
        for name, member in public_members(owner):
            # Signatures are embedded as a first line of their own.
            text = (member.__doc__ or "").strip()
            signature, _, rest = text.partition("\n")
            if not (rest if signature.startswith(f"{owner.__name__}.{name}(") else text):
                missing.append(f"{owner.__name__}.{name}")
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
