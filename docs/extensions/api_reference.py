"""Docstrings and stubs as Sphinx's autodoc wants them.

Docstrings of the package are written to be read in a terminal: blocks of code are indented, and
compiled functions have their signature as the first line. Types are taken as they are written: for
compiled names in the stubs (`.pyi`) beside the modules, for others in the source.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import enum
import functools
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import loa

_Function = ast.FunctionDef | ast.AsyncFunctionDef

_EMBEDDED = re.compile(r"([\w.]+)\((.*)\)(?: -> .*)?$")
"""The first line of a compiled function's docstring."""


# What is written ---------------------------------------------------------------------------------


@functools.cache
def _written(module: str) -> ast.Module | None:
    """The source of a module of this package; of a compiled one its stub."""
    if not module.startswith("loa."):
        return None
    path = Path(inspect.getfile(importlib.import_module(module)))
    if path.suffix != ".py":
        path = path.with_name(module.rpartition(".")[2] + ".pyi")
    return ast.parse(path.read_text(encoding="utf-8"))


def _named(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    return [
        node
        for node in body
        if getattr(node, "name", None) == name
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name)
    ]


def _declarations(name: str, owner: Any = None) -> tuple[list[ast.stmt], str]:
    """What is written of `loa.Board.push` or `loa.perft`, and in which module.

    The list is empty where nothing is; of an overloaded function it has several members.
    """
    path, _, last = name.rpartition(".")
    if owner is None:
        try:
            owner = importlib.import_module(path)
        except ImportError:
            module, _, class_name = path.rpartition(".")
            owner = getattr(importlib.import_module(module), class_name)
    if inspect.ismodule(owner):
        module = getattr(getattr(owner, last, None), "__module__", "")
        tree = _written(module)
        return _named(tree.body, last) if tree else [], module
    for kind in inspect.getmro(owner):
        tree = _written(kind.__module__)
        for declared in _named(tree.body, kind.__name__) if tree else []:
            if isinstance(declared, ast.ClassDef) and (found := _named(declared.body, last)):
                return found, kind.__module__
    return [], ""


# Signatures --------------------------------------------------------------------------------------


def _arguments(function: _Function, module: ModuleType, embedded: str) -> str:
    """The arguments with types and defaults; those that a stub leaves out are the embedded ones."""
    arguments = copy.deepcopy(function.args)
    for defaults in (arguments.defaults, arguments.kw_defaults):
        for index, default in enumerate(defaults):
            value = vars(module).get(default.id) if isinstance(default, ast.Name) else None
            if isinstance(value, int | float | str) and not isinstance(value, enum.Enum):
                defaults[index] = ast.Constant(value)
    text = ast.unparse(arguments)
    for name in ("self", "cls"):
        text = re.sub(rf"^{name}(, /)?(, |$)", "", text)
    known = dict(re.findall(r"(\w+)=([\w.]+|\"\w*\")", embedded))
    return re.sub(
        r"(\w+)(: [^=]+)=\.\.\.",
        lambda match: f"{match[1]}{match[2]}={known.get(match[1], '...')}",
        text,
    )


def _fields(value: Any) -> str:
    """The arguments of a dataclass."""
    texts = []
    for field in dataclasses.fields(value):
        if not field.init:
            continue
        if field.kw_only and "*" not in texts:
            texts.append("*")
        default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
        if isinstance(field.default, enum.Enum):
            default = f" = {type(field.default).__name__}.{field.default.name}"
        if field.default_factory is not dataclasses.MISSING:
            default = " = ..."
        annotation = field.type if isinstance(field.type, str) else field.type.__name__
        texts.append(f"{field.name}: {annotation}{default}")
    return f"({', '.join(texts)})"


