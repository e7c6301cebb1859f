"""One check of reliability: what was tried how often, and how often it passed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """Result of a check."""

    section: str
    what: str
    """Description of what was tried."""
    tried: int
    passed: int
    """How often it came out as it has to, at most `tried`."""
    unit: str
    """What is counted."""
    seconds: float
