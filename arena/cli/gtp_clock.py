"""Clocks of the Go Text Protocol: a main time, then periods of moves (Canadian byo-yomi)."""

from dataclasses import dataclass

from arena.policy.clock import ClockReading


@dataclass
class GtpClocks:
    """The clocks of both colours, in seconds, as `time_settings` and `time_left` tell them."""

    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0
    """Moves in a period; 0 with a period stands for no limit at all."""

    def __post_init__(self) -> None:
        limited = self.main_s > 0 or (self.period_s > 0 and self.stones > 0)
        self._limited = limited and not (self.period_s > 0 and self.stones == 0)
        start = (self.main_s, 0) if self.main_s > 0 else (self.period_s, self.stones)
        self._left = [start, start]  # seconds, and moves to go in the period; 0 in the main time

    def tell(self, seat: int, seconds: float, stones: int) -> None:
        """Set the clock of a seat."""
        self._limited = True
        self._left[seat] = seconds, stones

    def reading(self, seat: int, played: int) -> ClockReading | None:
        """Return what a player who has made `played` moves is told; None without a limit."""
        if not self._limited:
            return None
        seconds, stones = self._left[seat]
        return ClockReading(seconds, seconds, 0.0, stones or None, played)

    def spend(self, seat: int, seconds: float) -> None:
        """Take the time of a move from a clock, for programs that do not tell what is left."""
        left, stones = self._left[seat]
        left -= seconds
        if stones > 1:
            self._left[seat] = left, stones - 1
        elif stones == 1 or (left <= 0 and self.stones):
            self._left[seat] = self.period_s, self.stones
        else:
            self._left[seat] = max(left, 0.0), 0
