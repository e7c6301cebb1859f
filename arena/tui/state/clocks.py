"""Chess clocks on a screen: the time that each seat has left in a game, at most one of them running."""

from collections.abc import Iterable
from dataclasses import replace

from arena.match.time_control import GameClocks, TimeControl
from arena.policy.clock import ClockReading


class Clocks:
    """Clocks of `seats` under a time control, after moves that took so much (seat, seconds).

    `now` is in seconds of any monotonic clock.
    """

    def __init__(self, control: TimeControl, seats: int, spent: Iterable[tuple[int, float]] = ()):
        self._clocks = GameClocks(control, seats, spent)
        self.running: int | None = None
        """Seat whose clock is running; None if all stand."""
        self._since = 0.0

    def run(self, seat: int | None, now: float) -> None:
        """End the move of the seat whose clock runs, and start the clock of another; None starts none."""
        if self.running is not None:
            self._clocks.spend(self.running, now - self._since)
        self.running, self._since = seat, now

    def stop(self, now: float) -> None:
        """Stop the clock that runs in the middle of a move."""
        if self.running is not None:
            self._clocks.charge(self.running, now - self._since)
        self.running = None

    def left(self, seat: int, now: float) -> float | None:
        """Return the seconds on the clock of a seat, at least 0; None where only moves have limits.

        >>> clocks = Clocks(TimeControl(base_s=60, increment_s=1), 2)
        >>> clocks.run(0, now=100)
        >>> clocks.run(1, now=130)
        >>> clocks.left(0, now=200), clocks.left(1, now=140), clocks.left(1, now=500)
        (31.0, 50, 0)
        """
        left = self._clocks.left_s(seat)
        return None if left is None else max(left - self._passed(seat, now), 0)

    def to_move(self, seat: int, now: float) -> float | None:
        """Return the seconds until a seat loses by not moving; None without such a limit."""
        left = self._clocks.reading(seat).seconds_left
        return None if left is None else max(left - self._passed(seat, now), 0)

    def reading(self, seat: int, now: float) -> ClockReading:
        """Return what a player is told of the clock that it moves by."""
        reading = self._clocks.reading(seat)
        return replace(reading, seconds_left=self.to_move(seat, now), game_seconds_left=self.left(seat, now))

    def _passed(self, seat: int, now: float) -> float:
        return now - self._since if seat == self.running else 0
