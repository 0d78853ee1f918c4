"""The colours of pictures, and how they and the rest of the style go to the parts of a picture."""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar

from loa.rules import LoaError, shown

__all__ = ["PIECE_RADIUS", "Theme", "part_styles", "require_color"]

PIECE_RADIUS = 15
"""In the units of `loa.svg`, where a square is 40 wide."""


def require_color(name: str, value: object) -> None:
    """Refuse what is not the text of a colour: nothing else gets into an attribute."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}: expected a str")
    if re.fullmatch("#[0-9a-fA-F]{6}", value) is None:
        raise LoaError(f"{name} is {shown(value)}: expected # and six hexadecimal digits")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours of a picture, each a text such as `"#1673c9"`.

    The fields are named for what they colour: the `frame` and the `coordinates` on it; the
    squares and the mark of the `last_move`; the pieces, their edges and the `grooves` on them;
    `arrows` and their edges; the `black_groups` and the `white_groups`; `lines` and the
    `line_counts` written on them. `Theme.LIGHT`, the default, and `Theme.DARK` are ready; both
    can be read on any page.

    Raises `TypeError` for a value that is no str, `LoaError` for a text that is no colour.

    >>> Theme.DARK.replace(arrows="#ff8800").arrows
    '#ff8800'
    >>> Theme(frame="red")
    Traceback (most recent call last):
    ...
    loa.rules.LoaError: Theme.frame is 'red': expected # and six hexadecimal digits
    """

    frame: str = "#5a4534"
    coordinates: str = "#f4e9d6"
    light_squares: str = "#ecdcbf"
    dark_squares: str = "#d3b78f"
    last_move: str = "#f5c518"
    black: str = "#262322"
    black_edges: str = "#000000"
    white: str = "#fdfaf3"
    white_edges: str = "#4b4036"
    grooves: str = "#948877"
    arrows: str = "#1673c9"
    arrow_edges: str = "#ffffff"
    black_groups: str = "#1d5fa6"
    white_groups: str = "#c8501e"
    lines: str = "#7a1fa2"
    line_counts: str = "#ffffff"

    LIGHT: ClassVar[Theme]
    DARK: ClassVar[Theme]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            require_color(f"Theme.{field.name}", getattr(self, field.name))

    def replace(self, **changes: str) -> Theme:
        """A copy with some colours changed.

        >>> Theme.LIGHT.replace(frame="#000000") == Theme.LIGHT
        False
        """
        return dataclasses.replace(self, **changes)


Theme.LIGHT = Theme()
Theme.DARK = Theme(
    frame="#241e1a",
    coordinates="#c9bba5",
    light_squares="#a08a6c",
    dark_squares="#846e53",
    last_move="#d8a514",
    black="#1a1817",
    white="#f1ebdf",
    white_edges="#2b241e",
    arrows="#4aa3f0",
    arrow_edges="#10263a",
    black_groups="#3d7ccc",
    white_groups="#f08a4b",
    lines="#e3b9f5",
    line_counts="#2d0a3d",
)


def part_styles(theme: Theme) -> dict[str, dict[str, str]]:
    """The SVG attributes by the class of the part they style.

    >>> part_styles(Theme.LIGHT)["loa-frame"]
    {'fill': '#5a4534', 'rx': '4'}
    """
    text = {"font-family": "sans-serif", "text-anchor": "middle"}
    bond = {"stroke-width": "13"}
    return {
        "loa-frame": {"fill": theme.frame, "rx": "4"},
        "loa-light-squares": {"fill": theme.light_squares},
        "loa-dark-squares": {"fill": theme.dark_squares},
        "loa-coordinates": {"fill": theme.coordinates, "font-size": "13"} | text,
        "loa-last-move": {"fill": theme.last_move, "fill-opacity": "0.6"},
        "loa-black-group": {"fill": theme.black_groups, "stroke": theme.black_groups} | bond,
        "loa-white-group": {"fill": theme.white_groups, "stroke": theme.white_groups} | bond,
        # A group for each colour, in which every piece is a disc with a groove.
        "loa-black": {"fill": theme.black, "stroke": theme.black_edges, "stroke-width": "1.5"},
        "loa-white": {"fill": theme.white, "stroke": theme.white_edges, "stroke-width": "1.5"},
        "loa-piece": {"r": str(PIECE_RADIUS)},
        "loa-groove": {"r": "10", "fill": "none", "stroke": theme.grooves},
        # The edge keeps an arrow visible on a piece of a similar colour.
        "loa-arrow": {"fill": theme.arrows, "stroke": theme.arrow_edges, "opacity": "0.85"},
        # Each direction from a square is a group: a badge with a number, the way and its target.
        "loa-open-line": {"fill": theme.lines, "stroke": theme.lines, "stroke-width": "2.5"},
        "loa-open-count": {"fill": theme.line_counts, "stroke": "none", "font-size": "11"} | text,
        "loa-blocked-line": {"fill": theme.line_counts, "stroke": theme.lines},
        "loa-blocked-count": {"fill": theme.lines, "stroke": "none", "font-size": "11"} | text,
    }
