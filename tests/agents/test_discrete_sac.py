"""Discrete SAC and discrete CRR: expectations, weights and losses in closed form."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from agents.algorithms.discrete_crr import DiscreteCRRPolicy
from agents.algorithms.discrete_crr import build as build_crr
from agents.algorithms.discrete_sac import DiscreteSACPolicy
from agents.algorithms.discrete_sac import build as build_sac
from agents.configs.actors import DiscreteCRRConfig, DiscreteSACConfig
from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from arena.policy.registration import Spaces
from tests.agents.given import positions, random_masks
from tests.agents.makers import Told, ToldActions, adam

ACTIONS, ROWS, GAMMA = 5, 30, 0.9
SPACES = Spaces(Box(-9, 9, (ACTIONS,)), Discrete(ACTIONS))


def sac_of(alpha=0.4, **options) -> DiscreteSACPolicy:
    """The actor thinks what it is told, the critics twice and three times as much."""
    actor, one, other = Told(ACTIONS), ToldActions(ACTIONS), ToldActions(ACTIONS)
    one.weight.data *= 2.0
    other.weight.data *= 3.0
    return DiscreteSACPolicy(
        actor, adam(actor), one, adam(one), other, adam(other), gamma=GAMMA, alpha=alpha, **options
    )


def crr_of(**options) -> DiscreteCRRPolicy:
    actor, critic = Told(ACTIONS), ToldActions(ACTIONS)
    critic.weight.data *= 2.0
    return DiscreteCRRPolicy(actor, critic, adam(actor, critic), GAMMA, **options)


def filled() -> ReplayBuffer:
    rng, buffer = np.random.default_rng(0), ReplayBuffer(ROWS)
    told, masks = rng.normal(size=(ROWS + 1, ACTIONS)), random_masks(rng, ROWS + 1, ACTIONS)
    for t in range(ROWS):
        row = Batch(obs=positions(told[[t]], masks[[t]])[0], act=rng.choice(np.flatnonzero(masks[t])), rew=rng.normal())
        row.terminated, row.truncated, row.obs_next = t == 9, False, positions(told[[t + 1]], masks[[t + 1]])[0]
        buffer.add(row)
    return buffer


def processed(policy) -> Batch:
    buffer = filled()
    indices = buffer.sample_indices(0)
    return policy.process_fn(buffer[indices], buffer, indices)


def chances(scores: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Of one row: softmax over the legal actions."""
    weight = np.where(legal, np.exp(scores), 0.0)
    return weight / weight.sum()


def plain_soft_value(scores: np.ndarray, legal: np.ndarray, alpha: float) -> float:
    """sum_a pi(a) (min Q(a) - alpha log pi(a)) of one row, action by action."""
    probs, total = chances(scores, legal), 0.0
    for act in np.flatnonzero(legal):
        total += probs[act] * (min(2 * scores[act], 3 * scores[act]) - alpha * np.log(probs[act]))
    return total


def test_the_target_of_discrete_sac_is_the_soft_value_of_legal_actions():
    batch = processed(sac_of())
    for row in range(ROWS):
        after = batch.obs_next[row]
        value = 0.0 if batch.terminated[row] else plain_soft_value(after.obs, after.mask, 0.4)
        assert float(batch.returns[row, 0]) == pytest.approx(batch.rew[row] + GAMMA * value, rel=1e-4, abs=1e-5)


def test_the_actor_of_discrete_sac_lowers_minus_the_soft_value():
    policy = sac_of()
    batch = processed(policy)
    policy.critic_optims = [torch.optim.SGD(critic.parameters(), 0.0) for critic in policy.critics]
    figures = policy.learn(batch)
    values = [plain_soft_value(batch.obs.obs[row], batch.obs.mask[row], 0.4) for row in range(ROWS)]
    assert figures["loss/actor"] == pytest.approx(-np.mean(values), rel=1e-4)
    taken = [(1 + k) * batch.obs.obs[np.arange(ROWS), batch.act] for k in (1, 2)]
    losses = [np.square(batch.returns[:, 0].numpy() - one).mean() for one in taken]
    assert [figures["loss/critic1"], figures["loss/critic2"]] == pytest.approx(losses, rel=1e-4)
    np.testing.assert_allclose(batch.weight, batch.returns[:, 0].numpy() - np.mean(taken, axis=0), rtol=1e-4, atol=1e-5)


def test_the_temperature_of_discrete_sac_follows_the_entropy():
    log_alpha = torch.zeros(1, requires_grad=True)
    policy = sac_of(alpha=(0.7, log_alpha, torch.optim.SGD([log_alpha], 0.1)))
    batch = processed(policy)
    entropies = []
    for row in range(ROWS):
        probs = chances(batch.obs.obs[row], batch.obs.mask[row])
        entropies.append(-sum(p * np.log(p) for p in probs if p > 0))
    figures = policy.learn(batch)
    assert figures["alpha"] == pytest.approx(np.exp(-0.1 * (np.mean(entropies) - 0.7)), rel=1e-4)


