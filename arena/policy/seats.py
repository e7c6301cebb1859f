"""A policy that combines independent policies, one for each seat or group of seats."""

from collections.abc import Mapping, Sequence

from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.shapes import Shapes


def seat_policies(policies: Sequence[BasePolicy], shapes: Mapping[BasePolicy, Shapes]) -> MultiAgentPolicyManager:
    """Return a policy that plays and learns every seat with the policy of that seat, in shapes of its own.

    It can be used at any seats within another manager: each row goes to the policy of its seat. `shapes` are those of
    the policies that see and act otherwise than the game has it in common for all seats.
    """
    manager = MultiAgentPolicyManager(policies)
    manager.by_seat_alone, manager.shapes = True, shapes
    return manager
