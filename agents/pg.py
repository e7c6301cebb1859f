"""REINFORCE (Williams 1992, Machine Learning 8; Sutton and Barto 2018, section 13.3).

After whole episodes, every action becomes likelier in proportion to the discounted return that followed it. With
`reward_normalization` the running mean of returns is the baseline, and their running deviation the scale.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from agents.distributions import log_probability
from agents.gradients import descend
from agents.networks.builders import body_of, stochastic_actor
from agents.stochastic import StochasticPolicy
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class PGPolicy(StochasticPolicy):
    """REINFORCE; arguments as in `StochasticPolicy`."""

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the `returns` [n] that followed, G_t = sum of gamma^(k - t) r_k.

        What would have followed the end of an episode that was cut counts as the running mean of returns, 0 without
        `reward_normalization`.
        """
        after = np.full(len(indices), 0.0 if self.return_scale is None else float(self.return_scale.mean))
        returns, _ = self.compute_episodic_return(batch, buffer, indices, after, None, self.gamma, gae_lambda=1.0)
        batch.returns = returns
        if self.return_scale is not None:
            batch.returns = (returns - float(self.return_scale.mean)) / self.return_scale.std
            self.return_scale.update(returns)
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> dict[str, list[float]]:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; the `loss` of each step."""
        losses = []
        data = self.tensors(batch, "returns")
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                scores, _ = self.actor(part["obs"])
                dist = self.distribution(scores, part.get("mask"))
                # theta <- theta + alpha G_t grad log pi(A_t | S_t): Sutton and Barto, equation 13.8
                loss = -(part["returns"] * log_probability(dist, part["act"])).mean()
                descend(loss, self.optim)
                losses.append(loss.item())
        return {"loss": losses}


@dataclass(frozen=True)
class PGConfig:
    """How REINFORCE learns."""

    learning_rate: float = 3e-3
    """Step size of Adam."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    normalize_returns: bool = True
    """Take the running mean of returns from them and divide by their deviation."""
    batch_size: int = 1024
    """Transitions a gradient step."""
    repeat: int = 1
    """Passes through what was collected; 1 is the algorithm of the paper."""
    channels: int = 64
    """Filters of the convolution on boards; 0 for a plain perceptron."""
    hidden: int = 128
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate")
        require_at_least(self, 0, "channels")
        require_at_least(self, 1, "batch_size", "repeat", "hidden")
        require_between(self, 0, 1, "discount")


def build(spaces: Spaces, config: PGConfig, training: bool) -> PGPolicy:
    """A REINFORCE policy, with an optimizer if it is to be trained."""
    actor = stochastic_actor(spaces, body_of(spaces, (config.hidden, config.hidden), config.channels))
    return PGPolicy(
        actor,
        torch.optim.Adam(actor.parameters(), config.learning_rate) if training else None,
        discount_factor=config.discount,
        reward_normalization=config.normalize_returns,
        deterministic_eval=True,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )


ALGORITHM = Algorithm(PGConfig, build, "on-policy", "Machine Learning 8 (1992)", ("discrete", "continuous"))
AGENT = AgentKind("REINFORCE, the policy gradient", partial(load_policy, "pg", ALGORITHM), "DIR", ALGORITHM)
