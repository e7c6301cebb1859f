"""What returns are worth in games for chips."""

from dataclasses import dataclass


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

    def in_words(self, amount: float) -> str:
        """Return an amount of returns as chips and blinds: `+12 chips (+6 bb)`."""
        chips = amount * self.chips
        return f"{chips:+z.6g} chips ({chips / self.blind:+z.6g} {self.unit})"
