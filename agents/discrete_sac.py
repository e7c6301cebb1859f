"""Soft actor-critic for numbered actions (Christodoulou 2019, arXiv 1910.07207), with masks.

The actor gives the probability of every action and the critics the value of every action, so that expectations are
sums, without drawing. Illegal actions have no part in them, nor in entropies.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.distributions import default_distribution, draw, expectation
from agents.gradients import adam, descend
from agents.networks.builders import body_of
from agents.networks.discrete import Actor, Critic
from agents.q_actor import QActorConfig, QActorOptions, QActorPolicy, smallest_q
from agents.stochastic import answer
from agents.temperature import Alpha, Temperature
from agents.value_learning import chosen
from arena.config import require_above, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores


class DiscreteSACPolicy(QActorPolicy):
    """SAC for numbered actions.

    Args:
        actor: from observations to logits [n, A] and a hidden state.
        actor_optim: its optimizer; None for a policy that only plays.
        critic1: from observations to values [n, A].
        critic1_optim: its optimizer.
        critic2: a second one.
        critic2_optim: its optimizer.
        tau: how far the targets go towards their models with each update, 0 to 1.
        gamma: discount, 0 to 1, in steps of the agent's own.
        alpha: weight of the entropy, or (target entropy, log alpha, its optimizer) to learn it.
        deterministic_eval: take the likeliest action in testing state.
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
        deterministic_eval: bool = True,
        **options: Unpack[QActorOptions],
    ):
        critics = [(critic1, critic1_optim), (critic2, critic2_optim)]
        super().__init__(actor, actor_optim, critics, tau, gamma, None, **options)
        checks.require_discrete(self, self.action_space)
        checks.require_logits(actor)
        self.temperature = Temperature(alpha)
        self.deterministic_eval = deterministic_eval

    def forward(self, batch: Batch, state: Any = None, input: Literal["obs", "obs_next"] = "obs") -> Batch:
        """Draw actions [n]; adds `dist`, `logits` and `probs` [n, A]."""
        scores, hidden = self.actor(bare_obs(batch[input]), state)
        dist = self._distribution(scores, legal_mask(batch[input]))
        act = dist.mode if self.deterministic_eval and not self.training else draw(dist, self.generator)
        return answer(act, dist, hidden)

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A]."""
        logits: torch.Tensor = self.actor(obs)[0]
        return logits

    def _distribution(self, logits: torch.Tensor, mask: Any) -> Any:
        checks.require_fitting_scores(self.action_space, logits, mask)
        return default_distribution(mask_scores(logits, mask))

    def _target_q(self, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> torch.Tensor:
        """The soft value of next observations: pi(s)^T (Q(s) - alpha log pi(s)), equation 10."""
        obs = buffer[indices].obs_next
        obs_next = self.seen(obs)
        dist = self._distribution(self.actor(obs_next)[0], legal_mask(obs))
        q = smallest_q(self.critics_old, obs_next)
        return expectation(dist.probs, q) + self.temperature.value * dist.entropy()

    def _taken_q(self, critic: nn.Module, obs: torch.Tensor, act: Any) -> torch.Tensor:
        return chosen(critic(obs), act)

    def learn(self, batch: Batch) -> dict[str, float]:
        """One update; `loss/actor`, `loss/critic1`, `loss/critic2` and, if it is learned, of `alpha`."""
        obs = self.seen(batch.obs)
        figures = self.fit_critics(obs, batch)
        dist = self._distribution(self.actor(obs)[0], legal_mask(batch.obs))
        with torch.no_grad():
            q = smallest_q(self.critics, obs)
        entropy = dist.entropy()
        # equation 12: pi(s)^T (alpha log pi(s) - Q(s))
        actor_loss = -(self.temperature.value * entropy + expectation(dist.probs, q)).mean()
        descend(actor_loss, self.actor_optim)
        tempered = self.temperature.adapt(entropy)
        self.sync_weight()
        return {"loss/actor": actor_loss.item(), **figures, **tempered}


@dataclass(frozen=True)
class DiscreteSACConfig(QActorConfig):
    """How discrete SAC learns."""

    update_per_step: float = 0.1
    """Gradient steps an environment step."""
    alpha: float = 0.05
    """Weight of the entropy; where it is learned, at first."""
    target_entropy: float = 0.0
    """Entropy aimed at, as a part of the largest there is, to learn alpha; 0 to keep alpha."""
    channels: int = 0
    """Filters of the convolution on boards; 0 for a plain perceptron."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "alpha")
        require_between(self, 0, 1, "target_entropy")


def build(spaces: Spaces, config: DiscreteSACConfig, training: bool) -> DiscreteSACPolicy:
    """A discrete SAC policy, with optimizers if it is to be trained."""
    sizes = (config.hidden, config.hidden)
    actor = Actor(body_of(spaces, sizes, config.channels), spaces.num_actions, softmax_output=False)
    critic1, critic2 = (Critic(body_of(spaces, sizes, config.channels), last_size=spaces.num_actions) for _ in range(2))
    alpha: Alpha = config.alpha
    if config.target_entropy:
        log_alpha = nn.Parameter(torch.tensor([np.log(config.alpha)], dtype=torch.float32))
        optim = adam([log_alpha], config.learning_rate) if training else None
        alpha = config.target_entropy * float(np.log(spaces.num_actions)), log_alpha, optim
    return DiscreteSACPolicy(
        actor,
        config.optimizer(actor, training),
        critic1,
        config.optimizer(critic1, training),
        critic2,
        config.optimizer(critic2, training),
        config.tau,
        config.discount,
        alpha,
        deterministic_eval=not spaces.hides_something,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(DiscreteSACConfig, build, "off-policy", "arXiv 1910.07207")
AGENT = AgentKind("soft actor-critic, discrete", partial(load_policy, "discrete-sac", ALGORITHM), "DIR", ALGORITHM)
