"""A policy that combines independent policies, one for each seat."""

from collections.abc import Sequence

from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager


def seat_policies(policies: Sequence[BasePolicy]) -> MultiAgentPolicyManager:
    """Return a policy that plays and learns every seat with the policy of that seat.

    It can be used at any seats within another manager: each row goes to the policy of its seat.
    """
    manager = MultiAgentPolicyManager(policies)
    manager.by_seat_alone = True
    return manager
