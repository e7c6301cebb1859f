"""`Recurrent`: steps and sequences, hidden states, and a reset."""

import numpy as np
import pytest
import torch

from agents.networks.common import Recurrent
from arena.base.errors import UsageError
from arena.data import Batch


@pytest.fixture
def net() -> Recurrent:
    torch.manual_seed(0)
    return Recurrent(2, (2, 3), 4, hidden_layer_size=5)


def test_a_sequence_gives_what_its_steps_give_one_by_one(net):
    seen = np.random.default_rng(0).normal(size=(3, 6, 2, 3))
    whole, end = net(seen)
    state = None
    for t in range(6):
        out, state = net(seen[:, t], state)
    assert out.shape == (3, 4)
    torch.testing.assert_close(out, whole)
    for key in "hc":
        assert state[key].shape == (3, 2, 5)
        assert not state[key].requires_grad
        torch.testing.assert_close(state[key], end[key])


def test_a_state_of_zeros_is_no_state(net):
    seen = np.ones((3, 2, 3), np.int8)
    zeros = Batch(h=np.zeros((3, 2, 5), np.float32), c=np.zeros((3, 2, 5), np.float32))
    torch.testing.assert_close(net(seen, zeros)[0], net(seen)[0])
    other = Batch(h=np.ones((3, 2, 5), np.float32), c=zeros.c)
    assert not torch.allclose(net(seen, other)[0], net(seen)[0])


def test_rows_do_not_mix(net):
    seen = np.random.default_rng(0).normal(size=(3, 6, 2, 3))
    torch.testing.assert_close(net(seen[[1]])[0], net(seen)[0][[1]])


def test_a_space_of_numbers_in_a_row_may_be_told_by_its_size():
    assert Recurrent(1, 3, 2)(np.zeros((4, 3)))[0].shape == (4, 2)


def test_other_numbers_of_axes_are_refused(net):
    with pytest.raises(UsageError, match=r"of shape \(3, 4\) are neither"):
        net(np.zeros((3, 4)))
