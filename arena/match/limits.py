"""Limits of an agent: time for its moves, and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.base.durations import require_amount, require_duration
from arena.base.errors import UsageError
from arena.match.time_control import TimeControl, read_time_control

BYTES = {"MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Limits:
    """Limits of one agent in one game; with a clock or a limit of memory, each agent plays in a process of its own."""

    clock: str | None = None
    """Time control, in seconds unless a unit is named: 10+0.1 (10 s, and 0.1 s more after each move), 5m+2s, 40/60
    (60 s for every 40 moves), move=500ms, nodes=10000, depth=8; several are separated by commas."""
    time_per_move: str | None = None
    """Time for each move: 500ms, 1s, 2m; the clock move=500ms."""
    time_per_game: str | None = None
    """Time for all its moves in a game; the clock 60."""
    move_overhead: str | None = None
    """Time that agents are told to have less than they have, for slow connections and busy machines: 30ms."""
    memory: str | None = None
    """Memory of its processes together: 500MB, 2GB; half of the machine's where an agent has a process of its own."""
    time_to_start: str = "60s"
    """Time to load its code before the clock starts: for its process to start, and once a game to get ready."""

    def __post_init__(self) -> None:
        if self.clock is not None and (self.time_per_move or self.time_per_game):
            raise UsageError(f"clock={self.clock} and time_per_move or time_per_game: give one of them")
        for name in ("time_per_move", "time_per_game", "time_to_start", "move_overhead"):
            self._seconds(name)
        _ = self.memory_bytes, self.control

    def __bool__(self) -> bool:
        return any((self.clock, self.time_per_move, self.time_per_game, self.memory))

    @property
    def control(self) -> TimeControl | None:
        """The time control; None where there is none."""
        if self.clock is not None:
            return read_time_control(self.clock)
        move_s, game_s = self._seconds("time_per_move"), self._seconds("time_per_game")
        return None if move_s is None and game_s is None else TimeControl(base_s=game_s, move_s=move_s)

    @property
    def overhead_s(self) -> float:
        """Seconds that agents are told to have less."""
        return self._seconds("move_overhead") or 0.0

    @property
    def start_s(self) -> float:
        """Seconds to start, or to get ready for a game."""
        return self._seconds("time_to_start") or 0.0

    @property
    def memory_bytes(self) -> int | None:
        """Bytes for its processes together; None where there is no limit."""
        return None if self.memory is None else int(require_amount("memory", self.memory, BYTES, "2GB"))

    def _seconds(self, name: str) -> float | None:
        """Return the value of a field in seconds; `UsageError` if it is no duration."""
        text = getattr(self, name)
        return None if text is None else require_duration(name, text, "1s")


def clock_of(config: Mapping[str, Any]) -> Limits:
    """Return the clock in the configuration of a run, which may be an old one, or damaged."""
    limits = config.get("limits")
    known = limits if isinstance(limits, Mapping) else {}
    return Limits(known.get("clock"), known.get("time_per_move"), known.get("time_per_game"))
