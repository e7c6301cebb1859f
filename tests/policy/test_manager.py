"""`MultiAgentPolicyManager`: who is asked for which rows, who sits where, and what reaches every policy."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import DummyVectorEnv, GameVectorEnv, PettingZooEnv
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.random import RandomPolicy
from tests.collector.games import Scripted
from tests.match.players import Counter, Lowest
from tests.policy.policies import Diary, LearnerInTraining, Recurrent


def batch_of(seats: list[int], **others) -> Batch:
    n = len(seats)
    obs = Batch(agent_id=np.array(seats), obs=np.arange(n)[:, None], mask=np.ones((n, 3), bool))
    return Batch(obs=obs, info=Batch(), **others)


def test_the_six_rows_of_the_docstring():
    first, second = Diary(act=1), Diary(act=2)
    result = MultiAgentPolicyManager([first, second])(batch_of([0, 1, 1, 0, 0, 1]))
    assert [one.obs.obs[:, 0].tolist() for one in first.seen] == [[0, 3, 4]]
    assert [one.obs.obs[:, 0].tolist() for one in second.seen] == [[1, 2, 5]]
    assert result.act.tolist() == result.policy.by.tolist() == [1, 2, 2, 1, 1, 2]
    assert result.policy_id.tolist() == [0, 1, 1, 0, 0, 1]


def test_a_policy_at_several_seats_is_asked_once():
    shared, other = Diary(act=1), Diary(act=2)
    manager = MultiAgentPolicyManager([shared, other, shared])
    result = manager(batch_of([2, 1, 0, 2]))
    assert [one.obs.agent_id.tolist() for one in shared.seen] == [[2, 0, 2]]
    assert result.act.tolist() == [1, 2, 1, 1]
    assert result.policy_id.tolist() == [2, 1, 0, 2]


def test_a_seat_that_is_not_to_move_is_not_asked():
    first, second = Diary(), Diary()
    MultiAgentPolicyManager([first, second])(batch_of([1, 1]))
    assert (len(first.seen), len(second.seen)) == (0, 1)


def test_an_array_says_who_sits_where():
    policies = [Diary(act=i) for i in range(3)]
    manager = MultiAgentPolicyManager(policies, mapping=np.array([[0, 1], [2, 0]]))
    manager.seat(np.arange(2), 2, 2)
    result = manager(batch_of([0, 1, 0, 1], env_id=np.array([0, 0, 1, 1])))
    assert result.policy_id.tolist() == result.act.tolist() == [0, 1, 2, 0]
    assert manager.seated(np.array([1])).tolist() == [[2, 0]]
    assert manager.playing() == {0, 1, 2}
    with pytest.raises(UsageError, match="a batch needs env_id"):
        manager(batch_of([0, 1]))


def test_a_function_is_asked_whenever_games_begin():
    asked = []

    def alternate(env_ids):
        asked.append(env_ids.tolist())
        return np.array([[0, 1], [1, 0]])[[len(asked) % 2] * len(env_ids)]

    manager = MultiAgentPolicyManager([LearnerInTraining(), RandomPolicy(seed=0)], mapping=alternate)
    env = DummyVectorEnv([lambda: PettingZooEnv(Scripted(["a", "b", "a"], {}))] * 2)
    buffer = VectorReplayBuffer(80, 4)
    stats = Collector(manager, env, buffer).collect(n_episode=4)
    assert asked == [[0, 1], [0, 1], [0, 1]]
    assert stats.players.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    stored = buffer[:]
    assert stored.info.policy_id.tolist() == [0] * 6, "only the learner's rows are kept, wherever it sits"
    assert sorted(stored.obs.agent_id.tolist()) == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (np.array([[0, 1]]), r"of shape \(1, 2\), not whole numbers of \(2, 2\)"),
        (np.array([[0], [1]]), r"of shape \(2, 1\)"),
        (np.array([[0, 2], [0, 1]]), "names policies that are not among 0 to 1"),
        (np.array([[0, -1], [0, 1]]), "names policies that are not among 0 to 1"),
        (np.array([[0.0, 1.0], [0.0, 1.0]]), "gives float64"),
        (lambda env_ids: np.zeros((1, 2), int), r"of shape \(1, 2\), not whole numbers of \(2, 2\)"),
        (lambda env_ids: np.full((2, 2), 5), "names policies that are not among 0 to 1"),
    ],
)
def test_mappings_that_mean_nothing(mapping, message):
    with pytest.raises(UsageError, match=message):
        Collector(MultiAgentPolicyManager([Diary(), Diary()], mapping=mapping), GameVectorEnv("tic_tac_toe", 2))


def test_one_policy_an_agent():
    env = GameVectorEnv("tic_tac_toe", 2)
    with pytest.raises(UsageError, match="2 agents need as many policies, not 1"):
        MultiAgentPolicyManager([Diary()], env)
    with pytest.raises(UsageError, match="2 agents need as many policies, not 3"):
        Collector(MultiAgentPolicyManager([Diary(), Diary(), Diary()]), env)
    with pytest.raises(UsageError, match=r"learners \[2\] are not among the policies 0 to 1"):
        MultiAgentPolicyManager([Diary(), Diary()], learners=[2])


def test_names():
    two = [Diary(), Diary()]
    assert MultiAgentPolicyManager(two, GameVectorEnv("tic_tac_toe", 1)).names == ("player_1", "player_2")
    assert MultiAgentPolicyManager(two).names == ("agent_1", "agent_2")
    assert MultiAgentPolicyManager(two, mapping=np.array([[0, 1]])).names == ("policy_0", "policy_1")


def test_policies_are_replaced_by_number_or_name():
    manager = MultiAgentPolicyManager([Diary(), RandomPolicy(seed=0)], GameVectorEnv("tic_tac_toe", 1))
    assert manager.is_learner.tolist() == [True, False]
    manager.replace_policy(Lowest(), 1)
    manager.replace_policy(Diary(act=2), "player_2")
    assert manager.is_learner.tolist() == [False, True]
    assert manager(batch_of([0, 1])).act.tolist() == [0, 2]
    assert [name for name, _ in manager.named_parameters()] == ["_modules_held.0.weight"]
    for unknown in (0, 3, -1, True, 1.0, "player_3"):
        with pytest.raises(
            UsageError, match=r"no agent .*; by number or name there are 1 \(player_1\), 2 \(player_2\)"
        ):
            manager.replace_policy(Lowest(), unknown)


def test_policies_of_a_mapping_have_its_numbers():
    manager = MultiAgentPolicyManager([Diary(act=1), Diary(act=2)], mapping=np.array([[0, 1]]))
    newcomer = Lowest()
    manager.replace_policy(newcomer, 1)
    assert manager.policies[1] is newcomer
    manager.replace_policy(newcomer, "policy_0")
    assert manager.policies[0] is newcomer
    with pytest.raises(UsageError, match=r"no agent 2; by number or name there are 0 \(policy_0\), 1 \(policy_1\)"):
        manager.replace_policy(newcomer, 2)


def test_who_was_named_a_learner_stays_one():
    manager = MultiAgentPolicyManager([Diary(), Diary()], learners=[0])
    manager.replace_policy(Diary(), 2)
    assert manager.is_learner.tolist() == [True, False]


def test_modes_weights_and_devices_reach_every_policy():
    shared, other = Diary(), Diary()
    manager = MultiAgentPolicyManager([shared, RandomPolicy(seed=0), other, shared])
    assert len(list(manager.parameters())) == 2, "a shared policy is held once"
    manager.eval()
    assert not shared.training
    assert not other.training
    manager.train()
    assert other.training
    manager.to(torch.float64)
    assert other.weight.dtype == torch.float64
    manager.to("meta")
    assert (manager.device.type, shared.device.type) == ("meta", "meta")


def test_weights_are_saved_and_loaded_for_all():
    manager, other = (MultiAgentPolicyManager([Diary(), Diary()]) for _ in range(2))
    with torch.no_grad():
        manager.policies[1].weight += 3
    other.load_state_dict(manager.state_dict())
    assert other.policies[1].weight.tolist() == [3.0, 3.0]


def test_a_seed_gives_every_policy_a_stream_of_its_own():
    shared, other = Diary(), Diary()
    manager = MultiAgentPolicyManager([shared, RandomPolicy(seed=0), other, shared])
    manager.reset(5)
    manager.reset()
    manager.reset(5)
    assert shared.seeds == [shared.seeds[0], None, shared.seeds[0]]
    assert other.seeds == [other.seeds[0], None, other.seeds[0]]
    assert shared.seeds[0] != other.seeds[0]
    assert all(isinstance(seeds[0], int) for seeds in (shared.seeds, other.seeds))


def test_hidden_states_are_kept_for_each_policy():
    """Counters, which remember how often they moved, beside a policy that remembers nothing."""
    manager = MultiAgentPolicyManager([Counter(), Lowest(), Counter()])
    batch = batch_of([0, 1, 2, 0])
    once = manager(batch)
    assert once.act.tolist() == [0, 0, 0, 0]
    assert set(once.state.keys()) == {"agent_1", "agent_3"}
    assert once.state.agent_1.moves.tolist() == [1, 0, 0, 1]
    assert once.state.agent_3.moves.tolist() == [0, 0, 1, 0]
    again = manager(batch, once.state)
    assert again.act.tolist() == [1, 0, 1, 1]
    assert again.state.agent_3.moves.tolist() == [0, 0, 2, 0]


def test_recurrent_policies_remember_their_own_games_and_nothing_else():
    """Beside each net run by hand over the observations of its own seat, game by game."""
    nets = [Recurrent(1), Recurrent(2)]
    scripts = [["a", "b", "b", "a", "b"], ["b", "a", "a"]]
    env = DummyVectorEnv([lambda turns=turns: PettingZooEnv(Scripted(turns, {})) for turns in scripts])
    buffer = VectorReplayBuffer(200, 4)
    Collector(MultiAgentPolicyManager(nets), env, buffer).collect(n_episode=6)
    stored = buffer[:]
    for game in range(2):
        for seat, net in enumerate(nets):
            rows = np.flatnonzero(buffer.sample_indices(0) // 50 == 2 * game + seat)
            state = None
            for row in rows:
                answer = net(stored[row : row + 1], state)
                assert answer.act.item() == stored.act[row]
                assert torch.allclose(answer.policy.scores[0], torch.as_tensor(stored.policy.scores[row]))
                state = None if stored.done[row] else answer.state


def test_exploration_reaches_the_rows_of_those_that_explore():
    manager = MultiAgentPolicyManager([Diary(), Lowest(), Diary()])
    act = np.array([1, 2, 3, 4])
    assert manager.exploration_noise(act, batch_of([0, 1, 2, 1])).tolist() == [101, 2, 103, 4]


def test_it_asks_for_states_if_one_of_its_policies_does():
    class Searcher(Lowest):
        needs_state = True

    assert MultiAgentPolicyManager([Lowest(), Searcher()]).needs_state
    assert not MultiAgentPolicyManager([Lowest(), Lowest()]).needs_state


def test_it_needs_no_actions_space_of_its_own():
    manager = MultiAgentPolicyManager([Diary(action_space=Discrete(3)), RandomPolicy(seed=0)])
    act = np.array([1, 2])
    assert manager.map_action(act) is act


def test_who_is_frozen_keeps_its_state_but_for_tests():
    """A snapshot that plays its best goes on doing so in training, one that samples goes on after a test."""
    learner, best, sampling = Diary(), Diary().eval(), Diary()
    manager = MultiAgentPolicyManager([learner, best, sampling], learners=[0])

    def states():
        return [policy.training for policy in (manager, learner, best, sampling)]

    manager.train()
    assert states() == [True, True, False, True]
    for _ in range(2):
        assert manager.eval() is manager
        assert states() == [False] * 4
    manager.train()
    assert states() == [True, True, False, True]
    manager.eval()
    newcomer = Diary().eval()
    manager.replace_policy(newcomer, 3)
    manager.train()
    assert (newcomer.training, sampling.training) == (False, False)


def test_a_policy_that_learns_at_one_seat_and_is_frozen_at_another_learns():
    both = Diary()
    manager = MultiAgentPolicyManager([both, both], learners=[1]).eval()
    assert not both.training
    manager.train()
    assert both.training


def continuous(act: float, **options) -> Diary:
    policy = Diary(act=act, action_space=Box(np.array([0.0]), np.array([10.0]), dtype=np.float64))
    policy.action_scaling, policy.action_bound_method = options.get("scaling", False), options.get("bound", "")
    return policy


def test_actions_are_mapped_by_those_who_chose_them():
    manager = MultiAgentPolicyManager([continuous(0.5, scaling=True), continuous(2.0, bound="clip"), Lowest()])
    batch = batch_of([0, 1, 2, 1, 0])
    act = manager(batch).act
    assert act.tolist() == [0.5, 2.0, 0.0, 2.0, 0.5], "whole numbers of one do not cut the fractions of another"
    one = manager.map_action(act[:, None], batch)
    assert one.tolist() == [[7.5], [1.0], [0.0], [1.0], [7.5]]
    assert act.tolist() == [0.5, 2.0, 0.0, 2.0, 0.5], "what is stored is what they chose"
    back = manager.map_action_inverse(one, batch)
    assert back.tolist() == [[0.5], [1.0], [0.0], [1.0], [0.5]]
    with pytest.raises(UsageError, match=r"map_action\(act, batch\) of several policies needs the batch"):
        manager.map_action(act)
