"""The clock of a player, as it is told before a move."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy

T = TypeVar("T", int, float)
FEWEST_S = 0.001
"""Least time that a player is told to have left."""


@dataclass(frozen=True)
class ClockReading:
    """The clock of the player to move, and limits of its search. None stands for no such limit."""

    seconds_left: float | None = None
    """Seconds until it loses by not moving: the least of its limits."""
    game_seconds_left: float | None = None
    """Seconds on its chess clock."""
    increment_s: float = 0.0
    """Seconds that its clock gains after each of its moves."""
    moves_to_go: int | None = None
    """Moves, this one included, until its clock gains the time of another period."""
    moves_played: int = 0
    """Moves that it has played in this game."""
    nodes: int | None = None
    """Largest number of positions, or simulations, that it may search for this move."""
    depth: int | None = None
    """Largest number of plies that it may search ahead."""
    all_seconds_left: Sequence[float] = ()
    """Seconds on the chess clock of every seat; empty without such clocks."""

    def to_arrays(self) -> Batch:
        """Return the reading as observations of one row: float64 [1], or [1, P] for all seats, NaN for None."""
        return Batch({one.name: np.array([_number(getattr(self, one.name))]) for one in fields(self)})

    def less(self, overhead_s: float) -> "ClockReading":
        """Return a reading with `overhead_s` held back, for what is lost between the player and its clock."""
        return replace(
            self,
            seconds_left=_less(self.seconds_left, overhead_s),
            game_seconds_left=_less(self.game_seconds_left, overhead_s),
        )


def _less(seconds: float | None, overhead_s: float) -> float | None:
    return None if seconds is None else max(seconds - overhead_s, FEWEST_S)


def _number(value: float | Sequence[float] | None) -> float | Sequence[float]:
    return math.nan if value is None else value if isinstance(value, Sequence) else float(value)


COUNTS = ("moves_to_go", "moves_played", "nodes", "depth")


def least(*limits: T | None) -> T | None:
    """Return the smallest of several limits; None where there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def read_clock(obs: Batch, row: int = 0) -> ClockReading | None:
    """Return what the observations say of the clock in one row; None where they say nothing."""
    if "seconds_left" not in obs:
        return None
    values: dict[str, Any] = {}
    for one in fields(ClockReading):
        value = np.asarray(obs[one.name][row], np.float64)
        if value.ndim:
            values[one.name] = tuple(value.tolist())
        elif np.isnan(value):
            values[one.name] = None
        else:
            values[one.name] = int(value) if one.name in COUNTS else float(value)
    return ClockReading(**values)


def require_obedient(agent: str, policy: Policy, limits: Iterable[str]) -> None:
    """Raise `UsageError` unless a policy obeys all of these limits of its search, `nodes` or `depth`."""
    for limit in limits:
        if limit not in policy.obeys:
            known = " or ".join(sorted(policy.obeys)) or "neither nodes nor depth"
            raise UsageError(f"{agent} cannot be told {limit}; it obeys {known}, and any clock")
