"""Chess clocks: the time that each seat has left in a game, one of them running."""


class Clocks:
    """`seconds` for each of so many seats; times of day (`now`) are in seconds too, of any clock that goes forward."""

    def __init__(self, seats: int, seconds: float):
        self._left = [seconds] * seats
        self.running: int | None = None
        """The seat whose time passes."""
        self._since = 0.0

    def run(self, seat: int | None, now: float) -> None:
        """Let the time of this seat pass from now on, and no other's; None stops all."""
        if self.running is not None:
            self._left[self.running] = self.left(self.running, now)
        self.running, self._since = seat, now

    def left(self, seat: int, now: float) -> float:
        """Seconds that a seat has left, 0 at least.

        >>> clocks = Clocks(2, 60)
        >>> clocks.run(0, now=100)
        >>> clocks.run(1, now=130)
        >>> clocks.left(0, now=200), clocks.left(1, now=140), clocks.left(1, now=500)
        (30, 50, 0)
        """
        passed = now - self._since if seat == self.running else 0
        return max(self._left[seat] - passed, 0)
