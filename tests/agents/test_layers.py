"""Sequences of layers: the numbers of `nn.Sequential`, and its hooks."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

from agents.networks.layers import Layers

KINDS = {
    "a perceptron": lambda: [nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)],
    "norms and other bends": lambda: [nn.Linear(3, 8, bias=False), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 2)],
    "weights in another form": lambda: [nn.utils.parametrizations.weight_norm(nn.Linear(3, 8)), nn.ReLU()],
    "nothing": list,
}


@pytest.mark.parametrize("kind", KINDS)
def test_they_compute_what_a_sequence_computes(kind):
    torch.manual_seed(0)
    layers = Layers(*KINDS[kind]())
    plain = nn.Sequential(*copy.deepcopy(list(layers)))
    assert list(layers.state_dict()) == list(plain.state_dict())
    x = torch.randn(5, 3)
    assert torch.equal(layers(x), plain(x))
    if kind != "nothing":
        for own, other in zip(layers.parameters(), plain.parameters(), strict=True):
            left, right = (torch.autograd.grad(net(x).sum(), p)[0] for net, p in ((layers, own), (plain, other)))
            assert torch.equal(left, right)


@pytest.mark.parametrize("number", [0, 1])
def test_hooks_are_called(number):
    layers = Layers(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    shapes = []
    handle = layers[number].register_forward_hook(lambda _, args, result: shapes.append(tuple(result.shape)))
    layers(torch.randn(5, 3))
    assert shapes == [(5, 8)]
    handle.remove()
    layers[number].register_forward_pre_hook(lambda _, args: (torch.zeros_like(args[0]),))
    assert torch.equal(layers(torch.randn(5, 3))[0], layers(torch.randn(5, 3))[1])


def test_hooks_of_all_modules_are_called():
    kinds = []
    handle = register_module_forward_hook(lambda layer, args, result: kinds.append(type(layer)))
    layers = Layers(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    layers(torch.randn(5, 3))
    handle.remove()
    layers(torch.randn(5, 3))
    assert kinds == [nn.Linear, nn.ReLU, nn.Linear, Layers]


def test_replicas_that_hold_their_weights_elsewhere():
    """As `nn.DataParallel` makes them."""
    layers = Layers(nn.Linear(3, 2))
    replica = layers._replicate_for_data_parallel()
    linear = layers[0]._replicate_for_data_parallel()
    linear.weight, linear.bias = torch.zeros(2, 3), torch.ones(2)
    replica._modules["0"] = linear
    assert torch.equal(replica(torch.randn(5, 3)), torch.ones(5, 2))
