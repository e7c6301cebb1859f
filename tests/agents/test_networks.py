"""Networks: shapes, shared parts, and closed forms of what they compute."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from torch import nn

from agents.networks.board import BoardNet
from agents.networks.builders import make_body
from agents.networks.common import MLP, ActorCritic, Net, miniblock
from agents.networks.discrete import Actor, Critic, actor_and_critic
from agents.networks.pixels import PixelNet, is_picture
from agents.networks.q_network import QNetwork
from agents.networks.residual import ResidualTower
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.registration import Spaces
from arena.policy.registry import learning_algorithm


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (5, 4)),
        ({"action_shape": 0}, (5, 8)),
        ({"num_atoms": 3}, (5, 4, 3)),
        ({"dueling_param": ({}, {})}, (5, 4)),
        ({"dueling_param": ({"hidden_sizes": (6,)}, {}), "num_atoms": 3}, (5, 4, 3)),
        ({"norm_layer": nn.LayerNorm, "activation": nn.Tanh}, (5, 4)),
    ],
)
def test_outputs_have_a_number_for_each_action(options, shape):
    net = Net((2, 3), **{"action_shape": 4, "hidden_sizes": (8, 8)} | options)
    out, state = net(np.ones((5, 2, 3), np.int8), state="kept")
    assert out.shape == shape
    assert state == "kept"


def test_observations_may_be_arrays_or_tensors_of_any_type():
    net = Net((2, 3), 4, hidden_sizes=(8,))
    told = [net(seen)[0] for seen in (np.ones((5, 2, 3), np.int8), np.ones((5, 2, 3)), torch.ones(5, 2, 3))]
    assert all(torch.equal(one, told[0]) for one in told)
    assert told[0].dtype == torch.float32


def test_probabilities_sum_to_one():
    out, _ = Net(3, 4, softmax=True)(np.random.default_rng(0).normal(size=(5, 3)))
    np.testing.assert_allclose(out.sum(dim=1).detach(), 1.0, rtol=1e-6)


def test_a_dueling_network_centres_its_advantages():
    """The mean over the actions is the value (arXiv 1511.06581, equation 9)."""
    net = Net(3, 4, hidden_sizes=(8,), dueling_param=({}, {}))
    seen = torch.rand(5, 3)
    out, _ = net(seen)
    np.testing.assert_allclose(out.mean(dim=1).detach(), net.value(net.model(seen))[:, 0].detach(), atol=1e-6)


def test_layers_are_as_asked_for():
    layers = list(MLP(3, 2, (5, 7), norm_layer=nn.LayerNorm).model)
    assert [type(layer) for layer in layers] == [nn.Linear, nn.LayerNorm, nn.ReLU] * 2 + [nn.Linear]
    assert [layer.out_features for layer in layers if isinstance(layer, nn.Linear)] == [5, 7, 2]
    assert MLP(3, 0, (5,)).output_dim == 5
    assert torch.equal(MLP(6)(np.ones((2, 2, 3))), torch.ones(2, 6)), "without layers, what is flattened"


def test_layers_may_differ():
    layers = list(MLP(3, 2, (5, 7), norm_layer=[nn.LayerNorm, nn.BatchNorm1d], activation=[nn.Tanh, nn.ReLU]).model)
    kinds = [nn.Linear, nn.LayerNorm, nn.Tanh, nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Linear]
    assert [type(layer) for layer in layers] == kinds
    with pytest.raises(UsageError, match="activation has 1 entries for 2 hidden layers"):
        MLP(3, 2, (5, 7), activation=[nn.Tanh])
    assert [type(layer) for layer in miniblock(3, 4, nn.LayerNorm, nn.Tanh)] == [nn.Linear, nn.LayerNorm, nn.Tanh]


def test_features_that_nobody_counts_are_refused():
    with pytest.raises(UsageError, match="Identity has no output_dim: say in preprocess_net_output_dim"):
        Actor(nn.Identity(), 3)
    assert Critic(nn.Identity(), preprocess_net_output_dim=4).last.input_dim == 4


@pytest.mark.parametrize("dueling", [False, True])
@pytest.mark.parametrize("atoms", [1, 5])
def test_a_head_upon_any_body_has_a_number_for_each_action(dueling, atoms):
    shape = (3, 3, 2)
    for blocks in (0, 1):
        body = make_body(Spaces(Box(0, 1, shape), Discrete(4)), hidden=8, blocks=blocks)
        out, state = QNetwork(body, 4, atoms, softmax=atoms > 1, dueling=dueling)(np.ones((2, *shape)), "kept")
        assert out.shape == ((2, 4, 5) if atoms > 1 else (2, 4))
        assert state == "kept"
        if atoms > 1:
            np.testing.assert_allclose(out.sum(dim=2).detach(), 1.0, rtol=1e-6)


def test_a_tower_sees_boards_alone_and_each_by_itself():
    torch.manual_seed(0)
    net = ResidualTower((6, 7, 2), channels=4, blocks=2, hidden=8)
    boards = np.random.default_rng(0).integers(0, 2, size=(5, 6, 7, 2), dtype=np.int8)
    out, _ = net(boards)
    assert out.shape == (5, 8)
    torch.testing.assert_close(net(boards[2:3])[0], out[2:3], msg="whatever else is in the batch")
    torch.testing.assert_close(net.eval()(boards)[0], out, msg="in either state")
    seen = torch.rand(1, 4, 6, 7)
    assert torch.equal(net.tower[2](seen), seen), "a block begins with what comes in"
    with pytest.raises(UsageError, match="a tower needs boards"):
        ResidualTower((6, 7))


@pytest.mark.parametrize("shape", [(280, 480, 3), (457, 120, 3), (96, 96, 3), (4, 84, 84), (36, 40, 1)])
def test_pictures_of_pixels_are_reduced_by_blocks(shape):
    """As much work and as many weights whatever their size; the averages of blocks, each entry scaled to at most 1."""
    torch.manual_seed(0)
    space = Box(0, 255, shape, np.uint8)
    assert is_picture(shape)
    net = PixelNet(space, hidden=8)
    pictures = np.random.default_rng(0).integers(0, 256, size=(2, *shape), dtype=np.uint8)
    first = np.moveaxis(pictures, -1, 1) if shape[-1] <= 16 else pictures
    (down, across), (rows, columns) = net.blocks, first.shape[2:]
    kept = first[:, :, : rows // down * down, : columns // across * across]
    blocks = kept.reshape(2, -1, rows // down, down, columns // across, across).mean(axis=(3, 5)) / 255
    np.testing.assert_allclose(net._reduced(torch.as_tensor(pictures)).numpy(), blocks, rtol=1e-5, atol=1e-6)
    assert max(blocks.shape[2:]) <= 84
    assert sum(weights.numel() for weights in net.parameters()) < 120_000
    assert net(pictures)[0].shape == (2, 8)
    torch.testing.assert_close(net(pictures[1:])[0], net(pictures)[0][1:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(19, 19, 17), (8, 8, 111), (40, 40), (13, 13, 4), (100,)])
def test_boards_are_no_pictures(shape):
    assert not is_picture(shape)
    assert not isinstance(make_body(Spaces(Box(0, 1, shape), Discrete(4)), hidden=8), PixelNet)


@pytest.mark.parametrize("algo", ["ppo", "dqn", "c51", "discrete-sac", "a2c", "sac", "td3", "ddpg"])
def test_every_learner_sees_pictures_by_convolutions(algo):
    algorithm = learning_algorithm(algo)
    action = Box(-1, 1, (2,)) if algo in ("sac", "td3", "ddpg") else Discrete(3)
    policy = algorithm.build(Spaces(Box(0, 255, (64, 48, 3), np.uint8), action), algorithm.config(), True)
    networks = [module for module in policy.modules() if isinstance(module, PixelNet)]
    assert networks
    assert all(layer.in_features < 10_000 for layer in policy.modules() if isinstance(layer, nn.Linear))
    obs = Batch(obs=Batch(obs=np.zeros((2, 64, 48, 3), np.uint8), mask=np.ones((2, 3), bool)), info=Batch())
    assert len(policy(obs).act) == 2


def test_a_shared_body_runs_once_and_is_counted_once():
    net = Net(3, hidden_sizes=(8,))
    actor, critic = Actor(net, 4, softmax_output=False), Critic(net)
    calls = []
    net.register_forward_hook(lambda *_: calls.append(1))
    seen = torch.rand(5, 3)
    scores, values, _ = actor_and_critic(actor, critic, seen)
    assert len(calls) == 1
    assert torch.equal(scores, actor(seen)[0])
    assert torch.equal(values, critic(seen)[:, 0])
    assert len(list(ActorCritic(actor, critic).parameters())) == 6


def test_bodies_apart_run_apart():
    actor, critic = Actor(Net(3, hidden_sizes=(8,)), 4), Critic(Net(3, hidden_sizes=(8,)))
    seen = torch.rand(5, 3)
    scores, values, _ = actor_and_critic(actor, critic, seen)
    np.testing.assert_allclose(scores.sum(dim=1).detach(), 1.0, rtol=1e-6)
    assert torch.equal(values, critic(seen)[:, 0])


def as_convolution(net: BoardNet, boards: torch.Tensor) -> torch.Tensor:
    """Return the output of `net`, computed with torch's convolution."""
    channels, planes = net.lines.out_features, boards.shape[3]
    kernel = net.lines.weight.view(channels, planes, *net.window)
    lines = nn.functional.conv2d(
        boards.permute(0, 3, 1, 2), kernel, net.lines.bias
    ).relu()  # [n, channels, down, across]
    lines = lines.permute(0, 2, 3, 1).flatten(1)
    return (net.dense(lines) + net.cells(boards.flatten(1))).relu()


@pytest.mark.parametrize("shape", [(6, 7, 2), (3, 3, 2), (6, 2, 3), (1, 1, 2)])
def test_the_board_network_is_a_convolution(shape):
    torch.manual_seed(0)
    net = BoardNet(shape, channels=5, hidden=8)
    boards = torch.rand(4, *shape)
    out, state = net(boards, state="kept")
    assert (out.shape, state) == ((4, 8), "kept")
    torch.testing.assert_close(out, as_convolution(net, boards), atol=1e-5, rtol=1e-5)
    assert net(np.zeros((2, *shape), np.int8))[0].shape == (2, 8)
