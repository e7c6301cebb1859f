"""The loss of temporal-difference errors in one pass, beside the one that autograd follows."""

import numpy as np
import pytest
import torch
from torch.nn.functional import huber_loss, mse_loss

from agents.algorithms.dqn import DQNPolicy
from agents.learning.checks import fits_kernel
from agents.learning.td_gradient import td_loss
from agents.learning.value_learning import chosen, weighted_loss
from arena.base.errors import UsageError
from arena.data import Batch
from tests.agents.given import Given


def transitions(n: int, num_actions: int, weighted: bool) -> tuple[torch.Tensor, Batch]:
    """Q-values and rows whose errors are within and beyond 1."""
    rng = np.random.default_rng(n)
    q = torch.as_tensor(rng.normal(size=(n, num_actions)), dtype=torch.float32)
    returns = torch.as_tensor(rng.normal(scale=2, size=(n, 1)), dtype=torch.float32)
    batch = Batch(act=rng.integers(num_actions, size=n), returns=returns)
    if weighted:
        batch.weight = rng.random(n)
    return q, batch


@pytest.mark.parametrize("huber", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "num_actions"), [(64, 2), (1, 3), (300, 90)])
def test_it_is_the_loss_that_autograd_follows(n, num_actions, weighted, huber):
    q, batch = transitions(n, num_actions, weighted)
    result = td_loss(q, batch, huber)
    taken = chosen(q.requires_grad_(), batch.act)
    target = batch.returns.flatten()
    loss = weighted_loss(huber_loss if huber else mse_loss, taken, target, batch)
    assert result.loss == pytest.approx(loss.item(), rel=1e-5)
    [gradient] = torch.autograd.grad(loss, q)
    torch.testing.assert_close(result.gradient, gradient, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(result.errors, (target - taken).detach().numpy())
    assert (result.gradient != 0).sum() == n


def test_q_values_in_any_order_of_memory():
    q, batch = transitions(50, 4, weighted=True)
    assert torch.equal(td_loss(q.t().contiguous().t(), batch, huber=False).gradient, td_loss(q, batch, False).gradient)


def test_what_is_no_number_shows_in_the_loss():
    for huber in (False, True):
        q, batch = transitions(50, 4, weighted=False)
        batch.returns[3] = torch.nan
        assert np.isnan(td_loss(q, batch, huber).loss)


@pytest.mark.parametrize("action", [4, -1])
def test_actions_without_a_value_are_refused(action):
    q, batch = transitions(50, 4, weighted=False)
    batch.act[7] = action
    with pytest.raises(UsageError, match=f"the network gives 4 Q-values, of which none is for action {action}"):
        td_loss(q, batch, huber=False)


def test_other_numbers_of_rows_are_refused():
    q, batch = transitions(50, 4, weighted=False)
    with pytest.raises(UsageError, match="the network gives 49 rows of Q-values for 50 transitions"):
        td_loss(q[:49], batch, huber=False)
    batch.weight = np.ones(49)
    with pytest.raises(UsageError, match="50 transitions"):
        td_loss(q, batch, huber=False)


def test_other_outputs_are_left_to_autograd():
    assert fits_kernel(torch.zeros(2, 3))
    assert not fits_kernel(torch.zeros(2, 3, dtype=torch.float64))
    assert not fits_kernel(torch.zeros(2, 3, 4))
    assert not fits_kernel(torch.zeros(2, 3, device="meta"))


@pytest.mark.parametrize("weighted", [False, True])
def test_dqn_takes_the_same_step_either_way(weighted, monkeypatch):
    steps = []
    for kernel in (True, False):
        monkeypatch.setattr("agents.learning.checks.fits_kernel", lambda _, kernel=kernel: kernel)
        model = Given(3)
        policy = DQNPolicy(model, torch.optim.SGD(model.parameters(), 0.1))
        obs, batch = transitions(20, 3, weighted)
        batch.obs = obs.numpy()
        figures = policy.learn(batch)
        steps.append((figures, model.weight.detach().clone(), batch.weight))
    (figures, weight, priorities), (others, other_weight, other_priorities) = steps
    assert figures == pytest.approx(others)
    torch.testing.assert_close(weight, other_weight)
    np.testing.assert_allclose(priorities, other_priorities)
