"""Gymnasium environments as tasks: spaces of any kind, and episodes without a limit."""

import json

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Sequence

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.collector.plain_spaces import with_plain_spaces
from arena.policy.registry import make_game
from arena.training import tasks
from arena.training.tasks import GymTask

SHORT = ["--steps", "100", "--snapshots", "1", "--hidden", "8", "--test-episodes", "2"]


class Echo(gym.Env):
    """Shows entries of its spaces, remembers what was done, and never ends."""

    def __init__(self, observation_space, action_space):
        self.observation_space, self.action_space = observation_space, action_space
        self.done = []

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(0)
        return self.observation_space.sample(), {}

    def step(self, action):
        self.done.append(action)
        return self.observation_space.sample(), 0.0, False, False, {}


@pytest.fixture
def endless():
    gym.register("ArenaEndless-v0", lambda: Echo(Box(0, 1, (2,)), Discrete(2)))
    yield "gym:ArenaEndless-v0"
    del gym.registry["ArenaEndless-v0"]


def test_what_has_parts_is_flattened():
    seen = Dict({"card": Discrete(3), "grid": Box(0, 1, (2, 2))})
    env = with_plain_spaces(Echo(seen, Discrete(2)))
    assert env.observation_space == Box(0, 1, (7,), np.float32)
    observation, _ = env.reset()
    assert env.observation_space.contains(observation)
    again, _ = env.unwrapped.reset()
    assert observation.tolist() == [*np.eye(3)[again["card"]], *again["grid"].reshape(-1)]


@pytest.mark.parametrize(
    ("space", "actions"),
    [
        (MultiDiscrete([2, 3]), [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]),
        (MultiBinary(2), [[0, 0], [0, 1], [1, 0], [1, 1]]),
        (Discrete(3, start=-1), [-1, 0, 1]),
    ],
)
def test_choices_are_numbered(space, actions):
    env = with_plain_spaces(Echo(Discrete(2), space))
    assert env.action_space == Discrete(len(actions))
    for number in range(len(actions)):
        env.step(np.int64(number))
    assert np.array(env.unwrapped.done).tolist() == actions
    assert all(space.contains(action) for action in env.unwrapped.done)


def test_plain_spaces_stay_as_they_are():
    for seen, action in (
        (Box(0, 1, (2, 2)), Box(-1, 1, (2,))),
        (Discrete(4), Discrete(2)),
        (MultiBinary(3), Discrete(2)),
    ):
        env = Echo(seen, action)
        assert with_plain_spaces(env) is env


def test_what_has_no_fixed_size_is_refused():
    with pytest.raises(UsageError, match=r"observations of Dict\('seen': Sequence.*\) have no fixed number of entries"):
        with_plain_spaces(Echo(Dict({"seen": Sequence(Discrete(2))}), Discrete(2)))


def test_an_episode_without_a_limit_is_cut_off(endless, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(tasks, "MOST_STEPS", 5)
    task = GymTask(endless.removeprefix("gym:"))
    assert not task.limits_episodes
    env = task.make()
    env.reset()
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]
    assert GymTask("CartPole-v1").limits_episodes
    assert GymTask("ArenaEndless-v0", {"max_episode_steps": 3}).limits_episodes
    short = ["--steps", "40", "--snapshots", "1", "--hidden", "8", "--test-episodes", "2", "--out", str(tmp_path / "a")]
    assert main(["train", endless, "dqn", *short]) == 0
    expected = (
        f"{endless} sets no limit to an episode, which is cut off after 5 steps; max_episode_steps=N, after a comma"
    )
    assert capsys.readouterr().err.startswith(expected)


class Broken(Echo):
    """Fails in its third step."""

    def __init__(self):
        super().__init__(Box(0, 1, (2,)), Discrete(2))

    def step(self, action):
        if len(self.done) == 2:
            raise ZeroDivisionError("no [red]more[/red]")
        return super().step(action)


def test_what_fails_in_an_environment_is_its_own(tmp_path, capsys):
    gym.register("ArenaBroken-v0", Broken, max_episode_steps=9)
    try:
        assert main(["train", "gym:ArenaBroken-v0", "dqn", "--out", str(tmp_path / "a"), *SHORT]) == 2
    finally:
        del gym.registry["ArenaBroken-v0"]
    error = capsys.readouterr().err
    assert error.count("gym:ArenaBroken-v0 failed in a step: ZeroDivisionError: no [red]more[/red]\n") == 1
    assert "raise ZeroDivisionError" in error, "the author sees where"
    assert "besides" not in error


def test_an_environment_of_one_agent_is_no_game():
    with pytest.raises(UsageError, match=r"^gym:CartPole-v1 is an environment of one agent, and no game: train, sweep"):
        make_game("gym:CartPole-v1")


def test_what_gymnasium_knows_is_listed_in_its_newest_versions(capsys):
    assert main(["games", "gym:"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "gym:CartPole-v1  gymnasium.envs.classic_control.cartpole" in lines
    assert "CartPole-v0" in gym.registry
    assert not [line for line in lines if line.startswith("gym:CartPole-v0")]
    assert main(["games", "gym:", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(lines)


def test_environments_of_gymnasium_whose_observations_are_tuples(tmp_path):
    short = [
        "--steps",
        "100",
        "--snapshots",
        "1",
        "--hidden",
        "8",
        "--test-episodes",
        "2",
        "--out",
        str(tmp_path / "a"),
    ]
    assert main(["train", "gym:Blackjack-v1", "ppo", *short, "--moves", "5"]) == 0
