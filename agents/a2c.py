"""Advantage actor-critic (Mnih et al. 2016, arXiv 1602.01783), synchronous: one gradient for all environments.

The actor follows the policy gradient, weighted by how much better an action turned out than the critic expected; the
critic learns the returns. Advantages are generalised (arXiv 1506.02438) where the paper takes n-step ones.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from agents.actor_critic import ActorCriticConfig, ActorCriticPolicy, Figures
from agents.distributions import log_probability
from agents.networks.builders import actor_critic_for
from agents.networks.common import ActorCritic
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
class A2CConfig(ActorCriticConfig):
    """How A2C learns."""


def build(spaces: Spaces, config: A2CConfig, training: bool) -> A2CPolicy:
    """An A2C policy, with an optimizer if it is to be trained."""
    actor, critic = actor_critic_for(spaces, config.hidden, config.channels)
    return A2CPolicy(actor, critic, config.optimizer(ActorCritic(actor, critic), training), **config.options(spaces))


ALGORITHM = Algorithm(A2CConfig, build, "on-policy", "arXiv 1602.01783", ("discrete", "continuous"))
AGENT = AgentKind("advantage actor-critic", partial(load_policy, "a2c", ALGORITHM), "DIR", ALGORITHM)
