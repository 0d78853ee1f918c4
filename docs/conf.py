"""How Sphinx makes the site of the pages in this folder; `.ci/docs` runs it."""

import sys
from pathlib import Path

from docutils import nodes
from pygments.lexers import TextLexer
from sphinx.application import Sphinx

import loa
from loa.records import FORMATS

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "loa"
author = "The loa authors"
project_copyright = author
version = release = loa.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "api_reference", "linked_sources"]
source_suffix = {".md": "markdown"}
# Names in one pair of backticks, as docstrings have them, are code, and links where they can be.
default_role = "py:obj"

# Anchors of headings are those that GitHub makes.
myst_heading_anchors = 4
# Without a network the environments of other libraries are documented all the same.
autodoc_mock_imports = ["PIL", "gymnasium", "pettingzoo", "pyspiel"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"loa {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5fa6", "color-brand-content": "#1d5fa6"},
    "dark_css_variables": {"color-brand-primary": "#8dbcf2", "color-brand-content": "#8dbcf2"},
    "footer_icons": [],
}
# Light and dark styles that have enough contrast, both by Pygments itself.
pygments_style = "default"
pygments_dark_style = "native"
highlight_language = "text"


def trim_blocks(_app: Sphinx, doctree: nodes.document) -> None:
    """Leaves out the blank line at the end of a block, which is there for doctest."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block[:] = [nodes.Text(text)]


def setup(app: Sphinx) -> None:
    """Joins the reading of pages."""
    app.connect("doctree-read", trim_blocks)
    # Game records are shown as they are: Pygments knows none of the formats as they are used here.
    for name in FORMATS:
        app.add_lexer(name, TextLexer)
