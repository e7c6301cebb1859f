"""Stakes: the worth of returns in games for chips."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

NORMAL_95 = 1.959964
"""Half-width of the central 95 % of a standard normal distribution."""


@dataclass(frozen=True)
class Stakes:
    """The worth of a return in chips and in blinds, the usual unit of strength: thousandths of a blind per hand."""

    chips: float
    """Chips that a return of 1 is worth."""
    blind: float
    """Chips of the big blind, or of the ante where there are no blinds."""
    unit: str = "bb"
    """Short for that blind: `bb`, or `ante`."""

    @property
    def thousandth(self) -> str:
        """Short for a thousandth of a blind: `mbb`."""
        return f"m{self.unit}"

    def in_thousandths(self, amount: float) -> float:
        """Return an amount of returns in thousandths of a blind."""
        return 1000 * amount * self.chips / self.blind

    def per_hand(self, amounts: Sequence[float]) -> str:
        """Return the mean of the returns of hands in thousandths of a blind, with its 95 % interval.

        It is `+12 ± 34 mbb/hand`; one hand alone has no interval.
        """
        size = len(amounts)
        mean = sum(amounts) / size
        shown = f"{self.in_thousandths(mean):+z.0f}"
        if size > 1:
            deviation = math.sqrt(sum((amount - mean) ** 2 for amount in amounts) / (size - 1))
            shown += f" ± {self.in_thousandths(NORMAL_95 * deviation / math.sqrt(size)):.0f}"
        return f"{shown} {self.thousandth}/hand"

    def in_words(self, amount: float) -> str:
        """Return an amount of returns as chips and blinds: `+12 chips (+6 bb)`."""
        chips = amount * self.chips
        return f"{chips:+z.6g} chips ({chips / self.blind:+z.6g} {self.unit})"
