"""PSRL: its posterior and its planning against slow plain references; masks; what is learned and refused."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from agents.algorithms.psrl import PSRLPolicy, build
from agents.configs.on_policy import PSRLConfig
from agents.learning.planning import value_iteration
from arena.base.errors import UsageError
from arena.data import Batch
from arena.policy.registration import Spaces

STATES, ACTIONS = 4, 2


def policy_of(**options) -> PSRLPolicy:
    prior = np.random.default_rng(0).uniform(0.5, 2, size=(STATES, ACTIONS, STATES))
    mean, std = np.arange(8.0).reshape(STATES, ACTIONS), np.full((STATES, ACTIONS), 1.5)
    return PSRLPolicy(prior, mean, std, **options)


def transitions(rng: np.random.Generator, n: int) -> Batch:
    terminated = rng.random(n) < 0.2
    return Batch(
        obs=rng.integers(STATES, size=n),
        act=rng.integers(ACTIONS, size=n),
        rew=rng.normal(size=n) * 3,
        obs_next=rng.integers(STATES, size=n),
        terminated=terminated,
        truncated=~terminated & (rng.random(n) < 0.2),
    )


@pytest.mark.parametrize("add_done_loop", [True, False])
def test_the_posterior_is_the_conjugate_one(add_done_loop):
    """One reward after the other: the prior is one observation, of mean m and variance s^2."""
    rng, policy = np.random.default_rng(1), policy_of(add_done_loop=add_done_loop)
    counts, rewards = policy.trans_count.numpy().copy(), {(s, a): [] for s in range(STATES) for a in range(ACTIONS)}
    for n in (50, 1, 7):
        batch = transitions(rng, n)
        figures = policy.learn(batch, batch_size=3, repeat=9)
        for row in batch.split(1, shuffle=False):
            s, a, after = row.obs.item(), row.act.item(), row.obs_next.item()
            counts[s, a, after] += 1
            rewards[s, a].append(row.rew.item())
            if add_done_loop and row.terminated.item():
                for b in range(ACTIONS):
                    counts[after, b, after] += 1
                    rewards[after, b].append(0.0)
    np.testing.assert_allclose(policy.trans_count, counts)
    mean, std = policy.reward_posterior()
    for (s, a), seen in rewards.items():
        m, n, r = float(2 * s + a), len(seen), np.mean(seen or [0.0])
        squares = 1.5**2 + sum((x - r) ** 2 for x in seen) + (r - m) ** 2 * n / (n + 1)
        assert mean[s, a] == pytest.approx((m + n * r) / (n + 1))
        assert std[s, a] == pytest.approx(np.sqrt(squares) / (n + 1))
    assert figures == {"psrl/rew_mean": pytest.approx(mean.mean()), "psrl/rew_std": pytest.approx(std.mean())}


def test_planning_finds_the_best_of_all_policies():
    rng = np.random.default_rng(2)
    chances, rewards = rng.dirichlet(np.ones(3), size=(3, 2)), rng.normal(size=(3, 2))
    legal = np.array([[True, True], [False, True], [True, True]])
    values = []
    for number in range(8):
        act = np.array([number & 1, number >> 1 & 1, number >> 2])
        if legal[range(3), act].all():
            step = chances[range(3), act]
            values.append(np.linalg.solve(np.eye(3) - 0.9 * step, rewards[range(3), act]))
    q = value_iteration(chances, rewards, 0.9, 1e-4, legal)
    np.testing.assert_allclose(np.where(legal, q, -np.inf).max(axis=1), np.max(values, axis=0), atol=1e-4)


def test_planning_without_a_discount_ends():
    assert np.isfinite(value_iteration(np.ones((1, 1, 1)), np.ones((1, 1)), 1.0, 0.01, np.ones((1, 1), bool))).all()


def test_a_process_is_drawn_when_something_was_learned():
    policy, batch = policy_of(), Batch(obs=np.arange(STATES))
    policy.reset(3)
    first = policy(batch).value
    np.testing.assert_array_equal(policy(batch).value, first)
    policy.learn(transitions(np.random.default_rng(0), 1))
    second = policy(batch).value
    assert not np.allclose(second, first)
    policy.eval()
    mean = policy.trans_count.numpy() / policy.trans_count.numpy().sum(axis=2, keepdims=True)
    q = value_iteration(mean, policy.reward_posterior()[0], 0.99, 0.01, np.ones((STATES, ACTIONS), bool))
    np.testing.assert_array_equal(policy(batch).value, q.max(axis=1))
    policy.train()
    np.testing.assert_array_equal(policy(batch).value, second, "a test does not disturb the training")


def test_masks_hold_in_behaviour_and_in_plans():
    policy = policy_of().eval()
    mask = np.array([[False, True], [True, True], [True, True], [True, False]])
    obs = Batch(agent_id=np.zeros(STATES, int), obs=np.arange(STATES), mask=mask)
    unmasked = policy(Batch(obs=np.arange(STATES)))
    assert unmasked.act[3] == 1, "the better action in state 3"
    assert mask[range(STATES), policy(Batch(obs=obs)).act].all()
    batch = transitions(np.random.default_rng(0), 1)
    batch.obs, batch.obs_next = obs[[3]], obs[[3]]
    batch.rew[:] = 0.0
    policy.learn(batch)
    assert policy(Batch(obs=np.arange(STATES))).value[3] < unmasked.value[3] - 1, "what is illegal is not hoped for"


def test_what_was_learned_is_saved_with_the_weights():
    policy, other = policy_of(add_done_loop=True), policy_of(add_done_loop=True)
    other(Batch(obs=np.arange(STATES)))
    policy.learn(transitions(np.random.default_rng(0), 20))
    other.load_state_dict(policy.state_dict())
    for one in (policy, other):
        one.eval()
    np.testing.assert_array_equal(*(one(Batch(obs=np.arange(STATES))).value for one in (policy, other)))


def test_the_tables_stay_on_the_cpu_in_double_precision():
    policy = policy_of().to("meta").half()
    assert (policy.trans_count.device.type, policy.rew_mean.numpy().dtype) == ("cpu", np.float64)


@pytest.mark.parametrize(
    ("observation", "action", "message"),
    [
        (Box(0, 1, (3,)), Discrete(2), "a table of numbered states"),
        (Discrete(3), Box(0, 1, (2,)), "not numbered from 0"),
    ],
)
def test_other_spaces_are_refused(observation, action, message):
    with pytest.raises(UsageError, match=message):
        build(Spaces(observation, action), PSRLConfig(), training=True)


@pytest.mark.parametrize("obs", [np.zeros((2, 3)), np.array([0.5]), np.array([STATES]), np.array([-1])])
def test_states_that_are_none_are_refused(obs):
    with pytest.raises(UsageError, match="needs states numbered 0 to 3"):
        policy_of()(Batch(obs=obs))


def test_priors_and_rewards_that_mean_nothing_are_refused():
    good = np.ones((2, 1, 2)), np.zeros((2, 1)), np.ones((2, 1))
    with pytest.raises(UsageError, match=r"not \[S, A, S\]"):
        PSRLPolicy(np.ones((2, 2, 2)), *good[1:])
    with pytest.raises(UsageError, match=r"rew_std_prior=0.0 is not above 0"):
        PSRLPolicy(*good[:2], np.zeros((2, 1)))
    with pytest.raises(UsageError, match="discount_factor=2 is not between 0 and 1"):
        PSRLPolicy(*good, discount_factor=2)
    batch = transitions(np.random.default_rng(0), 3)
    batch.rew[1] = np.nan
    with pytest.raises(UsageError, match="the reward of transition 1 is not a number"):
        policy_of().learn(batch)
