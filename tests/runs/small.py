"""Trainings of a second, of every algorithm."""

import dataclasses
from typing import Any

from arena.policy.kinds import Algorithm
from arena.registry import AGENTS, agent_kind

TINY: dict[str, Any] = {
    "hidden": 8,
    "channels": 4,
    "batch_size": 16,
    "buffer_size": 400,
    "update_per_step": 0.1,
    "target_update_freq": 5,
    "critic_iterations": 2,
    "num_quantiles": 5,
    "num_fractions": 4,
    "num_atoms": 5,
    "simulations": 4,
    "play_simulations": 4,
}

ALGORITHMS: dict[str, Algorithm] = {
    name: kind.algorithm for name in AGENTS.names() if (kind := agent_kind(name)).algorithm is not None
}


def tiny(algorithm: Algorithm) -> Any:
    """Its config, with small networks and batches."""
    known = {field.name for field in dataclasses.fields(algorithm.config)}
    return algorithm.config(**{name: value for name, value in TINY.items() if name in known})


def those(data: tuple[str, ...], actions: str) -> list[str]:
    """The algorithms that learn from such data, for such actions."""
    return [name for name, one in ALGORITHMS.items() if one.data in data and actions in one.actions]
