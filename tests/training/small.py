"""Trainings of a second, of every algorithm."""

import dataclasses
from typing import Any

from arena.policy.registration import Algorithm
from arena.policy.registry import AGENTS, agent_kind, make_game
from arena.training.gym_run import make_gym_run
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.offline_run import make_offline_run
from arena.training.options import GymRunOptions, OfflineRunOptions
from arena.training.run import PolicyRun
from arena.training.tasks import GymTask

TINY: dict[str, Any] = {
    "hidden": 8,
    "channels": 4,
    "batch_size": 16,
    "buffer_size": 400,
    "update_per_step": 0.1,
    "target_update_freq": 5,
    "optim_critic_iters": 2,
    "num_quantiles": 5,
    "num_fractions": 4,
    "num_atoms": 5,
    "simulations": 4,
    "play_simulations": 4,
}

ALGORITHMS: dict[str, Algorithm] = {
    name: kind.algorithm for name in AGENTS.names() if (kind := agent_kind(name)).algorithm is not None
}


def tiny(algorithm: Algorithm) -> Any:
    """Its config, with small networks and batches."""
    known = {field.name for field in dataclasses.fields(algorithm.config)}
    return algorithm.config(**{name: value for name, value in TINY.items() if name in known})


def those(data: tuple[str, ...], actions: str) -> list[str]:
    """The algorithms that learn from such data, for such actions."""
    return [name for name, one in ALGORITHMS.items() if one.data in data and actions in one.actions]


ONLINE = ("on-policy", "off-policy")
GYM = [(name, "FrozenLake-v1" if name == "psrl" else "CartPole-v1") for name in those(ONLINE, "discrete")]
GYM += [(name, "Pendulum-v1") for name in those(ONLINE, "continuous")]
SELF_PLAY = [name for name in those(ONLINE, "discrete") + those(ONLINE, "games") if name != "psrl"]
OFFLINE = [(name, "tic_tac_toe") for name in those(("offline",), "discrete")]
OFFLINE += [(name, "gym:Pendulum-v1") for name in those(("offline",), "continuous")]


def gym_run(name, env_id, folder, **changed) -> PolicyRun:
    options = {"steps": 120, "snapshots": 3, "environments": 2, "moves": 20, "test_episodes": 1, "threads": 1}
    return make_gym_run(GymTask(env_id), name, tiny(ALGORITHMS[name]), GymRunOptions(out=folder, **options | changed))


def self_play(name, folder, game="tic_tac_toe", **changed) -> SelfPlayTraining:
    options = {"steps": 192, "snapshots": 3, "boards": 8, "moves": 8, "evaluation": ("random",), "evaluation_games": 4}
    run = RunConfig(out=folder, threads=1, **options | changed)
    league = LeagueConfig(self_play=0.5, pool=0.5, opponents=2)
    return SelfPlayTraining(make_game(game), name, tiny(ALGORITHMS[name]), run, league)


def offline(name, task, folder, data, **changed) -> PolicyRun:
    made = GymTask(task.removeprefix("gym:")) if task.startswith("gym:") else make_game(task)
    options = {"steps": 6, "snapshots": 3, "test_episodes": 1, "evaluation": ("random",), "evaluation_games": 4}
    run = OfflineRunOptions(out=folder, data=data / f"{task}.hdf5", threads=1, **options | changed)
    return make_offline_run(made, name, tiny(ALGORITHMS[name]), run)


class CutError(Exception):
    """Ends a training from within."""
