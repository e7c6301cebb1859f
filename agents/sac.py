"""Soft actor-critic (Haarnoja et al. 2018, arXiv 1812.05905).

An actor that is rewarded for its entropy as well: it learns to do what two critics value, as randomly as that allows.
Actions are normal ones squashed by a tanh; the weight of entropy, alpha, is given or learned.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.distributions import default_distribution, draw, log_tanh_slope
from agents.exploration import BaseNoise
from agents.gradients import adam, descend
from agents.networks.builders import body_of, q_critic
from agents.networks.continuous import ActorProb
from agents.q_actor import QActorConfig, QActorOptions, QActorPolicy, smallest_q
from agents.temperature import Alpha, Temperature
from arena.config import require_above
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs


class SACPolicy(QActorPolicy):
    """SAC.

    Args:
        actor: from observations to means and deviations [n, k], and a hidden state.
        actor_optim: its optimizer; None for a policy that only plays.
        critic1: from observations and actions to values [n, 1].
        critic1_optim: its optimizer.
        critic2: a second one.
        critic2_optim: its optimizer.
        tau: how far the targets go towards their models with each update, 0 to 1.
        gamma: discount, 0 to 1.
        alpha: weight of the entropy, or (target entropy, log alpha, its optimizer) to learn it.
        exploration_noise: as in `QActorPolicy`; by default none, for the actor explores itself.
        deterministic_eval: take the mean in testing state.
        options: those of `QActorPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        actor_optim: torch.optim.Optimizer | None,
        critic1: nn.Module,
        critic1_optim: torch.optim.Optimizer | None,
        critic2: nn.Module,
        critic2_optim: torch.optim.Optimizer | None,
        tau: float = 0.005,
        gamma: float = 0.99,
        alpha: Alpha = 0.2,
        exploration_noise: BaseNoise | float | None = None,
        deterministic_eval: bool = True,
        **options: Unpack[QActorOptions],
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        super().__init__(actor, actor_optim, critics, tau, gamma, exploration_noise, **options)
        checks.require_continuous(self, self.action_space)
        self.temperature = Temperature(alpha)
        self.deterministic_eval = deterministic_eval

    def forward(self, batch: Batch, state: Any = None, input: Literal["obs", "obs_next"] = "obs") -> Batch:
        """Draw actions [n, k] within ±1; adds their `log_prob` [n] and `dist`, the distribution before the tanh."""
        scores, hidden = self.actor(bare_obs(batch[input]), state)
        dist = default_distribution(*scores)
        act, logp = self._squashed(dist, mean=self.deterministic_eval and not self.training)
        self.require_fit(act)
        return Batch(act=act.numpy(force=True), state=hidden, dist=dist, log_prob=logp)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """The action [n, k] of the mean."""
        (mean, _), _ = self.actor(obs)
        return torch.tanh(mean)

    def _squashed(self, dist: Any, mean: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions tanh(u), which carry a gradient, and their log-probabilities [n] (appendix C)."""
        u = dist.mean if mean else draw(dist, self.generator)
        return torch.tanh(u), dist.log_prob(u) - log_tanh_slope(u).sum(dim=1)

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """The soft value of next observations (equation 3), of the smaller of two targets."""
        obs_next = self.seen(buffer[indices].obs_next)
        act, logp = self._squashed(default_distribution(*self.actor(obs_next)[0]))
        return smallest_q(self.critics_old, obs_next, act) - self.temperature.value * logp

    def learn(self, batch: Batch) -> dict[str, float]:
        """One update (algorithm 1); `loss/actor`, `loss/critic1`, `loss/critic2` and, if it is learned, of `alpha`."""
        obs = self.seen(batch.obs)
        figures = self.fit_critics(obs, batch)  # equation 5
        act, logp = self._squashed(default_distribution(*self.actor(obs)[0]))
        actor_loss = (self.temperature.value * logp - smallest_q(self.critics, obs, act)).mean()  # equation 9
        descend(actor_loss, self.actor_optim)
        tempered = self.temperature.adapt(-logp)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures, **tempered}


@dataclass(frozen=True)
class SACConfig(QActorConfig):
    """How SAC learns."""

    alpha: float = 0.2
    """Weight of the entropy; where it is learned, at first."""
    auto_alpha: bool = True
    """Learn alpha so that the entropy is, on average, minus the number of an action's entries."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "alpha")


def build(spaces: Spaces, config: SACConfig, training: bool) -> SACPolicy:
    """A SAC policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = ActorProb(body_of(spaces, sizes), spaces.action_shape, unbounded=True, conditioned_sigma=True)
    critic1, critic2 = q_critic(spaces, sizes), q_critic(spaces, sizes)
    alpha: Alpha = config.alpha
    if config.auto_alpha:
        log_alpha = nn.Parameter(torch.tensor([np.log(config.alpha)], dtype=torch.float32))
        optim = adam([log_alpha], config.learning_rate) if training else None
        alpha = -float(np.prod(spaces.action_shape)), log_alpha, optim
    return SACPolicy(
        actor,
        config.optimizer(actor, training),
        critic1,
        config.optimizer(critic1, training),
        critic2,
        config.optimizer(critic2, training),
        config.tau,
        config.discount,
        alpha,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(SACConfig, build, "off-policy", "arXiv 1812.05905", ("continuous",))
AGENT = AgentKind("soft actor-critic", partial(load_policy, "sac", ALGORITHM), "DIR", ALGORITHM)
