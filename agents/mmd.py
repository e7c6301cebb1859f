"""Magnetic mirror descent (Sokota et al. 2023, arXiv 2206.05825): a policy gradient that finds equilibria by self-play.

Plain policy gradients go round in circles in games that hide something. Here each update improves the policy against
itself, but is held by two springs: to the policy that it began with, and to a magnet. The policy settles where the
magnet's pull and what is to be won are in balance; the magnet follows it slowly, so that in the end, in zero-sum games
of two players, this is an equilibrium of the game itself. The last policy is what plays: nothing has to be averaged.

The update is algorithm 3.1 of the paper, with the entropy as mirror map, in every information state:

    pi <- argmax_pi  <pi, q> - alpha KL(pi, magnet) - 1/eta KL(pi, pi_old)

by gradient steps on the network. Unlike the paper's deep variant, which is PPO with other penalties, q is learned: a
critic of every action has seen more games than the last ones, so it is steadier than what these happened to bring. On
how such policy gradients do beside neural fictitious play and counterfactual regrets: Rudolph et al. 2025, arXiv
2502.08938.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray

from agents import checks
from agents.actor_critic import ActorCriticOptions, ActorCriticPolicy, Figures
from agents.distributions import expectation
from agents.networks.builders import body_of
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, Critic
from agents.stochastic import Minibatch, OnPolicyConfig, answer
from agents.targets import frozen_copy, polyak
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask

KEYS = "returns", "logits_old"


class MMDPolicy(ActorCriticPolicy):
    """Magnetic mirror descent for numbered actions, with masks.

    Args:
        actor: from observations to logits [n, A].
        critic: from observations to what every action will return, [n, A]; built upon the body of the actor.
        optim: optimizer of both; None for a policy that only plays.
        temperature: alpha, the pull of the magnet, in deviations of the returns.
        step_weight: 1/eta, the pull of the policy that acted, in the same units.
        magnet_rate: part of the way to the policy that the magnet goes after each update, 0 to 1.
        options: those of `ActorCriticPolicy`.

    """

    actor: Actor
    critic: Critic

    def __init__(
        self,
        actor: Actor,
        critic: Critic,
        optim: torch.optim.Optimizer | None,
        temperature: float = 0.2,
        step_weight: float = 1.0,
        magnet_rate: float = 0.02,
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, **options)
        checks.require_at_least(0, temperature=temperature, step_weight=step_weight)
        checks.require_between(0, 1, magnet_rate=magnet_rate)
        self.temperature, self.step_weight, self.magnet_rate = temperature, step_weight, magnet_rate
        self.magnet = frozen_copy(actor)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions; adds `policy.logp`, `policy.value`, `policy.logits` [n, A] and `value`."""
        dist, q = self._dist_and_q(bare_obs(batch.obs), legal_mask(batch.obs))
        value = expectation(dist.probs, q)
        act = self.choose(dist)
        result = answer(act, dist, None)
        result.policy = Batch(logp=dist.log_prob(act), value=value, logits=dist.logits)
        result.value = value.numpy(force=True)
        return result

    def _dist_and_q(self, obs: Any, mask: Any) -> tuple[Any, torch.Tensor]:
        """The distribution over actions, and what each of them will return, [n, A]."""
        features, _ = self.actor.preprocess(obs)
        return self.distribution(self.actor.last(features), mask), self.critic.last(features)

    @torch.no_grad()
    def values(self, obs: Any) -> NDArray[np.float64]:
        """What observations are worth if the policy goes on, [n]."""
        dist, q = self._dist_and_q(bare_obs(obs), legal_mask(obs))
        return expectation(dist.probs, q).numpy(force=True).astype(np.float64)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n], towards which the critic learns, TD(lambda) of everything that was collected."""
        batch = super().process_fn(batch, buffer, indices)
        batch.logits_old = batch.policy.logits
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, *KEYS)
        scale = float(np.std(batch.returns)) + 1e-8
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                gain, pull, step, value_loss = self._losses(part)
                held = self.temperature * pull + self.step_weight * step
                self.descend(held - gain / scale + self.vf_coef * value_loss / scale**2)
                figures["gain"].append(gain.item())
                figures["kl/magnet"].append(pull.item())
                figures["kl/step"].append(step.item())
                figures["loss/vf"].append(value_loss.item())
        polyak(self.magnet, self.actor, self.magnet_rate)
        return dict(figures)

    def _losses(self, part: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """What the policy earns, how far it is from the magnet and from what it was, the critic's error: means."""
        dist, q = self._dist_and_q(part["obs"], part.get("mask"))
        taken = q.gather(1, part["act"][:, None])[:, 0]
        with torch.no_grad():
            magnet = self.distribution(self.magnet(part["obs"])[0], part.get("mask"))
        gain = expectation(dist.probs, q.detach())
        pull = expectation(dist.probs, dist.logits - magnet.logits)
        step = expectation(dist.probs, dist.logits - part["logits_old"])
        return gain.mean(), pull.mean(), step.mean(), (part["returns"] - taken).square().mean()


@dataclass(frozen=True)
class MMDConfig(OnPolicyConfig):
    """How magnetic mirror descent learns; the defaults are for thousands of small games at once."""

    learning_rate: float = 3e-3
    """Step size of Adam."""
    discount: float = 1.0
    """Gamma, in the agent's own moves, 0 to 1."""
    gae_lambda: float = 0.95
    """Lambda of the returns that the critic learns, 0 to 1."""
    temperature: float = 0.2
    """Alpha, the pull of the magnet, in deviations of the returns."""
    step_weight: float = 1.0
    """1/eta, the pull of the policy that has just played, in the same units."""
    magnet_rate: float = 0.02
    """Part of the way to the policy that the magnet goes after each update, 0 to 1."""
    value_weight: float = 0.5
    """Weight of the critic's error."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""
    batch_size: int = 4096
    """Transitions a gradient step."""
    repeat: int = 2
    """Passes through what was collected."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "max_grad_norm")
        require_at_least(self, 0, "temperature", "step_weight", "value_weight")
        require_between(self, 0, 1, "gae_lambda", "magnet_rate")


def build(spaces: Spaces, config: MMDConfig, training: bool) -> MMDPolicy:
    """A policy for a game, with an optimizer if it is to be trained."""
    body = body_of(spaces, (config.hidden, config.hidden), config.channels)
    actor = Actor(body, spaces.num_actions, softmax_output=False)
    critic = Critic(body, last_size=spaces.num_actions)
    return MMDPolicy(
        actor,
        critic,
        config.optimizer(ActorCritic(actor, critic), training),
        config.temperature,
        config.step_weight,
        config.magnet_rate,
        gae_lambda=config.gae_lambda,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(MMDConfig, build, "on-policy", "arXiv 2206.05825", ("games",), self_play=True)
AGENT = AgentKind("magnetic mirror descent", partial(load_policy, "mmd", ALGORITHM), "DIR", ALGORITHM)
