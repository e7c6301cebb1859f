"""One policy made of a policy for each seat, which share nothing."""

from collections.abc import Sequence

from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager


def seat_policies(policies: Sequence[BasePolicy]) -> MultiAgentPolicyManager:
    """Return a policy that plays and learns every seat with the policy of that seat.

    It can hold any seats of another manager: each row is answered by its seat, whoever that manager says holds it.
    """
    manager = MultiAgentPolicyManager(policies)
    manager.by_seat_alone = True
    return manager
