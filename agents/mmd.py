"""Magnetic mirror descent (Sokota et al. 2023, arXiv 2206.05825): a policy gradient that finds equilibria by self-play.

Plain policy gradients go round in circles in games that hide something. Here each update improves the policy against
itself, but is held by two springs: to the policy that it began with, and to a magnet, which is to play at random. In
zero-sum games of two players it settles where the magnet's pull and what is to be won are in balance (a quantal
response equilibrium); as the pull becomes weaker, that comes close to an equilibrium of the game. What plays is a copy
of the network that follows it closely, without the jitter of single updates.

The update is algorithm 3.1 of the paper, with the entropy as mirror map, in every information state:

    pi <- argmax_pi  <pi, q> - alpha KL(pi, magnet) - 1/eta KL(pi, pi_old)

by gradient steps on the network. For it to settle eta must fall with alpha: here their ratio is fixed, and alpha falls
with the learning rate. q is what a critic says of every action, put right by what has come of the one that was taken;
the paper's own deep variant is PPO with other penalties. On how such policy gradients do beside neural fictitious play
and counterfactual regrets: Rudolph et al. 2025, arXiv 2502.08938.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.actor_critic import ActorCriticOptions, Figures
from agents.averaged import AveragedActorPolicy
from agents.distributions import expectation
from agents.networks.builders import body_of
from agents.networks.common import ActorCritic
from agents.networks.discrete import Actor, Critic
from agents.stochastic import Minibatch, OnPolicyConfig
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces

KEYS = "returns", "logits_old"


class MMDPolicy(AveragedActorPolicy):
    """Magnetic mirror descent for numbered actions, with masks.

    Args:
        actor: from observations to logits [n, A], and a hidden state.
        critic: from observations to what every action will return, [n, A].
        optim: optimizer of both; None for a policy that only plays.
        temperature: alpha, the pull of the magnet, in deviations of the returns.
        final_temperature: what it falls to with the learning rate, were that to fall to 0.
        step_ratio: eta / alpha, above 0: how far an update goes.
        average_rate: part of the way to the policy that the copy goes which plays, after each update, 0 to 1.
        max_weight: largest weight of what has come of an action, which is one over the chance that it is taken.
        options: those of `ActorCriticPolicy`.

    """

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        temperature: float = 0.2,
        final_temperature: float = 0.05,
        step_ratio: float = 2.5,
        average_rate: float = 0.05,
        max_weight: float = 1000.0,
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, average_rate, **options)
        checks.require_above(0, temperature=temperature, final_temperature=final_temperature, step_ratio=step_ratio)
        checks.require_at_least(0, max_weight=max_weight)
        self.temperatures, self.step_ratio = (temperature, final_temperature), step_ratio
        self.max_weight = max_weight
        self._full_rate = optim.param_groups[0]["lr"] if optim is not None else 0.0

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n], towards which the critic learns, TD(lambda) of everything that was collected."""
        batch = super().process_fn(batch, buffer, indices)
        batch.logits_old = batch.policy.logits
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the batch in random minibatches of about `batch_size`; figures of each step."""
        figures: Figures = defaultdict(list)
        data = self.tensors(batch, *KEYS)
        scale, alpha = float(np.std(batch.returns)) + 1e-8, self.temperature
        for _ in range(repeat):
            for part in self.minibatches(data, batch_size):
                gain, entropy, step, value_loss = self._losses(part)
                held = step / (self.step_ratio * alpha) - alpha * entropy
                self.descend(held - gain / scale + self.vf_coef * value_loss / scale**2)
                figures["gain"].append(gain.item())
                figures["entropy"].append(entropy.item())
                figures["kl"].append(step.item())
                figures["loss/vf"].append(value_loss.item())
        self.follow()
        return dict(figures)

    @property
    def temperature(self) -> float:
        """Alpha at the learning rate of now."""
        begin, end = self.temperatures
        rate = self._full_rate if self.optim is None else self.optim.param_groups[0]["lr"]
        return end + (begin - end) * (rate / self._full_rate if self._full_rate else 1.0)

    def _losses(self, part: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """What the policy earns, its entropy, how far it is from what it was, the critic's error: means.

        The entropy is what a constant lacks to the divergence from the magnet.
        """
        dist, q = self.dist_and_q(part["obs"], part.get("mask"))
        act = part["act"][:, None]
        error = part["returns"][:, None] - q.gather(1, act)
        with torch.no_grad():
            weight = (-part["logits_old"].gather(1, act)).exp().clamp(max=self.max_weight)
            better = q.scatter_add(1, act, weight * error)
        step = expectation(dist.probs, dist.logits - part["logits_old"])
        return expectation(dist.probs, better).mean(), dist.entropy().mean(), step.mean(), error.square().mean()


@dataclass(frozen=True)
class MMDConfig(OnPolicyConfig):
    """How magnetic mirror descent learns; the defaults are for hundreds of small games at once."""

    learning_rate: float = 3e-3
    """Step size of Adam."""
    discount: float = 1.0
    """Gamma, in the agent's own moves, 0 to 1."""
    gae_lambda: float = 0.95
    """Lambda of the returns that the critic learns, 0 to 1."""
    temperature: float = 0.2
    """Alpha, the pull of the magnet, in deviations of the returns."""
    final_temperature: float = 0.05
    """What it falls to with the learning rate, were that to fall to 0."""
    step_ratio: float = 2.5
    """Eta / alpha: how far an update goes."""
    average_rate: float = 0.05
    """Part of the way to the policy that the copy goes which plays, after each update, 0 to 1."""
    max_weight: float = 1000.0
    """Largest weight of what has come of an action, beside what the critic says of it."""
    value_weight: float = 0.5
    """Weight of the critic's error."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""
    batch_size: int = 2048
    """Transitions a gradient step."""
    repeat: int = 2
    """Passes through what was collected."""
    hidden: int = 64
    """Units of the dense layers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "temperature", "final_temperature", "step_ratio", "max_grad_norm")
        require_at_least(self, 0, "max_weight", "value_weight")
        require_between(self, 0, 1, "gae_lambda", "average_rate")


def build(spaces: Spaces, config: MMDConfig, training: bool) -> MMDPolicy:
    """A policy for a game, with an optimizer if it is to be trained."""
    bodies = [body_of(spaces, (config.hidden, config.hidden), config.channels) for _ in range(2)]
    actor = Actor(bodies[0], spaces.num_actions, softmax_output=False)
    critic = Critic(bodies[1], last_size=spaces.num_actions)
    return MMDPolicy(
        actor,
        critic,
        config.optimizer(ActorCritic(actor, critic), training),
        config.temperature,
        config.final_temperature,
        config.step_ratio,
        config.average_rate,
        config.max_weight,
        gae_lambda=config.gae_lambda,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        **config.options(spaces),
    )


ALGORITHM = Algorithm(MMDConfig, build, "on-policy", "arXiv 2206.05825", ("games",), self_play=True)
AGENT = AgentKind("magnetic mirror descent", partial(load_policy, "mmd", ALGORITHM), "DIR", ALGORITHM)
