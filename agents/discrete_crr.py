"""Critic-regularised regression for numbered actions (Wang et al. 2020, arXiv 2006.15134).

Offline: the actor imitates the actions of the data, the more the better its critic finds them beside what the actor
itself would do. The critic is kept from promising much for actions that the data lack by the penalty of CQL (Kumar et
al. 2020, arXiv 2006.04779), which we add to the paper.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, Self, Unpack, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.distributions import expectation, log_probability
from agents.gradients import adam, descend
from agents.networks.builders import body_of
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, Critic
from agents.stochastic import ActingOptions, StochasticPolicy
from agents.targets import frozen_copy
from agents.value_learning import chosen
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores

Mode = Literal["exp", "binary", "all"]


class DiscreteCRRPolicy(StochasticPolicy):
    """Discrete CRR.

    Args:
        actor: from observations to logits [n, A] and a hidden state.
        critic: from observations to values [n, A].
        optim: optimizer of both; None for a policy that only plays.
        discount_factor: gamma, 0 to 1, in steps of the agent's own.
        policy_improvement_mode: how an advantage weighs an action: see `weights`.
        ratio_upper_bound: largest weight of "exp".
        beta: temperature of "exp".
        min_q_weight: weight of the penalty of CQL.
        target_update_freq: updates between two copies into the target networks; 0 for no target networks.
        reward_normalization: not defined for targets with an estimate; leave it at False.
        options: those of `StochasticPolicy` that say how it acts.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        policy_improvement_mode: Mode = "exp",
        ratio_upper_bound: float = 20.0,
        beta: float = 1.0,
        min_q_weight: float = 10.0,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        **options: Unpack[ActingOptions],
    ):
        super().__init__(actor, optim, None, discount_factor, **options)
        checks.require_discrete(self, self.action_space)
        checks.require_raw_rewards(reward_normalization)
        checks.require_above(0, ratio_upper_bound=ratio_upper_bound, beta=beta)
        checks.require_at_least(0, min_q_weight=min_q_weight, target_update_freq=target_update_freq)
        if policy_improvement_mode not in get_args(Mode):
            raise UsageError(f"policy_improvement_mode={policy_improvement_mode!r} is not one of {get_args(Mode)}")
        self.critic = critic
        self.mode, self.ratio_upper_bound, self.beta = policy_improvement_mode, ratio_upper_bound, beta
        self.min_q_weight, self.target_update_freq = min_q_weight, target_update_freq
        self.actor_old = frozen_copy(actor) if target_update_freq else None
        self.critic_old = frozen_copy(critic) if target_update_freq else None
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights

    def train(self, mode: bool = True) -> Self:
        """Set training or testing state; the target networks always stay in testing state."""
        super().train(mode)
        for target in (self.actor_old, self.critic_old):
            if target is not None:
                target.eval()
        return self

    def sync_weight(self) -> None:
        """Copy the weights into the target networks."""
        if self.actor_old is not None and self.critic_old is not None:
            self.actor_old.load_state_dict(self.actor.state_dict())
            self.critic_old.load_state_dict(self.critic.state_dict())

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the critic's targets, `returns` [n, 1]: r + gamma E[Q'(s', pi'(s'))]."""
        return self.compute_nstep_return(batch, buffer, indices, self._target_q, self.gamma)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        obs = buffer[indices].obs_next
        seen, mask = bare_obs(obs), legal_mask(obs)
        probs = self.distribution((self.actor_old or self.actor)(seen)[0], mask).probs
        return expectation(probs, (self.critic_old or self.critic)(seen))

    def weights(self, advantage: torch.Tensor) -> torch.Tensor:
        """How much actions of these advantages [n] are imitated (section 3).

        "exp": exp(A / beta), at most `ratio_upper_bound`; "binary": 1 for those above 0; "all": 1.
        """
        if self.mode == "exp":
            return (advantage / self.beta).exp().clamp(max=self.ratio_upper_bound)
        return (advantage > 0).float() if self.mode == "binary" else torch.ones_like(advantage)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step; `loss`, and of it `loss/actor`, `loss/critic`, `loss/cql`."""
        if self.target_update_freq and self._updates % self.target_update_freq == 0:
            self.sync_weight()
        data = self.tensors(batch, "returns")
        mask = data.get("mask")
        q = self.critic(data["obs"])
        taken = chosen(q, data["act"])
        critic_loss = 0.5 * (data["returns"].flatten() - taken).square().mean()  # algorithm 1
        dist = self.distribution(self.actor(data["obs"])[0], mask)
        advantage = (taken - expectation(dist.probs, q)).detach()  # the paper's mean over draws is a sum here
        actor_loss = -(self.weights(advantage) * log_probability(dist, data["act"])).mean()  # section 3
        cql_loss = (mask_scores(q, mask).logsumexp(dim=1) - taken).mean()  # arXiv 2006.04779, equation 4
        loss = actor_loss + critic_loss + self.min_q_weight * cql_loss
        descend(loss, self.optim)
        self._updates += 1
        return {
            "loss": loss.item(),
            "loss/actor": actor_loss.item(),
            "loss/critic": critic_loss.item(),
            "loss/cql": cql_loss.item(),
        }


@dataclass(frozen=True)
class DiscreteCRRConfig:
    """How discrete CRR learns."""

    learning_rate: float = 1e-3
    """Step size of Adam."""
    discount: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    mode: Mode = "exp"
    """How an advantage weighs an action."""
    max_weight: float = 20.0
    """Largest weight of "exp"."""
    beta: float = 1.0
    """Temperature of "exp"."""
    min_q_weight: float = 10.0
    """Weight of the penalty of CQL."""
    target_update_freq: int = 100
    """Updates between two copies into the target networks; 0 for none."""
    batch_size: int = 256
    """Transitions a gradient step."""
    channels: int = 0
    """Filters of the convolution on boards; 0 for a plain perceptron."""
    hidden: int = 128
    """Units of each of two hidden layers."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "max_weight", "beta")
        require_at_least(self, 0, "min_q_weight", "target_update_freq", "channels")
        require_at_least(self, 1, "batch_size", "hidden")
        require_between(self, 0, 1, "discount")


def build(spaces: Spaces, config: DiscreteCRRConfig, training: bool) -> DiscreteCRRPolicy:
    """A discrete CRR policy, with an optimizer if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes, config.channels), spaces.num_actions, softmax_output=False)
    critic = Critic(body_of(spaces, sizes, config.channels), last_size=spaces.num_actions)
    parameters = ActorCritic(actor, critic).parameters()
    return DiscreteCRRPolicy(
        actor,
        critic,
        adam(parameters, config.learning_rate) if training else None,
        config.discount,
        config.mode,
        config.max_weight,
        config.beta,
        config.min_q_weight,
        config.target_update_freq,
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )


ALGORITHM = Algorithm(DiscreteCRRConfig, build, "offline", "arXiv 2006.15134")
AGENT = AgentKind("critic-regularised regression", partial(load_policy, "discrete-crr", ALGORITHM), "DIR", ALGORITHM)
