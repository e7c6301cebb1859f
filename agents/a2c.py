"""Advantage actor-critic (Mnih et al. 2016, arXiv 1602.01783), synchronous: one gradient for all environments.

The actor follows the policy gradient, weighted by how much better an action turned out than the critic expected; the
critic learns the returns. Advantages are generalised (arXiv 1506.02438) where the paper takes n-step ones.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

import torch

from agents.actor_critic import ActorCriticPolicy, Figures
from agents.distributions import log_probability
from agents.networks.builders import actor_critic_for
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces


class A2CPolicy(ActorCriticPolicy):
    """A2C; arguments as in `ActorCriticPolicy`."""

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, "adv", "returns")
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                dist, value = self.look(part)
                # section 4: grad log pi(a | s) A(s, a) + beta grad H(pi(s)), and the critic's (R - V(s))^2
                actor_loss = -(log_probability(dist, part["act"]) * part["adv"]).mean()
                value_loss = (part["returns"] - value).square().mean()
                entropy = dist.entropy().mean()
                loss = actor_loss + self.vf_coef * value_loss - self.ent_coef * entropy
                self.descend(loss)
                figures["loss"].append(loss.item())
                figures["loss/actor"].append(actor_loss.item())
                figures["loss/vf"].append(value_loss.item())
                figures["loss/ent"].append(entropy.item())
        return dict(figures)


@dataclass(frozen=True)
class A2CConfig:
    """How A2C learns; the defaults are for board games on two CPU cores."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    entropy_weight: float = 0.01
    """Weight of the entropy bonus."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""
    normalize_returns: bool = False
    """Learn returns divided by their running deviation."""
    batch_size: int = 1024
    """Transitions a gradient step."""
    repeat: int = 1
    """Passes through what was collected; 1 is the algorithm of the paper."""
    channels: int = 64
    """Filters of the convolution on boards; 0 for a plain perceptron."""
    hidden: int = 128
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "max_grad_norm")
        require_at_least(self, 0, "value_weight", "entropy_weight", "channels")
        require_at_least(self, 1, "batch_size", "repeat", "hidden")
        require_between(self, 0, 1, "discount", "gae_lambda")


def build(spaces: Spaces, config: A2CConfig, training: bool) -> A2CPolicy:
    """An A2C policy, with an optimizer if it is to be trained."""
    actor, critic, parameters = actor_critic_for(spaces, config.hidden, config.channels)
    return A2CPolicy(
        actor,
        critic,
        torch.optim.Adam(parameters, config.learning_rate, eps=1e-5) if training else None,
        vf_coef=config.value_weight,
        ent_coef=config.entropy_weight,
        max_grad_norm=config.max_grad_norm,
        gae_lambda=config.gae_lambda,
        max_batchsize=4096,
        discount_factor=config.discount,
        reward_normalization=config.normalize_returns,
        deterministic_eval=True,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )


ALGORITHM = Algorithm(A2CConfig, build, "on-policy", "arXiv 1602.01783", ("discrete", "continuous"))
AGENT = AgentKind("advantage actor-critic", partial(load_policy, "a2c", ALGORITHM), "DIR", ALGORITHM)
