"""Fully parameterised quantile functions (Yang et al. 2019, arXiv 1911.02140).

As IQN, but a second network proposes the fractions from the features of an observation. It minimises the distance
between the quantile function and the step function through its quantiles. A target uses the fractions proposed for the
next observation. Unlike in the paper, its action is chosen by double learning unless `is_double` is False.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray

from agents.configs.value_based import FQFConfig
from agents.learning import checks
from agents.learning.gradients import descend
from agents.learning.options import one_config
from agents.learning.value_learning import (
    NetworkOutput,
    QLearner,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from agents.networks.builders import make_body
from agents.networks.discrete import FractionProposalNetwork, FullQuantileFunction
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces


class FQFPolicy(QLearner, BasePolicy):
    """Deep Q-learning with proposed quantiles for discrete actions, with masks.

    `fraction_model` proposes `num_fractions` (N) fractions to `model` and learns by `fraction_optim` (None for a policy
    that only plays). `ent_coef` rewards the entropy of the proposals. The other arguments are those of `DQNPolicy`.
    """

    config: FQFConfig

    def __init__(
        self,
        model: FullQuantileFunction,
        optim: torch.optim.Optimizer | None,
        fraction_model: FractionProposalNetwork,
        fraction_optim: torch.optim.Optimizer | None,
        discount_factor: float = 0.99,
        num_fractions: int = 32,
        ent_coef: float = 0.0,
        estimation_step: int = 1,
        target_update_freq: int = 0,
        reward_normalization: bool = False,
        is_double: bool = True,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
        config: FQFConfig | None = None,
    ):
        checks.require_raw_rewards(reward_normalization)
        options = FQFConfig(
            discount_factor=discount_factor,
            estimation_step=estimation_step,
            target_update_freq=target_update_freq,
            is_double=is_double,
            num_fractions=num_fractions,
            ent_coef=ent_coef,
        )
        config = one_config(self, config, options)
        super().__init__(model, optim, config, action_space, observation_space)
        self.fraction_model, self.fraction_optim = fraction_model, fraction_optim

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Return Q-values [n, A], sums of the weighted quantiles [n, A, N] (section 3); illegal actions are lowest."""
        return masked_q(logits.sum(dim=2), mask, self.action_space)

    def evaluate(
        self, obs: Any, state: Any = None, model: str = "model", fractions: Batch | None = None
    ) -> NetworkOutput:
        """Return the output as in `QLearner`, with `fractions` and `quantiles_tau`; see `FullQuantileFunction`."""
        network = self.network(model)
        (quantiles, proposed, at_taus), hidden = network(bare_obs(obs), self.fraction_model, fractions, state)
        widths = proposed.taus.diff(dim=1).detach()
        q = self.compute_q_value(quantiles * widths[:, None], legal_mask(obs))
        return NetworkOutput(quantiles, q, hidden, {"fractions": proposed, "quantiles_tau": at_taus})

    def forward(
        self,
        batch: Batch,
        state: Any = None,
        model: str = "model",
        input: str = "obs",
        fractions: Batch | None = None,
    ) -> Batch:
        """Choose the best legal action, as in `QLearner`; given `fractions` replace the proposed ones."""
        return self._answer(self.evaluate(batch[input], state, model, fractions))

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Return quantiles [n, N] of the best legal action at the next observations, at the model's fractions there."""
        obs_next = buffer.obs_next_at(indices)
        ahead = self.evaluate(obs_next)
        if self.model_old is None:
            return chosen(ahead.logits, ahead.q.argmax(dim=1))
        valued = self.evaluate(obs_next, model="model_old", fractions=ahead.extra["fractions"])
        return chosen(valued.logits, (ahead.q if self.config.is_double else valued.q).argmax(dim=1))

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one step on the quantile Huber loss (section 3.3) and one on the loss of the fractions (3.2).

        Returns their sum as `loss`, and the parts `loss/quantile`, `loss/fraction`, `loss/entropy`.
        """
        output = self.evaluate(batch.obs)
        fractions, at_taus = output.extra["fractions"], output.extra["quantiles_tau"]
        if at_taus is None or self.fraction_optim is None:
            raise UsageError("FQFPolicy learns in training mode, policy.train(), and with a fraction_optim")
        quantiles = chosen(output.logits, batch.act)
        quantile_loss = quantile_regression(batch, quantiles, fractions.tau_hats.detach())
        slope = w1_slope(quantiles.detach(), chosen(at_taus, batch.act).detach())
        fraction_loss = (slope * fractions.taus[:, 1:-1]).sum(dim=1).mean()
        entropy = fractions.entropies.mean()
        descend(fraction_loss - self.config.ent_coef * entropy, self.fraction_optim)
        step = self._step(quantile_loss)
        parts = {"loss/quantile": quantile_loss.item(), "loss/fraction": fraction_loss.item()}
        parts["loss/entropy"] = -self.config.ent_coef * entropy.item()
        return {"loss": sum(parts.values()), **parts, **step}


def w1_slope(middles: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """Return the gradient of the 1-Wasserstein loss with respect to the fractions tau_1 .. tau_N-1, [n, N - 1].

    The loss is the area between a quantile function F and the step function through it. `middles` [n, N] is F at the
    middles of the N steps, `ends` [n, N - 1] is F at the fractions between them. Moving tau_i changes the area by
    |F(tau_i) - F(hat tau_i-1)| - |F(tau_i) - F(hat tau_i)|. For a non-decreasing F this is 2 F(tau_i) - F(hat tau_i)
    - F(hat tau_i-1), as in proposition 1.
    """
    return (ends - middles[:, :-1]).abs() - (ends - middles[:, 1:]).abs()


def build(spaces: Spaces, config: FQFConfig, training: bool) -> FQFPolicy:
    """Build an FQF policy, with its optimizers if it is to be trained."""
    body = make_body(spaces, config.hidden, config.blocks)
    fractions = FractionProposalNetwork(config.num_fractions, config.hidden)
    policy = FQFPolicy(
        FullQuantileFunction(body, spaces.num_actions, num_cosines=config.num_cosines),
        None,
        fractions,
        torch.optim.RMSprop(fractions.parameters(), config.fraction_learning_rate) if training else None,
        action_space=spaces.action,
        observation_space=spaces.observation,
        config=config,
    )
    make_trainable(policy, config, training)
    return policy
