"""`GymVectorEnv` over environments of several agents: one reward and one end a step, the others' in the infos."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from arena.base.errors import IllegalActionError, UsageError
from arena.env import DummyVectorEnv, GameVectorEnv, GymVectorEnv, PettingZooEnv
from games.engine.registry import make_game
from tests.collector.games import Scripted

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
WON = [0, 3, 1, 4, 2]  # the first player fills a line
LOST = [0, 3, 1, 4, 8, 5]  # the second does


def boards(num_envs: int = 2, **options) -> GymVectorEnv:
    return GymVectorEnv(GameVectorEnv("tic_tac_toe", num_envs), **options)


def test_what_it_says_of_itself():
    env = boards()
    assert env.single_observation_space == Dict(
        agent_id=Discrete(2), obs=Box(0, 1, (3, 3, 2), np.int8), mask=MultiBinary(9)
    )
    assert env.action_space.nvec.tolist() == [9, 9]
    assert env.render_mode in env.metadata["render_modes"]
    assert env.get_attr("name") == ("tic_tac_toe",) * 2
    assert repr(env) == "GymVectorEnv(num_envs=2)"
    with pytest.raises(UsageError, match="games of a batch have no attributes to set: 'name'"):
        env.set_attr("name", "chess")
    with pytest.raises(UsageError, match="a batch of games is reset without options"):
        env.reset(options={"size": 4})


def test_the_reward_is_that_of_the_seat_that_has_acted():
    env = boards(1, autoreset_mode=DISABLED)
    obs, infos = env.reset(seed=0)
    assert (infos, obs["agent_id"].tolist()) == ({}, [0])
    rewards = []
    for turn, action in enumerate(LOST):
        obs, reward, terminated, truncated, infos = env.step([action])
        rewards += reward.tolist()
        assert infos["seat"].tolist() == [turn % 2]
        assert obs["mask"].dtype == np.int8
        assert not obs["mask"][0, LOST[: turn + 1]].any() or terminated[0]
    assert rewards == [0, 0, 0, 0, 0, 1]
    assert infos["rewards"].tolist() == [[-1, 1]]
    assert (terminated.tolist(), truncated.tolist()) == ([True], [False])
    assert obs["mask"].all()


def played(mode) -> tuple[GymVectorEnv, list]:
    """One board won after five moves beside one lost after six, and a step more."""
    env = boards(autoreset_mode=mode)
    env.reset()
    return env, [env.step([WON[min(step, 4)], LOST[step]]) for step in range(5)]


def test_the_next_step_begins_the_next_game():
    env, told = played(NEXT_STEP)
    assert told[-1][2].tolist() == [True, False]
    obs, reward, terminated, _, infos = env.step([0, LOST[5]])  # a move that the finished game would refuse
    assert (reward.tolist(), terminated.tolist()) == ([0, 1], [False, True])
    assert obs["obs"][0].sum() == 0
    assert infos["_rewards"].tolist() == [False, True]
    obs, reward, terminated, _, infos = env.step([4, 4])
    assert obs["obs"].sum(axis=(1, 2, 3)).tolist() == [1, 0]
    assert infos["_seat"].tolist() == [True, False]


def test_the_same_step_begins_the_next_game():
    env, told = played(SAME_STEP)
    obs, reward, terminated, _, infos = told[-1]
    assert (reward.tolist(), terminated.tolist()) == ([1, 0], [True, False])
    assert obs["obs"].sum(axis=(1, 2, 3)).tolist() == [0, 5]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [True, False]
    final = infos["final_obs"][0]
    assert env.single_observation_space.contains(final)
    assert (final["obs"].sum(), infos["final_obs"][1]) == (5, None)
    assert infos["final_info"]["rewards"].tolist() == [[1, -1], [0, 0]]
    assert infos["_rewards"].tolist() == [False, True]
    assert env.step([0, LOST[5]])[1].tolist() == [0, 1]


def test_a_mask_begins_the_next_game():
    env, told = played(DISABLED)
    obs, _ = env.reset(options={"reset_mask": told[-1][2]})
    assert obs["obs"].sum(axis=(1, 2, 3)).tolist() == [0, 5]
    assert env.step([0, LOST[5]])[2].tolist() == [False, True]
    with pytest.raises(UsageError, match="environment 1: the game is over"):
        env.step([1, 1])


@pytest.mark.parametrize("mode", AutoresetMode)
def test_episode_statistics(mode):
    env = RecordEpisodeStatistics(boards(3, autoreset_mode=mode))
    obs, _ = env.reset(seed=0)
    env.action_space.seed(0)
    wins = 0
    for _ in range(40):
        obs, reward, terminated, _, infos = env.step(env.action_space.sample(mask=tuple(obs["mask"])))
        wins += int(reward.sum())
        assert ("episode" in infos) == terminated.any()
        if mode is DISABLED and terminated.any():
            obs, _ = env.reset(options={"reset_mask": terminated})
    assert env.episode_count >= 9
    assert 5 <= min(env.length_queue) <= max(env.length_queue) <= 9
    assert sum(env.return_queue) == wins > 0


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_batch_is_what_its_games_are_one_by_one(mode):
    """Native games in one call give what PettingZoo's view of each gives."""
    from games.engine.pettingzoo import GameAECEnv

    each = DummyVectorEnv([lambda: PettingZooEnv(GameAECEnv(make_game("tic_tac_toe")))] * 3)
    native, adapted = boards(3, autoreset_mode=mode), GymVectorEnv(each, autoreset_mode=mode)
    native.action_space.seed(3)
    obs, _ = native.reset()
    assert {key: value.tolist() for key, value in adapted.reset()[0].items()} == {k: v.tolist() for k, v in obs.items()}
    for _ in range(30):
        actions = native.action_space.sample(mask=tuple(obs["mask"]))
        told, expected = native.step(actions), adapted.step(actions)
        for ours, theirs in zip(told[1:4], expected[1:4], strict=True):
            assert ours.tolist() == theirs.tolist()
        assert told[-1].keys() == expected[-1].keys()
        obs, over = told[0], told[2]
        live = ~over  # who is named once a game is over is each one's own affair
        assert obs["agent_id"][live].tolist() == expected[0]["agent_id"][live].tolist()
        assert obs["obs"][live].tolist() == expected[0]["obs"][live].tolist()
        assert obs["mask"].tolist() == expected[0]["mask"].tolist()
        if mode is DISABLED and over.any():
            obs, _ = native.reset(options={"reset_mask": over})
            adapted.reset(options={"reset_mask": over})


