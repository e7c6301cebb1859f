"""`HalvesCollector`: a collector of environments on the CPU whose policy answers on a CUDA device."""

import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.collector.episodes import Ended
from arena.collector.preprocess import PreprocessFn
from arena.collector.transfers import FasterWay, Fetched, sent, ways_to_step
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.env.base import BaseVectorEnv
from arena.policy.base import BasePolicy
from arena.policy.divergence import require_drawn
from arena.policy.rollout import LearnsFromRollouts

Ints = NDArray[np.int64]


class HalvesCollector(Collector):
    """A `Collector` in which one half of the environments steps while the policy answers for the other.

    It does so when it collects steps by the policy's actions and finds it the faster way. Episodes, random actions, and
    observations that are no arrays are collected as by a `Collector`. What is stored is the same. It keeps no hidden
    states: it is not for recurrent networks.

    Args:
        policy: learns from rollouts, whose actions are computed on `device`.
        env: environments of one agent.
        buffer: as in `Collector`.
        device: where the policy computes.
        preprocess_fn: as in `Collector`.

    """

    def __init__(
        self,
        policy: BasePolicy,
        env: BaseVectorEnv,
        buffer: ReplayBuffer,
        device: torch.device,
        preprocess_fn: PreprocessFn | None = None,
    ):
        if not isinstance(policy, LearnsFromRollouts):
            raise UsageError(f"{type(policy).__name__} does not answer tensors with tensors: give it to a Collector")
        super().__init__(policy, env, buffer, preprocess_fn)
        self._decides, self._device = policy, device
        self._way = FasterWay(ways_to_step(self.num_envs))

    def _take_steps(
        self, n_step: int | None, quota: Ints | None, random: bool, render: float | None
    ) -> tuple[list[Ended], int]:
        if n_step is None or random or render is not None or not isinstance(self._obs.obs, np.ndarray):
            return super()._take_steps(n_step, quota, random, render)
        ended: list[Ended] = []
        start, rounds = time.perf_counter(), -(-n_step // self.num_envs)
        groups = self._way.choose()
        pending = [self._ask(group) for group in groups]
        for left in range(rounds - 1, -1, -1):
            for number, group in enumerate(groups):
                over = self._step_group(self._all[group], pending[number])
                if len(over):
                    ended.append(self._finish(over))
                if left:  # answered while the next group steps
                    pending[number] = self._ask(group)
        self._way.took((time.perf_counter() - start) / rounds)
        return ended, rounds * self.num_envs

    def _ask(self, group: slice) -> Fetched:
        """Ask the policy for the next actions in some environments."""
        return Fetched(*self._decides.decide(sent(self._obs.obs[group], self._device), None))

    def _step_group(self, env_ids: Ints, decision: Fetched) -> Ints:
        """Take the steps of a decision; return the environments whose episode has ended."""
        act, logp, value = decision.arrays()
        if act.dtype.kind == "i":
            require_drawn(act)
        chosen = Batch(act=act, policy=Batch(logp=logp, value=value), info=Batch())
        mapped: Any = self.policy.map_action(act)
        return self._take_in(env_ids, chosen, self._envs.step(mapped, env_ids))
