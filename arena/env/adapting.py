"""Environments of several agents, however they are made, as the vector environments step them."""

import sys
from typing import Any

from arena.env.multi_agent import TurnsEnv, is_multi_agent
from arena.env.pettingzoo import ParallelPettingZooEnv, PettingZooEnv


def adapted(env: Any) -> Any:
    """A `MultiAgentEnv`, or a PettingZoo environment of either kind, in its adapter; anything else as it is."""
    pettingzoo = sys.modules.get("pettingzoo")  # what is of its classes has imported it
    if pettingzoo is not None and isinstance(env, pettingzoo.AECEnv):
        return PettingZooEnv(env)
    if pettingzoo is not None and isinstance(env, pettingzoo.ParallelEnv):
        return ParallelPettingZooEnv(env)
    return TurnsEnv(env) if is_multi_agent(env) else env
