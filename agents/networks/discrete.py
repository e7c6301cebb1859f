"""Heads for discrete actions: actor, critic, quantile functions of returns, and layers with noise to explore by."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import MLP, Shape, flat_size, output_dim_of
from arena.data.batch import Batch


class Actor(nn.Module):
    """Probabilities of actions from the features of `preprocess_net`, or their logits if `softmax_output` is False.

    Policies read `softmax_output` to interpret the output; they act and learn the same with either.
    """

    def __init__(
        self,
        preprocess_net: nn.Module,
        action_shape: Shape,
        hidden_sizes: Sequence[int] = (),
        softmax_output: bool = True,
        preprocess_net_output_dim: int | None = None,
        device: str | int | torch.device | None = "cpu",
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.softmax_output = softmax_output
        features = output_dim_of(preprocess_net, preprocess_net_output_dim)
        self.last = MLP(features, flat_size(action_shape), hidden_sizes)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Map observations [n, ...] to [n, A], and the hidden state."""
        features, hidden = self.preprocess(s, state)
        logits = self.last(features)
        return (torch.softmax(logits, dim=-1) if self.softmax_output else logits), hidden


class Critic(nn.Module):
    """Values from the features of `preprocess_net`: `last_size` numbers per observation."""

    def __init__(
        self,
        preprocess_net: nn.Module,
        hidden_sizes: Sequence[int] = (),
        last_size: int = 1,
        preprocess_net_output_dim: int | None = None,
        device: str | int | torch.device | None = "cpu",
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.last = MLP(output_dim_of(preprocess_net, preprocess_net_output_dim), last_size, hidden_sizes)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> torch.Tensor:
        """Map observations [n, ...] to [n, last_size]."""
        features, _ = self.preprocess(s, state)
        values: torch.Tensor = self.last(features)
        return values


def actor_and_critic(
    actor: nn.Module, critic: nn.Module, s: Any, state: Any = None
) -> tuple[torch.Tensor, torch.Tensor, Any]:
    """Return scores [n, A], values [n] and the hidden state; a shared body is evaluated once."""
    if isinstance(actor, Actor) and isinstance(critic, Critic) and actor.preprocess is critic.preprocess:
        features, hidden = actor.preprocess(s, state)
        scores = actor.last(features)
        return (
            (torch.softmax(scores, dim=-1) if actor.softmax_output else scores),
            critic.last(features).squeeze(1),
            hidden,
        )
    scores, hidden = actor(s, state)
    return scores, critic(s)[:, 0], hidden


class CosineEmbeddingNetwork(nn.Module):
    """Features of fractions: ReLU of a linear layer on cos(pi i tau), i = 0 .. n - 1 (arXiv 1806.06923, equation 4)."""

    frequencies: torch.Tensor

    def __init__(self, num_cosines: int, embedding_dim: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(num_cosines, embedding_dim), nn.ReLU())
        self.register_buffer("frequencies", math.pi * torch.arange(num_cosines), persistent=False)

    def forward(self, taus: torch.Tensor) -> torch.Tensor:
        """Map fractions [n, N] to features [n, N, embedding_dim]."""
        features: torch.Tensor = self.net(torch.cos(taus[..., None] * self.frequencies))
        return features


class ImplicitQuantileNetwork(nn.Module):
    """Quantiles of the return of each action at random fractions (Dabney et al. 2018, arXiv 1806.06923).

    The features psi(s) of `preprocess_net` are multiplied with the features phi(tau) of a fraction; an MLP of
    `hidden_sizes` maps each product to one number per action.
    """

    def __init__(
        self,
        preprocess_net: nn.Module,
        action_shape: Shape,
        hidden_sizes: Sequence[int] = (),
        num_cosines: int = 64,
        preprocess_net_output_dim: int | None = None,
        device: str | int | torch.device | None = "cpu",
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.input_dim = output_dim_of(preprocess_net, preprocess_net_output_dim)
        self.embed_model = CosineEmbeddingNetwork(num_cosines, self.input_dim)
        self.last = MLP(self.input_dim, flat_size(action_shape), hidden_sizes)
        self.to(device)

    def forward(
        self, s: Any, sample_size: int, state: Any = None, generator: torch.Generator | None = None
    ) -> tuple[tuple[torch.Tensor, torch.Tensor], Any]:
        """Return (quantiles [n, A, N] at N = `sample_size` fractions, the fractions [n, N]), and the hidden state."""
        features, hidden = self.preprocess(s, state)
        taus = torch.rand(len(features), sample_size, generator=generator).to(features)
        return (self.quantiles(features, taus), taus), hidden

    def quantiles(self, features: torch.Tensor, taus: torch.Tensor) -> torch.Tensor:
        """Return quantiles [n, A, N] for features [n, D] at fractions [n, N]."""
        products = features[:, None] * self.embed_model(taus)
        out: torch.Tensor = self.last(products.flatten(0, 1))
        return out.view(*taus.shape, -1).transpose(1, 2)


class FractionProposalNetwork(nn.Module):
    """Proposes fractions for the quantiles (Yang et al. 2019, arXiv 1911.02140, section 3.2)."""

    def __init__(self, num_fractions: int, embedding_dim: int):
        super().__init__()
        self.net = nn.Linear(embedding_dim, num_fractions)
        nn.init.xavier_uniform_(self.net.weight, gain=0.01)  # nearly equal distances to begin with
        nn.init.zeros_(self.net.bias)

    def forward(self, state_embeddings: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Map features [n, D] to fractions [n, N + 1], midpoints [n, N], and the entropy [n, 1] of the widths."""
        log_probs = torch.log_softmax(self.net(state_embeddings), dim=1)
        probs = log_probs.exp()
        taus = nn.functional.pad(probs.cumsum(dim=1), (1, 0))
        middles = (taus[:, :-1] + taus[:, 1:]) / 2
        return taus, middles, -(log_probs * probs).sum(dim=1, keepdim=True)


class FullQuantileFunction(ImplicitQuantileNetwork):
    """Quantiles of the return of each action at fractions proposed by a second network (arXiv 1911.02140)."""

    def forward(  # type: ignore[override]  # fractions are proposed, where the other network draws them
        self, s: Any, propose_model: FractionProposalNetwork, fractions: Batch | None = None, state: Any = None
    ) -> tuple[tuple[torch.Tensor, Batch, torch.Tensor | None], Any]:
        """Return ((quantiles [n, A, N] at midpoints, fractions, quantiles [n, A, N - 1] at fractions), hidden state).

        `fractions` is a Batch of `taus`, `tau_hats` and `entropies`, as `propose_model` gives them; given fractions are
        reused. The last quantiles serve the loss of the fractions only; they are None except in training mode with
        gradients enabled.
        """
        features, hidden = self.preprocess(s, state)
        if fractions is None:
            taus, tau_hats, entropies = propose_model(features.detach())
            fractions = Batch(taus=taus, tau_hats=tau_hats, entropies=entropies)
        quantiles = self.quantiles(features, fractions.tau_hats.detach())
        at_taus = None
        if self.training and torch.is_grad_enabled():
            with torch.no_grad():
                at_taus = self.quantiles(features, fractions.taus[:, 1:-1])
        return (quantiles, fractions, at_taus), hidden


class NoisyLinear(nn.Module):
    """A linear layer with factorised noise of learned scale (Fortunato et al. 2018, arXiv 1706.10295).

    In training mode it computes (mu_W + sigma_W eps_W) x + mu_b + sigma_b eps_b (equation 9) with the noise of the last
    `sample`; in testing mode there is no noise. `noisy_std` is the initial scale sigma_0.
    """

    eps_p: torch.Tensor
    eps_q: torch.Tensor

    def __init__(self, in_features: int, out_features: int, noisy_std: float = 0.5):
        super().__init__()
        self.in_features, self.out_features, self.sigma = in_features, out_features, noisy_std
        self.mu_W = nn.Parameter(torch.empty(out_features, in_features))
        self.sigma_W = nn.Parameter(torch.empty(out_features, in_features))
        self.mu_bias = nn.Parameter(torch.empty(out_features))
        self.sigma_bias = nn.Parameter(torch.empty(out_features))
        self.register_buffer("eps_p", torch.zeros(in_features))
        self.register_buffer("eps_q", torch.zeros(out_features))
        self.reset()
        self.sample()

    def reset(self) -> None:
        """Initialise the weights and the scale of the noise (section 3.2)."""
        bound = 1 / math.sqrt(self.in_features)
        for mu in (self.mu_W, self.mu_bias):
            nn.init.uniform_(mu, -bound, bound)
        for sigma in (self.sigma_W, self.sigma_bias):
            nn.init.constant_(sigma, self.sigma * bound)

    def f(self, x: torch.Tensor) -> torch.Tensor:
        """Return sign(x) sqrt(|x|), the function that factorises the noise (equations 10 and 11)."""
        return x.sign() * x.abs().sqrt()

    def sample(self, generator: torch.Generator | None = None) -> None:
        """Redraw the noise."""
        self.eps_p.copy_(self.f(torch.randn(self.in_features, generator=generator)))
        self.eps_q.copy_(self.f(torch.randn(self.out_features, generator=generator)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map [n, in_features] to [n, out_features]."""
        if not self.training:
            return nn.functional.linear(x, self.mu_W, self.mu_bias)
        weight = self.mu_W + self.sigma_W * torch.outer(self.eps_q, self.eps_p)
        return nn.functional.linear(x, weight, self.mu_bias + self.sigma_bias * self.eps_q)


def sample_noise(model: nn.Module, generator: torch.Generator | None = None) -> bool:
    """Redraw the noise of every `NoisyLinear` in a network; return whether there is one."""
    noisy = [module for module in model.modules() if isinstance(module, NoisyLinear)]
    for module in noisy:
        module.sample(generator)
    return bool(noisy)
