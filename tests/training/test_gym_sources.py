"""Gymnasium environments of modules and of files of the user's own, and options of any."""

import json
import os
import shlex
import sys
from contextlib import closing
from pathlib import Path

import gymnasium as gym
import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.cli.resuming import resume_command
from arena.env import ProcessOptions, SubprocVectorEnv
from arena.training.gym_names import short_task, stored_task
from arena.training.task_names import make_gym_task, task_name
from arena.training.tasks import GymTask
from games.engine.trust import VARIABLE, trust, trust_named

KIND = '''
import gymnasium as gym
import numpy as np


class {name}(gym.Env):
    """From 0 to `length`, a step to the left or to the right at a time."""

    def __init__(self, length=3):
        self.observation_space = gym.spaces.Box(-100, 100, (1,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.length = length

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return np.float32([0]), {{}}

    def step(self, action):
        self.place += 1 if action else -1
        there = self.place >= self.length
        return np.float32([self.place]), float(there), there, False, {{}}
'''
WALK = KIND.format(name="Walk")
REGISTERED = f'{WALK}\n\ngym.register("OwnWalk-v0", Walk, max_episode_steps=7)\n'


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The current folder, with `walk.py` in it, which nobody trusts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = dict(gym.registry)
    (tmp_path / "walk.py").write_text(f"# {tmp_path}\n{REGISTERED}")  # imported anew: others' registrations are gone
    yield tmp_path
    gym.registry.clear()
    gym.registry.update(before)
    sys.modules.pop("walk", None)


def steps_to_the_right(env) -> int:
    env.reset(seed=0)
    for number in range(1, 100):
        if any(env.step(1)[2:4]):
            return number
    return 0


def test_a_file_is_an_environment(place):
    trust("walk.py")
    task = GymTask("./walk.py")
    assert task.name == stored_task("gym:./walk.py") != "gym:./walk.py"
    assert GymTask(task.name.removeprefix("gym:")).name == task.name
    env = task.make()
    assert env.spec.max_episode_steps == 7
    assert steps_to_the_right(env) == 3
    assert GymTask("./walk.py:OwnWalk-v0").name.endswith(":OwnWalk-v0")


def test_a_class_without_an_id_is_an_environment(place):
    (place / "walk.py").write_text(WALK)
    trust("walk.py")
    for name in ("./walk.py", "./walk.py:Walk"):
        assert steps_to_the_right(GymTask(name).make()) == 3


def test_an_id_whose_class_is_named_by_a_text_imports_the_file_once(place):
    (place / "walk.py").write_text(f'{WALK}\n\ngym.register("OwnText-v0", "walk:Walk", max_episode_steps=2)\n')
    trust("walk.py")
    assert GymTask("./walk.py").make().spec.max_episode_steps == 2
    assert "walk" not in sys.modules


