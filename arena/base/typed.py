"""Conversion of JSON values to the types that a record declares."""

import math
import reprlib
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from arena.base.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class Range:
    """Limits of a number, both included."""

    low: float
    high: float


class FieldError(UsageError):
    """A value that is missing, unknown, of another type or out of range; the message names it."""


Count = Annotated[int, Range(0, 2**53)]
"""A whole number of at least 0 that JSON parsers represent exactly."""
Time = Annotated[float, Range(0, 2**40)]
"""Seconds since 1970."""
Hash = Annotated[str, Range(1, 64)]
"""A hash in hexadecimal."""


def field(data: Mapping[str, Any], name: str, kind: Any) -> Any:
    """Return the value of a field as `kind`; `FieldError` if it is missing or something else."""
    if name not in data:
        raise FieldError(f"{name!r} is missing")
    return as_type(data[name], kind, name)


def record(kind: type[T], data: Any, where: str = "") -> T:
    """Return the dataclass whose fields an object of JSON gives; `FieldError` for one that is unknown or missing.

    `UsageError`s of the dataclass itself are passed on.
    """
    if not isinstance(data, Mapping):
        raise FieldError(f"{where or kind.__name__} is {shown(data)}, not an object")
    dataclass_type: Any = kind
    declared = _fields(dataclass_type)
    for name in data:
        if name not in declared:
            raise FieldError(f"{where}{name} is no field: known are {', '.join(declared)}")
    for name, (one, _) in declared.items():
        if name not in data and one.default is MISSING and one.default_factory is MISSING:
            raise FieldError(f"'{where}{name}' is missing")
    return kind(**{name: as_type(value, declared[name][1], f"{where}{name}") for name, value in data.items()})


def as_type(value: Any, kind: Any, where: str) -> Any:
    """Return a value of JSON as `kind`: a plain type, a union, a container of such, or a dataclass.

    A list becomes the tuple that is asked for, text a path, and a whole number is a number; nothing is turned into
    anything else.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        return _within(as_type(value, arguments[0], where), arguments[1], where)
    if origin in (Union, types.UnionType):
        return _any_of(value, arguments, where)
    if origin is Literal:
        if value in arguments and type(value) in map(type, arguments):
            return value
        raise FieldError(f"{where} is {shown(value)}, none of {', '.join(map(str, arguments))}")
    if origin in (tuple, list) and isinstance(value, list | tuple):
        return _sequence(value, origin, arguments, where)
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, dict):
        return {key: as_type(one, arguments[1], f"{where}.{key}") for key, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return record(kind, value, f"{where}.")
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1000:
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    plain = origin or (type(None) if kind is None else kind)
    if type(value) is plain and not (isinstance(value, float) and not math.isfinite(value)):
        return value
    raise FieldError(f"{where} is {shown(value)}, not {_named(plain)}")


def shown(value: Any) -> str:
    """Return the beginning of a value, for an error message."""
    text = reprlib.repr(value) if isinstance(value, dict | list) else repr(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


@cache
def _fields(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    """The fields of a dataclass with their types."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: (one, hints[one.name]) for one in fields(kind) if one.init}


def _any_of(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    message = ""
    for kind in kinds:
        try:
            return as_type(value, kind, where)
        except FieldError as error:
            message = message or str(error)
    raise FieldError(message)


def _sequence(value: list[Any] | tuple[Any, ...], origin: Any, arguments: tuple[Any, ...], where: str) -> Any:
    if origin is tuple and arguments[-1:] != (...,):
        if len(value) != len(arguments):
            raise FieldError(f"{where} has {len(value)} entries, not {len(arguments)}")
        return tuple(as_type(one, kind, where) for one, kind in zip(value, arguments, strict=True))
    return origin(as_type(one, arguments[0], where) for one in value)


def _within(value: Any, limits: Range, where: str) -> Any:
    size = len(value) if isinstance(value, str) else value
    if limits.low <= size <= limits.high:
        return value
    raise FieldError(f"{where} is {shown(value)}, not between {limits.low:g} and {limits.high:g}")


def _named(kind: type) -> str:
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false", type(None): "null"}
    names |= {list: "a list", tuple: "a list", dict: "an object"}
    return names.get(kind, kind.__name__)