def test_an_episode_ends_with_its_last_agent():
    script = {"turns": ["a", "b", "a", "a"], "rewards": {1: {"a": 2.0}}, "deaths": {2: ["b"]}}
    env = GymVectorEnv(DummyVectorEnv([lambda: PettingZooEnv(Scripted(**script))]), autoreset_mode=DISABLED)
    env.reset()
    ends = []
    for move in range(4):
        _, reward, terminated, truncated, infos = env.step([move])
        ends.append((terminated | truncated).item())
        assert reward[0] == infos["rewards"][0, infos["seat"][0]]
    assert ends == [False, False, False, True]


def test_an_illegal_action_changes_nothing():
    env = boards(autoreset_mode=DISABLED)
    env.reset()
    env.step([0, 0])
    with pytest.raises(IllegalActionError, match="environment 1: action 0 is illegal"):
        env.step([1, 0])
    with pytest.raises(ValueError, match="step takes 2 actions, one per environment, not 3"):
        env.step([1, 2, 3])
    assert env.step([1, 1])[0]["obs"].sum(axis=(1, 2, 3)).tolist() == [2, 2]


@pytest.mark.parametrize("game", ["kuhn_poker", "texas_holdem", "backgammon", "hanabi", "goofspiel", "pig"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_seed_decides_what_chance_does(game, mode):
    """From a reset on, in every game that follows in the same place; whole seeds count up over the games."""

    def deals(seed) -> list:
        env = GymVectorEnv(GameVectorEnv(game, 3), autoreset_mode=mode)
        env.reset()
        told = [env.reset(seed=seed)[0]]
        rng = np.random.default_rng(0)
        for _ in range(40):
            masks = told[-1]["mask"].astype(bool)
            obs, _, terminated, truncated, _ = env.step([rng.choice(np.flatnonzero(mask)) for mask in masks])
            if mode is DISABLED and (over := terminated | truncated).any():
                obs, _ = env.reset(options={"reset_mask": over})
            told.append(obs)
        return [[seen[key].tolist() for key in ("agent_id", "obs", "mask")] for seen in told]

    assert deals(4) == deals(4) == deals([4, 5, 6])
    assert any(deals(4) != deals(seed) for seed in (5, 6, 7))


def test_seeds_may_be_for_some_of_the_games():
    env = GymVectorEnv(GameVectorEnv("kuhn_poker", 3), autoreset_mode=DISABLED)
    first = env.reset(seed=[7, None, 9])[0]["obs"]
    for _ in range(20):
        again = env.reset(seed=[7, None, 9])[0]["obs"]
        assert np.array_equal(again[[0, 2]], first[[0, 2]])
    mask = np.array([True, False, False])
    for _ in range(20):
        assert np.array_equal(env.reset(seed=7, options={"reset_mask": mask})[0]["obs"][0], first[0])


@pytest.mark.parametrize("seed", [1.5, "1", True, [1.5, 2], object(), [[1, 2]]])
def test_a_seed_is_a_whole_number(seed):
    for env in (GameVectorEnv("kuhn_poker", 2), GymVectorEnv(GameVectorEnv("kuhn_poker", 2))):
        with pytest.raises(UsageError, match="is neither a whole number nor a list of them, one per environment"):
            env.reset(seed=seed)


@pytest.mark.parametrize("actions", [True, 3, 1.5, np.int64(4), None])
def test_a_step_takes_an_action_an_environment(actions):
    for env in (boards(), GymVectorEnv(DummyVectorEnv([lambda: PettingZooEnv(Scripted(["a", "b"], {}))] * 2))):
        env.reset()
        with pytest.raises(UsageError, match="step takes 2 actions, one per environment, not "):
            env.step(actions)
