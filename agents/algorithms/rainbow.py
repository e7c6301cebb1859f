"""Rainbow (Hessel et al. 2018, arXiv 1710.02298).

C51 with noisy weights for exploration (Fortunato et al. 2018, arXiv 1706.10295), double learning, a dueling network
(`Net` with `dueling_param`, or `QNetwork`), n-step targets and, with a prioritized buffer, prioritized replay.
"""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.algorithms.c51 import Atoms, cross_entropy, means, support_of
from agents.configs.value_based import RainbowConfig
from agents.learning import checks
from agents.learning.options import one_config
from agents.learning.value_learning import QLearner, chosen, make_trainable, masked_q
from agents.networks.builders import make_body
from agents.networks.discrete import NoisyLinear, sample_noise
from agents.networks.q_network import QNetwork
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces


class RainbowPolicy(QLearner, BasePolicy):
    """C51 with `NoisyLinear` layers, whose noise is redrawn for every loss and every target.

    The arguments are those of `C51Policy`.
    """

    support: torch.Tensor

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        num_atoms: int = 51,
        v_min: float = -10.0,
        v_max: float = 10.0,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: RainbowConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = RainbowConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            num_atoms=num_atoms,
            v_min=v_min,
            v_max=v_max,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.register_buffer("support", support_of(config))

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], the means of the distributions [n, A, N]; those of illegal actions are lowest."""
        return masked_q(means(logits, self.support), mask, self.action_space)

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the targets of C51, with new noise in the network and in the target network.

        Noise in choice, value and prediction is independent, as in arXiv 1706.10295, section 3.1.
        """
        sample_noise(self.model, self.generator)
        if self.model_old is not None and sample_noise(self.model_old, self.generator):
            self.model_old.train()  # in testing state it would have no noise
        return self.nstep_returns(batch, buffer, indices, Atoms(self._target_q, self.support, batch))

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take the gradient step of C51 with new noise, then draw the noise for collecting; return the `loss`."""
        sample_noise(self.model, self.generator)
        loss = cross_entropy(chosen(self.evaluate(batch.obs).logits, batch.act), batch, self.support)
        step = self._step(loss)
        sample_noise(self.model, self.generator)
        return {"loss": loss.item(), **step}


def build(spaces: Spaces, config: RainbowConfig, training: bool) -> RainbowPolicy:
    """Build a Rainbow policy, with an optimizer if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    noisy = partial(NoisyLinear, noisy_std=config.noisy_std)
    policy = RainbowPolicy(
        QNetwork(body, spaces.num_actions, config.num_atoms, softmax=True, dueling=True, linear_layer=noisy),
        None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
