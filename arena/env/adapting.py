"""Adapters of multi-agent environments for the vector environments."""

import sys
from typing import Any

from arena.env.multi_agent import TurnsEnv, is_multi_agent
from arena.env.pettingzoo import ParallelPettingZooEnv, PettingZooEnv


def adapted(env: Any) -> Any:
    """Wrap a `MultiAgentEnv` or PettingZoo environment in its adapter; return any other environment unchanged."""
    pettingzoo = sys.modules.get("pettingzoo")  # what is of its classes has imported it
    if pettingzoo is not None and isinstance(env, pettingzoo.AECEnv):
        return PettingZooEnv(env)
    if pettingzoo is not None and isinstance(env, pettingzoo.ParallelEnv):
        return ParallelPettingZooEnv(env)
    return TurnsEnv(env) if is_multi_agent(env) else env
