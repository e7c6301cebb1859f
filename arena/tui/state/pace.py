"""The pace at which positions of a match are shown."""

import time

SLOWEST, FASTEST = 0.25, 64.0
"""Bounds of the speed, in moves a second."""
LAG_S = 0.05
"""Maximum lateness of a position that counts as on time: at high speed, small delays must not add up."""


class Pace:
    """A speed in moves a second, and the time at which the position on the board came there."""

    def __init__(self, speed: float):
        self.speed = bounded(speed)
        self._arrived_s = 0.0

    @property
    def pause_s(self) -> float:
        """Seconds that a position stays."""
        return 1 / self.speed

    def arrive(self) -> None:
        """Note that a position has come onto the board; small delays count as on time, so that they do not add up."""
        now = time.monotonic()
        self._arrived_s = min(now, max(self._arrived_s + self.pause_s, now - LAG_S))

    def left_s(self) -> float:
        """Return the seconds that the position has to stay still; not above 0 if it may go."""
        return self.pause_s - min(time.monotonic() - self._arrived_s, LAG_S)

    def due_s(self) -> float:
        """Return the seconds until the time at which the position may go; not above 0 once it has passed."""
        return self._arrived_s + self.pause_s - time.monotonic()


def bounded(speed: float) -> float:
    """Return the nearest allowed speed."""
    return min(max(speed, SLOWEST), FASTEST)
