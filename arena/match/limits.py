"""What an agent may take: time for its moves, and memory."""

import re
from dataclasses import dataclass

from arena.errors import UsageError

SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
BYTES = {"MB": 10**6, "GB": 10**9}


@dataclass(frozen=True)
class Limits:
    """Limits of one agent in one game; with any of the first three, each agent plays in a process of its own."""

    time_per_move: str | None = None
    """Time for each move: 500ms, 1s, 2m."""
    time_per_game: str | None = None
    """Time for all its moves in a game."""
    memory: str | None = None
    """Memory of its processes together: 500MB, 2GB."""
    time_to_start: str = "60s"
    """Time to load its code before the clock starts: for its process to start, and once a game to get ready."""

    def __post_init__(self) -> None:
        for name in ("time_per_move", "time_per_game", "time_to_start"):
            _amount(self, name, SECONDS, "1s")
        _amount(self, "memory", BYTES, "2GB")

    def __bool__(self) -> bool:
        return any((self.time_per_move, self.time_per_game, self.memory))

    @property
    def move_s(self) -> float | None:
        """Seconds for a move."""
        return _amount(self, "time_per_move", SECONDS, "1s")

    @property
    def game_s(self) -> float | None:
        """Seconds for all moves of a game."""
        return _amount(self, "time_per_game", SECONDS, "60s")

    @property
    def start_s(self) -> float:
        """Seconds to start, or to get ready for a game."""
        return _amount(self, "time_to_start", SECONDS, "60s") or 0.0

    @property
    def memory_bytes(self) -> int | None:
        """Bytes for its processes together."""
        amount = _amount(self, "memory", BYTES, "2GB")
        return None if amount is None else int(amount)


def _amount(limits: Limits, name: str, units: dict[str, float] | dict[str, int], example: str) -> float | None:
    """The value of a field in its basic unit, None where there is no limit."""
    text = getattr(limits, name)
    return None if text is None else amount(name, text, units, example)


def amount(name: str, text: str, units: dict[str, float] | dict[str, int], example: str) -> float:
    """What the text of the option `name`, such as 1.5s, means in its basic unit; `UsageError` if it means nothing."""
    found = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?) ?({'|'.join(units)})", str(text))
    if found is None or float(found[1]) == 0:
        raise UsageError(f"{name}={text} is not a number above 0 of {', '.join(units)}, as {example}")
    return float(found[1]) * units[found[2]]
