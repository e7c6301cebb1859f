"""`MultiAgentPolicyManager` learning: each learner from its own rows, once, in the order of an update."""

import numpy as np
import pytest
import torch

from arena.data import Batch, VectorReplayBuffer
from arena.policy.manager import MultiAgentPolicyManager
from tests.match.players import Lowest
from tests.policy.policies import Diary

pytestmark = pytest.mark.full

NO = np.zeros(2, bool)


def buffer_of(rows: list[tuple[int, float]], policy_ids: bool = False) -> VectorReplayBuffer:
    """Rows (seat, reward) of one game of two players, each seat's in a sub-buffer of its own (places 0.. and 10..)."""
    buffer = VectorReplayBuffer(20, 2)
    for seat, reward in rows:
        obs = Batch(agent_id=np.array([seat]), obs=np.zeros((1, 1)), mask=np.ones((1, 3), bool))
        info = Batch(policy_id=np.array([1 - seat])) if policy_ids else Batch()
        row = Batch(obs=obs, act=[0], rew=[reward], terminated=NO[:1], truncated=NO[:1], obs_next=obs, info=info)
        buffer.add(row, [seat])
    return buffer


ROWS = [(0, 1.0), (1, 10.0), (0, 2.0), (1, 20.0), (0, 4.0)]


def test_each_learner_learns_from_its_own_rows():
    first, second = Diary(), Diary()
    manager = MultiAgentPolicyManager([first, second])
    figures = manager.update(0, buffer_of(ROWS), pace=3)
    assert figures == {"agent_1/loss": 7.0, "agent_2/loss": 30.0}
    assert first.log == [
        ("process", [0, 1, 2], True, True),
        ("learn", [2.0, 4.0, 8.0], {"pace": 3}, True, True),
        ("post", [0, 1, 2], True, True),
    ]
    assert second.log[0] == ("process", [10, 11], True, True)
    assert [policy.updating for policy in (manager, first, second)] == [False] * 3


def test_a_shared_policy_learns_from_all_seats_in_one_update():
    shared = Diary()
    figures = MultiAgentPolicyManager([shared, shared]).update(0, buffer_of(ROWS))
    assert figures == {"agent_1/loss": 37.0}
    assert [entry[0] for entry in shared.log] == ["process", "learn", "post"]
    assert shared.log[0][1] == [0, 1, 2, 10, 11]


@pytest.mark.parametrize("others", [{"learners": [1]}, {}])
def test_who_does_not_learn_is_left_alone(others):
    frozen = Diary() if others else Lowest()
    learner = Diary()
    manager = MultiAgentPolicyManager([frozen, learner], **others)
    assert manager.update(0, buffer_of(ROWS)) == {"agent_2/loss": 30.0}
    assert getattr(frozen, "log", []) == []


def test_rows_belong_to_the_policy_that_made_them():
    """Stored rows know who played; seats may have been swapped since."""
    policies = [Diary(), Diary()]
    figures = MultiAgentPolicyManager(policies).update(0, buffer_of(ROWS, policy_ids=True))
    assert figures == {"agent_1/loss": 30.0, "agent_2/loss": 7.0}


def test_a_learner_without_rows_is_left_out():
    assert MultiAgentPolicyManager([Diary(), Diary()]).update(0, buffer_of([(1, 5.0)])) == {"agent_2/loss": 5.0}


def test_nothing_is_left_updating_when_a_learner_fails():
    class Failing(Diary):
        def learn(self, batch, **kwargs):
            raise RuntimeError("no")

    failing = Failing()
    manager = MultiAgentPolicyManager([failing, Diary()])
    with pytest.raises(RuntimeError):
        manager.update(0, buffer_of(ROWS))
    assert [policy.updating for policy in (manager, failing)] == [False] * 2


def test_learning_rate_schedules_of_those_that_learned_go_on():
    learned, idle = Diary(), Diary()
    for policy in (learned, idle):
        optimizer = torch.optim.SGD(policy.parameters(), 1.0)
        policy.lr_scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        optimizer.step()  # torch warns of schedules that begin earlier
    manager = MultiAgentPolicyManager([learned, idle])
    for _ in range(2):
        manager.update(0, buffer_of([(0, 1.0)]))
    assert learned.lr_scheduler.get_last_lr() == [0.25]
    assert idle.lr_scheduler.get_last_lr() == [1.0]


def test_the_buffer_is_not_touched():
    buffer = buffer_of(ROWS)
    before = buffer[:]
    MultiAgentPolicyManager([Diary(), Diary()]).update(3, buffer)
    assert buffer[:] == before
