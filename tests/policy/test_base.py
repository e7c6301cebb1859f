"""`BasePolicy`: the update cycle and its states, continuous actions, and what is refused."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from arena.policy.base import BasePolicy
from tests.policy.policies import Diary


def filled(rewards: list[float]) -> ReplayBuffer:
    buffer = ReplayBuffer(10)
    for reward in rewards:
        buffer.add(Batch(obs=0, act=0, rew=reward, terminated=False))
    return buffer


def test_an_update_processes_learns_and_post_processes():
    policy = Diary()
    assert policy.update(0, filled([1.0, 2.0]), pace=3) == {"loss": 3.0}
    assert policy.log == [
        ("process", [0, 1], True, True),
        ("learn", [2.0, 4.0], {"pace": 3}, True, True),
        ("post", [0, 1], True, True),
    ]
    assert (policy.training, policy.updating) == (True, False)


def test_an_update_samples_as_many_transitions_as_it_is_told():
    policy = Diary()
    policy.update(7, filled([1.0, 2.0]))
    assert len(policy.log[0][1]) == 7
    assert policy.update(7, None) == {}


def test_the_states_of_collecting_updating_and_testing():
    policy = Diary()
    assert (policy.training, policy.updating) == (True, False)
    policy.eval()
    assert (policy.training, policy.updating) == (False, False)
    policy.train()
    assert (policy.training, policy.updating) == (True, False)


def test_a_failed_update_is_over():
    class Failing(Diary):
        def learn(self, batch, **kwargs):
            raise RuntimeError("no")

    policy = Failing()
    with pytest.raises(RuntimeError):
        policy.update(0, filled([1.0]))
    assert not policy.updating


def test_a_learning_rate_schedule_goes_on_with_every_update():
    policy = Diary()
    optimizer = torch.optim.SGD(policy.parameters(), 1.0)
    policy.lr_scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    for _ in range(2):
        policy.update(0, filled([1.0]))
    assert policy.lr_scheduler.get_last_lr() == [0.25]


def test_priorities_are_written_into_a_buffer_that_has_them():
    class Prioritized(ReplayBuffer):
        def update_weight(self, index, weight):
            self.written = (list(index), list(weight))

    class Plain(BasePolicy):
        def forward(self, batch, state=None):
            return Batch()

        def learn(self, batch):
            batch.weight = batch.rew * 10
            return {}

    buffer = Prioritized(4)
    for reward in (1.0, 2.0):
        buffer.add(Batch(obs=0, act=0, rew=reward, done=False))
    Plain().update(0, buffer)
    assert buffer.written == ([0, 1], [10.0, 20.0])


@pytest.mark.parametrize(
    ("scaling", "method", "expected"),
    [
        (False, "", [[-3.0, 0.0], [0.5, 2.0]]),
        (False, "clip", [[-1.0, 0.0], [0.5, 1.0]]),
        (False, "tanh", np.tanh([[-3.0, 0.0], [0.5, 2.0]]).tolist()),
        (True, "clip", [[0.0, 0.0], [3.0, 10.0]]),
    ],
)
def test_continuous_actions_are_bounded_and_scaled(scaling, method, expected):
    space = Box(np.array([0.0, -10.0]), np.array([4.0, 10.0]), dtype=np.float64)
    policy = Diary(action_space=space)
    policy.action_scaling, policy.action_bound_method = scaling, method
    act = np.array([[-3.0, 0.0], [0.5, 2.0]])
    np.testing.assert_allclose(policy.map_action(act), expected)
    assert act.tolist() == [[-3.0, 0.0], [0.5, 2.0]], "what is stored is what the policy chose"


def test_discrete_actions_are_left_alone():
    act = np.array([0, 1])
    assert Diary(action_space=Discrete(2)).map_action(act) is act


class Bare(BasePolicy):
    """Takes the options of its base class."""

    def forward(self, batch, state=None):
        return Batch()

    def learn(self, batch):
        return {}


def test_options_that_mean_nothing():
    with pytest.raises(UsageError, match="action_bound_method='clamp' is not 'clip', 'tanh' or ''"):
        Bare(action_bound_method="clamp")
    with pytest.raises(UsageError, match="action_scaling needs an action_space of type Box"):
        Bare(action_space=Discrete(3), action_scaling=True)


def test_a_policy_without_parameters_is_on_the_cpu():
    assert Bare().device.type == "cpu"
    policy = Bare()
    policy.set_agent_id(3)
    assert policy.agent_id == 3
