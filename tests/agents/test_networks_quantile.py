"""Networks of quantiles and of noise: closed forms of what they compute."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from agents.networks.common import Net
from agents.networks.discrete import (
    CosineEmbeddingNetwork,
    FractionProposalNetwork,
    FullQuantileFunction,
    ImplicitQuantileNetwork,
    NoisyLinear,
    sample_noise,
)


@pytest.fixture(autouse=True)
def _from_one_seed():
    torch.manual_seed(0)


def test_fractions_are_embedded_by_cosines():
    """By arXiv 1806.06923, equation 4, number by number."""
    net, taus = CosineEmbeddingNetwork(5, 3), torch.rand(4, 6)
    weight, bias = net.net[0].weight.detach().numpy(), net.net[0].bias.detach().numpy()
    out = net(taus).detach().numpy()
    assert out.shape == (4, 6, 3)
    for row in range(4):
        for k in range(6):
            for j in range(3):
                total = sum(math.cos(math.pi * i * taus[row, k].item()) * weight[j, i] for i in range(5)) + bias[j]
                assert out[row, k, j] == pytest.approx(max(total, 0.0), abs=1e-5)


def test_a_quantile_depends_on_its_own_fraction_and_observation():
    net = ImplicitQuantileNetwork(Net(3, hidden_sizes=(8,)), 4, hidden_sizes=(6,), num_cosines=5)
    seen = torch.rand(2, 3)
    (quantiles, taus), hidden = net(seen, 7, state="kept")
    assert (quantiles.shape, taus.shape, hidden) == ((2, 4, 7), (2, 7), "kept")
    assert ((taus >= 0) & (taus < 1)).all()
    features = net.preprocess(seen)[0]
    alone = net.quantiles(features[[1]], taus[[1], 3:4])
    torch.testing.assert_close(alone[0, :, 0], quantiles[1, :, 3])
    by_hand = net.last(features[1] * net.embed_model(taus[[1], 3:4])[0, 0][None])
    torch.testing.assert_close(by_hand[0], quantiles[1, :, 3])
    drawn = [net(seen, 7, generator=torch.Generator().manual_seed(1))[0][1] for _ in range(2)]
    assert torch.equal(*drawn)


def test_fractions_divide_all_there_is():
    net, seen = FractionProposalNetwork(5, 3), torch.randn(4, 3) * 100
    taus, middles, entropies = net(seen)
    assert (taus.shape, middles.shape, entropies.shape) == ((4, 6), (4, 5), (4, 1))
    probs = torch.softmax(net.net(seen), dim=1)
    torch.testing.assert_close(taus[:, 1:], probs.cumsum(dim=1))
    torch.testing.assert_close(taus[:, -1], torch.ones(4))
    assert not taus[:, 0].any()
    torch.testing.assert_close(middles, (taus[:, 1:] + taus[:, :-1]) / 2)
    torch.testing.assert_close(entropies[:, 0], torch.distributions.Categorical(probs).entropy())
    assert (FractionProposalNetwork(4, 3)(torch.randn(50, 3))[2] > 0.99 * math.log(4)).all(), "nearly equal at first"


def test_quantiles_lie_at_the_fractions_proposed():
    net, fractions = FullQuantileFunction(Net(3, hidden_sizes=(8,)), 4), FractionProposalNetwork(5, 8)
    seen = torch.rand(2, 3)
    (quantiles, proposed, at_taus), _ = net(seen, fractions)
    features = net.preprocess(seen)[0]
    torch.testing.assert_close(quantiles, net.quantiles(features, proposed.tau_hats))
    torch.testing.assert_close(at_taus, net.quantiles(features, proposed.taus[:, 1:-1]))
    quantiles.sum().backward(retain_graph=True)
    assert fractions.net.weight.grad is None, "quantiles teach nothing about fractions"
    proposed.taus.square().sum().backward()
    assert fractions.net.weight.grad is not None
    assert net(seen + 1, fractions, proposed)[0][1] is proposed
    assert net.eval()(seen, fractions)[0][2] is None


def test_noise_is_factorised():
    """By arXiv 1706.10295, equations 9 to 11."""
    layer, x = NoisyLinear(3, 2, noisy_std=0.4), torch.rand(5, 3)
    assert layer.sigma_W.unique().item() == pytest.approx(0.4 / math.sqrt(3))
    assert layer.mu_W.abs().max() <= 1 / math.sqrt(3)
    drawn = torch.Generator().manual_seed(3)
    layer.sample(torch.Generator().manual_seed(3))
    eps_in, eps_out = torch.randn(3, generator=drawn), torch.randn(2, generator=drawn)
    f_in, f_out = (e.sign() * e.abs().sqrt() for e in (eps_in, eps_out))
    weight = layer.mu_W + layer.sigma_W * f_out[:, None] * f_in[None]
    torch.testing.assert_close(layer(x), x @ weight.T + layer.mu_bias + layer.sigma_bias * f_out)
    torch.testing.assert_close(layer.eval()(x), x @ layer.mu_W.T + layer.mu_bias, msg="no noise in testing state")


def test_all_noise_is_drawn_anew():
    net = Net(3, 4, hidden_sizes=(8,), dueling_param=({"linear_layer": NoisyLinear}, {"linear_layer": NoisyLinear}))
    before = [m.eps_q.clone() for m in net.modules() if isinstance(m, NoisyLinear)]
    assert sample_noise(net) is True
    after = [m.eps_q for m in net.modules() if isinstance(m, NoisyLinear)]
    assert len(before) == 2
    assert not any(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert sample_noise(nn.Linear(2, 2)) is False
    layer = NoisyLinear(3, 2)
    layer.reset()
    assert np.ptp(layer.sigma_W.detach().numpy()) == 0
