"""Multi-layer perceptrons for any shape of observation."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

Shape = int | Sequence[int]


def flat_size(shape: Shape) -> int:
    """Number of entries of a shape."""
    return int(np.prod(shape))


def miniblock(
    input_size: int,
    output_size: int,
    norm_layer: type[nn.Module] | None = None,
    activation: type[nn.Module] | None = None,
    linear_layer: type[nn.Linear] = nn.Linear,
) -> list[nn.Module]:
    """A linear layer, then a norm and an activation where they are given."""
    layers: list[nn.Module] = [linear_layer(input_size, output_size)]
    if norm_layer is not None:
        layers.append(norm_layer(output_size))
    if activation is not None:
        layers.append(activation())
    return layers


class MLP(nn.Module):
    """Hidden layers of `hidden_sizes`, then a linear layer to `output_dim` (none if that is 0).

    Takes arrays or tensors [n, ...] and flattens them from the second axis on; numbers [n] (observations of a Discrete
    space of `input_dim` values) become one-hot vectors.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int = 0,
        hidden_sizes: Sequence[int] = (),
        norm_layer: type[nn.Module] | None = None,
        activation: type[nn.Module] | None = nn.ReLU,
        device: str | int | torch.device | None = None,
        linear_layer: type[nn.Linear] = nn.Linear,
    ):
        super().__init__()
        sizes = [input_dim, *hidden_sizes]
        layers: list[nn.Module] = []
        for size, following in pairwise(sizes):
            layers += miniblock(size, following, norm_layer, activation, linear_layer)
        if output_dim > 0:
            layers.append(linear_layer(sizes[-1], output_dim))
        self.input_dim = input_dim
        self.output_dim = output_dim or sizes[-1]
        self.model = nn.Sequential(*layers).to(device)

    def forward(self, s: Any) -> torch.Tensor:
        """From [n, ...] to [n, output_dim]."""
        x = to_input(s, self.model)
        if x.ndim == 1:
            x = nn.functional.one_hot(x.long(), self.input_dim).to(x)
        result: torch.Tensor = self.model(x.flatten(1))
        return result


class Net(nn.Module):
    """An MLP from observations to one number (or `num_atoms`) an action.

    Args:
        state_shape: shape of an observation.
        action_shape: number of actions (or shape of an action); 0 for a network that others build upon.
        hidden_sizes: sizes of the hidden layers.
        norm_layer: after each hidden layer.
        activation: after each hidden layer.
        device: where the parameters are put.
        softmax: end in a softmax over the actions.
        concat: the input is an observation with an action appended; the output is a feature of it.
        num_atoms: numbers an action, for distributions of returns.
        dueling_param: options of two MLPs, advantage and value, which share what comes before (Wang et al. 2016,
            arXiv 1511.06581, equation 9).

    """

    def __init__(
        self,
        state_shape: Shape,
        action_shape: Shape = 0,
        hidden_sizes: Sequence[int] = (),
        norm_layer: type[nn.Module] | None = None,
        activation: type[nn.Module] | None = nn.ReLU,
        device: str | int | torch.device = "cpu",
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
        """Outputs [n, A] ([n, A, num_atoms] with several atoms) and the state as it came."""
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


class DataParallelNet(nn.Module):
    """A network spread over all GPUs of the machine, each taking its share of a batch; without one, the network itself.

    Observations (arrays or tensors) become tensors on the network's device here, before they are divided. With GPUs the
    network moves to the first of them.
    """

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = nn.DataParallel(net)
        if self.net.device_ids:
            self.net.to(self.net.src_device_obj)

    def forward(self, s: Any, *args: Any, **kwargs: Any) -> Any:
        """What the network gives for `s` [n, ...] and whatever else it takes."""
        return self.net(to_input(s, self.net), *args, **kwargs)


def to_input(s: Any, module: nn.Module) -> torch.Tensor:
    """Arrays or tensors as a tensor of the type and on the device of a module's parameters."""
    parameter = next(module.parameters(), None)
    if parameter is None:
        return torch.as_tensor(s, dtype=torch.float32)
    return torch.as_tensor(s).to(parameter)
