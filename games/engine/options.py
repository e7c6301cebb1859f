"""Options of a game: their types, reading them from text, and checking them.

The kind is the annotation of the parameter: int, float, bool, str (any text), or a Literal of words.
"""

import inspect
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, wraps
from inspect import Parameter
from typing import Any, ParamSpec, Protocol, TypeVar, get_args, runtime_checkable

from games.engine.errors import UnknownNameError, UsageError

Option = int | float | bool | str
Options = ParamSpec("Options")
Described = TypeVar("Described")

KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
WORDS = {"true": True, "false": False}


@runtime_checkable
class Scalar(Protocol):
    """A number of NumPy, which listing games must not import, or an array."""

    shape: tuple[int, ...]

    def item(self) -> Any:
        """Return Python's number; only of a shape ()."""


@cache
def checked_options(build: Callable[Options, Described]) -> Callable[Options, Described]:
    """Decorate a function that describes a game: check its options first, and describe each game once.

    The function then raises `UnknownNameError` for an unknown option, `UsageError` for a value of the wrong type.
    """
    name = build.__module__.rpartition(".")[2]
    signature = inspect.signature(build)
    describe: Any = cache(build)

    @wraps(build)
    def checked(*args: Options.args, **options: Options.kwargs) -> Described:
        for option in options:
            require_known(name, option, signature.parameters)
        given = signature.bind(*args, **options)
        given.apply_defaults()
        values = given.arguments.items()
        return describe(**{key: checked_option(name, signature.parameters[key], value) for key, value in values})

    return checked


def require_known(game: str, option: str, known: Iterable[str]) -> None:
    """Raise `UnknownNameError` unless the game has that option."""
    if option not in known:
        raise UnknownNameError(f"option of {game}", option, known)


def read_option(game: str, parameter: Parameter, text: str) -> Option:
    """Return the value of an option given as `text`; `UsageError` if it cannot be read."""
    kind = parameter.annotation
    value: Any = text
    if kind is bool:
        value = WORDS.get(text.lower(), text)  # labels print True
    elif kind in (int, float):
        with suppress(ValueError):  # refused below, by its kind
            value = int(text) if kind is int else float(text)
    return checked_option(game, parameter, value)


def checked_option(game: str, parameter: Parameter, value: Any) -> Option:
    """Return the value of an option, with NumPy scalars as Python's, and whole numbers as floats for a float option.

    Raises `UsageError` for a value of the wrong type; a float is not a whole number, not even 5.0.
    """
    kind, name = parameter.annotation, parameter.name
    if isinstance(value, Scalar) and value.shape == ():
        value = value.item()
    if kind not in KINDS:
        words = get_args(kind)
        if not isinstance(value, str) or value not in words:
            raise UsageError(f"{game}: option {name}={value!r} is none of {', '.join(map(repr, words))}")
        return value
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (kind is not bool and isinstance(value, bool)) or (kind is float and not math.isfinite(value)):
        hint = f"; write {name}={whole}" if kind is int and (whole := _whole(value)) is not None else ""
        raise UsageError(f"{game}: option {name}={value!r} is not {KINDS[kind]}{hint}")
    return float(value) + 0.0 if kind is float else value  # -0.0 is 0.0: equal games have equal labels


def plain_value(text: str) -> Option:
    """Return a whole number, a number, or true or false where a text is one; else the text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _whole(value: Any) -> int | None:
    """Return the whole number that a float, or its text, is equal to."""
    if not isinstance(value, float | str):
        return None
    with suppress(ValueError):
        number = float(value)
        return int(number) if number.is_integer() and "." in str(value) else None
    return None


def require_between(game: str, name: str, value: int, least: int, most: int) -> None:
    """Raise `UsageError` unless the option `name` has a `value` from `least` to `most`."""
    if not least <= value <= most:
        raise UsageError(f"{game}: {name}={value} is not between {least} and {most:,}")
