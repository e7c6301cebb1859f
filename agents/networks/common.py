"""Multi-layer perceptrons and recurrent networks for any shape of observation."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn

from agents.networks.layers import Layers
from arena.base.errors import UsageError

Shape = int | Sequence[int]
Linear = Callable[[int, int], nn.Module]
"""Makes a linear layer from its numbers of inputs and outputs: `nn.Linear`, `NoisyLinear`."""
LayerType = type[nn.Module] | Sequence[type[nn.Module]] | None
"""Type of the layer after each hidden layer: one type, or a sequence with one type per hidden layer."""


def flat_size(shape: Shape) -> int:
    """Return the number of entries of a shape."""
    return int(np.prod(shape))


def miniblock(
    input_size: int,
    output_size: int = 0,
    norm_layer: type[nn.Module] | None = None,
    activation: type[nn.Module] | None = None,
    linear_layer: Linear = nn.Linear,
) -> list[nn.Module]:
    """Return a linear layer, followed by a norm and an activation where they are given."""
    layers: list[nn.Module] = [linear_layer(input_size, output_size)]
    if norm_layer is not None:
        layers.append(norm_layer(output_size))
    if activation is not None:
        layers.append(activation())
    return layers


class MLP(nn.Module):
    """Hidden layers of `hidden_sizes`, then a linear layer to `output_dim` (none if that is 0).

    Accepts arrays or tensors [n, ...] and flattens them from the second axis on. Integers [n] (observations of a
    Discrete space of `input_dim` values) become one-hot vectors.

    `norm_layer` and `activation` follow each hidden layer. They may be sequences with one type per layer; raises
    `UsageError` unless these are as long as `hidden_sizes`.
    """

    _like: torch.Tensor

    def __init__(
        self,
        input_dim: int,
        output_dim: int = 0,
        hidden_sizes: Sequence[int] = (),
        norm_layer: LayerType = None,
        activation: LayerType = nn.ReLU,
        device: str | int | torch.device | None = None,
        linear_layer: Linear = nn.Linear,
    ):
        super().__init__()
        sizes = [input_dim, *hidden_sizes]
        norms = _each("norm_layer", norm_layer, len(hidden_sizes))
        activations = _each("activation", activation, len(hidden_sizes))
        layers: list[nn.Module] = []
        for (size, following), norm, bend in zip(pairwise(sizes), norms, activations, strict=True):
            layers += miniblock(size, following, norm, bend, linear_layer)
        if output_dim > 0:
            layers.append(linear_layer(sizes[-1], output_dim))
        self.input_dim = input_dim
        self.output_dim = output_dim or sizes[-1]
        self.model = Layers(*layers)
        self.register_buffer("_like", torch.empty(0), persistent=False)  # of the type and on the device of all weights
        self.to(device)

    def compute_in(self, dtype: torch.dtype) -> None:
        """Take inputs as this type, for layers that do."""
        self._like = self._like.to(dtype)

    def forward(self, s: Any) -> torch.Tensor:
        """Map [n, ...] to [n, output_dim]."""
        x = to_input(s, self._like)
        if x.ndim == 1:
            x = nn.functional.one_hot(x.long(), self.input_dim).to(x)
        result: torch.Tensor = self.model(x.flatten(1))
        return result


class Net(nn.Module):
    """An MLP from observations to one number (or `num_atoms`) per action.

    Args:
        state_shape: shape of an observation.
        action_shape: number of actions (or shape of an action); 0 for a body without an output layer.
        hidden_sizes: sizes of the hidden layers.
        norm_layer: norm after each hidden layer.
        activation: activation after each hidden layer.
        device: device of the parameters.
        softmax: apply a softmax over the last axis of the output.
        concat: the input is an observation joined with an action, and the output a feature vector.
        num_atoms: numbers per action, for distributions of returns.
        dueling_param: options of two MLPs, advantage and value, on top of the shared layers (Wang et al. 2016, arXiv
            1511.06581, equation 9).

    """

    def __init__(
        self,
        state_shape: Shape,
        action_shape: Shape = 0,
        hidden_sizes: Sequence[int] = (),
        norm_layer: LayerType = None,
        activation: LayerType = nn.ReLU,
        device: str | int | torch.device | None = "cpu",
        softmax: bool = False,
        concat: bool = False,
        num_atoms: int = 1,
        dueling_param: tuple[dict[str, Any], dict[str, Any]] | None = None,
    ):
        super().__init__()
        input_dim = flat_size(state_shape) + (flat_size(action_shape) if concat else 0)
        action_dim = flat_size(action_shape) * num_atoms
        self.softmax = softmax
        self.num_atoms = num_atoms
        output_dim = 0 if dueling_param is not None or concat else action_dim
        self.model = MLP(input_dim, output_dim, hidden_sizes, norm_layer, activation)
        self.output_dim = self.model.output_dim
        self.advantage: MLP | None = None
        self.value: MLP | None = None
        if dueling_param is not None:
            advantage, value = dueling_param
            self.advantage = MLP(self.output_dim, 0 if concat else action_dim, **advantage)
            self.value = MLP(self.output_dim, 0 if concat else num_atoms, **value)
            self.output_dim = self.advantage.output_dim
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return outputs [n, A] ([n, A, num_atoms] with several atoms) and the state unchanged."""
        out = self.model(s)
        if self.advantage is not None and self.value is not None:
            advantage, value = self.advantage(out), self.value(out)
            if self.num_atoms > 1:
                advantage = advantage.unflatten(1, (-1, self.num_atoms))
                value = value.unflatten(1, (-1, self.num_atoms))
            out = value + advantage - advantage.mean(dim=1, keepdim=True)
        elif self.num_atoms > 1:
            out = out.unflatten(1, (-1, self.num_atoms))
        return (torch.softmax(out, dim=-1) if self.softmax else out), state


