"""Trainings in folders: every algorithm on what it can learn, cut off and resumed."""

import json
import re

import gymnasium as gym
import numpy as np
import pytest
import torch

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.data import load_buffer
from arena.policy.checkpoint import load_policy
from arena.policy.registry import make_agent, make_game
from arena.training.collecting import collect_transitions
from arena.training.evaluation import episode_returns
from arena.training.league.config import RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.offline_run import make_offline_run
from arena.training.options import OfflineRunOptions
from arena.training.progress import TrainingRun
from arena.training.setup import torch_device
from arena.training.tasks import GymTask
from tests.collector.informed import Informed
from tests.training.league.small import left_behind
from tests.training.small import ALGORITHMS, GYM, OFFLINE, SELF_PLAY, CutError, gym_run, offline, self_play, tiny


def whole_and_in_pieces(make, folder) -> TrainingRun:
    """Train at once, and cut off after every snapshot; both must leave the same behind."""
    whole = make(folder / "whole")
    weights = {name: tensor.clone() for name, tensor in whole.policy.state_dict().items()}
    whole.train()
    assert whole.finished
    changed = [name for name, tensor in whole.policy.state_dict().items() if not torch.equal(tensor, weights[name])]
    assert changed, "it has learned something"

    pieces = make(folder / "pieces")
    while not pieces.finished:
        had = pieces.progress().snapshots

        def cut(progress, had=had):
            if progress.snapshots > had + 1:
                raise CutError

        try:
            pieces.train(cut)
        except CutError:
            pieces = make(folder / "pieces", resume=True)
    assert left_behind(folder / "pieces") == left_behind(folder / "whole")
    return whole


@pytest.mark.full
@pytest.mark.parametrize(("name", "env_id"), GYM)
def test_gymnasium(name, env_id, tmp_path):
    run = whole_and_in_pieces(lambda folder, **changed: gym_run(name, env_id, folder, **changed), tmp_path)
    task = GymTask(env_id)
    loaded = load_policy(name, ALGORITHMS[name], task, str(run.folder))
    assert not loaded.training
    assert episode_returns(task, loaded, 1, 0).mean() == run.evaluation["return"]


@pytest.mark.full
@pytest.mark.parametrize("name", SELF_PLAY)
def test_self_play(name, tmp_path):
    run = whole_and_in_pieces(lambda folder, **changed: self_play(name, folder, **changed), tmp_path)
    assert make_agent(f"{name}:{run.folder}", run.game).training is False


@pytest.mark.parametrize(("boards", "updates"), [(2, 4), (4, 4), (6, 6), (20, 2)])
def test_few_boards_are_played_on_until_there_is_something_to_learn(boards, updates, tmp_path):
    """An update in ten steps; after the first move of a game nobody knows yet what came of it."""
    run = self_play("dqn", tmp_path, boards=boards, steps=40, snapshots=1)
    run.train()
    assert run.learners[0].trainer.at.gradient_step == updates


@pytest.mark.full
@pytest.mark.parametrize(("name", "task"), OFFLINE)
def test_offline(name, task, tmp_path, transitions):
    whole_and_in_pieces(lambda folder, **changed: offline(name, task, folder, transitions, **changed), tmp_path)


@pytest.mark.full
def test_a_run_made_longer_ends_as_one_that_was_as_long_from_the_start(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    gym_run("dqn", "CartPole-v1", whole, steps=240, snapshots=6).train()
    gym_run("dqn", "CartPole-v1", parts, steps=120, snapshots=3).train()
    gym_run("dqn", "CartPole-v1", parts, steps=240, snapshots=6, resume=True).train()
    assert left_behind(parts) == left_behind(whole)


@pytest.mark.full
def test_a_finished_self_play_goes_on_if_it_is_made_longer(tmp_path):
    self_play("ppo", tmp_path / "run").train()
    longer = self_play("ppo", tmp_path / "run", steps=320, snapshots=5, resume=True)
    assert not longer.finished
    assert longer.train().name == "snapshot-0005"
    assert longer.progress().step >= 320


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"steps": 240}, "has snapshots=3 in steps=120; .*as steps=240 and snapshots=6"),
        ({"steps": 80, "snapshots": 2}, "steps=80 cannot change: .* has steps=120"),
        ({"steps": 240, "snapshots": 6, "seed": 9}, "seed=9 cannot change: .* has seed=0"),
    ],
)
def test_a_run_is_made_longer_in_proportion_and_in_nothing_else(changed, message, tmp_path):
    gym_run("dqn", "CartPole-v1", tmp_path / "run")
    before = left_behind(tmp_path / "run")
    with pytest.raises(UsageError, match=message):
        gym_run("dqn", "CartPole-v1", tmp_path / "run", resume=True, **changed)
    assert left_behind(tmp_path / "run") == before


def test_every_algorithm_was_trained():
    assert {name for name, _ in GYM + OFFLINE} | set(SELF_PLAY) == set(ALGORITHMS)


def test_auto_is_the_cpu_where_torch_finds_no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto") == torch.device("cpu")


