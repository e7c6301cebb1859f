"""C51, Rainbow, QR-DQN, IQN, FQF and discrete CQL: their targets and losses, and what they refuse."""

import numpy as np
import pytest
import torch
from torch import nn

from agents.algorithms.c51 import C51Policy
from agents.algorithms.discrete_cql import DiscreteCQLPolicy
from agents.algorithms.fqf import FQFPolicy, w1_slope
from agents.algorithms.iqn import IQNPolicy
from agents.algorithms.qrdqn import QRDQNPolicy
from agents.algorithms.rainbow import RainbowPolicy
from agents.configs.value_based import C51Config
from agents.networks.common import Net
from agents.networks.discrete import (
    FractionProposalNetwork,
    FullQuantileFunction,
    ImplicitQuantileNetwork,
    NoisyLinear,
)
from agents.networks.q_network import QNetwork
from arena.base.errors import UsageError
from arena.data import Batch, PrioritizedReplayBuffer, ReplayBuffer
from tests.agents.given import positions
from tests.agents.test_quantiles import slow_huber

ACTIONS = 3


class Table(nn.Module):
    """Outputs [n, A, N] by number of the state."""

    def __init__(self, outputs: torch.Tensor):
        super().__init__()
        self.outputs = nn.Parameter(outputs)

    def forward(self, s, state=None, info=None):
        return self.outputs[torch.as_tensor(s, dtype=torch.int64)[..., 0]], state


def walk(length: int, rewards: list[float]) -> ReplayBuffer:
    """States 0, 1, .. `length` in order, action 0 throughout; the last step terminates."""
    buffer = ReplayBuffer(length)
    for t in range(length):
        end = t == length - 1
        row = Batch(obs=[t], act=0, rew=rewards[t], terminated=end, truncated=False, obs_next=[t + 1])
        buffer.add(row)
    return buffer


# --- targets --------------------------------------------------------------------------------------------------------


def test_targets_of_c51_are_those_of_the_observation_after_n_steps():
    torch.manual_seed(0)
    chances = torch.softmax(torch.randn(6, ACTIONS, 4), dim=2)
    policy = C51Policy(Table(chances), None, 0.5, num_atoms=4, v_min=0.0, v_max=3.0, estimation_step=2)
    buffer = walk(5, [1.0, 2.0, 4.0, 8.0, 16.0])
    batch, indices = buffer.sample(0)
    batch = policy.process_fn(batch, buffer, indices)
    support = torch.arange(4.0)
    for t, (earned, after, left) in enumerate(
        [(2.0, 2, 0.25), (4.0, 3, 0.25), (8.0, 4, 0.25), (16.0, 5, 0), (16, 5, 0)]
    ):
        best = (chances[after] @ support).argmax()
        torch.testing.assert_close(batch.next_dist[t], chances[after, best])
        torch.testing.assert_close(batch.returns[t], earned + left * support)


def test_targets_of_quantiles_are_those_of_the_best_action():
    torch.manual_seed(0)
    quantiles = torch.randn(4, ACTIONS, 5)
    policy = QRDQNPolicy(Table(quantiles), None, 0.5, num_quantiles=5)
    buffer = walk(3, [1.0, 2.0, 4.0])
    batch, indices = buffer.sample(0)
    returns = policy.process_fn(batch, buffer, indices).returns
    for t in range(2):
        best = quantiles[t + 1].mean(dim=1).argmax()
        torch.testing.assert_close(returns[t], (t + 1) + 0.5 * quantiles[t + 1, best])
    assert returns[2].tolist() == [4.0] * 5


@pytest.mark.parametrize("is_double", [True, False])
def test_double_learning_chooses_by_the_model(is_double):
    torch.manual_seed(1)
    policy = QRDQNPolicy(Table(torch.randn(4, 3, 5)), None, 1.0, 5, target_update_freq=9, is_double=is_double)
    with torch.no_grad():
        policy.model_old.outputs.copy_(torch.randn(4, 3, 5))
    buffer = walk(2, [0.0, 0.0])
    batch, indices = buffer.sample(0)
    got = policy.process_fn(batch, buffer, indices).returns[0]
    chooser = policy.model if is_double else policy.model_old
    torch.testing.assert_close(got, policy.model_old.outputs[1, chooser.outputs[1].mean(dim=1).argmax()])


# --- losses ---------------------------------------------------------------------------------------------------------


