"""How well two colours can be told apart."""

from collections.abc import Sequence


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """From 1 up to 21, as WCAG 2.2 defines it, https://www.w3.org/TR/WCAG22/: red, green, blue."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: Sequence[int]) -> float:
    channels = [value / 255 for value in color]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
