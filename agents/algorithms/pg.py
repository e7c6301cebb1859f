"""REINFORCE (Williams 1992, Machine Learning 8; Sutton and Barto 2018, section 13.3).

After whole episodes, the log-probability of every action is raised in proportion to the discounted return that followed
it. With `reward_normalization`, the running mean of returns is the baseline and their standard deviation the scale.
"""

from collections import defaultdict
from typing import Any, Literal

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.configs.on_policy import PGConfig
from agents.learning import checks
from agents.learning.action_mapping import ActionMapping
from agents.learning.distributions import log_probability
from agents.learning.figures import Figures, mean_entropy, note
from agents.learning.gradients import descend
from agents.learning.options import one_config
from agents.learning.stochastic import ActionSampler, DistFn, ReturnScale, optimizer_of, scores_of, tensors
from agents.networks.builders import body_of, stochastic_actor
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces


class PGPolicy(BasePolicy):
    """REINFORCE for discrete actions, with masks, and for continuous ones.

    Args:
        model: the actor, as in `A2CPolicy`.
        optim: its optimizer; None for a policy that only plays.
        dist_fn: as in `ActionSampler`.
        discount_factor: gamma per own step, 0 to 1.
        reward_normalization: subtract the running mean from returns and divide them by their standard deviation.
        action_scaling: map continuous actions from [-1, 1] to the bounds of a Box `action_space`.
        action_bound_method: as in `BasePolicy`.
        lr_scheduler: stepped once per update.
        deterministic_eval: take the most likely action in testing mode.
        action_space: as in `BasePolicy`.
        observation_space: as in `BasePolicy`.
        config: all options at once, in place of those one by one.

    """

    def __init__(
        self,
        model: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        discount_factor: float = 0.99,
        reward_normalization: bool = False,
        action_scaling: bool = True,
        action_bound_method: Literal["clip", "tanh", ""] = "clip",
        lr_scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
        deterministic_eval: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: PGConfig | None = None,
    ):
        options = PGConfig(discount_factor=discount_factor, reward_normalization=reward_normalization)
        mapping = ActionMapping(action_scaling, action_bound_method, action_space, observation_space)
        super().__init__(*mapping.of_policy)
        checks.require_flat(self, action_space)
        self.config = one_config(self, config, options)
        self.actor, self.optim, self.lr_scheduler = model, optim, lr_scheduler
        self.return_scale = ReturnScale() if self.config.reward_normalization else None
        self.sampler = ActionSampler(model, dist_fn, deterministic_eval, action_space)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream of actions and minibatches if a seed is given."""
        self.sampler.reset(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `dist` and, for discrete actions, `logits` and `probs` [n, A]."""
        scores, hidden = self.actor(bare_obs(batch.obs), state)
        return self.sampler.answer(scores, legal_mask(batch.obs), hidden, self.training)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return logits or probabilities [n, A], or means [n, k]."""
        return scores_of(self.actor, obs)

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the `returns` [n], G_t = sum of gamma^(k - t) r_k.

        Beyond the end of a truncated episode, the return is assumed to be the running mean of returns, or 0 without
        `reward_normalization`.
        """
        after = np.full(len(indices), 0.0 if self.return_scale is None else float(self.return_scale.mean))
        gamma = self.config.discount_factor
        returns, _ = self.compute_episodic_return(batch, buffer, indices, after, None, gamma, 1.0)
        batch.returns = returns
        if self.return_scale is not None:
            batch.returns = (returns - float(self.return_scale.mean)) / self.return_scale.std
            self.return_scale.update(returns)
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in minibatches of about `batch_size`; return figures of each step."""
        figures: Figures = defaultdict(list)
        data = tensors(batch, ("returns",), self.device)
        for _ in range(repeat):
            for part in self.sampler.minibatches(data, batch_size):
                scores, _ = self.actor(part["obs"])
                dist = self.sampler.distribution(scores, part.get("mask"))
                # theta <- theta + alpha G_t grad log pi(A_t | S_t): Sutton and Barto, equation 13.8
                loss = -(part["returns"] * log_probability(dist, part["act"])).mean()
                step = descend(loss, self.optim)
                note(figures, {"loss": loss.item(), **mean_entropy(dist), **step})
        return dict(figures)


def build(spaces: Spaces, config: PGConfig, training: bool) -> PGPolicy:
    """Build a REINFORCE policy, with an optimizer if it is to be trained."""
    actor = stochastic_actor(spaces, body_of(spaces, (config.hidden, config.hidden), config.channels))
    return PGPolicy(
        actor,
        optimizer_of(config, actor, training),
        deterministic_eval=not spaces.hides_something,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
