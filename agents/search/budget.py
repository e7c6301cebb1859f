"""Search budgets: a number of simulations or plies per move, or a time per move."""

import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.base.durations import parse_duration
from arena.base.errors import UsageError

SIMULATIONS = 1000
"""Default number of simulations per move."""
QUICK_SIMULATIONS = 2000
"""Up to this number of simulations, many games side by side are as fast as one after the other."""
EXPLORATION = math.sqrt(2)
"""Weight of the confidence bound, in units of the largest result so far."""
LONGEST_PATH = 1024
"""Largest number of moves that one simulation makes inside the tree."""
LINE = 8
"""Length of the principal variation that is returned."""


@dataclass(frozen=True)
class Budget:
    """Budget of one move: exactly one of the two fields is set."""

    count: int | None = None
    """Number of plies or simulations."""
    seconds: float | None = None
    """Time in seconds."""


def read_budget(agent: str, noun: str, argument: str, usual: int) -> Budget:
    """Parse the budget of an agent spec, such as `1000`, `500ms` or `1.5s`; an empty text gives the `usual` number.

    Raises `UsageError` for any other text and for a budget of 0. `noun` names in the message what is counted.
    """
    if not argument:
        return Budget(count=usual)
    if (seconds := parse_duration(argument)) is not None:
        return Budget(seconds=seconds)
    if re.fullmatch(r"\d{1,12}", argument, re.ASCII) and int(argument) > 0:
        return Budget(count=int(argument))
    raise UsageError(
        f"{agent}:{argument}: the {noun} is not a whole number of at least 1, nor a time; "
        f"as in {agent}:{usual} or {agent}:500ms"
    )


def require_positive(agent: str, **amounts: float | None) -> None:
    """Raise `UsageError` unless exactly one of the amounts is given and is positive."""
    given = {name: amount for name, amount in amounts.items() if amount is not None}
    if len(given) != 1:
        raise UsageError(f"{agent}: give one of {' and '.join(amounts)}, not {'both' if given else 'neither'}")
    for name, amount in given.items():
        least = "at least 1" if isinstance(amount, int) else "above 0"
        if not (amount >= 1 if isinstance(amount, int) else 0 < amount < np.inf):
            raise UsageError(f"{agent}: {name}={amount} is not {least}")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[NDArray[np.bool_]]:
    """Yield a flag [1] that becomes True after `seconds`; never if that is None.

    Load the kernels before (`Unchecked.prepare`): the time is for the search alone.

    Compiled code that has released the interpreter's lock reads the flag.
    """
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
