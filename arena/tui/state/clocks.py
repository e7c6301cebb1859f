"""Chess clocks: the time that each seat has left in a game, at most one of them running."""


class Clocks:
    """Clocks with `seconds` for each of `seats`; `now` is in seconds of any monotonic clock."""

    def __init__(self, seats: int, seconds: float):
        self._left = [seconds] * seats
        self.running: int | None = None
        """Seat whose clock is running; None if all stand."""
        self._since = 0.0

    def run(self, seat: int | None, now: float) -> None:
        """Start the clock of a seat and stop all others; None stops all."""
        if self.running is not None:
            self._left[self.running] = self.left(self.running, now)
        self.running, self._since = seat, now

    def left(self, seat: int, now: float) -> float:
        """Return the seconds that a seat has left, at least 0.

        >>> clocks = Clocks(2, 60)
        >>> clocks.run(0, now=100)
        >>> clocks.run(1, now=130)
        >>> clocks.left(0, now=200), clocks.left(1, now=140), clocks.left(1, now=500)
        (30, 50, 0)
        """
        passed = now - self._since if seat == self.running else 0
        return max(self._left[seat] - passed, 0)
