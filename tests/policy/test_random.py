"""`RandomPolicy`: the arguments of Tianshou's manual, spaces where there is no mask; policies as functions."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from arena.base.errors import UsageError
from arena.data import Batch
from arena.env import GameVectorEnv
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from arena.policy.registry import make_agent, make_game
from tests.agents.given import positions


def test_the_manuals_arguments():
    seen, actions = Box(-1, 1, (3,)), Discrete(4)
    policy = RandomPolicy(seen, actions, False, "", seed=1)
    assert (policy.observation_space, policy.action_space) == (seen, actions)
    drawn = policy(Batch(obs=np.zeros((4000, 3)))).act
    np.testing.assert_allclose(np.bincount(drawn), 1000, atol=120)


def test_a_mask_counts_before_the_action_space():
    policy = RandomPolicy(action_space=Discrete(3), seed=1)
    assert set(policy(Batch(obs=positions(np.zeros((50, 3)), [[True, False, True]] * 50))).act) == {0, 2}


def test_rows_of_numbers_are_drawn_within_their_bounds():
    low, high = np.array([-1.0, 5.0], np.float32), np.array([1.0, 6.0], np.float32)
    drawn = RandomPolicy(action_space=Box(low, high), seed=1)(Batch(obs=np.zeros((1000, 3)))).act
    np.testing.assert_allclose(drawn.min(axis=0), low, atol=0.02)
    np.testing.assert_allclose(drawn.max(axis=0), high, atol=0.02)


@pytest.mark.parametrize("space", [None, Box(-np.inf, np.inf, (2,)), Discrete(3, start=1)])
def test_it_says_what_it_needs(space):
    with pytest.raises(UsageError, match=r"RandomPolicy needs batch.obs.mask.*or an action_space"):
        RandomPolicy(action_space=space)(Batch(obs=np.zeros((1, 3))))


def test_a_seed_is_told_by_its_name():
    with pytest.raises(UsageError, match=r"RandomPolicy\(seed=3\)"):
        RandomPolicy(3)


def test_policies_without_torch_are_called_as_those_with_it():
    game = make_game("tic_tac_toe")
    env = GameVectorEnv(game, 1)
    obs, _ = env.reset()
    obs.state = env.positions(np.zeros(1, int))
    for spec in ("random", "one-ply", "alphabeta:1"):
        assert make_agent(spec, game)(Batch(obs=obs)).act.shape == (1,)


def test_a_manager_gives_what_each_agent_answered():
    """The manual: `act` of all rows, and under `out` and `state` what belongs to each agent."""
    manager = MultiAgentPolicyManager([RandomPolicy(seed=0) for _ in range(3)])
    obs = positions(np.zeros((5, 4)))
    obs.agent_id = np.array([0, 1, 1, 0, 1])
    result = manager(Batch(obs=obs))
    assert list(result.out.keys()) == ["agent_1", "agent_2", "agent_3"]
    np.testing.assert_array_equal(result.act[[0, 3]], result.out.agent_1.act)
    np.testing.assert_array_equal(result.act[[1, 2, 4]], result.out.agent_2.act)
    assert result.out.agent_2.probs.shape == (3, 4)
    assert result.out.agent_3.is_empty()
    assert isinstance(result.state, Batch)
