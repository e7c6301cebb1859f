"""Heads for continuous actions: actors, critics of observations and actions, and the two networks of BCQ."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from agents.networks.common import MLP, Shape, flat_size, output_dim_of, to_input

LOG_SIGMA_MIN, LOG_SIGMA_MAX = -20.0, 2.0
Device = str | int | torch.device | None


class Actor(nn.Module):
    """A deterministic actor: tanh of a linear map of the features of `preprocess_net`, times `max_action`."""

    def __init__(
        self,
        preprocess_net: nn.Module,
        action_shape: Shape,
        hidden_sizes: Sequence[int] = (),
        max_action: float = 1.0,
        device: Device = "cpu",
        preprocess_net_output_dim: int | None = None,
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.max_action = max_action
        features = output_dim_of(preprocess_net, preprocess_net_output_dim)
        self.last = MLP(features, flat_size(action_shape), hidden_sizes)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Map observations [n, ...] to actions [n, k], and the hidden state."""
        features, hidden = self.preprocess(s, state)
        return self.max_action * torch.tanh(self.last(features)), hidden


class Critic(nn.Module):
    """The value of an observation and an action, Q(s, a), or of an observation, V(s).

    For Q, the input of `preprocess_net` is both, concatenated: `Net(..., action_shape, concat=True)`.
    """

    def __init__(
        self,
        preprocess_net: nn.Module,
        hidden_sizes: Sequence[int] = (),
        device: Device = "cpu",
        preprocess_net_output_dim: int | None = None,
    ):
        super().__init__()
        self.preprocess = preprocess_net
        self.last = MLP(output_dim_of(preprocess_net, preprocess_net_output_dim), 1, hidden_sizes)
        self.to(device)

    def forward(self, s: Any, a: Any = None, info: Any = None) -> torch.Tensor:
        """Map observations [n, ...], and actions [n, k] if given, to [n, 1]."""
        features, _ = self.preprocess(s if a is None else joined(self.last, s, a))
        values: torch.Tensor = self.last(features)
        return values


class FeaturesCritic(nn.Module):
    """The value Q(s, a) of an observation and an action, from the features of `body` and the action."""

    def __init__(self, body: nn.Module, action_shape: Shape, hidden_sizes: Sequence[int]):
        super().__init__()
        self.body = body
        self.last = MLP(output_dim_of(body, None) + flat_size(action_shape), 1, hidden_sizes)

    def forward(self, s: Any, a: Any, info: Any = None) -> torch.Tensor:
        """Map observations [n, ...] and actions [n, k] to [n, 1]."""
        features, _ = self.body(s)
        values: torch.Tensor = self.last(joined(self.last, features, a))
        return values


class _Gaussian(nn.Module):
    """Means and standard deviations [n, k] of normal actions, from features [n, f]."""

    def __init__(
        self,
        features: int,
        action_shape: Shape,
        hidden_sizes: Sequence[int],
        max_action: float,
        unbounded: bool,
        conditioned_sigma: bool,
    ):
        super().__init__()
        size = flat_size(action_shape)
        self.max_action, self.unbounded = max_action, unbounded
        self.mu = MLP(features, size, hidden_sizes)
        self.sigma = MLP(features, size, hidden_sizes) if conditioned_sigma else None
        self.log_sigma = None if conditioned_sigma else nn.Parameter(torch.zeros(size))

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mu = self.mu(features)
        if not self.unbounded:
            mu = self.max_action * torch.tanh(mu)
        if self.sigma is not None:
            return mu, self.sigma(features).clamp(LOG_SIGMA_MIN, LOG_SIGMA_MAX).exp()
        assert self.log_sigma is not None
        return mu, self.log_sigma.exp().expand_as(mu)


class ActorProb(nn.Module):
    """A normal distribution over actions, from the features of `preprocess_net`.

    Args:
        preprocess_net: maps observations to features and a hidden state.
        action_shape: shape of an action, k entries in all.
        hidden_sizes: sizes of further hidden layers.
        max_action: bound of the means.
        device: device of the parameters.
        unbounded: do not squash means into ±`max_action` by tanh.
        conditioned_sigma: deviations depend on the observation; otherwise they are k parameters, initially 1.
        preprocess_net_output_dim: number of features, if `preprocess_net` has no `output_dim`.

    """

    def __init__(
        self,
        preprocess_net: nn.Module,
        action_shape: Shape,
        hidden_sizes: Sequence[int] = (),
        max_action: float = 1.0,
        device: Device = "cpu",
        unbounded: bool = False,
        conditioned_sigma: bool = False,
        preprocess_net_output_dim: int | None = None,
    ):
        super().__init__()
        self.preprocess = preprocess_net
        features = output_dim_of(preprocess_net, preprocess_net_output_dim)
        self.head = _Gaussian(features, action_shape, hidden_sizes, max_action, unbounded, conditioned_sigma)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[tuple[torch.Tensor, torch.Tensor], Any]:
        """Map observations [n, ...] to means and deviations [n, k], and the hidden state."""
        features, hidden = self.preprocess(s, state)
        return self.head(features), hidden