def test_discrete_sac_draws_while_it_learns_and_chooses_in_tests():
    obs = positions(np.tile([0.0, 1.0, 2.0, 9.0, 0.0], (300, 1)), np.tile([1, 1, 1, 0, 1], (300, 1)).astype(bool))
    policy = sac_of()
    policy.reset(0)
    assert set(policy.train().forward(Batch(obs=obs)).act.tolist()) == {0, 1, 2, 4}
    assert set(policy.eval().forward(Batch(obs=obs)).act.tolist()) == {2}
    assert set(sac_of(deterministic_eval=False).eval().forward(Batch(obs=obs)).act.tolist()) == {0, 1, 2, 4}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [np.exp(-1.0), 1.0, np.exp(2.0), 20.0]),
        ({"beta": 2.0, "ratio_upper_bound": 3.0}, [np.exp(-0.5), 1.0, np.exp(1.0), 3.0]),
        ({"policy_improvement_mode": "binary"}, [0.0, 0.0, 1.0, 1.0]),
        ({"policy_improvement_mode": "all"}, [1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_how_advantages_weigh(options, expected):
    weights = crr_of(**options).weights(torch.tensor([-1.0, 0.0, 2.0, 50.0]))
    np.testing.assert_allclose(weights, expected, rtol=1e-6)


def test_the_losses_of_crr():
    policy = crr_of(min_q_weight=0.3, beta=0.7)
    batch = processed(policy)
    actor = critic = cql = 0.0
    for row in range(ROWS):
        scores, legal, act = batch.obs.obs[row].astype(float), batch.obs.mask[row], batch.act[row]
        after = batch.obs_next[row]
        target = batch.rew[row]
        if not batch.terminated[row]:
            target += GAMMA * (chances(after.obs, after.mask) * 2 * after.obs).sum()
        probs, q = chances(scores, legal), 2 * scores
        advantage = q[act] - (probs * q).sum()
        actor -= min(np.exp(advantage / 0.7), 20.0) * np.log(probs[act]) / ROWS
        critic += 0.5 * (target - q[act]) ** 2 / ROWS
        cql += (np.log(np.exp(q[legal]).sum()) - q[act]) / ROWS
    figures = policy.learn(batch)
    told = [figures[key] for key in ("loss/actor", "loss/critic", "loss/cql", "loss")]
    np.testing.assert_allclose(told, [actor, critic, cql, actor + critic + 0.3 * cql], rtol=1e-4)


def test_the_actor_of_crr_does_not_move_its_critic():
    policy = crr_of(min_q_weight=0.0)
    batch = processed(policy)
    batch.returns = policy.critic(batch.obs.obs).gather(1, torch.as_tensor(batch.act)[:, None]).detach()  # no error
    before = policy.critic.weight.clone()
    policy.learn(batch)
    assert torch.equal(policy.critic.weight, before)
    assert not torch.equal(policy.actor.weight, torch.ones(ACTIONS))


def test_the_targets_of_crr_are_copied_every_so_often():
    policy = crr_of(target_update_freq=2)
    synced = []
    for _ in range(4):
        policy.learn(processed(policy))
        synced.append(policy.actor_old.weight.clone())
    assert torch.equal(synced[0], torch.ones(ACTIONS))
    assert torch.equal(synced[1], synced[0])
    assert not torch.equal(synced[2], synced[1])
    assert not policy.train().actor_old.training
    assert crr_of().actor_old is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy_improvement_mode": "max"}, "policy_improvement_mode='max' is not one of"),
        ({"beta": 0.0}, "beta=0.0 is not above 0"),
        ({"ratio_upper_bound": -1.0}, "ratio_upper_bound=-1.0 is not above 0"),
        ({"min_q_weight": -1.0}, "min_q_weight=-1.0 is not at least 0"),
        ({"action_space": Box(-1, 1, (2,))}, "DiscreteCRRPolicy needs discrete actions"),
        ({"reward_normalization": True}, "not defined for n-step targets"),
    ],
)
def test_options_of_crr_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        crr_of(**options)


def test_options_of_discrete_sac_that_mean_nothing():
    for options, message in (
        ({"alpha": -1.0}, "alpha=-1.0 is not at least 0"),
        ({"tau": 2.0}, "tau=2.0 is not between 0 and 1"),
        ({"action_space": Box(-1, 1, (2,))}, "DiscreteSACPolicy needs discrete actions"),
    ):
        with pytest.raises(UsageError, match=message):
            sac_of(**options)
    with pytest.raises(UsageError, match="target_entropy=2 is not between 0 and 1"):
        DiscreteSACConfig(target_entropy=2)


@pytest.mark.parametrize(
    ("build", "config"), [(build_sac, DiscreteSACConfig(hidden=8)), (build_crr, DiscreteCRRConfig(hidden=8))]
)
def test_they_are_built_to_learn_or_only_to_play(build, config):
    with pytest.raises(UsageError, match="it plays, and cannot learn"):
        build(SPACES, config, False).update(0, filled())
    figures = build(SPACES, config, True).update(0, filled())
    assert np.isfinite(list(figures.values())).all()
