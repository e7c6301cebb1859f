"""The natural gradient: the steepest way in terms of what a policy does, not of its parameters.

Kakade 2001 (NIPS 14); Fisher-vector products and the conjugate gradient as in Schulman et al. 2015 (arXiv 1502.05477),
appendix C.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.actor_critic import ActorCriticOptions, ActorCriticPolicy
from agents.distributions import log_probability
from agents.gradients import descend
from agents.stochastic import DistFn, Minibatch, OnPolicyConfig
from arena.config import require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError

Product = Callable[[torch.Tensor], torch.Tensor]
"""From a vector [d] to a matrix times it."""


def conjugate_gradient(product: Product, b: torch.Tensor, iterations: int, tolerance: float = 1e-10) -> torch.Tensor:
    """The x [d] for which A x = b, A symmetric and positive, from products with A alone (Hestenes and Stiefel 1952).

    Stops after so many iterations, or where the squared residual falls below `tolerance`.
    """
    x, residual, direction = torch.zeros_like(b), b.clone(), b.clone()
    squared = residual @ residual
    for _ in range(iterations):
        if squared < tolerance:
            break
        image = product(direction)
        step = squared / (direction @ image)
        x += step * direction
        residual -= step * image
        before, squared = squared, residual @ residual
        direction = residual + squared / before * direction
    return x


def fisher_product(divergence: torch.Tensor, parameters: Sequence[nn.Parameter], damping: float) -> Product:
    """Products with the Fisher matrix of a policy, plus `damping` times a vector.

    The Fisher matrix is the second derivative of the mean divergence KL(now || parameters) where both are the same.
    """
    first = flat(torch.autograd.grad(divergence, parameters, create_graph=True))

    def product(vector: torch.Tensor) -> torch.Tensor:
        curved = torch.autograd.grad(first @ vector, parameters, retain_graph=True)
        return flat(curved) + damping * vector

    return product


def slope(loss: torch.Tensor, parameters: Sequence[nn.Parameter]) -> torch.Tensor:
    """The gradient of a loss, [d]; its graph is kept."""
    return flat(torch.autograd.grad(loss, parameters, retain_graph=True))


def flat(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """All numbers in one vector [d]."""
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


@torch.no_grad()
def assign(parameters: Sequence[nn.Parameter], vector: torch.Tensor) -> None:
    """Set parameters from one vector [d]."""
    for parameter, part in zip(parameters, torch.split(vector, [p.numel() for p in parameters]), strict=True):
        parameter.copy_(part.view_as(parameter))


class NaturalGradientOptions(ActorCriticOptions, total=False):
    """What such policies take besides their networks and steps; see `NaturalGradientPolicy`."""

    advantage_normalization: bool
    optim_critic_iters: int


class NaturalGradientPolicy(ActorCriticPolicy):
    """An actor-critic whose actor follows the natural gradient; abstract.

    Args:
        actor: as in `ActorCriticPolicy`; shares no parameters with the critic.
        critic: as in `ActorCriticPolicy`.
        optim: optimizer of the critic; None for a policy that only plays.
        dist_fn: as in `StochasticPolicy`.
        advantage_normalization: scale the advantages of what was collected to mean 0 and deviation 1.
        optim_critic_iters: steps of the critic for one of the actor.
        options: those of `ActorCriticPolicy`.

    """

    damping = 0.1
    """Added to the diagonal of the Fisher matrix."""
    iterations = 10
    """Those of the conjugate gradient."""

    def __init__(
        self,
        actor: nn.Module,
        critic: nn.Module,
        optim: torch.optim.Optimizer | None,
        dist_fn: DistFn | None = None,
        advantage_normalization: bool = True,
        optim_critic_iters: int = 5,
        **options: Unpack[ActorCriticOptions],
    ):
        super().__init__(actor, critic, optim, dist_fn, **options)
        checks.require_at_least(1, optim_critic_iters=optim_critic_iters)
        own = {id(parameter) for parameter in actor.parameters()}
        if own & {id(parameter) for parameter in critic.parameters()}:
            raise UsageError(f"{type(self).__name__} needs an actor and a critic that share no parameters")
        self.advantage_normalization, self.optim_critic_iters = advantage_normalization, optim_critic_iters

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add advantages `adv` and `returns` [n] to everything that was collected, in the order of time."""
        batch = super().process_fn(batch, buffer, indices)
        if self.advantage_normalization:
            batch.adv = (batch.adv - batch.adv.mean()) / (batch.adv.std() + 1e-8)
        return batch

    def surrogate(self, part: Minibatch) -> tuple[Any, torch.Tensor]:
        """The present distribution, and the loss -E[pi(a|s) / pi_old(a|s) A] (arXiv 1502.05477, equation 14)."""
        scores, _ = self.actor(part["obs"])
        dist = self.distribution(scores, part.get("mask"))
        ratio = (log_probability(dist, part["act"]) - part["logp_old"]).exp()
        return dist, -(ratio * part["adv"]).mean()

    def fit_critic(self, part: Minibatch) -> float:
        """Some steps of the critic towards the returns; the last loss."""
        loss = torch.zeros(())
        for _ in range(self.optim_critic_iters):
            loss = (part["returns"] - self.critic(part["obs"])[:, 0]).square().mean()
            descend(loss, self.optim, self.max_grad_norm)
        return loss.item()


@dataclass(frozen=True)
class NaturalGradientConfig(OnPolicyConfig):
    """What such agents are told; the learning rate is that of the critic."""

    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation, 0 to 1."""
    normalize_advantages: bool = True
    """Scale the advantages of what was collected to mean 0 and deviation 1."""
    critic_iterations: int = 10
    """Steps of the critic for one of the actor."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between(self, 0, 1, "gae_lambda")
        require_at_least(self, 1, "critic_iterations")
