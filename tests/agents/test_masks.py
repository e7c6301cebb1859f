"""Masks, for every algorithm with numbered actions: an illegal action is never taken, and counts for nothing."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from arena.policy.masking import legal_mask
from arena.policy.registration import Spaces
from tests.agents.given import positions, random_masks
from tests.agents.makers import MAKERS

ACTIONS, ROWS = 7, 40
SPACES = Spaces(Box(-10, 10, (ACTIONS,)), Discrete(ACTIONS))


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def maker(request):
    torch.manual_seed(0)
    return request.param


@pytest.mark.full
@pytest.mark.parametrize("scale", [1.0, 50.0])
@pytest.mark.parametrize("training", [True, False])
def test_what_it_does_is_legal(maker, scale, training):
    rng = np.random.default_rng(0)
    mask = random_masks(rng, 10_000, ACTIONS)
    told = rng.normal(size=mask.shape) * scale + ~mask * 3 * scale  # illegal actions look best
    batch = Batch(obs=positions(told, mask))
    policy = maker.make(SPACES).train(training)
    policy.reset(1)
    with torch.no_grad():
        act = np.asarray(policy.forward(batch).act)
    rows = np.arange(len(mask))
    assert mask[rows, act].all()
    if hasattr(policy, "set_eps"):
        policy.set_eps(0.5)
    explored = policy.exploration_noise(act, batch)
    assert mask[rows, explored].all()


def learned(maker, told: np.ndarray, mask: np.ndarray) -> tuple[dict[str, float], list[torch.Tensor]]:
    """Figures of two updates on a buffer of transitions, and the weights after them."""
    torch.manual_seed(3)
    np.random.seed(3)
    policy = maker.make(SPACES).train()
    policy.reset(3)
    rng = np.random.default_rng(1)
    buffer = ReplayBuffer(ROWS)
    for t in range(ROWS):
        obs, obs_next = (
            positions(told[t : t + 2], mask[t : t + 2])[[0]],
            positions(told[t + 1 : t + 2], mask[t + 1 : t + 2]),
        )
        act = rng.choice(np.flatnonzero(mask[t]))
        with torch.no_grad():
            stored = policy.forward(Batch(obs=obs)).get("policy", Batch())
        row = Batch(obs=obs[0], act=act, rew=rng.normal(), terminated=t % 9 == 8, truncated=False, obs_next=obs_next[0])
        if not stored.is_empty():
            row.policy = stored[0]
        buffer.add(row)
    figures = {}
    for number in range(2):
        for key, value in policy.update(0, buffer, **maker.learn).items():
            figures[f"{key} {number}"] = float(np.mean(value))
    return figures, [parameter.detach().clone() for parameter in policy.parameters()]


@pytest.mark.full
def test_what_it_learns_does_not_depend_on_illegal_actions(maker):
    rng = np.random.default_rng(5)
    mask = random_masks(rng, ROWS + 1, ACTIONS)
    told = rng.normal(size=mask.shape)
    figures, weights = learned(maker, told, mask)
    for illegal in (-30.0, 2.0, 30.0):
        changed, moved = learned(maker, np.where(mask, told, illegal), mask)
        assert changed == pytest.approx(figures, rel=1e-6)
        for one, other in zip(weights, moved, strict=True):
            torch.testing.assert_close(one, other)


def test_a_mask_that_leaves_nothing_is_refused(maker):
    mask = np.ones((3, ACTIONS), bool)
    mask[1] = False
    with pytest.raises(UsageError, match="the mask of row 1 has no legal action"):
        maker.make(SPACES).forward(Batch(obs=positions(np.zeros((3, ACTIONS)), mask)))


def test_of_a_stack_of_steps_the_last_mask_counts():
    masks = np.ones((2, 3, ACTIONS), bool)
    masks[0, 0], masks[1, 2, 1:] = False, False
    seen = Batch(agent_id=np.zeros((2, 3), int), obs=np.zeros((2, 3, 4)), mask=masks)
    assert np.array_equal(legal_mask(seen), masks[:, 2])
    masks[1, 2] = False
    with pytest.raises(UsageError, match="row 1"):
        legal_mask(seen)


def test_a_network_that_does_not_fit_the_actions_is_refused(maker):
    obs = positions(np.zeros((3, ACTIONS)), np.ones((3, ACTIONS + 1), bool))
    with pytest.raises(UsageError, match=f"for {ACTIONS + 1} actions"):
        maker.make(SPACES).forward(Batch(obs=obs))
