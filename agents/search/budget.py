"""How much a search may think about a move: so many of something, or so long."""

import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.errors import UsageError

UNITS = {"ms": 0.001, "s": 1.0}
SIMULATIONS = 1000
"""Of a move, if nobody says how many."""
QUICK_SIMULATIONS = 2000
"""Up to so many, moves come so fast that many games may as well be played side by side."""
EXPLORATION = math.sqrt(2)
"""Weight of the confidence bound, in units of the largest result seen."""
LONGEST_PATH = 1024
"""Moves of one simulation inside a tree."""
LINE = 8
"""Actions told of the line that is expected."""


@dataclass(frozen=True)
class Budget:
    """A number, or seconds; one of them."""

    count: int | None = None
    """Plies, or simulations."""
    seconds: float | None = None
    """Of a move."""


def read_budget(agent: str, noun: str, argument: str, usual: int) -> Budget:
    """What follows the colon of a spec, `1000`, `500ms` or `1.5s`; the `usual` number if nothing does.

    Raises `UsageError` for anything else, and for nothing to think with. `noun` is what is counted.
    """
    if not argument:
        return Budget(count=usual)
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s)", argument, re.ASCII)
    if found and float(found[1]) > 0:
        return Budget(seconds=float(found[1]) * UNITS[found[2]])
    if re.fullmatch(r"\d{1,12}", argument, re.ASCII) and int(argument) > 0:
        return Budget(count=int(argument))
    raise UsageError(
        f"{agent}:{argument}: the {noun} is not a whole number of at least 1, nor a time; "
        f"as in {agent}:{usual} or {agent}:500ms"
    )


def require_positive(agent: str, **amounts: float | None) -> None:
    """`UsageError` unless exactly one of the amounts is given, and above 0."""
    given = {name: amount for name, amount in amounts.items() if amount is not None}
    if len(given) != 1:
        raise UsageError(f"{agent}: give one of {' and '.join(amounts)}, not {'both' if given else 'neither'}")
    for name, amount in given.items():
        least = "at least 1" if isinstance(amount, int) else "above 0"
        if not (amount >= 1 if isinstance(amount, int) else 0 < amount < np.inf):
            raise UsageError(f"{agent}: {name}={amount} is not {least}")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[NDArray[np.bool_]]:
    """A flag [1] that becomes True when the time is up, for compiled code that runs without the interpreter's lock."""
    stop = np.zeros(1, np.bool_)
    if seconds is None:
        yield stop
        return
    timer = threading.Timer(seconds, stop.fill, (True,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
