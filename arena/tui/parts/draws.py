"""Draws by agreement."""

from arena.tui.parts.match import ShownMatch

DRAW_ACCEPTED_BELOW = 0.1
"""Value at the last move up to which an agent accepts a draw."""


class DrawOffer:
    """The offer that is on the table, if any."""

    def __init__(self) -> None:
        self.by: int | None = None
        """Seat that offers a draw; None for no offer."""

    def is_open_to(self, seat: int) -> bool:
        """Return whether another seat offers this one a draw."""
        return self.by not in (None, seat)

    def decline(self, seat: int) -> None:
        """Decline what others have offered to a seat, by its move."""
        if self.is_open_to(seat):
            self.by = None


def why_declined(match: ShownMatch, seat: int) -> str:
    """Return why the agent at a seat declines a draw, by the value of its last move; empty if it accepts."""
    numbers = [number for number in match.answers if match.positions[number].seat == seat]
    value = match.answers[max(numbers)].value if numbers else None
    if value is None:
        return "reports no value, and declines the draw"
    return "expects more than a draw, and declines" if value > DRAW_ACCEPTED_BELOW else ""
