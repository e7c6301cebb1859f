"""The clocks of a game on a screen, and the alarm of the one that is running."""

import time
from collections.abc import Callable
from functools import partial

from textual.timer import Timer

from arena.tui.parts.stage import Stage
from arena.tui.state.clocks import Clocks
from arena.tui.state.words import clock


class RunningClocks:
    """Clocks with `time_s` seconds for each of `seats`, None for no limit; `time_is_up` gets the seat that is late."""

    def __init__(self, stage: Stage, seats: int, time_s: float | None, time_is_up: Callable[[int], None]):
        self._stage, self._seats, self._time_s, self._time_is_up = stage, seats, time_s, time_is_up
        self._clocks: Clocks | None = None
        self._alarm: Timer | None = None

    def wind(self) -> None:
        """Give every seat its time for a new game."""
        self._clocks = None if self._time_s is None else Clocks(self._seats, self._time_s)

    def run(self, seat: int | None) -> None:
        """Start the clock of a seat, None for no clock, and set its alarm."""
        if self._alarm is not None:
            self._alarm.stop()
        if self._clocks is not None:
            now = time.monotonic()
            self._clocks.run(seat, now)
            if seat is not None:
                left_s = max(self._clocks.left(seat, now), 0.001)  # textual's timers divide by their seconds
                self._alarm = self._stage.set_timer(left_s, partial(self._time_is_up, seat))

    @property
    def running(self) -> bool:
        """True if the clock of a seat is running."""
        return self._clocks is not None and self._clocks.running is not None

    def left_s(self, seat: int) -> float | None:
        """Return the seconds that a seat has left; None for no limit."""
        return None if self._clocks is None else self._clocks.left(seat, time.monotonic())

    def text(self, seat: int) -> str:
        """Return the time that a seat has left as a clock shows it; empty without a limit."""
        left_s = self.left_s(seat)
        return "" if left_s is None else clock(left_s)
