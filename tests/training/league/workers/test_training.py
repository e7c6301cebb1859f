"""Trainings whose games others play: exact however they end and go on, and nobody is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.configs.search import AlphaZeroConfig
from agents.configs.value_based import NFSPConfig
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.policy.registry import make_game
from arena.processes.tree import tree
from arena.training.league.config import LeagueConfig
from arena.training.league.scale import ScaleConfig
from arena.training.league.self_play import SelfPlayTraining
from tests.training.league.small import CONFIGS, LEAGUE, left_behind, run_config, words

pytestmark = pytest.mark.full

HERE = ScaleConfig(shares=2)  # what two workers play, in this process
ALPHAZERO = AlphaZeroConfig(hidden=8, blocks=0, simulations=4, play_simulations=4, batch_size=32, buffer_size=2000)
EXPLOITERS = LeagueConfig(
    self_play=0.5,
    pool=0.5,
    main_agents=2,
    main_exploiters=1,
    league_exploiters=1,
    teachers_learn=True,
    seats="separate",
    earlier_met=0,
)


def training(algo, out, scale=HERE, league=LEAGUE, config=None, **changed):
    run = run_config(out, **{"steps": 6000} | changed)
    return SelfPlayTraining(make_game("tic_tac_toe"), algo, config or CONFIGS[algo], run, league, scale)


def begun(command, reached):
    """A training in a process of its own for which `reached(pid)` holds, and those that play for it."""
    child = subprocess.Popen(
        [sys.executable, "-m", "arena", *command], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 300
    while not reached(child.pid) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return child, tree(child.pid)[1:]


def require_gone(pids):
    """Wait until no process of these is left."""
    assert pids, "somebody was at work"
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


@pytest.mark.slow("kills it again and again")
def test_killed_with_its_workers_and_resumed(tmp_path, capsys):
    training("dqn", tmp_path / "whole").train()
    command = [*words("dqn", tmp_path / "killed", steps=6000), "--workers", "2"]
    child, workers = begun(command, lambda pid: (tmp_path / "killed" / "training" / "state.json").exists())
    child.kill()
    child.communicate()
    assert len(workers) == 2
    require_gone(workers)
    assert main(["train", str(tmp_path / "killed"), "--resume", "--workers", "1"]) == 0
    assert left_behind(tmp_path / "killed") == left_behind(tmp_path / "whole")


def test_interrupted_it_says_how_to_go_on_and_leaves_nobody(tmp_path):
    command = [*words("ppo", tmp_path / "run", steps=2_000_000), "--workers", "2"]
    child, workers = begun(command, lambda pid: len(tree(pid)) > 2)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    _, said = child.communicate(timeout=300)
    assert child.returncode == 130
    assert "stopped; resume with: arena train" in said
    assert "Traceback" not in said
    require_gone(workers)


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize(
    ("algo", "config", "league", "ahead", "steps", "cuts"),
    [
        ("ppo", None, EXPLOITERS, False, 6200, [1100, 3400]),  # the first before all learners have had a turn
        ("dqn", None, LEAGUE, True, 4200, [2400]),
        ("alphazero", ALPHAZERO, LEAGUE, True, 4200, [2400]),
    ],
)
def test_cut_off_and_resumed(algo, config, league, ahead, steps, cuts, tmp_path):
    """Rivals that learn, a network a seat, searches, games that are played ahead and that begin in the middle."""

    def made(name, resume=False):
        scale = ScaleConfig(shares=2, ahead=ahead)
        settings = {"snapshots": 3, "steps": steps, "openings": 3}
        return training(algo, tmp_path / name, scale, league, config, resume=resume, **settings)

    whole = made("whole")
    whole.train()
    for number, cut_at in enumerate(cuts):

        def cut(progress, cut_at=cut_at):
            if progress.step > cut_at:
                raise CutError

        with pytest.raises(CutError):
            made("cut", resume=number > 0).train(cut)
    made("cut", resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")
    told = whole.progress().worker_figures
    assert (told["workers/stale_steps"] > 0) == (told["workers/dropped_steps"] > 0) == ahead
    assert told["workers/lost"] == 0


def test_chance_comes_from_the_seed(tmp_path):
    for name in ("one", "other"):
        run = run_config(tmp_path / name, steps=1100, snapshots=2)
        SelfPlayTraining(make_game("leduc_poker"), "ppo", CONFIGS["ppo"], run, LEAGUE, HERE).train()
    assert left_behind(tmp_path / "one") == left_behind(tmp_path / "other")


def test_all_shares_search_the_same_moves_in_full(tmp_path):
    alone = LeagueConfig(self_play=1.0, pool=0.0)
    collector = training("alphazero", tmp_path, league=alone, config=ALPHAZERO, boards=16).current_learner.collector
    collector.collect(n_step=2 * 16)  # until first moves are stored
    kinds = set()
    for _ in range(30):
        collector.reset_buffer(keep_statistics=True)
        collector.collect(n_step=16)
        rows = collector.buffer[:]
        begun = ~rows.terminated  # the move before the last; the others are of games that ended
        full = rows.policy.target[begun].any(axis=1)
        assert (full == full[:1]).all()
        kinds |= set(full.tolist())
    assert kinds == {True, False}


def test_it_goes_on_in_as_many_shares(tmp_path):
    training("ppo", tmp_path / "run")
    with pytest.raises(UsageError, match=r"shares=3 cannot change: the run in .* has shares=2"):
        training("ppo", tmp_path / "run", ScaleConfig(shares=3), resume=True)
    training("ppo", tmp_path / "run", ScaleConfig("2"), resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": "0"}, "workers=0 is not at least 1"),
        ({"workers": "few"}, "workers='few' is not a number, ray or ray://HOST:PORT"),
        ({"workers": "2", "shares": -1}, "shares=-1 is not at least 0"),
        ({"ahead": True}, "ahead=True is for workers"),
        ({"workers": "2", "shares": 65}, "boards=64 cannot be divided into 65 shares"),
        (
            {"workers": "2", "ahead": True},
            "'ppo' is on-policy: it learns only from games of its newest weights; leave ahead out",
        ),
    ],
)
def test_what_cannot_be_is_refused(options, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        training("ppo", tmp_path / "run", ScaleConfig(**options))
    assert not (tmp_path / "run").exists()


def test_who_remembers_what_it_plays_has_to_play_itself(tmp_path):
    with pytest.raises(UsageError, match=r"'nfsp' learns while it plays, .* leave workers at 1"):
        training("nfsp", tmp_path / "run", ScaleConfig("2"), LeagueConfig(self_play=1.0, pool=0.0), NFSPConfig())


def test_a_cluster_that_does_not_answer_is_told_in_a_line(tmp_path, capsys):
    command = [*words("ppo", tmp_path / "run"), "--workers", "ray://127.0.0.1:1"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "no Ray cluster can be reached at ray://127.0.0.1:1" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run").exists()
