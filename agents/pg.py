"""REINFORCE (Williams 1992, Machine Learning 8; Sutton and Barto 2018, section 13.3).

After whole episodes, every action becomes likelier in proportion to the discounted return that followed it. With
`reward_normalization` the running mean of returns is the baseline, and their running deviation the scale.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agents.distributions import log_probability
from agents.gradients import descend
from agents.networks.builders import body_of, stochastic_actor
from agents.stochastic import OnPolicyConfig, StochasticPolicy
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
class PGConfig(OnPolicyConfig):
    """How REINFORCE learns."""

    learning_rate: float = 3e-3
    """Step size of Adam."""
    normalize_returns: bool = True
    """Take the running mean of returns from them and divide by their deviation."""


def build(spaces: Spaces, config: PGConfig, training: bool) -> PGPolicy:
    """A REINFORCE policy, with an optimizer if it is to be trained."""
    actor = stochastic_actor(spaces, body_of(spaces, (config.hidden, config.hidden), config.channels))
    return PGPolicy(actor, config.optimizer(actor, training), **config.options(spaces))


ALGORITHM = Algorithm(PGConfig, build, "on-policy", "Machine Learning 8 (1992)", ("discrete", "continuous"))
AGENT = AgentKind("REINFORCE, the policy gradient", partial(load_policy, "pg", ALGORITHM), "DIR", ALGORITHM)