def test_what_does_not_fit_is_refused(tmp_path, transitions):
    for attempt, message in (
        (lambda: gym_run("dqn", "Pendulum-v1", tmp_path / "a"), "dqn is for numbered actions; these are continuous"),
        (lambda: gym_run("sac", "CartPole-v1", tmp_path / "a"), "2 numbered ones: use discrete-sac"),
        (lambda: self_play("td3", tmp_path / "a"), "9 numbered ones: use a2c, "),
        (lambda: self_play("psrl", tmp_path / "a"), "numbered states"),
        (lambda: gym_run("alphazero", "CartPole-v1", tmp_path / "a"), "it plays games, not other environments"),
        (lambda: self_play("imitation", tmp_path / "a"), "'imitation' learns offline"),
        (lambda: gym_run("discrete-bcq", "CartPole-v1", tmp_path / "a"), "'discrete-bcq' learns offline"),
        (lambda: offline("dqn", "tic_tac_toe", tmp_path / "a", transitions), "'dqn' learns off-policy"),
        (lambda: offline("imitation", "connect_four", tmp_path / "a", transitions), "connect_four.hdf5 is not a file"),
        (lambda: gym_run("dqn", "CartPole-v1", tmp_path / "a", device="cuda:99"), "device 'cuda:99' cannot be used"),
        (lambda: gym_run("a2c", "CartPole-v1", tmp_path / "a", steps=100), "steps=100 are too few for snapshots=3"),
        (lambda: gym_run("dqn", "CartPole-v1", tmp_path / "a", device="gpu"), "device 'gpu' cannot be used"),
        (lambda: GymTask("CartPoll-v1"), "gym:CartPoll-v1 cannot be made"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            attempt()
    assert not (tmp_path / "a").exists(), "nothing is begun"


def test_transitions_of_another_task_are_refused(tmp_path, transitions):
    options = OfflineRunOptions(out=tmp_path / "a", data=transitions / "gym:Pendulum-v1.hdf5")
    with pytest.raises(UsageError, match=r"observations of shape \(3,\); the task has \(3, 3, 2\)"):
        make_offline_run(make_game("tic_tac_toe"), "imitation", None, options)


def test_collected_games_are_whole_and_the_same_again():
    game = make_game("connect_four")
    first, returns = collect_transitions(game, "one-ply", 500, 0.5, 5, seed=3)
    again, _ = collect_transitions(game, "one-ply", 500, 0.5, 5, seed=3)
    other, _ = collect_transitions(game, "one-ply", 500, 0.5, 5, seed=4)
    assert (first.act == again.act).all()
    assert (first.act != other.act).any()
    assert first.buffer_num == 10
    assert 500 <= len(first) < 500 + first.buffer_num
    assert len(returns) == first.terminated.sum() / 2
    rows = first[:]
    assert rows.obs.mask[np.arange(len(rows)), rows.act].all()
    assert abs(rows.rew[rows.terminated].sum()) < 1e-9, "what one seat wins the other loses"


def test_the_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["collect", "tic_tac_toe", "alphabeta:2", "--out", "t.hdf5", "--steps", "200", "--random", "0.5"]) == 0
    assert re.match(r"t\.hdf5: 2\d\d transitions, \d+ episodes? finished\n", capsys.readouterr().out)
    assert 200 <= len(load_buffer("t.hdf5")) < 220
    short = ["--steps", "40", "--snapshots", "2", "--threads", "1", "--hidden", "8"]
    assert main(["train", "tic_tac_toe", "discrete-cql", "--data", "t.hdf5", *short, "--evaluation", "random"]) == 0
    assert "arena play tic_tac_toe discrete-cql:runs/tic_tac_toe-discrete-cql" in capsys.readouterr().out
    short = ["--steps", "100", *short[2:]]
    assert main(["train", "gym:CartPole-v1", "a2c", *short, "--moves", "5", "--test-episodes", "2"]) == 0
    assert "a2c:runs/gym-CartPole-v1-a2c is trained (100 steps): return" in capsys.readouterr().out
    described = json.loads((tmp_path / "runs/gym-CartPole-v1-a2c/run.json").read_text())
    assert described["game"] == "gym:CartPole-v1"
    assert main(["collect", "gym:CartPole-v1", "a2c:runs/gym-CartPole-v1-a2c", "--out", "c.hdf5", "--steps", "50"]) == 0
    assert "c.hdf5: 50 transitions, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("steps", "snapshots", "written"), [(250, None, 6), (30, None, 1), (4000, None, 20), (250, 3, 3)]
)
def test_by_default_as_many_snapshots_are_written_as_fit(tmp_path, steps, snapshots, written):
    options = RunConfig(out=tmp_path / "a", steps=steps, snapshots=snapshots, boards=4, moves=10, threads=1)
    run = SelfPlayTraining(make_game("tic_tac_toe"), "a2c", tiny(ALGORITHMS["a2c"]), options)
    assert run.setup.options.snapshots == written
    assert json.loads((tmp_path / "a" / "run.json").read_text())["run"]["snapshots"] == written


@pytest.mark.full
def test_infos_of_texts_and_objects_are_no_obstacle_to_a_resume(tmp_path):
    gym.register("Informed-v0", Informed)
    try:
        run = whole_and_in_pieces(lambda folder, **changed: gym_run("dqn", "Informed-v0", folder, **changed), tmp_path)
        assert set(run.experience.collector.buffer.info.keys()) >= {"at", "name", "action_mask"}
        buffer, _ = collect_transitions(GymTask("Informed-v0"), "random", 20, 0.0, 2, 0)
        buffer.save_hdf5(tmp_path / "collected.hdf5")
        assert set(buffer.info.keys()) == {"at", "action_mask", "cost", "episode"}
    finally:
        gym.registry.pop("Informed-v0")
