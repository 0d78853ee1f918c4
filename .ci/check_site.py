"""Checks the made site: links, anchors, nothing from elsewhere, every public name."""

import html.parser
import importlib
import inspect
import re
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import loa

# What a page loads; a link in its text may lead anywhere.
LOADING = {
    ("audio", "src"),
    ("embed", "src"),
    ("iframe", "src"),
    ("img", "src"),
    ("img", "srcset"),
    ("input", "src"),
    ("link", "href"),
    ("object", "data"),
    ("script", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("use", "href"),
    ("video", "src"),
}
# Relations of `link` that name a page and load nothing.
NAMING = {"next", "prev", "index", "search", "canonical"}
MODULES = (
    "loa.distributed",
    "loa.encodings",
    "loa.notation",
    "loa.records",
    "loa.reference",
    "loa.replay",
    "loa.suite",
    "loa.svg",
)


class Page(html.parser.HTMLParser):
    """The anchors of a page, where it leads and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        for name, value in values.items():
            if (tag, name) in LOADING and values.get("rel") not in NAMING:
                self.loaded.append(value)
            elif name in ("href", "src", "xlink:href"):
                self.links.append(value)


def is_elsewhere(target: str) -> bool:
    """Whether a target is not part of the site."""
    return bool(urllib.parse.urlsplit(target).scheme) or target.startswith("//")


def complaints_of_pages(site: Path) -> Iterator[str]:
    """What is wrong with links and with what is loaded."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loaded:
            if is_elsewhere(target) and not target.startswith("data:"):
                yield f"{name} loads {target}: expected nothing from elsewhere"
        for target in page.links + page.loaded:
            if is_elsewhere(target):
                if target.startswith("file:"):
                    yield f"{name} leads to {target}: expected no path of a machine"
                continue
            parts = urllib.parse.urlsplit(target)
            there = path.parent.joinpath(urllib.parse.unquote(parts.path)).resolve()
            if not parts.path:
                there = path
            elif there.is_dir():
                there /= "index.html"
            if not there.is_file():
                yield f"{name} leads to {target}, which is not there"
            elif there in pages and parts.fragment:
                known = pages[there].anchors
                if urllib.parse.unquote(parts.fragment) not in known:
                    yield f"{name} leads to {target}, which has no such anchor"


def complaints_of_styles(site: Path) -> Iterator[str]:
    """What style sheets load from elsewhere."""
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')]+)", text):
            if is_elsewhere(target) and not target.startswith("data:"):
                yield f"{path.relative_to(site)} loads {target}: expected nothing from elsewhere"


def is_of(module: str, value: object) -> bool:
    """Whether a module has made a value, for modules that do not list what is theirs."""
    return getattr(value, "__module__", None) == module


def public_names() -> Iterator[str]:
    """All names that have to be in the reference."""
    for module in ("loa", *MODULES):
        owner = importlib.import_module(module)
        own = [name for name, value in vars(owner).items() if is_of(module, value)]
        for name in getattr(owner, "__all__", own):
            member = getattr(owner, name)
            # What another page has is there under its first name.
            known = module != "loa" and getattr(loa, name, None) is member
            if name.startswith("_") or inspect.ismodule(member) or known:
                continue
            yield f"{module}.{name}"
            if inspect.isclass(member) and module == "loa":
                for inner, value in vars(member).items():
                    if not inner.startswith("_") and (
                        inspect.isroutine(value) or isinstance(value, property)
                    ):
                        yield f"{module}.{name}.{inner}"


def main() -> None:
    """Look at all pages."""
    site = Path(sys.argv[1]).resolve()
    complaints = [*complaints_of_pages(site), *complaints_of_styles(site)]
    anchors: set[str] = set()
    for path in (site / "reference").glob("*.html"):
        anchors |= Page(path.read_text(encoding="utf-8")).anchors
    names = list(public_names())
    complaints += [f"the reference lacks {name}" for name in names if name not in anchors]
    if complaints:
        sys.exit("\n".join(complaints))
    count = len(list(site.rglob("*.html")))
    print(f"site: {count} pages, {len(names)} public names: ok")


if __name__ == "__main__":
    main()
