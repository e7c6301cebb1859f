"""Critic-regularised regression for discrete actions (Wang et al. 2020, arXiv 2006.15134).

Offline: the actor imitates the actions of the data, weighted by their advantage over the actor's own policy. In
addition to the paper, the penalty of CQL (Kumar et al. 2020, arXiv 2006.04779) keeps the critic from overestimating
actions outside the data.
"""

from typing import Any, Literal, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.actors import DiscreteCRRConfig, Mode
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.distributions import expectation, log_probability
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.options import one_config
from agents.learning.stochastic import ActionSampler, as_minibatch, scores_of, tensors
from agents.learning.targets import frozen_copy
from agents.learning.value_learning import chosen
from agents.networks.builders import body_of
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, Critic
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.registration import Spaces


class DiscreteCRRPolicy(BasePolicy):
    """Discrete CRR.

    Args:
        actor: maps observations to logits [n, A] (probabilities if `softmax_output`), and a hidden state.
        critic: maps observations to values [n, A].
        optim: optimizer of both; None for a policy that only plays.
        discount_factor: as in `DiscreteCRRConfig`.
        policy_improvement_mode: as in `DiscreteCRRConfig`.
        ratio_upper_bound: as in `DiscreteCRRConfig`.
        beta: as in `DiscreteCRRConfig`.
        min_q_weight: as in `DiscreteCRRConfig`.
        target_update_freq: as in `DiscreteCRRConfig`.
        reward_normalization: not defined for targets with an estimate; leave it at False.
        action_scaling: as in `BasePolicy`; without effect on discrete actions.
        action_bound_method: as in `BasePolicy`; without effect on discrete actions.
        lr_scheduler: stepped once per update.
        deterministic_eval: take the most likely action in testing mode.
        action_space: as in `BasePolicy`; Discrete.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

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
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: DiscreteCRRConfig | None = None,
    ):
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(*mapping.of_policy)
        checks.require_discrete(self, action_space)
        checks.require_raw_rewards(reward_normalization)
        options = DiscreteCRRConfig(
            discount_factor=discount_factor,
            policy_improvement_mode=policy_improvement_mode,
            ratio_upper_bound=ratio_upper_bound,
            beta=beta,
            min_q_weight=min_q_weight,
            target_update_freq=target_update_freq,
        )
        self.config = config = one_config(self, config, options)
        self.actor, self.critic, self.optim, self.lr_scheduler = actor, critic, optim, lr_scheduler
        self.sampler = ActionSampler(actor, None, deterministic_eval, action_space)
        self.actor_old = frozen_copy(actor) if config.target_update_freq else None
        self.critic_old = frozen_copy(critic) if config.target_update_freq else None
        self._updates: torch.Tensor
        self.register_buffer("_updates", torch.zeros((), dtype=torch.int64))  # saved with the weights

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream of actions if a seed is given."""
        self.sampler.reset(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `dist`, `logits` and `probs` [n, A]."""
        scores, hidden = self.actor(bare_obs(batch.obs), state)
        return self.sampler.answer(scores, legal_mask(batch.obs), hidden, self.training)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return logits or probabilities [n, A]."""
        return scores_of(self.actor, obs)

    def train(self, mode: bool = True) -> Self:
        """Set training or testing mode; the target networks always stay in testing mode."""
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
        return self.compute_nstep_return(batch, buffer, indices, self._target_q, self.config.discount_factor)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        obs = buffer.obs_next_at(indices)
        bare, mask = bare_obs(obs), legal_mask(obs)
        probs = self.sampler.distribution((self.actor_old or self.actor)(bare)[0], mask).probs
        return expectation(probs, (self.critic_old or self.critic)(bare))

    def weights(self, advantage: torch.Tensor) -> torch.Tensor:
        """Return the imitation weights of actions with these advantages [n] (section 3).

        "exp": exp(A / beta), at most `ratio_upper_bound`; "binary": 1 for positive advantages, else 0; "all": 1.
        """
        config = self.config
        if config.policy_improvement_mode == "exp":
            return (advantage / config.beta).exp().clamp(max=config.ratio_upper_bound)
        return (advantage > 0).float() if config.policy_improvement_mode == "binary" else torch.ones_like(advantage)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one gradient step; return `loss`, and its parts `loss/actor`, `loss/critic`, `loss/cql`."""
        every = self.config.target_update_freq
        if every and self._updates % every == 0:
            self.sync_weight()
        data = as_minibatch(tensors(batch, ("returns",), self.device))
        mask = data.get("mask")
        q = self.critic(data["obs"])
        taken = chosen(q, data["act"])
        critic_loss = 0.5 * (data["returns"].flatten() - taken).square().mean()  # algorithm 1
        dist = self.sampler.distribution(self.actor(data["obs"])[0], mask)
        advantage = (taken - expectation(dist.probs, q)).detach()  # the paper's mean over draws is a sum here
        actor_loss = -(self.weights(advantage) * log_probability(dist, data["act"])).mean()  # section 3
        cql_loss = (mask_scores(q, mask).logsumexp(dim=1) - taken).mean()  # arXiv 2006.04779, equation 4
        loss = actor_loss + critic_loss + self.config.min_q_weight * cql_loss
        step = descend(loss, self.optim)
        self._updates += 1
        return {
            "loss": loss.item(),
            "loss/actor": actor_loss.item(),
            "loss/critic": critic_loss.item(),
            "loss/cql": cql_loss.item(),
            **step,
        }


def build(spaces: Spaces, config: DiscreteCRRConfig, training: bool) -> DiscreteCRRPolicy:
    """Build a discrete CRR policy, with an optimizer if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes, config.channels), spaces.num_actions, softmax_output=False)
    critic = Critic(body_of(spaces, sizes, config.channels), last_size=spaces.num_actions)
    parameters = ActorCritic(actor, critic).parameters()
    return DiscreteCRRPolicy(
        actor,
        critic,
        Adam(parameters, config.learning_rate) if training else None,
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
