"""The clocks of a game on a screen, and the alarm of the one that is running."""

import time
from collections.abc import Callable, Iterable
from functools import partial

from textual.timer import Timer

from arena.match.time_control import TimeControl
from arena.policy.clock import ClockReading
from arena.tui.parts.stage import Stage
from arena.tui.state.clocks import Clocks
from arena.tui.state.words import clock


class RunningClocks:
    """Clocks of `seats` under a time control, None for no limit; `time_is_up` gets the seat that is late."""

    def __init__(self, stage: Stage, seats: int, control: TimeControl | None, time_is_up: Callable[[int], None]):
        self._stage, self._seats, self._control, self._time_is_up = stage, seats, control, time_is_up
        self._clocks: Clocks | None = None
        self._alarm: Timer | None = None

    def wind(self, spent: Iterable[tuple[int, float]] = ()) -> None:
        """Give every seat its time for a new game, less what its moves so far have taken (seat, seconds)."""
        self._clocks = None if self._control is None else Clocks(self._control, self._seats, spent)

    def stop(self) -> None:
        """Stop the clock that runs, in the middle of a move."""
        self._disarm()
        if self._clocks is not None:
            self._clocks.stop(time.monotonic())

    def run(self, seat: int | None) -> None:
        """Start the clock of a seat, None for no clock, and set its alarm; the move of the seat before is done."""
        self._disarm()
        if self._clocks is not None:
            now = time.monotonic()
            self._clocks.run(seat, now)
            left_s = None if seat is None else self._clocks.to_move(seat, now)
            if seat is not None and left_s is not None:  # textual's timers divide by their seconds
                self._alarm = self._stage.set_timer(max(left_s, 0.001), partial(self._time_is_up, seat))

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.stop()

    @property
    def running(self) -> bool:
        """True if the clock of a seat is running."""
        return self._clocks is not None and self._clocks.running is not None

    def reading(self, seat: int) -> ClockReading | None:
        """Return what a player is told of its clock; None without one."""
        return None if self._clocks is None else self._clocks.reading(seat, time.monotonic())

    def text(self, seat: int) -> str:
        """Return the time that a seat has left as a clock shows it; empty without a limit."""
        left_s = None if self._clocks is None else self._clocks.left(seat, time.monotonic())
        return "" if left_s is None else clock(left_s)
