"""The multi-agent contract: each agent's transitions are its own, entry by entry."""

from typing import Any

import numpy as np
import pytest

from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, PettingZooEnv
from arena.policy.base import BasePolicy
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted

TWO_PLIES = dict(turns=["a", "b", "a", "b"], rewards={1: {"a": 0.5}, 3: {"a": -1.0, "b": 1.0}})


class First(BasePolicy):
    """Plays the first legal action, and counts as a learner."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        return Batch(act=batch.obs.mask.argmax(axis=1), policy=Batch(seen=batch.obs.obs[:, 0] * 10))

    def learn(self, batch: Batch) -> dict[str, float]:
        return {"rows": float(len(batch))}


def collect(
    policy: Any, script: dict[str, Any], n_episode: int = 1, envs: int = 1, rings: int = 2
) -> VectorReplayBuffer:
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**script))] * envs)
    buffer = VectorReplayBuffer(100 * rings, rings)
    Collector(policy, env, buffer).collect(n_episode=n_episode)
    return buffer


def rows(buffer: VectorReplayBuffer, ring: int) -> Batch:
    """Everything in one sub-buffer, in the order of time."""
    size = buffer.maxsize // buffer.buffer_num
    places = [p for p in buffer.sample_indices(0) if p // size == ring]
    return buffer[np.array(places, np.int64)]


def test_a_reset_drops_the_transitions_that_are_open():
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**TWO_PLIES))])
    buffer = VectorReplayBuffer(200, 2)
    collector = Collector(First(), env, buffer)
    collector.collect(n_step=2)  # both have moved
    collector.reset_env()
    collector.collect(n_step=1)  # it is the turn of b, whose move was of another game
    assert (buffer.sample_indices(0) // 100).tolist() == [0]


def test_the_hand_worked_game_is_stored_entry_by_entry():
    """Moves a0 b1 a2 b3; b1 brings a 0.5, b3 wins for b: a's loss comes with b's move."""
    buffer = collect(First(), TWO_PLIES)
    a, b = rows(buffer, 0), rows(buffer, 1)

    assert a.obs.obs.tolist() == [[0, 0], [2, 0]]
    assert a.obs.agent_id.tolist() == [0, 0]
    assert a.obs.mask.tolist() == [[True, True, False, False, False], [False, False, True, True, False]]
    assert a.act.tolist() == [0, 2]
    assert a.rew.tolist() == [0.5, -1.0]
    assert a.obs_next.obs.tolist() == [[2, 0], [4, 0]], "its own next observation, never the opponent's"
    assert a.obs_next.agent_id.tolist() == [0, 0]
    assert a.obs_next.mask.tolist() == [[False, False, True, True, False], [True] * 5]
    assert a.terminated.tolist() == [False, True], "the loser's last transition is terminal"
    assert a.truncated.tolist() == [False, False]
    assert a.policy.seen.tolist() == [0, 20]

    assert b.obs.obs.tolist() == [[1, 1], [3, 1]]
    assert b.act.tolist() == [1, 3]
    assert b.rew.tolist() == [0.0, 1.0]
    assert b.obs_next.obs.tolist() == [[3, 1], [4, 1]]
    assert b.obs_next.mask.tolist() == [[False, False, False, True, True], [True] * 5]
    assert b.terminated.tolist() == [False, True]


def test_a_loss_dealt_by_the_second_of_two_moves_reaches_the_loser():
    """The game in which other libraries lose the loss: a moves, b moves and wins."""
    buffer = collect(First(), dict(turns=["a", "b"], rewards={1: {"a": -1.0, "b": 1.0}}))
    a = rows(buffer, 0)
    assert a.rew.tolist() == [-1.0]
    assert a.done.tolist() == [True]
    assert a.obs_next.obs.tolist() == [[2, 0]]
    returns, _ = BasePolicy.compute_episodic_return(a, buffer, np.array([0]), np.zeros(1), np.zeros(1), 0.9, 0.95)
    assert returns.tolist() == [-1.0]


def test_an_agent_that_moves_twice_in_a_row_has_a_transition_between():
    script = dict(
        turns=["a", "a", "b", "a", "b", "b"], rewards={0: {"a": 1.0}, 2: {"a": 2.0}, 5: {"a": 4.0, "b": -4.0}}
    )
    buffer = collect(First(), script)
    a, b = rows(buffer, 0), rows(buffer, 1)
    assert a.obs.obs[:, 0].tolist() == [0, 1, 3]
    assert a.obs_next.obs[:, 0].tolist() == [1, 3, 6]
    assert a.rew.tolist() == [1.0, 2.0, 4.0]
    assert a.done.tolist() == [False, False, True]
    assert b.obs.obs[:, 0].tolist() == [2, 4, 5]
    assert b.obs_next.obs[:, 0].tolist() == [4, 5, 6]
    assert b.rew.tolist() == [0.0, 0.0, -4.0]


def test_an_agent_that_dies_early_gets_its_end_there_and_the_others_go_on():
    script = dict(turns=["a", "b", "c", "a", "c"], rewards={2: {"b": -1.0}, 4: {"a": 1.0, "c": 1.0}}, deaths={2: ["b"]})
    buffer = collect(First(), script, rings=3)
    a, b, c = (rows(buffer, ring) for ring in range(3))
    assert b.rew.tolist() == [-1.0]
    assert b.terminated.tolist() == [True]
    assert b.obs_next.obs.tolist() == [[3, 1]], "what it saw when it died"
    assert a.rew.tolist() == [0.0, 1.0]
    assert a.done.tolist() == [False, True]
    assert c.obs_next.obs[:, 0].tolist() == [4, 5]
    assert c.rew.tolist() == [0.0, 1.0]


def test_an_agent_that_never_moved_before_the_end_stores_nothing():
    script = dict(turns=["a", "a", "a"], rewards={0: {"b": -1.0}}, deaths={0: ["b"]}, agents=("a", "b"))
    buffer = collect(First(), script)
    assert set(buffer[:].obs.agent_id.tolist()) == {0}
    assert len(buffer) == 3


def test_truncation_is_kept_apart_from_termination():
    a = rows(collect(First(), TWO_PLIES | {"truncate": True}), 0)
    assert a.terminated.tolist() == [False, False]
    assert a.truncated.tolist() == [False, True]


def test_only_seats_of_learners_are_stored():
    manager = MultiAgentPolicyManager([RandomPolicy(seed=0), First()])
    buffer = collect(manager, TWO_PLIES, n_episode=6, envs=3, rings=3)
    assert set(buffer[:].obs.agent_id.tolist()) == {1}
    assert len(buffer) == 12


def test_a_buffer_of_the_wrong_number_of_parts_is_refused_with_the_right_number():
    with pytest.raises(ValueError, match=r"need 4: VectorReplayBuffer\(total_size, 4\)"):
        collect(First(), TWO_PLIES, envs=2, rings=3)


def test_one_policy_at_both_seats_learns_from_both_in_one_update():
    policy = First()
    manager = MultiAgentPolicyManager([policy, policy])
    buffer = collect(manager, TWO_PLIES)
    assert manager.update(0, buffer) == {"agent_1/rows": 4.0}


def test_transitions_of_a_mapped_manager_know_the_labels_of_those_at_the_table():
    manager = MultiAgentPolicyManager([First(), RandomPolicy(seed=0)], mapping=np.array([[0, 1], [1, 0]]))
    manager.labels = np.array([7, 9])
    buffer = collect(manager, TWO_PLIES, n_episode=2, envs=2, rings=4)
    stored = buffer[:]
    assert stored.info.policy_id.tolist() == [0, 0, 0, 0]
    assert stored.info.players.tolist() == [[7, 9], [7, 9], [9, 7], [9, 7]]
    assert stored.obs.agent_id.tolist() == [0, 0, 1, 1]


def test_returns_of_a_collection_are_vectors_over_the_agents():
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**TWO_PLIES))] * 3)
    stats = Collector(First(), env).collect(n_episode=5)
    assert stats.returns.tolist() == [[-0.5, 1.0]] * 5
    assert stats.lens.tolist() == [4] * 5
    np.testing.assert_allclose(stats.returns_stat.mean, [-0.5, 1.0])


def test_short_games_are_not_preferred():
    """Ten episodes over environments of two and of ten moves: five of each, however long they take."""
    short = dict(turns=["a", "b"], rewards={})
    long = dict(turns=["a", "b"] * 5, rewards={})
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**short)), lambda: PettingZooEnv(Scripted(**long))])
    stats = Collector(First(), env).collect(n_episode=10)
    assert sorted(stats.lens.tolist()) == [2] * 5 + [10] * 5


def test_steps_are_counted_and_open_transitions_wait_for_the_next_collection():
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**TWO_PLIES))])
    buffer = VectorReplayBuffer(100, 2)
    collector = Collector(First(), env, buffer)
    collector.collect(n_step=1)
    assert len(buffer) == 0, "nobody has been asked again"
    collector.collect(n_step=1)
    assert rows(buffer, 0).obs_next.obs.tolist() == [[2, 0]], "a is asked again"
    collector.collect(n_step=1)
    assert len(buffer) == 2
    collector.collect(n_step=1)
    assert len(buffer) == 4


@pytest.mark.parametrize("numbers", [{}, {"n_step": 1, "n_episode": 1}, {"n_step": 0}, {"n_episode": -1}])
def test_exactly_one_positive_number_is_asked_for(numbers):
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(**TWO_PLIES))])
    with pytest.raises(ValueError, match="give one of n_step"):
        Collector(First(), env).collect(**numbers)
