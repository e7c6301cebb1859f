"""Checks of numbers in options and constructors: each error gives the name, the value, and what would be right.

A parameter is checked as in `require_between(0, 1, tau=tau)`, a field of a dataclass as in
`require_at_least(1, **numbers_in(self, "steps"))`.
"""

from dataclasses import fields
from numbers import Integral, Real
from typing import Any, get_args

from arena.base.errors import UsageError


def require_at_least(low: float, **numbers: float | None) -> None:
    """Raise `UsageError` unless each of these numbers is at least `low`, or None."""
    for name, value in numbers.items():
        if value is not None and not value >= low:  # NaN is refused as well
            raise UsageError(f"{name}={value} is not at least {low}")


def require_above(low: float, **numbers: float | None) -> None:
    """Raise `UsageError` unless each of these numbers is above `low`, or None."""
    for name, value in numbers.items():
        if value is not None and not value > low:
            raise UsageError(f"{name}={value} is not above {low}")


def require_between(low: float, high: float, **numbers: float | None) -> None:
    """Raise `UsageError` unless each of these numbers is from `low` to `high`, both included, or None."""
    for name, value in numbers.items():
        if value is not None and not low <= value <= high:
            raise UsageError(f"{name}={value} is not between {low} and {high}")


def numbers_in(config: Any, *names: str) -> dict[str, float | None]:
    """Return fields of a dataclass by name; `UsageError` for one that is no number, or not of its declared type.

    None is passed on where a field is declared to take it.
    """
    declared = {field.name: field.type for field in fields(config)}
    return {name: _number(name, getattr(config, name), declared[name]) for name in names}


def _number(name: str, value: Any, declared: Any) -> Any:
    """Return `value` if it is a number, and a whole one where an int is declared."""
    if value is None and type(None) in get_args(declared):
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UsageError(f"{name}={value!r} is not a number")
    if declared in (int, int | None) and not isinstance(value, Integral):
        raise UsageError(f"{name}={value!r} is not a whole number")
    return value
