"""Fully parameterised quantile functions (Yang et al. 2019, arXiv 1911.02140).

Like IQN, but a second network proposes, from the features of an observation, at which fractions to look: it learns to
make the step function through the quantiles lie close to the quantile function itself. The fractions of a target are
those proposed for the next observation. Unlike the paper, its action is chosen by double learning unless `is_double`
says otherwise.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray

from agents import checks
from agents.gradients import descend
from agents.networks.discrete import FractionProposalNetwork, FullQuantileFunction
from agents.networks.q_network import make_body
from agents.value_learning import (
    SLOWER,
    ValueConfig,
    ValuePolicy,
    View,
    chosen,
    make_trainable,
    masked_q,
    quantile_regression,
)
from arena.config import require_above, require_at_least
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask


class FQFPolicy(ValuePolicy):
    """Deep Q-learning with proposed quantiles for discrete actions, with masks.

    `fraction_model` proposes `num_fractions` (N) fractions to `model`, and learns by `fraction_optim` (None for a
    policy that only plays); `ent_coef` rewards proposals that lie apart. The other arguments are those of
    `ValuePolicy`.
    """

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
    ):
        targets = discount_factor, estimation_step, target_update_freq, reward_normalization, is_double
        super().__init__(model, optim, *targets, action_space, observation_space)
        checks.require_at_least(2, num_fractions=num_fractions)
        checks.require_at_least(0, ent_coef=ent_coef)
        self.fraction_model, self.fraction_optim = fraction_model, fraction_optim
        self.num_fractions, self.ent_coef = num_fractions, ent_coef

    def compute_q_value(self, logits: torch.Tensor, mask: Any) -> torch.Tensor:
        """Q-values [n, A]: sums of the quantiles [n, A, N], each times the width of its step (section 3)."""
        return masked_q(logits.sum(dim=2), mask, self.action_space)

    def look(self, obs: Any, state: Any = None, model: str = "model", fractions: Batch | None = None) -> View:
        """As in `ValuePolicy`; adds `fractions` and `quantiles_tau`, see `FullQuantileFunction`."""
        network: FullQuantileFunction = getattr(self, model)
        (quantiles, proposed, at_taus), hidden = network(bare_obs(obs), self.fraction_model, fractions, state)
        widths = proposed.taus.diff(dim=1).detach()
        q = self.compute_q_value(quantiles * widths[:, None], legal_mask(obs))
        return View(quantiles, q, hidden, {"fractions": proposed, "quantiles_tau": at_taus})

    def forward(
        self,
        batch: Batch,
        state: Any = None,
        model: str = "model",
        input: str = "obs",
        fractions: Batch | None = None,
    ) -> Batch:
        """As in `ValuePolicy`; `fractions` that are given are looked at in place of those proposed."""
        return self._answer(self.look(batch[input], state, model, fractions))

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """Quantiles [n, N] of the best legal action at the next observations, at the model's own fractions there."""
        obs_next = buffer[indices].obs_next
        ahead = self.look(obs_next)
        if self.model_old is None:
            return chosen(ahead.logits, ahead.q.argmax(dim=1))
        valued = self.look(obs_next, model="model_old", fractions=ahead.extra["fractions"])
        return chosen(valued.logits, (ahead.q if self.is_double else valued.q).argmax(dim=1))

    def learn(self, batch: Batch) -> dict[str, float]:
        """One gradient step on the quantile Huber loss (section 3.3), and one on that of the fractions (3.2).

        Returns their sum as `loss`, and its parts `loss/quantile`, `loss/fraction`, `loss/entropy`.
        """
        view = self.look(batch.obs)
        fractions, at_taus = view.extra["fractions"], view.extra["quantiles_tau"]
        if at_taus is None or self.fraction_optim is None:
            raise UsageError("FQFPolicy learns in training state, policy.train(), and with a fraction_optim")
        quantiles = chosen(view.logits, batch.act)
        quantile_loss = quantile_regression(batch, quantiles, fractions.tau_hats.detach())
        slope = w1_slope(quantiles.detach(), chosen(at_taus, batch.act).detach())
        fraction_loss = (slope * fractions.taus[:, 1:-1]).sum(dim=1).mean()
        entropy = fractions.entropies.mean()
        descend(fraction_loss - self.ent_coef * entropy, self.fraction_optim)
        self._step(quantile_loss)
        parts = {"loss/quantile": quantile_loss.item(), "loss/fraction": fraction_loss.item()}
        parts["loss/entropy"] = -self.ent_coef * entropy.item()
        return {"loss": sum(parts.values()), **parts}


def w1_slope(middles: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """How the distance between a quantile function F and the step function through it changes with tau_1 .. tau_N-1.

    From F at the middles of the N steps, [n, N], and at the fractions between them, [n, N - 1]. The distance is the
    area between the two (1-Wasserstein); a step that grows by d at an end gains d times the gap there, and the next one
    loses as much of its own: |F(tau_i) - F(hat tau_i-1)| - |F(tau_i) - F(hat tau_i)|. Where F does not fall, this is
    2 F(tau_i) - F(hat tau_i) - F(hat tau_i-1), as in proposition 1.
    """
    return (ends - middles[:, :-1]).abs() - (ends - middles[:, 1:]).abs()


@dataclass(frozen=True)
class FQFConfig(ValueConfig):
    """How FQF learns."""

    num_fractions: int = 32
    """Fractions that are proposed."""
    fraction_learning_rate: float = 2.5e-9
    """Step size of RMSprop for the fractions."""
    entropy_weight: float = 0.0
    """Reward for proposals that lie apart."""
    num_cosines: int = 64
    """Cosines that a fraction is told by."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "fraction_learning_rate")
        require_at_least(self, 0, "entropy_weight")
        require_at_least(self, 2, "num_fractions")
        require_at_least(self, 1, "num_cosines")


def build(spaces: Spaces, config: FQFConfig, training: bool) -> FQFPolicy:
    """An FQF policy for what is seen and done, with its optimizers if it is to be trained."""
    body = make_body(spaces.observation_shape, config.hidden, config.blocks)
    fractions = FractionProposalNetwork(config.num_fractions, config.hidden)
    policy = FQFPolicy(
        FullQuantileFunction(body, spaces.num_actions, num_cosines=config.num_cosines),
        None,
        fractions,
        torch.optim.RMSprop(fractions.parameters(), config.fraction_learning_rate) if training else None,
        config.discount,
        config.num_fractions,
        config.entropy_weight,
        config.n_step,
        config.target_update_freq,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    make_trainable(policy, config, training)
    return policy


ALGORITHM = Algorithm(FQFConfig, build, "off-policy", "arXiv 1911.02140", single=FQFConfig(**SLOWER, num_fractions=8))
AGENT = AgentKind("fully parameterised quantile function", partial(load_policy, "fqf", ALGORITHM), "DIR", ALGORITHM)