class Recurrent(nn.Module):
    """A linear layer, an LSTM of `layer_num` layers, and a linear layer to one number per action.

    Accepts single steps [n, *state_shape], as when a policy acts, and sequences [n, T, *state_shape], as a buffer with
    `stack_num` = T gives to an update; the output is that of the last step. The hidden state is a dictionary of `h` and
    `c`, each [n, layer_num, hidden_layer_size]; without one, and after a reset, it is zero.
    """

    def __init__(
        self,
        layer_num: int,
        state_shape: Shape,
        action_shape: Shape,
        device: str | int | torch.device | None = "cpu",
        hidden_layer_size: int = 128,
    ):
        super().__init__()
        self.state_ndim = 1 if isinstance(state_shape, int) else len(state_shape)
        self.fc1 = nn.Linear(flat_size(state_shape), hidden_layer_size)
        self.nn = nn.LSTM(hidden_layer_size, hidden_layer_size, layer_num, batch_first=True)
        self.output_dim = flat_size(action_shape)
        self.fc2 = nn.Linear(hidden_layer_size, self.output_dim)
        self.to(device)

    def forward(self, s: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return outputs [n, A] of the last step and the hidden state; raise `UsageError` for other numbers of axes."""
        x = to_input(s, self.fc1.weight)
        if x.ndim == self.state_ndim + 1:
            x = x[:, None]
        elif x.ndim != self.state_ndim + 2:
            raise UsageError(f"observations of shape {tuple(x.shape)} are neither [n, *state] nor [n, T, *state]")
        before = None if state is None else tuple(to_input(state[k], x).transpose(0, 1).contiguous() for k in "hc")
        steps, (h, c) = self.nn(self.fc1(x.flatten(2)), before)
        return self.fc2(steps[:, -1]), {"h": h.transpose(0, 1).detach(), "c": c.transpose(0, 1).detach()}


class ActorCritic(nn.Module):
    """Actor and critic in one module, so that an optimizer visits shared parameters once."""

    def __init__(self, actor: nn.Module, critic: nn.Module):
        super().__init__()
        self.actor = actor
        self.critic = critic


class DataParallelNet(nn.Module):
    """A network replicated on all GPUs of the machine, each computing a share of a batch.

    Observations (arrays or tensors) are moved to the network's device before they are divided. With GPUs, the network
    is moved to the first of them; without GPUs, the network itself is called.
    """

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = nn.DataParallel(net)
        if self.net.device_ids:
            self.net.to(self.net.src_device_obj)

    def forward(self, s: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the network's output for `s` [n, ...] and its other arguments."""
        return self.net(to_input(s, next(self.net.parameters())), *args, **kwargs)


@runtime_checkable
class HasFeatures(Protocol):
    """A network that says how many features it gives."""

    output_dim: int


def output_dim_of(net: nn.Module, given: int | None = None) -> int:
    """Return the number of features of a network: its `output_dim`, or `given` if it has none.

    Raises `UsageError` if neither is there.
    """
    num_features: object = net.output_dim if isinstance(net, HasFeatures) else given
    if not isinstance(num_features, int) or num_features < 1:
        raise UsageError(
            f"{type(net).__name__} has no output_dim: say in preprocess_net_output_dim how many features it gives"
        )
    return num_features


def _each(name: str, kind: LayerType, count: int) -> Sequence[type[nn.Module] | None]:
    """Return the layer type for each of `count` hidden layers."""
    if kind is None or isinstance(kind, type):
        return [kind] * count
    if len(kind) != count:
        raise UsageError(f"{name} has {len(kind)} entries for {count} hidden layers")
    return kind


def to_input(s: Any, like: torch.Tensor) -> torch.Tensor:
    """Return arrays or tensors as a tensor of the dtype and on the device of another, such as a network's weights."""
    tensor = torch.as_tensor(s)
    if tensor.dtype == torch.bool:  # as which torch widens them at a sixth of the speed
        tensor = tensor.view(torch.uint8)
    return tensor.to(like)
