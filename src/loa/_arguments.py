"""Checks of arguments that modules of Python share."""

from __future__ import annotations

import operator
import reprlib

from loa.rules import LoaError

__all__ = ["checked_int", "shown"]


def checked_int(name: str, value: object, least: int | None = None, most: int = 0) -> int:
    """The int that a value stands for, NumPy's integers among them, under this name in errors.

    Raises `TypeError` for what is no integer and, where `least` is given, `LoaError` for what is
    not in `least` to `most`.

    >>> checked_int("size", 9, 3, 8)
    Traceback (most recent call last):
    loa.rules.LoaError: size is 9: expected 3 to 8
    """
    try:
        # numpy.bool_ has an __index__ that raises TypeError, as those of most arrays do.
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} is {shown(value)}: expected an int")
    if least is not None and not least <= number <= most:
        raise LoaError(f"{name} is {shown(number)}: expected {least} to {most}")
    return number


def shown(value: object) -> str:
    """A value as an error quotes it: short, and in hexadecimal where decimal may be refused.

    >>> shown(8), shown(2**64)
    ('8', "'0x10000000000000000'")
    """
    long = isinstance(value, int) and value.bit_length() > 64
    return reprlib.repr(f"{value:#x}" if long else value)
