"""Policies: the protocol, the base class of learners, the manager that seats several at one table.

`BasePolicy` and `MultiAgentPolicyManager` bring torch, and are imported when they are first asked for.
"""

from typing import TYPE_CHECKING, Any

from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy

if TYPE_CHECKING:
    from arena.policy.base import BasePolicy
    from arena.policy.manager import MultiAgentPolicyManager

__all__ = ["BasePolicy", "MultiAgentPolicyManager", "Policy", "RandomPolicy"]


def __getattr__(name: str) -> Any:
    if name == "BasePolicy":
        from arena.policy.base import BasePolicy

        return BasePolicy
    if name == "MultiAgentPolicyManager":
        from arena.policy.manager import MultiAgentPolicyManager

        return MultiAgentPolicyManager
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