def test_options_are_arguments_of_the_environment(place):
    trust("walk.py")
    task = make_gym_task("gym:./walk.py,length=5")
    assert task.options == {"length": 5}
    assert steps_to_the_right(task.make()) == 5
    lake = make_gym_task("gym:FrozenLake-v1,is_slippery=False,map_name=8x8")
    assert lake.spaces.observation.n == 64
    with pytest.raises(UsageError, match=r"^gym:CartPole-v1 cannot be made: TypeError: .*argument 'lenth'"):
        make_gym_task("gym:CartPole-v1,lenth=3")


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        (
            REGISTERED,
            "./walk.py:Wolk",
            "no environment 'Wolk': name one of OwnWalk-v0, as in gym:./walk.py:Own",
        ),
        (
            WALK + KIND.format(name="Run"),
            "./walk.py",
            "2 environments: name one of Walk, Run, as in gym:./walk.py:Run",
        ),
        ("x = 1\n", "./walk.py", r"no environment of Gymnasium: it registers none, and defines no subclass of gymnas"),
        ("raise ValueError(1)\n", "./walk.py", r"cannot be imported: ValueError: 1"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(text, name, line, place):
    (place / "walk.py").write_text(f"# {place}\n{text}")
    trust("walk.py")
    with pytest.raises(UsageError, match=line):
        GymTask(name)


def test_an_edited_file_is_another_environment(place):
    trust("walk.py")
    name = GymTask("./walk.py").name
    (place / "walk.py").write_text(REGISTERED + "\n")
    with pytest.raises(UsageError, match=r"\./walk\.py has changed"):
        GymTask(name.removeprefix("gym:"))


@pytest.mark.parametrize("name", ["./walk.py", "walk:OwnWalk-v0", "antigravity:Anything-v0"])
def test_nothing_is_imported_because_a_file_names_it(name, place):
    with pytest.raises(UsageError, match=r"is not (run|imported) because a file names it"):
        GymTask(name)
    assert not sys.modules.keys() & {"walk", "antigravity"}


def test_what_a_command_line_names_is_trusted(place):
    trust_named(["gym:./walk.py:OwnWalk-v0", "gym:./walk.py,length=2", "gym:my.envs:Walk-v0", "gym:CartPole-v1"])
    assert os.environ[VARIABLE].split(",") == [str(place / "walk.py"), "my.envs"]


def test_a_module_of_this_folder_is_named_as_a_file(place):
    trust("walk")
    with pytest.raises(UsageError, match=r"^walk\.py lies here and is not installed: name it gym:\./walk\.py, or set"):
        GymTask("walk:OwnWalk-v0")


def test_names_of_folders():
    assert short_task("gym:./sub/walk.py@1a2b3c4d") == "gym:walk"
    assert short_task("gym:CartPole-v1") == "gym:CartPole-v1"
    assert task_name("gym:./walk.py,length=5") == "gym:./walk.py"


def test_other_processes_make_it(place):
    trust("walk.py")
    task = make_gym_task("gym:./walk.py,length=2")
    with closing(SubprocVectorEnv([task.make] * 2, processes=ProcessOptions(context="spawn"))) as envs:
        envs.reset(seed=0)
        envs.step([1, 1])
        assert envs.step([1, 1])[2].tolist() == [True, True]


def test_a_file_is_trained_for_and_resumed(place, capsys):
    short = ["--steps", "200", "--snapshots", "2", "--hidden", "8", "--test-episodes", "1", "--threads", "1"]
    assert main(["train", "gym:./walk.py,length=2", "dqn", *short]) == 0
    assert "dqn:runs/gym-walk-dqn is trained" in capsys.readouterr().out
    assert main(["train", "gym:./walk.py,length=2", "dqn", "--resume", "--steps", "400"]) == 0
    stored = json.loads((place / "runs" / "gym-walk-dqn" / "run.json").read_text())
    assert (stored["game"], stored["options"]) == (stored_task("gym:./walk.py"), {"length": 2})
    assert main(["collect", "gym:./walk.py,length=2", "dqn:runs/gym-walk-dqn", "--steps", "20", "--out", "x.npz"]) == 0


def test_an_agent_plays_in_the_environment_after_an_edit(place, capsys):
    short = ["--steps", "200", "--snapshots", "1", "--hidden", "8", "--test-episodes", "1"]
    assert main(["train", "gym:./walk.py", "dqn", *short]) == 0
    (place / "walk.py").write_text((place / "walk.py").read_text() + "\n")
    collecting = ["collect", "gym:./walk.py", "dqn:runs/gym-walk-dqn", "--steps", "20", "--out", "x.npz"]
    assert main(collecting) == 0
    capsys.readouterr()
    assert main(["train", "gym:./walk.py", "dqn", "--resume", "--steps", "400"]) == 2
    assert "trains for gym:./walk.py@" in capsys.readouterr().err


def test_what_resumes_a_run_names_a_file_again(place, monkeypatch, capsys):
    assert resume_command("train", Path("q"), "gym:CartPole-v1", "dqn") == "arena train q --resume"
    assert resume_command("train", Path("q"), "pettingzoo:mpe2.simple_v3", "dqn") == "arena train q --resume"
    command = resume_command("train", Path("q"), "gym:./walk.py,length=2", "dqn")
    assert command == "arena train gym:./walk.py,length=2 dqn --out q --resume"
    short = ["--steps", "100", "--snapshots", "1", "--hidden", "8", "--test-episodes", "1"]
    assert main(["train", "gym:./walk.py,length=2", "dqn", "--out", "q", *short]) == 0
    monkeypatch.setenv(VARIABLE, "")
    assert main(shlex.split(command)[1:]) == 0
    assert f"to train longer: {command} --steps 200" in capsys.readouterr().out


def test_the_best_of_a_sweep_is_trained_by_the_command_that_is_printed(place, monkeypatch, capsys):
    short = ["--steps", "100", "--snapshots", "1", "--hidden", "8", "--test-episodes", "1"]
    assert main(["sweep", "gym:./walk.py,length=2", "dqn", "--search", "batch_size=8|16", "--trials", "1", *short]) == 0
    [line] = [one for one in capsys.readouterr().out.splitlines() if one.startswith("train it longer: ")]
    monkeypatch.setenv(VARIABLE, "")
    assert main(shlex.split(line.partition(": arena ")[2])) == 0


def test_a_file_of_gymnasium_is_no_game(place, capsys):
    assert main(["train", "./walk.py", "dqn"]) == 2
    expected = "arena: ./walk.py defines no game: it has no 'game'; the environment of Gymnasium in it is gym:./walk.py"
    assert capsys.readouterr().err.splitlines()[0] == expected
