"""Search budgets: a number of simulations or plies per move, or a time per move."""

import math
import re
from dataclasses import dataclass

import numpy as np

from arena.base.durations import parse_duration
from arena.base.errors import UsageError
from arena.policy.parameters import Parameter, read_parameters, split_settings
from games.engine.game import Game

SIMULATIONS = 1000
"""Default number of simulations per move."""
QUICK_SIMULATIONS = 2000
"""Up to this number of simulations, many games side by side are as fast as one after the other."""
UNLIMITED = 2**63 - 1
"""Number of simulations where only time limits them."""
EXPLORATION = math.sqrt(2)
"""Weight of the confidence bound, in units of the largest result so far."""
EXPLORATION_PARAMETER = Parameter("exploration", EXPLORATION, 0.0, 100.0)
LONGEST_PATH = 1024
"""Largest number of moves that one simulation makes inside the tree."""
LINE = 8
"""Length of the principal variation that is returned."""


@dataclass(frozen=True)
class Budget:
    """Budget of one move, by count, by time, or both."""

    count: int | None = None
    """Number of plies or simulations."""
    seconds: float | None = None
    """Time in seconds."""
    usual: bool = False
    """True if nobody asked for the count, so that a clock takes its place."""


def read_budget(agent: str, noun: str, argument: str, usual: int) -> Budget:
    """Parse the budget of an agent spec, such as `1000`, `500ms` or `1.5s`; an empty text gives the `usual` number.

    Raises `UsageError` for any other text and for a budget of 0. `noun` names in the message what is counted.
    """
    if not argument:
        return Budget(count=usual, usual=True)
    if (seconds := parse_duration(argument)) is not None:
        return Budget(seconds=seconds)
    if re.fullmatch(r"\d{1,12}", argument, re.ASCII) and int(argument) > 0:
        return Budget(count=int(argument))
    raise UsageError(
        f"{agent}:{argument}: the {noun} is not a whole number of at least 1, nor a time; "
        f"as in {agent}:{usual} or {agent}:500ms"
    )


def exploration_parameter(game: Game, argument: str) -> tuple[Parameter, ...]:
    """Return the parameters of a search by confidence bounds."""
    return (EXPLORATION_PARAMETER,)


def read_search(agent: str, argument: str) -> tuple[Budget, float]:
    """Parse the spec of a search by confidence bounds, `400,exploration=1.2`: its budget and its exploration."""
    amount, settings = split_settings(argument)
    exploration = read_parameters(agent, settings, (EXPLORATION_PARAMETER,))["exploration"]
    return read_budget(agent, "number of simulations", amount, SIMULATIONS), exploration


def require_budget(agent: str, usual: int, seconds: float | None, **count: int | None) -> Budget:
    """Return the budget of an agent: its only `count` (depth, simulations), or `seconds`, by default the `usual` count.

    Raises `UsageError` if both are given, or one that is not positive.
    """
    ((name, number),) = count.items()
    if number is not None and seconds is not None:
        raise UsageError(f"{agent}: give one of {name} and seconds, not both")
    if number is not None and number < 1:
        raise UsageError(f"{agent}: {name}={number} is not at least 1")
    if seconds is not None and not 0 < seconds < np.inf:
        raise UsageError(f"{agent}: seconds={seconds} is not above 0")
    return Budget(number or (usual if seconds is None else None), seconds, usual=number is None and seconds is None)