class RecurrentActorProb(nn.Module):
    """An `ActorProb` on an LSTM of `layer_num` layers; observations are [n, ...], or [n, T, ...] for sequences."""

    def __init__(
        self,
        layer_num: int,
        state_shape: Shape,
        action_shape: Shape,
        hidden_layer_size: int = 128,
        max_action: float = 1.0,
        device: Device = "cpu",
        unbounded: bool = False,
        conditioned_sigma: bool = False,
    ):
        super().__init__()
        self.observation_size = flat_size(state_shape)
        self.lstm = nn.LSTM(self.observation_size, hidden_layer_size, layer_num, batch_first=True)
        self.head = _Gaussian(hidden_layer_size, action_shape, (), max_action, unbounded, conditioned_sigma)
        self.to(device)

    def forward(
        self, s: Any, state: Any = None, info: Any = None
    ) -> tuple[tuple[torch.Tensor, torch.Tensor], dict[str, torch.Tensor]]:
        """Return means and deviations [n, k] after the last step, and the hidden state.

        The hidden state is a dictionary of `hidden` and `cell`, each [n, layers, h].
        """
        sequence = to_input(s, next(self.lstm.parameters())).reshape(len(s), -1, self.observation_size)
        before = None
        if state is not None:  # torch wants layers first
            before = tuple(to_input(state[key], sequence).transpose(0, 1).contiguous() for key in ("hidden", "cell"))
        out, (hidden, cell) = self.lstm(sequence, before)
        after = {"hidden": hidden.transpose(0, 1).detach(), "cell": cell.transpose(0, 1).detach()}
        return self.head(out[:, -1]), after


class RecurrentCritic(nn.Module):
    """The value of sequences of observations [n, T, ...], with the last action if `action_shape` is given."""

    def __init__(
        self,
        layer_num: int,
        state_shape: Shape,
        action_shape: Shape = (0,),
        device: Device = "cpu",
        hidden_layer_size: int = 128,
    ):
        super().__init__()
        self.observation_size = flat_size(state_shape)
        self.lstm = nn.LSTM(self.observation_size, hidden_layer_size, layer_num, batch_first=True)
        self.last = nn.Linear(hidden_layer_size + flat_size(action_shape), 1)
        self.to(device)

    def forward(self, s: Any, a: Any = None, info: Any = None) -> torch.Tensor:
        """Map sequences [n, T, ...], and actions [n, k] for Q(s, a), to [n, 1]."""
        sequence = to_input(s, next(self.lstm.parameters())).reshape(len(s), -1, self.observation_size)
        features = self.lstm(sequence)[0][:, -1]
        values: torch.Tensor = self.last(features if a is None else joined(self.last, features, a))
        return values


class Perturbation(nn.Module):
    """Changes an action by at most `phi` * `max_action` per entry (BCQ, arXiv 1812.02900, section 4.2).

    `preprocess_net` maps concatenated observations and actions to as many numbers as an action has.
    """

    def __init__(self, preprocess_net: nn.Module, max_action: float, device: Device = "cpu", phi: float = 0.05):
        super().__init__()
        self.preprocess_net = preprocess_net.to(device)
        self.max_action, self.phi = max_action, phi

    def forward(self, state: Any, action: torch.Tensor) -> torch.Tensor:
        """Return changed actions [n, k], within ±`max_action`."""
        change = self.preprocess_net(joined(self.preprocess_net, state, action))[0]
        moved = action + self.phi * self.max_action * torch.tanh(change)
        return moved.clamp(-self.max_action, self.max_action)


class VAE(nn.Module):
    """Generates actions similar to those of the data (BCQ, arXiv 1812.02900, section 4.2).

    Args:
        encoder: maps concatenated observations and actions to [n, hidden_dim].
        decoder: maps concatenated observations and latents to [n, k].
        hidden_dim: output size of the encoder.
        latent_dim: size of a latent.
        max_action: bound of an action's entries.
        device: device of the parameters.

    """

    def __init__(
        self,
        encoder: nn.Module,
        decoder: nn.Module,
        hidden_dim: int,
        latent_dim: int,
        max_action: float,
        device: Device = "cpu",
    ):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.mean, self.log_std = nn.Linear(hidden_dim, latent_dim), nn.Linear(hidden_dim, latent_dim)
        self.max_action, self.latent_dim = max_action, latent_dim
        self.to(device)

    def forward(
        self, state: Any, action: Any, generator: torch.Generator | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return reconstructed actions [n, k], and the mean and deviation of their latents [n, latent_dim]."""
        code = self.encoder(joined(self.mean, state, action))
        mean, std = self.mean(code), self.log_std(code).clamp(-4.0, 15.0).exp()
        z = mean + std * torch.randn(mean.shape, generator=generator).to(mean)
        return self.decode(state, z), mean, std

    def decode(
        self, state: Any, z: torch.Tensor | None = None, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        """Return actions [n, k] for latents; without latents, for normal samples clipped to ±0.5."""
        if z is None:
            z = torch.randn((len(state), self.latent_dim), generator=generator).clamp(-0.5, 0.5)
        return self.max_action * torch.tanh(self.decoder(joined(self.mean, state, z)))


def joined(module: nn.Module, s: Any, a: Any) -> torch.Tensor:
    """Concatenate observations [n, ...] and actions [n, k], with the dtype and device of a module."""
    like = next(module.parameters())
    return torch.cat((to_input(s, like).flatten(1), to_input(a, like).flatten(1)), dim=1)