def _on_signature(
    _app: Sphinx,
    what: str,
    name: str,
    value: Any,
    _options: Any,
    signature: str | None,
    _returned: str | None,
) -> tuple[str, str | None] | None:
    """The signature that is written; the embedded one where several are."""
    if signature is None:
        return None
    embedded = (inspect.getdoc(value) or "").partition("\n")[0]
    if what == "class":
        if issubclass(value, enum.Enum) or getattr(value, "_is_protocol", False):
            return "", None  # Nobody calls them.
        nodes_found, module_name = _declarations(f"{name}.__init__", value)
        if not nodes_found:
            nodes_found, module_name = _declarations(f"{name}.__new__", value)
        if not nodes_found and dataclasses.is_dataclass(value):
            return _fields(value), None
    else:
        nodes_found, module_name = _declarations(name)
    functions = [node for node in nodes_found if isinstance(node, _Function)]
    decorators = {ast.unparse(each) for function in functions for each in function.decorator_list}
    if not functions or "property" in decorators:
        return None
    if len(functions) > 1:
        match = _EMBEDDED.match(embedded)
        return (f"({match[2].removeprefix('self, ')})", None) if match else None
    (function,) = functions
    module = importlib.import_module(module_name)
    arguments = f"({_arguments(function, module, embedded)})"
    if what == "class" or function.returns is None:
        return arguments, None
    return arguments, ast.unparse(function.returns)


# Docstrings --------------------------------------------------------------------------------------


def _type_of(name: str) -> str | None:
    """The type of a property or a class variable of a compiled class."""
    for node in _declarations(name)[0]:
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.FunctionDef):
            annotation = node.returns
        if annotation is not None:
            return ast.unparse(annotation)
    return None


def _on_docstring(
    _app: Sphinx, what: str, name: str, value: Any, _options: Any, lines: list[str]
) -> None:
    """Takes the embedded signature away and marks blocks of code."""
    match = _EMBEDDED.match(lines[0]) if lines else None
    if match and match[1].rpartition(".")[2] == name.rpartition(".")[2]:
        del lines[0]
    source, lines[:] = list(lines), []
    block: list[str] = []
    for line in [*source, "end"]:
        indented = line.startswith("    ")
        if block and line and not indented:
            language = "pycon" if block[0].lstrip().startswith(">>>") else "text"
            lines += [f".. code-block:: {language}", "", *block, ""]
            block = []
        if block or (indented and lines and not lines[-1]):
            block.append(line)
        else:
            # To Sphinx a name that starts with a dot is the end of some longer one.
            lines.append(re.sub(r"(?<!`)`(\.\w+)`", r"``\1``", line))
    del lines[-1]
    compiled = inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value)
    if what in ("attribute", "property") and compiled and (kind := _type_of(name)):
        lines += ["", f":type: ``{kind}``", ""]


def _on_description(_app: Sphinx, _domain: str, _kind: str, content: nodes.Element) -> None:
    """Puts the type of a property behind its name."""
    for fields in list(content.findall(nodes.field_list)):
        for field in list(fields.findall(nodes.field)):
            if field[0].astext() == "type" and fields.parent is content:
                text = f": {field[1].astext()}"
                signature = content.parent[0]
                signature += addnodes.desc_annotation(text, text)
                fields.remove(field)
        if not fields.children:
            fields.parent.remove(fields)


def _on_doctree(_app: Sphinx, doctree: nodes.document) -> None:
    """Gives public classes their full names in links, which tell them from others of that name."""
    for link in doctree.findall(addnodes.pending_xref):
        name = link["reftarget"]
        if link.get("refdomain") != "py" or name not in loa.__all__:
            continue
        public = getattr(loa, name)
        module = importlib.import_module(link.get("py:module") or "loa")
        if inspect.isclass(public) and vars(module).get(name, public) is public:
            link["reftarget"] = f"loa.{name}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Joins autodoc."""
    app.connect("autodoc-process-signature", _on_signature)
    app.connect("autodoc-process-docstring", _on_docstring)
    app.connect("object-description-transform", _on_description)
    app.connect("doctree-read", _on_doctree)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
