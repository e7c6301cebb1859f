"""The options of a game: what kinds of value they take, read from text and checked.

The kind is the annotation of the parameter: int, float, bool, str (any text), or a Literal of words.
"""

import math
from contextlib import suppress
from inspect import Parameter
from typing import Any, get_args

from games.engine.errors import UsageError

Option = int | float | bool | str

KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
WORDS = {"true": True, "false": False}


def read_option(game: str, parameter: Parameter, text: str) -> Option:
    """The value that `text` means for an option; `UsageError` if it means none."""
    kind = parameter.annotation
    value: Any = text
    if kind is bool:
        value = WORDS.get(text, text)
    elif kind in (int, float):
        with suppress(ValueError):  # refused below, by its kind
            value = int(text) if kind is int else float(text)
    return checked_option(game, parameter, value)


def checked_option(game: str, parameter: Parameter, value: Any) -> Option:
    """The value of an option, whole numbers as floats where it is one; `UsageError` if it is of another kind."""
    kind, name = parameter.annotation, parameter.name
    if kind not in KINDS:
        if value not in (words := get_args(kind)):
            raise UsageError(f"{game}: option {name}={value!r} is none of {', '.join(map(repr, words))}")
        return value
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (kind is not bool and isinstance(value, bool)) or (kind is float and not math.isfinite(value)):
        raise UsageError(f"{game}: option {name}={value!r} is not {KINDS[kind]}")
    return float(value) if kind is float else value


def require_between(game: str, name: str, value: int, least: int, most: int) -> None:
    """Raise `UsageError` unless the option `name` has a `value` from `least` to `most`."""
    if not least <= value <= most:
        raise UsageError(f"{game}: {name}={value} is not between {least} and {most:,}")
