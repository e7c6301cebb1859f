"""Export of a policy's network to ONNX, to be run where there is no torch."""

import logging
import os
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from arena.base.errors import UnknownNameError, UsageError
from arena.base.extras import install_command
from arena.base.saving import write_whole
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.registration import SpacedTask, Spaces
from games.engine.game import Game

LARGEST_DIFFERENCE = 1e-4
"""Largest allowed difference from torch's outputs, relative to the largest output (at least 1).

Sums of float32 in another order differ by up to some 1e-5 where inputs are pixels from 0 to 255.
"""


class _Decision(nn.Module):
    """Maps bare observations to scores of actions, or to continuous actions in the form of the environment."""

    low: torch.Tensor
    high: torch.Tensor

    def __init__(self, policy: BasePolicy):
        super().__init__()
        self.policy = policy
        if policy.action_scaling:
            assert isinstance(policy.action_space, gym.spaces.Box)
            self.register_buffer("low", torch.as_tensor(policy.action_space.low))
            self.register_buffer("high", torch.as_tensor(policy.action_space.high))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Return scores [n, A] or actions [n, k]."""
        decided = self.policy.scores(obs)
        if self.policy.action_bound_method == "clip":
            decided = decided.clamp(-1.0, 1.0)
        elif self.policy.action_bound_method == "tanh":
            decided = decided.tanh()
        if self.policy.action_scaling:
            decided = self.low + (self.high - self.low) * (decided + 1.0) / 2.0
        return decided


def network_for(policy: BasePolicy, task: Game | SpacedTask, agent: str) -> tuple[BasePolicy, Spaces]:
    """Return the policy that holds the seat of an agent of a game, and its spaces; `agent` is empty if one holds all.

    Raises `UsageError` if there is no such agent, or none is named of several.
    """
    if not isinstance(policy, MultiAgentPolicyManager) or not isinstance(task, Game):
        if agent:
            raise UsageError(f"--of {agent}: one network plays all agents")
        return policy, Spaces.of_task(task)
    if not agent:
        raise UsageError(f"agents have networks of their own; name one of them, --of NAME: {', '.join(task.agents)}")
    if agent not in task.agents:
        raise UnknownNameError(f"agent of {task.spec}", agent, task.agents)
    seat = task.agents.index(agent)
    own = policy.policies[seat]
    assert isinstance(own, BasePolicy)  # it was trained
    return own, Spaces.of_group(task, task.group_of(seat))


def export_onnx(policy: BasePolicy, spaces: Spaces, path: str | os.PathLike[str]) -> float:
    """Write the network of a policy to an ONNX file; return the difference of its outputs from torch's on samples.

    The file takes `obs` (float32 [n, *O], int64 [n] where observations are numbered) and gives `scores` (float32
    [n, A]: of the legal actions, the one with the greatest is taken) or, for continuous actions, `action` [n, k]. Takes
    the extra `onnx`. `UsageError` if that is missing, if the policy does not decide by a network alone, if the file
    cannot be written, or if outputs differ by more than `LARGEST_DIFFERENCE`; what was there before is left as it was.
    """
    try:
        import onnxruntime  # noqa: F401
        import onnxscript  # noqa: F401  # which torch needs, and would miss with a traceback
    except ImportError as error:
        raise UsageError(f"ONNX is not installed: {install_command('onnx')}") from error
    module = _Decision(policy).eval().cpu()
    obs = torch.as_tensor(_samples(spaces.observation, 16))
    output = "action" if isinstance(spaces.action, gym.spaces.Box) else "scores"
    with torch.no_grad(), warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.simplefilter("ignore")
        module(obs)  # refuses here, in its own words
        program = torch.onnx.export(
            module,
            (obs,),
            input_names=["obs"],
            output_names=[output],
            dynamic_shapes={"obs": {0: torch.export.Dim("n")}},
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    difference = 0.0

    def write(draft: Path) -> None:
        nonlocal difference
        program.save(str(draft))
        difference = _difference(draft, module, spaces.observation)
        if not difference <= LARGEST_DIFFERENCE:
            raise UsageError(f"the exported network differs from torch's by {difference:.1e}; nothing was written")

    write_whole(Path(path), write)
    return difference


def _difference(file: Path, module: nn.Module, space: gym.Space[Any]) -> float:
    """Return the largest error of an ONNX file against its module on samples, relative to the largest output."""
    import onnxruntime

    samples = _samples(space, 100)
    (outputs,) = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"]).run(None, {"obs": samples})
    with torch.no_grad():
        expected = module(torch.as_tensor(samples)).numpy()
    return float(np.abs(outputs - expected).max() / max(1.0, np.abs(expected).max()))


def _samples(space: gym.Space[Any], count: int) -> NDArray[Any]:
    """Return random observations [count, ...] in the form of the network's input."""
    rows = np.stack([np.asarray(space.sample()) for _ in range(count)])
    return rows.astype(np.int64 if isinstance(space, gym.spaces.Discrete) else np.float32)


class _quiet:
    """Silence a logger of another package below errors within the context."""

    def __init__(self, name: str):
        self._logger = logging.getLogger(name)

    def __enter__(self) -> None:
        self._level = self._logger.level
        self._logger.setLevel(logging.ERROR)

    def __exit__(self, *error: object) -> None:
        self._logger.setLevel(self._level)
