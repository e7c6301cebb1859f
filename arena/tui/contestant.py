"""Who plays in a series: a name, and an agent that can be made anew."""

from collections.abc import Callable
from dataclasses import dataclass

from arena.policy.protocol import Policy


@dataclass
class Contestant:
    """One agent of a series; `make` seats it again, where the one that plays has been left to its thoughts."""

    name: str
    policy: Policy
    make: Callable[[], Policy]

    def renew(self) -> None:
        """Play on with a new agent; the old one may still be in use by a thread that nobody waits for."""
        self.policy = self.make()

    def close(self) -> None:
        """Let go of what the agent holds."""
        self.policy.close()
