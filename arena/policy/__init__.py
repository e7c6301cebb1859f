"""Policies: the protocol, the base class of learners, and the manager of several policies.

All names are imported on first use, and torch only with the two that need it, so that looking up an agent by name
(`arena.policy.registry`) imports neither torch nor numpy.
"""

from typing import TYPE_CHECKING

from arena.base.doors import door

if TYPE_CHECKING:
    from arena.policy.base import BasePolicy
    from arena.policy.manager import MultiAgentPolicyManager
    from arena.policy.protocol import Policy
    from arena.policy.random import RandomPolicy
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "arena.policy.base": "BasePolicy",
            "arena.policy.manager": "MultiAgentPolicyManager",
            "arena.policy.protocol": "Policy",
            "arena.policy.random": "RandomPolicy",
        },
    )

__all__ = ["BasePolicy", "MultiAgentPolicyManager", "Policy", "RandomPolicy"]
