"""Natural gradient: steepest descent in the metric of the policy's distribution, not of its parameters.

Kakade 2001 (NIPS 14); Fisher-vector products and the conjugate gradient as in Schulman et al. 2015 (arXiv 1502.05477),
appendix C.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from agents.configs.on_policy import NaturalGradientConfig
from agents.learning.distributions import log_probability
from agents.learning.gradients import descend
from agents.learning.stochastic import ActionSampler, Minibatch
from arena.base.errors import UsageError

Product = Callable[[torch.Tensor], torch.Tensor]
"""Maps a vector [d] to its product with a matrix."""


def conjugate_gradient(product: Product, b: torch.Tensor, iterations: int, tolerance: float = 1e-10) -> torch.Tensor:
    """Solve A x = b for x [d], with A symmetric positive definite, by products with A (Hestenes and Stiefel 1952).

    Stops after `iterations`, or when the squared residual falls below `tolerance`.
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
    """Return the function of products with the Fisher matrix of a policy plus `damping` times the identity.

    The Fisher matrix is the Hessian of the mean divergence KL(pi_old || pi) at pi = pi_old.
    """
    first = flat(torch.autograd.grad(divergence, parameters, create_graph=True))

    def product(vector: torch.Tensor) -> torch.Tensor:
        curved = torch.autograd.grad(first @ vector, parameters, retain_graph=True)
        return flat(curved) + damping * vector

    return product


def slope(loss: torch.Tensor, parameters: Sequence[nn.Parameter]) -> torch.Tensor:
    """Return the gradient of a loss as a vector [d]; its graph is kept."""
    return flat(torch.autograd.grad(loss, parameters, retain_graph=True))


def flat(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Concatenate tensors into one vector [d]."""
    return torch.cat([tensor.reshape(-1) for tensor in tensors])


@torch.no_grad()
def assign(parameters: Sequence[nn.Parameter], vector: torch.Tensor) -> None:
    """Set parameters from one vector [d]."""
    for parameter, part in zip(parameters, torch.split(vector, [p.numel() for p in parameters]), strict=True):
        parameter.copy_(part.view_as(parameter))


@dataclass
class NaturalGradient:
    """The direction of a step of the actor: the gradient in the metric of the Fisher matrix."""

    damping: float = 0.1
    """Value added to the diagonal of the Fisher matrix."""
    iterations: int = 10
    """Iterations of the conjugate gradient."""

    def solve(
        self, loss: torch.Tensor, divergence: torch.Tensor, parameters: Sequence[nn.Parameter]
    ) -> tuple[torch.Tensor, Product]:
        """Return F^-1 g [d] for the gradient g of a loss, and the function of products with F.

        `divergence` is the mean divergence from the old policy, at the old policy.
        """
        gradient = slope(loss, parameters)
        fisher = fisher_product(divergence, parameters, self.damping)
        return conjugate_gradient(fisher, gradient, self.iterations), fisher


def surrogate(actor: nn.Module, sampler: ActionSampler, part: Minibatch) -> tuple[Any, torch.Tensor]:
    """Return the current distribution and the loss -E[pi(a|s) / pi_old(a|s) A] (arXiv 1502.05477, eq. 14)."""
    scores, _ = actor(part["obs"])
    dist = sampler.distribution(scores, part.get("mask"))
    ratio = (log_probability(dist, part["act"]) - part["logp_old"]).exp()
    advantage = part["adv"]
    return dist, -(ratio * advantage).mean()  # eq. 14


def require_separate(policy: object, actor: nn.Module, critic: nn.Module) -> None:
    """Raise `UsageError` if an actor and a critic share parameters."""
    own = {id(parameter) for parameter in actor.parameters()}
    if own & {id(parameter) for parameter in critic.parameters()}:
        raise UsageError(f"{type(policy).__name__} needs an actor and a critic that share no parameters")


def fit_critic(
    critic: nn.Module, optim: torch.optim.Optimizer | None, part: Minibatch, config: NaturalGradientConfig
) -> dict[str, float]:
    """Fit a critic to the returns by an optimizer of its own, after a step of the actor.

    Returns the figures of the last step: `loss/vf` and those of `descend`.
    """
    for _ in range(config.optim_critic_iters):
        loss = (part["returns"] - critic(part["obs"])[:, 0]).square().mean()
        step = descend(loss, optim, config.max_grad_norm)
    return {"loss/vf": loss.item(), **step}
