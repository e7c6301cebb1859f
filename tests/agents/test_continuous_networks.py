"""Networks for continuous actions: shapes, bounds, hidden states, and closed forms of what they compute."""

import numpy as np
import pytest
import torch
from torch import nn

from agents.networks.common import MLP, Net
from agents.networks.continuous import (
    VAE,
    Actor,
    ActorProb,
    Critic,
    Perturbation,
    RecurrentActorProb,
    RecurrentCritic,
)
from arena.base.errors import UsageError

SEEN = np.random.default_rng(0).normal(size=(5, 2, 3)).astype(np.float32)
ACT = torch.linspace(-1, 1, 10).view(5, 2)


def body(concat: bool = False) -> Net:
    torch.manual_seed(0)
    return Net((2, 3), 2 if concat else 0, hidden_sizes=(8,), concat=concat)


def test_actions_lie_within_their_bound():
    actor = Actor(body(), 2, hidden_sizes=(4,), max_action=3.0)
    act, hidden = actor(SEEN * 1000, "kept")
    assert (act.shape, hidden) == ((5, 2), "kept")
    assert 0.1 < act.abs().max() <= 3.0
    features, _ = actor.preprocess(SEEN)
    torch.testing.assert_close(actor(SEEN)[0], 3 * torch.tanh(actor.last(features)))


def test_a_critic_sees_observations_and_actions():
    critic = Critic(body(concat=True))
    together = torch.cat((torch.as_tensor(SEEN).flatten(1), ACT), dim=1)
    expected = critic.last(critic.preprocess.model.model(together))
    for act in (ACT, ACT.numpy(), ACT.double().numpy()):
        torch.testing.assert_close(critic(SEEN, act), expected)
    assert critic(SEEN, ACT).shape == (5, 1)
    assert Critic(body())(SEEN).shape == (5, 1), "of observations alone"


@pytest.mark.parametrize("unbounded", [True, False])
def test_means_are_bounded_or_not(unbounded):
    (mu, sigma), hidden = ActorProb(body(), 2, max_action=2.0, unbounded=unbounded)(SEEN * 1000, "kept")
    assert (mu.shape, sigma.shape, hidden) == ((5, 2), (5, 2), "kept")
    assert (mu.abs().max() > 2.0) == unbounded
    assert torch.equal(sigma, torch.ones(5, 2)), "where it is a parameter, 1 at first"


def test_deviations_may_depend_on_what_is_seen_within_limits():
    actor = ActorProb(body(), 2, conditioned_sigma=True)
    near, far = actor(SEEN)[0][1], actor(SEEN * 1e6)[0][1]
    assert near.unique().numel() == 10
    assert far.max() <= np.exp(2) * 1.001
    assert far.min() >= np.exp(-20) * 0.999


def test_a_recurrent_actor_remembers():
    torch.manual_seed(0)
    actor = RecurrentActorProb(2, (2, 3), 2, hidden_layer_size=8, unbounded=True)
    sequence = torch.rand(4, 6, 2, 3)
    (whole, sigma), last = actor(sequence)
    assert (whole.shape, sigma.shape, last["hidden"].shape) == ((4, 2), (4, 2), (4, 2, 8))
    state = None
    for t in range(6):
        (mu, _), state = actor(sequence[:, t].numpy(), state)
    torch.testing.assert_close(mu, whole)
    torch.testing.assert_close(state["cell"], last["cell"])
    assert not torch.allclose(actor(sequence[:, -1])[0][0], whole)


def test_a_recurrent_critic_looks_at_the_end_of_a_sequence():
    torch.manual_seed(0)
    sequence = torch.rand(4, 6, 3)
    critic = RecurrentCritic(1, 3, 2, hidden_layer_size=8)
    features = critic.lstm(sequence)[0][:, -1]
    torch.testing.assert_close(critic(sequence, ACT[:4]), critic.last(torch.cat((features, ACT[:4]), dim=1)))
    assert RecurrentCritic(1, 3, hidden_layer_size=8)(sequence.numpy()).shape == (4, 1)


def test_a_perturbation_changes_little_and_keeps_to_the_bound():
    torch.manual_seed(0)
    act = 2 * ACT
    for scale in (1.0, 1e4):
        moved = Perturbation(Net(8, 2, (16,)), max_action=2.0, phi=0.1)(SEEN * scale, act)
        assert (moved - act).abs().max() <= 0.2 + 1e-6
        assert moved.abs().max() <= 2.0
    assert (moved - act).abs().max() > 0.1


def test_a_vae_rebuilds_and_proposes():
    torch.manual_seed(0)
    vae = VAE(MLP(8, 0, (16,)), MLP(10, 2, (16,)), 16, 4, max_action=2.0)
    generator = torch.Generator().manual_seed(1)
    rebuilt, mean, std = vae(SEEN, ACT, generator)
    assert (rebuilt.shape, mean.shape, std.shape) == ((5, 2), (5, 4), (5, 4))
    noise = torch.randn((5, 4), generator=generator.manual_seed(1))
    torch.testing.assert_close(rebuilt, vae.decode(SEEN, mean + std * noise))
    proposed = vae.decode(SEEN, generator=generator.manual_seed(2))
    drawn = torch.randn((5, 4), generator=generator.manual_seed(2)).clamp(-0.5, 0.5)
    torch.testing.assert_close(proposed, vae.decode(SEEN, drawn))
    assert proposed.abs().max() <= 2.0


def test_a_body_has_to_say_how_many_features_it_gives():
    with pytest.raises(UsageError, match="preprocess_net_output_dim"):
        Actor(nn.Linear(3, 4), 2)
    assert ActorProb(Body(), 2, preprocess_net_output_dim=4)(torch.rand(3, 3))[0][0].shape == (3, 2)


class Body(nn.Module):
    """Features of 3 numbers, without an `output_dim`."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, s, state=None):
        return self.layer(s), state