def test_the_loss_of_c51_is_a_cross_entropy():
    torch.manual_seed(0)
    net = Table(torch.softmax(torch.randn(2, ACTIONS, 3), dim=2))
    before = net.outputs.detach().clone()
    policy = C51Policy(net, torch.optim.SGD(net.parameters(), 0.1), num_atoms=3, v_min=0.0, v_max=2.0)
    target = torch.tensor([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    batch = Batch(obs=np.array([[0], [1]]), act=np.array([2, 0]), next_dist=target, weight=np.array([1.0, 0.5]))
    batch.returns = policy.support.expand(2, -1)
    expected = -(target * before[[0, 1], [2, 0]].log()).sum(dim=1)
    figures = policy.learn(batch)
    assert figures["loss"] == pytest.approx((expected * torch.tensor([1.0, 0.5])).mean().item())
    np.testing.assert_allclose(batch.weight, expected, rtol=1e-5)
    moved = (net.outputs.detach() != before).any(dim=2)
    assert moved.tolist() == [[False, False, True], [True, False, False]], "other actions are not learned about"


def test_the_loss_of_conservative_learning_has_two_parts():
    torch.manual_seed(0)
    quantiles = torch.randn(2, ACTIONS, 4)
    net = Table(quantiles.clone())
    policy = DiscreteCQLPolicy(net, torch.optim.SGD(net.parameters(), 0.1), num_quantiles=4, min_q_weight=3.0)
    mask = np.array([[True, True, False], [True, True, True]])
    obs = Batch(agent_id=np.zeros(2, int), obs=np.array([[0], [1]]), mask=mask)
    returns = torch.randn(2, 5)
    figures = policy.learn(Batch(obs=obs, act=np.array([1, 2]), returns=returns))
    q = quantiles.mean(dim=2).double().numpy()
    soft = [np.log(np.exp(q[0, :2]).sum()) - q[0, 1], np.log(np.exp(q[1]).sum()) - q[1, 2]]
    taus = np.tile([0.125, 0.375, 0.625, 0.875], (2, 1))
    huber = slow_huber(quantiles[[0, 1], [1, 2]].numpy(), taus, returns.numpy()).mean()
    assert figures["loss/cql"] == pytest.approx(np.mean(soft), rel=1e-5)
    assert figures["loss/qr"] == pytest.approx(huber, rel=1e-5)
    assert figures["loss"] == pytest.approx(huber + 3.0 * np.mean(soft), rel=1e-5)


def test_quantiles_are_looked_at_where_chance_says():
    torch.manual_seed(0)
    net = ImplicitQuantileNetwork(Net(2, hidden_sizes=(8,)), ACTIONS, num_cosines=6)
    policy = IQNPolicy(net, None, sample_size=7, online_sample_size=5, target_sample_size=3, target_update_freq=1)
    batch = Batch(obs=np.random.default_rng(0).normal(size=(4, 2)))
    sizes = {}
    for training in (True, False):
        policy.train(training)
        for model in ("model", "model_old"):
            answer = policy(batch, model=model)
            sizes[training, model] = answer.taus.shape
            assert answer.logits.shape == (4, ACTIONS, answer.taus.shape[1])
    assert sizes == {(True, "model"): (4, 5), (False, "model"): (4, 7)} | {
        (t, "model_old"): (4, 3) for t in (True, False)
    }
    policy.reset(5)
    first = policy(batch).taus
    policy.reset(5)
    assert torch.equal(policy(batch).taus, first), "one seed fixes the fractions"


def fqf(**options) -> FQFPolicy:
    torch.manual_seed(0)
    net, fractions = FullQuantileFunction(Net(2, hidden_sizes=(8,)), ACTIONS), FractionProposalNetwork(4, 8)
    optims = torch.optim.Adam(net.parameters(), 1e-2), torch.optim.SGD(fractions.parameters(), 1e-2)
    return FQFPolicy(net, optims[0], fractions, optims[1], num_fractions=4, **options)


def test_proposed_fractions_weigh_the_quantiles():
    policy, batch = fqf(), Batch(obs=np.random.default_rng(0).normal(size=(5, 2)))
    answer = policy(batch)
    taus = answer.fractions.taus
    q = (answer.logits * (taus[:, 1:] - taus[:, :-1])[:, None]).sum(dim=2)
    np.testing.assert_allclose(answer.value, q.amax(dim=1).detach(), rtol=1e-5)
    even = torch.linspace(0, 1, 5).expand(5, 5)
    given = Batch(taus=even, tau_hats=(even[:, 1:] + even[:, :-1]) / 2, entropies=torch.zeros(5, 1))
    told = policy(batch, fractions=given)
    torch.testing.assert_close(told.logits.mean(dim=2).amax(dim=1).detach(), torch.as_tensor(told.value))


def test_fractions_learn_by_their_own_loss():
    policy = fqf(ent_coef=0.5)
    obs = np.random.default_rng(0).normal(size=(5, 2))
    batch = Batch(obs=obs, act=np.array([0, 1, 2, 0, 1]), returns=torch.randn(5, 4))
    output = policy.evaluate(obs)
    fractions, rows = output.extra["fractions"], (torch.arange(5), torch.as_tensor(batch.act))
    slope = w1_slope(output.logits[rows].detach(), output.extra["quantiles_tau"][rows])
    entropy = fractions.entropies.mean()
    expected = torch.autograd.grad(
        (slope * fractions.taus[:, 1:-1]).sum(1).mean() - 0.5 * entropy, policy.fraction_model.net.weight
    )[0]
    before = policy.fraction_model.net.weight.detach().clone()
    figures = policy.learn(batch)
    torch.testing.assert_close(policy.fraction_model.net.weight.detach(), before - 1e-2 * expected)
    assert figures["loss/entropy"] == pytest.approx(-0.5 * entropy.item())
    assert figures["loss"] == pytest.approx(sum(v for k, v in figures.items() if k.startswith("loss/")))
    with pytest.raises(UsageError, match="learns in training mode"):
        policy.eval().learn(batch)


# --- Rainbow --------------------------------------------------------------------------------------------------------


def rainbow() -> RainbowPolicy:
    torch.manual_seed(0)
    body = Net(2, hidden_sizes=(8,))
    net = QNetwork(body, ACTIONS, 3, softmax=True, dueling=True, linear_layer=NoisyLinear)
    options = {"num_atoms": 3, "v_min": -1.0, "v_max": 1.0, "target_update_freq": 2}
    return RainbowPolicy(net, torch.optim.Adam(net.parameters()), **options)


def test_noise_is_drawn_for_target_prediction_and_behaviour():
    policy = rainbow()
    noisy, old = policy.model.head.value.model[0], policy.model_old.head.value.model[0]
    buffer = PrioritizedReplayBuffer(4, 0.5, 0.5)
    for t in range(4):
        row = Batch(obs=[t, 1.0], act=0, rew=1.0, terminated=t == 3, truncated=False, obs_next=[t + 1, 1.0])
        buffer.add(row)
    batch, indices = buffer.sample(0)
    draws = [noisy.eps_p.clone()]
    policy.process_fn(batch, buffer, indices)
    draws += [noisy.eps_p.clone(), old.eps_p.clone()]
    assert policy.model_old.training, "in testing state the target would have no noise"
    learned_with = []
    handle = policy.model.register_forward_pre_hook(lambda *_: learned_with.append(noisy.eps_p.clone()))
    policy.learn(batch)
    handle.remove()
    draws += [learned_with[0], noisy.eps_p.clone()]
    assert not any(torch.equal(a, b) for i, a in enumerate(draws) for b in draws[:i])
    policy.post_process_fn(batch, buffer, indices)
    assert np.ptp(buffer.get_weight(indices)) > 0


def test_behaviour_is_noisy_in_training_alone():
    policy, batch = rainbow(), Batch(obs=np.ones((1, 2)))
    told = {}
    for mode in (True, False):
        policy.train(mode)
        values = []
        for seed in (1, 2, 1):
            policy.reset(seed)
            policy.model.head.value.model[0].sample(policy.generator)
            values.append(policy(batch).value.item())
        told[mode] = values
    assert told[True][0] == told[True][2] != told[True][1]
    assert len(set(told[False])) == 1


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda net: C51Policy(net, None, num_atoms=1), "num_atoms=1 is not between 2 and 10000"),
        (lambda net: C51Policy(net, None, v_min=1.0, v_max=1.0), "v_max=1.0 is not above 1.0"),
        (lambda net: QRDQNPolicy(net, None, num_quantiles=1), "num_quantiles=1 is not between 2 and 10000"),
        (lambda net: QRDQNPolicy(net, None, estimation_step=0), "estimation_step=0 is not at least 1"),
        (lambda net: IQNPolicy(net, None, sample_size=0), "sample_size=0 is not at least 1"),
        (lambda net: IQNPolicy(net, None, discount_factor=-0.1), "discount_factor=-0.1 is not between 0 and 1"),
        (lambda net: FQFPolicy(net, None, net, None, num_fractions=1), "num_fractions=1 is not between 2 and 10000"),
        (lambda net: DiscreteCQLPolicy(net, None, min_q_weight=-1.0), "min_q_weight=-1.0 is not at least 0"),
        (lambda net: C51Config(v_min=2.0), "v_max=1.0 is not above 2.0"),
    ],
)
def test_options_that_mean_nothing(make, message):
    with pytest.raises(UsageError, match=message):
        make(Net(2, ACTIONS))


@pytest.mark.parametrize(
    "make", [lambda net: C51Policy(net, None, num_atoms=4), lambda net: QRDQNPolicy(net, None, 0.9, 4)]
)
@pytest.mark.parametrize("atoms", [1, 3])
def test_a_network_with_other_atoms_is_refused(make, atoms):
    with pytest.raises(UsageError, match=r"not \[n, A, 4\]"):
        make(Net(2, ACTIONS, num_atoms=atoms))(Batch(obs=positions(np.zeros((1, 2)), np.ones((1, ACTIONS)))))
