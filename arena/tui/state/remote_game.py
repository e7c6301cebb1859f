"""Games that a server keeps, with players at other machines."""

from typing import Protocol

from arena.match.verdict import Verdict


class RemoteGame(Protocol):
    """A game that a server keeps: its clocks and its end are the server's."""

    seed: int
    actions: tuple[int, ...]
    """What had been played before it was opened here."""

    @property
    def spent(self) -> tuple[tuple[int, float], ...]:
        """Seat and seconds of each move, as far as they are known here."""

    @property
    def verdict(self) -> Verdict | None:
        """The end of the game, as the server has it; None before."""
