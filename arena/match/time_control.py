"""Time controls: chess clocks with increments and periods, limits of a move, and their count during a game."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arena.base.durations import parse_duration
from arena.base.errors import UsageError
from arena.policy.clock import ClockReading

FORMS = "10+0.1, 5m+2s, 40/60, move=500ms, nodes=10000 or depth=8"
COUNT = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class TimeControl:
    """The time that each seat has in a game; None for no such limit."""

    base_s: float | None = None
    """Seconds for a game, or for each period of `moves`."""
    increment_s: float = 0.0
    """Seconds gained after each move."""
    moves: int | None = None
    """Moves in a period."""
    move_s: float | None = None
    """Seconds for each move."""
    nodes: int | None = None
    """Positions, or simulations, for each move."""
    depth: int | None = None
    """Plies that each search looks ahead."""

    @property
    def searches(self) -> tuple[str, ...]:
        """The limits that a player has to obey by itself: `nodes`, `depth`."""
        return tuple(name for name in ("nodes", "depth") if getattr(self, name) is not None)

    def __str__(self) -> str:
        """Return the control as `read_time_control` reads it, times in seconds."""
        period = "" if self.moves is None else f"{self.moves}/"
        increment = f"+{self.increment_s:g}" if self.increment_s else ""
        clock = [] if self.base_s is None else [f"{period}{self.base_s:g}{increment}"]
        move = [] if self.move_s is None else [f"move={self.move_s:g}s"]
        return ",".join([*clock, *move, *(f"{name}={getattr(self, name)}" for name in self.searches)])

    @property
    def pgn(self) -> str:
        """The control as PGN's `TimeControl` has it: `40/60`, `10+0.1`, `1/0.5` for a time of each move, `-`."""
        move = [] if self.move_s is None else [f"1/{self.move_s:g}"]
        clock = str(TimeControl(self.base_s, self.increment_s, self.moves))
        return ":".join([*move, *([clock] if clock else [])]) or "-"


def read_time_control(text: str) -> TimeControl:
    """Return the time control in a text, seconds where it names no unit; `UsageError` if it is none.

    >>> read_time_control("10+0.1")
    TimeControl(base_s=10.0, increment_s=0.1, moves=None, move_s=None, nodes=None, depth=None)
    >>> str(read_time_control("40/5m+1s,depth=8"))
    '40/300+1,depth=8'
    """
    control: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        parsed = _limit(name, value) if equals else _chess_clock(name)
        if parsed is None or control.keys() & parsed.keys():
            raise UsageError(f"clock={text} is not a time control, as {FORMS}")
        control |= parsed
    return TimeControl(**control)


def _limit(name: str, value: str) -> dict[str, Any] | None:
    if name == "move":
        seconds = _seconds(value)
        return None if seconds is None else {"move_s": seconds}
    if name in ("nodes", "depth") and COUNT.fullmatch(value) and int(value) > 0:
        return {name: int(value)}
    return None


def _chess_clock(text: str) -> dict[str, Any] | None:
    period, slash, rest = text.rpartition("/")
    base, plus, increment = rest.partition("+")
    base_s, increment_s = _seconds(base), _seconds(increment) if plus else 0.0
    if increment == "0":
        increment_s = 0.0
    if base_s is None or increment_s is None or (slash and not (COUNT.fullmatch(period) and int(period) > 0)):
        return None
    return {"base_s": base_s, "increment_s": increment_s, "moves": int(period) if slash else None}


def _seconds(text: str) -> float | None:
    return parse_duration(text) or parse_duration(f"{text}s")


class GameClocks:
    """The clocks of the seats in one game, after moves that took so much (seat, seconds)."""

    def __init__(self, control: TimeControl, seats: int, spent: Iterable[tuple[int, float]] = ()):
        self.control = control
        self._left = [control.base_s] * seats
        self._played = [0] * seats
        for seat, seconds in spent:
            self.spend(seat, seconds)

    def left_s(self, seat: int) -> float | None:
        """Return the seconds on the chess clock of a seat, below 0 once it is late; None without one."""
        return self._left[seat]

    def reading(self, seat: int) -> ClockReading:
        """Return what the player at a seat, to move now, is told."""
        control, left, played = self.control, self._left[seat], self._played[seat]
        limits = [limit for limit in (control.move_s, left) if limit is not None]
        return ClockReading(
            seconds_left=min(limits, default=None),
            game_seconds_left=left,
            increment_s=control.increment_s,
            moves_to_go=None if control.moves is None else control.moves - played % control.moves,
            moves_played=played,
            nodes=control.nodes,
            depth=control.depth,
            all_seconds_left=tuple(one for one in self._left if one is not None),
        )

    def charge(self, seat: int, seconds: float) -> None:
        """Take time from the clock of a seat that has not moved."""
        if (left := self._left[seat]) is not None:
            self._left[seat] = left - seconds

    def spend(self, seat: int, seconds: float) -> bool:
        """Take the time of a move from the clock of a seat; return whether it was in time, and then wind its clock."""
        control, left = self.control, self._left[seat]
        in_time = control.move_s is None or seconds <= control.move_s
        self._played[seat] += 1
        if left is not None:
            self._left[seat] = left = left - seconds
            in_time = in_time and left >= 0
            if in_time:
                period_ends = control.moves is not None and self._played[seat] % control.moves == 0
                self._left[seat] = left + control.increment_s + ((control.base_s or 0.0) if period_ends else 0.0)
        return in_time


def left_after(control: TimeControl, moves_s: Iterable[float]) -> float | None:
    """Return the seconds on a chess clock after moves of so many seconds each; None where there is none."""
    return GameClocks(control, 1, ((0, seconds) for seconds in moves_s)).left_s(0)
