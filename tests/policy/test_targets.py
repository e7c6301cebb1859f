"""Returns and n-step targets over buffers that have wrapped around, with cut, ended and running episodes."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.data import Batch, VectorReplayBuffer
from arena.policy.base import BasePolicy

SIZE = 6
ENDS = st.sampled_from([(False, False)] * 3 + [(True, False), (False, True)])
ROWS = st.lists(st.tuples(st.integers(0, 2), st.floats(-3, 3), ENDS), min_size=1, max_size=40)


def values(buffer: VectorReplayBuffer, places: np.ndarray) -> np.ndarray:
    """Some value of next observations."""
    return np.cos(buffer.obs_next[places] * 1.3)


def stored(rows) -> tuple[VectorReplayBuffer, list[list]]:
    """A buffer of three rings, and what each of them still holds: (place, reward, value, next value, ends)."""
    buffer, kept = VectorReplayBuffer(3 * SIZE, 3), [[], [], []]
    for t, (ring, reward, (terminated, truncated)) in enumerate(rows):
        no = np.zeros(1, bool)
        place, *_ = buffer.add(
            Batch(
                obs=[t], act=[0], rew=[reward], terminated=no | terminated, truncated=no | truncated, obs_next=[t + 0.5]
            ),
            [ring],
        )
        own, after = np.sin(t), np.cos((t + 0.5) * 1.3)
        kept[ring] = [*kept[ring], (place.item(), reward, own, after, terminated, truncated)][-SIZE:]
    return buffer, kept


def episode_from(ring: list, t: int) -> list:
    """The transitions from number t on, to the end of the episode or of what is known."""
    found = []
    for row in ring[t:]:
        found.append(row)
        if row[4] or row[5]:
            break
    return found


@given(ROWS, st.floats(0.5, 1.0), st.floats(0.0, 1.0))
@settings(max_examples=60)
def test_advantages_sum_the_errors_of_the_rest_of_the_episode(rows, gamma, lam):
    buffer, kept = stored(rows)
    indices = buffer.sample_indices(0)
    own, after = np.sin(buffer.obs[indices]), torch.as_tensor(values(buffer, indices))[:, None]
    returns, advantage = BasePolicy.compute_episodic_return(buffer[indices], buffer, indices, after, own, gamma, lam)
    expected = []
    for ring in kept:
        for t in range(len(ring)):
            errors = [
                reward + gamma * (0.0 if terminated else after) - own
                for _, reward, own, after, terminated, _ in episode_from(ring, t)
            ]
            expected.append(sum((gamma * lam) ** k * error for k, error in enumerate(errors)))
    np.testing.assert_allclose(advantage, expected, atol=1e-9)
    np.testing.assert_allclose(returns, advantage + own)


@given(ROWS, st.floats(0.5, 1.0), st.integers(1, 8), st.data())
@settings(max_examples=60)
def test_n_step_targets_stop_at_the_end_of_the_episode(rows, gamma, n, data):
    buffer, kept = stored(rows)
    expected = {}
    for ring in kept:
        for t, (place, *_) in enumerate(ring):
            steps = episode_from(ring, t)[:n]
            total = sum(gamma**k * step[1] for k, step in enumerate(steps))
            expected[place] = total + gamma ** len(steps) * (0.0 if steps[-1][4] else steps[-1][3])
    indices = np.array(data.draw(st.lists(st.sampled_from(sorted(expected)), min_size=1)))
    batch = BasePolicy.compute_nstep_return(
        buffer[indices], buffer, indices, lambda b, places: torch.as_tensor(values(b, places)), gamma, n
    )
    assert batch.returns.shape == (len(indices), 1)
    np.testing.assert_allclose(batch.returns[:, 0], [expected[place] for place in indices], atol=1e-9)


def test_truncation_bootstraps_and_termination_does_not():
    rows = [(0, 1.0, (False, True)), (1, 1.0, (True, False)), (2, 1.0, (False, False))]
    buffer, _ = stored(rows)
    indices = buffer.sample_indices(0)
    ten, zero = np.full(3, 10.0), np.zeros(3)
    returns, _ = BasePolicy.compute_episodic_return(buffer[indices], buffer, indices, ten, zero, 0.5, 0.9)
    assert returns.tolist() == [6.0, 1.0, 6.0]
    batch = BasePolicy.compute_nstep_return(buffer[indices], buffer, indices, lambda *_: torch.full((3,), 10.0), 0.5, 3)
    assert batch.returns[:, 0].tolist() == [6.0, 1.0, 6.0]


def test_targets_may_have_several_columns_and_no_gradient():
    buffer, _ = stored([(0, 1.0, (False, False)), (0, 2.0, (True, False))])
    indices = np.array([1, 0])
    atoms = torch.ones(2, 3, requires_grad=True)
    batch = BasePolicy.compute_nstep_return(buffer[indices], buffer, indices, lambda *_: atoms * 4, 0.5, 1)
    assert batch.returns.tolist() == [[2.0] * 3, [3.0] * 3]
    assert not batch.returns.requires_grad
    with pytest.raises(UsageError, match="leave rew_norm at False"):
        BasePolicy.compute_nstep_return(buffer[indices], buffer, indices, lambda *_: atoms, 0.5, 1, rew_norm=True)
