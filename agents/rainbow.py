"""Rainbow (Hessel et al. 2018, arXiv 1710.02298).

C51 that explores by noise in its weights (Fortunato et al. 2018, arXiv 1706.10295) in place of random actions, with
double learning, a dueling network (`Net` with `dueling_param`, or `QNetwork`), targets of several steps and, if its
buffer is a prioritized one, prioritized replay.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.c51 import C51Config, C51Policy
from agents.networks.discrete import NoisyLinear, sample_noise
from agents.networks.q_network import QNetwork, make_body
from agents.value_learning import SINGLE, make_trainable
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class RainbowPolicy(C51Policy):
    """C51 whose network has noise: `NoisyLinear` layers, drawn anew for every loss and every target.

    The arguments are those of `C51Policy`.
    """

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """What `C51Policy` adds, with fresh noise in the network that chooses and in the one that values.

        Noise in choice, value and prediction is independent, as in arXiv 1706.10295, section 3.1.
        """
        sample_noise(self.model, self.generator)
        if self.model_old is not None and sample_noise(self.model_old, self.generator):
            self.model_old.train()  # in testing state it would have no noise
        return super().process_fn(batch, buffer, indices)

    def learn(self, batch: Batch) -> dict[str, float]:
        """What `C51Policy` learns, with fresh noise in the network that predicts; then noise to collect with."""
        sample_noise(self.model, self.generator)
        figures = super().learn(batch)
        sample_noise(self.model, self.generator)
        return figures


@dataclass(frozen=True)
class RainbowConfig(C51Config):
    """How Rainbow learns."""

    eps: float = 0.0
    """Chance of a random action while collecting, beside the noise in the weights."""
    noisy_std: float = 0.5
    """Size of the noise to begin with, sigma_0."""


def build(spaces: Spaces, config: RainbowConfig, training: bool) -> RainbowPolicy:
    """A Rainbow policy for what is seen and done, with an optimizer if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    noisy = partial(NoisyLinear, noisy_std=config.noisy_std)
    policy = RainbowPolicy(
        QNetwork(body, spaces.num_actions, config.num_atoms, softmax=True, dueling=True, linear_layer=noisy),
        None,
        config.discount,
        config.num_atoms,
        config.v_min,
        config.v_max,
        config.n_step,
        config.target_update_freq,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(
    RainbowConfig, build, "off-policy", "arXiv 1710.02298", single=RainbowConfig(**SINGLE, v_min=0.0, v_max=100.0)
)
AGENT = AgentKind("Rainbow", partial(load_policy, "rainbow", ALGORITHM), "DIR", ALGORITHM)
