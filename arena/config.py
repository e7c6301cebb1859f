"""Checks that the dataclasses of options make: each names the field, its value, and what would be right."""

from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from arena.errors import UsageError


def require_at_least(config: Any, low: float, *names: str) -> None:
    """`UsageError` unless each of these fields holds a number of at least `low`."""
    for name in names:
        if not _number(config, name) >= low:
            raise UsageError(f"{name}={getattr(config, name)} is not at least {low}")


def require_above(config: Any, low: float, *names: str) -> None:
    """`UsageError` unless each of these fields holds a number above `low`."""
    for name in names:
        if not _number(config, name) > low:
            raise UsageError(f"{name}={getattr(config, name)} is not above {low}")


def require_between(config: Any, low: float, high: float, *names: str) -> None:
    """`UsageError` unless each of these fields holds a number from `low` to `high`."""
    for name in names:
        if not low <= _number(config, name) <= high:
            raise UsageError(f"{name}={getattr(config, name)} is not between {low} and {high}")


def _number(config: Any, name: str) -> float:
    """The value of a field: a whole number where it is declared as one."""
    value = getattr(config, name)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UsageError(f"{name}={value!r} is not a number")
    declared = next(field.type for field in fields(config) if field.name == name)
    if declared in (int, int | None) and not isinstance(value, Integral):
        raise UsageError(f"{name}={value!r} is not a whole number")
    return float(value)
