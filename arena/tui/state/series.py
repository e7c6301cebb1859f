"""A series of games between the same contestants: seats and score."""

from collections.abc import Sequence

from arena.match.verdict import Verdict


class Series:
    """Contestants by name, who move on by one seat every game; contestant 0 starts at `first_seat`."""

    def __init__(self, names: Sequence[str], first_seat: int = 0):
        self.names = tuple(names)
        self.game = 0
        """Number of the current game, from 0."""
        self._first_seat = first_seat  # moves on where seats change within a game
        self._points: dict[int, tuple[float, ...]] = {}
        self._returns: dict[int, tuple[float, ...]] = {}

    def change_seats(self) -> None:
        """Move everybody on by a seat, in this game and all later ones."""
        self._first_seat += 1

    def seat_of(self, contestant: int) -> int:
        """Return the seat of a contestant in this game."""
        return (contestant + self._first_seat + self.game) % len(self.names)

    def seated(self) -> tuple[int, ...]:
        """Return the contestants of this game by seat."""
        return tuple((seat - self._first_seat - self.game) % len(self.names) for seat in range(len(self.names)))

    def credit(self, verdict: Verdict | None) -> None:
        """Score the current game; None removes its score (a move was taken back)."""
        self._points.pop(self.game, None)
        self._returns.pop(self.game, None)
        if verdict is not None:
            points, seats = share_point(verdict.returns), [self.seat_of(i) for i in range(len(self.names))]
            self._points[self.game] = tuple(points[seat] for seat in seats)
            self._returns[self.game] = tuple(verdict.returns[seat] for seat in seats)

    @property
    def score(self) -> tuple[float, ...]:
        """Points of each contestant over all finished games."""
        return tuple(sum(points[i] for points in self._points.values()) for i in range(len(self.names)))

    def returns_of(self, contestant: int) -> tuple[float, ...]:
        """Return what a contestant earned in each finished game, in their order."""
        return tuple(self._returns[game][contestant] for game in sorted(self._returns))


def share_point(returns: Sequence[float]) -> tuple[float, ...]:
    """Share one point a game between those with the highest return.

    >>> share_point([1, -1]), share_point([0, 0])
    ((1.0, 0.0), (0.5, 0.5))
    """
    winners = [value == max(returns) for value in returns]
    return tuple(won / sum(winners) for won in winners)
