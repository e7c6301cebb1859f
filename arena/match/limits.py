"""Limits of an agent: time for its moves, and memory."""

from dataclasses import dataclass

from arena.base.durations import require_amount, require_duration

BYTES = {"MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Limits:
    """Limits of one agent in one game; with any of the first three, each agent plays in a process of its own."""

    time_per_move: str | None = None
    """Time for each move: 500ms, 1s, 2m."""
    time_per_game: str | None = None
    """Time for all its moves in a game."""
    memory: str | None = None
    """Memory of its processes together: 500MB, 2GB; half of the machine's where an agent has a process of its own."""
    time_to_start: str = "60s"
    """Time to load its code before the clock starts: for its process to start, and once a game to get ready."""

    def __post_init__(self) -> None:
        for name in ("time_per_move", "time_per_game", "time_to_start"):
            self._seconds(name)
        _ = self.memory_bytes

    def __bool__(self) -> bool:
        return any((self.time_per_move, self.time_per_game, self.memory))

    @property
    def move_s(self) -> float | None:
        """Seconds for a move; None where there is no limit."""
        return self._seconds("time_per_move")

    @property
    def game_s(self) -> float | None:
        """Seconds for all moves of a game; None where there is no limit."""
        return self._seconds("time_per_game")

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
