"""Amounts as people write them, a number and its unit: 500ms, 1.5s, 2m, 500MB."""

import re
from collections.abc import Mapping

from arena.base.errors import UsageError

SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
"""Units of time -> seconds in each."""


def require_duration(name: str, text: str, example: str) -> float:
    """Return the seconds that the option `name` asks for, as in `example`; `UsageError` if it is no duration."""
    return require_amount(name, text, SECONDS, example)


def require_amount(name: str, text: str, units: Mapping[str, float], example: str) -> float:
    """Return the value of the option `name` in the basic of `units`; `UsageError` if it is no amount above 0."""
    amount = parse_amount(text, units)
    if amount is None:
        raise UsageError(f"{name}={text} is not a number above 0 of {', '.join(units)}, as {example}")
    return amount


def parse_duration(text: str) -> float | None:
    """Return the seconds in a text, None if it is no duration above 0.

    >>> [parse_duration(text) for text in ("500ms", "1.5 s", "2m", "1h", "2")]
    [0.5, 1.5, 120.0, 3600.0, None]
    """
    return parse_amount(text, SECONDS)


def parse_amount(text: str, units: Mapping[str, float]) -> float | None:
    """Return a number times its unit; None if the text is anything else, or the number is 0."""
    match = re.fullmatch(rf"([0-9]{{1,12}}(?:\.[0-9]{{1,6}})?) ?({'|'.join(units)})", str(text))
    return float(match[1]) * units[match[2]] if match and float(match[1]) > 0 else None
