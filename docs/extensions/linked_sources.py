"""Pages for the files of the repository that pages link to.

On GitHub a relative link such as `../src/loa/rules.py` shows the file. The site has a page for each
of them, with the text in colours, and one for each folder, with its files.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent.parent
_HIDDEN = {"__pycache__", "build"}
_NOT_SHOWN = {".so", ".pyd", ".png", ".cpp"}


def _is_shown(path: Path) -> bool:
    return path.name not in _HIDDEN and path.suffix not in _NOT_SHOWN and path.name[0] != "."


def _on_doctree(app: Sphinx, doctree: nodes.document) -> None:
    """Leads links to files and folders to their pages, before Sphinx makes downloads of them."""
    page = app.env.docname
    folder = (app.srcdir / page).parent
    links = [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]
    for link in links:
        if link.get("reftype") != "myst" or not link["reftarget"]:
            continue
        target = link["reftarget"]
        if link.get("refdomain") == "doc":
            if target in app.env.found_docs:
                continue
            # Markdown that is no page of the site.
            target += ".md"
        path = folder.joinpath(target).resolve()
        if not path.exists() or not path.is_relative_to(ROOT):
            continue
        name = path.relative_to(ROOT).as_posix()
        app.env.linked_sources.add(name)  # type: ignore[attr-defined]
        up = "../" * page.count("/")
        reference = nodes.reference(refuri=f"{up}sources/{name}.html", internal=True)
        reference += link.children
        link.replace_self(reference)


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    waiting = sorted(app.env.linked_sources)  # type: ignore[attr-defined]
    done = set(waiting)
    while waiting:
        name = waiting.pop()
        path = ROOT / name
        if path.is_dir():
            body = ["<ul>"]
            for entry in sorted(filter(_is_shown, path.iterdir())):
                inner = f"{name}/{entry.name}"
                if inner not in done:
                    done.add(inner)
                    waiting.append(inner)
                target = os.path.relpath(inner, Path(name).parent).replace(os.sep, "/")
                text = html.escape(entry.name + "/" * entry.is_dir())
                body.append(f'<li><a href="{html.escape(target)}.html">{text}</a></li>')
            text = "\n".join([*body, "</ul>"])
        else:
            text = _highlighted(app, path)
        title = html.escape(name)
        yield f"sources/{name}", {"title": title, "body": f"<h1>{title}</h1>\n{text}"}, "page.html"


def _highlighted(app: Sphinx, path: Path) -> str:
    try:
        lexer = get_lexer_for_filename(path.name).aliases[0]
    except ClassNotFound:
        lexer = TextLexer.aliases[0]
    if path.suffix in (".pyx", ".pxd"):
        lexer = "cython"
    # What the fuzzer starts from is bytes of any kind.
    text = path.read_bytes().decode("utf-8", errors="backslashreplace")
    text = "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)
    if len(text) > 200_000 or path.suffix in (".json", ".svg"):
        lexer = "text"
    highlighter = app.builder.highlighter  # type: ignore[attr-defined]
    block: str = highlighter.highlight_block(text, lexer, force=True)
    return block


def _on_start(app: Sphinx) -> None:
    app.env.linked_sources = set()  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, bool]:
    """Joins the reading and the writing of pages."""
    app.connect("builder-inited", _on_start)
    app.connect("doctree-read", _on_doctree, priority=400)
    app.connect("html-collect-pages", _pages)
    # The set of files is filled by one process, in one reading of all pages.
    return {"parallel_read_safe": False, "parallel_write_safe": True}
