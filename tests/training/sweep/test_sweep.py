"""Sweeps: the space, the trials that Optuna chooses, pruning, other processes, and what happens after a kill."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout

import pytest

pytest.importorskip("optuna", reason="a sweep needs Optuna")

from agents.configs.on_policy import PPOConfig
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.policy.registry import make_agent, make_game
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.stored import RunDescription
from arena.training.sweep.search_space import applied, read_space
from arena.training.sweep.study import TrialStudy

PARTS = {"run": RunConfig(), "config": PPOConfig(), "league": LeagueConfig()}
TRAINING = ["--steps", "3000", "--boards", "32", "--moves", "16", "--snapshots", "2", "--channels", "0"]
QUICK = ["--evaluation", "random", "--evaluation-games", "40", "--logger", "csv", "--threads", "1"]
SEARCH = ["--search", "learning_rate=1e-6..1e-1:log", "--search", "hidden=16|32"]
SWEEP = ["sweep", "tic_tac_toe", "pg", *TRAINING, *QUICK, *SEARCH]
DYING = """
import os, signal, sys
from arena.training.sweep.study import TrialStudy
from arena.cli.main import main
left, report = int(sys.argv[1]), TrialStudy.report
def dies(self, *what):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    report(self, *what)
TrialStudy.report = dies
sys.argv[1:] = sys.argv[2:]
main()
"""


def command(folder, *words):
    """Run a command; return its status, output and errors."""
    with chdir(folder), redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        status = main(list(words))
    return status, output.getvalue(), errors.getvalue()


def trials(folder):
    """Return the rows of trials.csv."""
    return list(csv.DictReader((folder / "trials.csv").open()))


def test_a_space_is_read_from_texts_and_from_a_file(tmp_path):
    (tmp_path / "space.toml").write_text(
        'eps_clip = "0.1..0.4:step=0.1"\nevaluation = [["random"], ["random", "one-ply"]]\n'
    )
    texts = ["learning-rate=1e-4..1e-2:log", "max_grad_norm=none|0.5", "matchmaker=pfsp|uniform", "boards=8..64"]
    space = read_space(texts, tmp_path / "space.toml", PARTS)
    assert [(one.name, one.part) for one in space] == [
        ("eps_clip", "config"),
        ("evaluation", "run"),
        ("learning_rate", "config"),
        ("max_grad_norm", "config"),
        ("matchmaker", "league"),
        ("boards", "run"),
    ]
    values = {"max_grad_norm": "none", "evaluation": "random,one-ply", "boards": 16, "matchmaker": "pfsp"}
    parts = applied(PARTS, space, values)
    assert parts["config"].max_grad_norm is None
    assert parts["run"].evaluation == ("random", "one-ply")
    assert (parts["run"].boards, parts["league"].matchmaker) == (16, "pfsp")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat=1..2", "unknown option 'learning_rat'; did you mean 'learning_rate'?"),
        ("learning_rate=-1..1", "learning_rate=-1.0 is not above 0"),
        ("learning_rate=0..1:log", "a logarithmic scale begins above 0"),
        ("hidden=1.5..4", "hidden is a whole number"),
        ("hidden=64", "is not of the form NAME=LOW..HIGH or NAME=A|B"),
        ("hidden=64|64", "names a choice twice"),
        ("hidden=64|x", "hidden=x is no value of hidden"),
        ("hidden=8..64:lgo", "did you mean 'log'?"),
        ("matchmaker=pfsp|best", "matchmaker=best is no value of matchmaker"),
        ("evaluation=1..2", "evaluation is no number"),
        ("seed=1..2", "seed is the same in all trials"),
    ],
)
def test_a_wrong_space_is_refused_in_one_line(text, message):
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        read_space([text], None, PARTS)
    assert "\n" not in str(raised.value)


def test_the_median_prunes_a_trial_that_lags_behind(tmp_path):
    study = TrialStudy(tmp_path, maximize=True, pruner="median")
    space = read_space(["learning_rate=1e-4..1e-2:log"], None, PARTS)
    pending = study.pending(space, 7, 0, parallel=False)
    for number, _ in pending:
        good = number < 6
        for snapshot in (1, 2):
            study.report(number, snapshot, 0.5 + 0.01 * number if good else 0.1)
        assert study.lags_behind(number) is not good
        study.end(number, "COMPLETE" if good else "PRUNED", 0.5 if good else None, "" if good else "lags")
    assert [row.state for row in study.rows()] == ["complete"] * 6 + ["pruned"]
    assert (study.rows()[6].value, study.rows()[6].message) == (0.1, "lags")


@pytest.mark.slow("trains to a score")
@pytest.mark.full
def test_a_sweep_finds_a_better_setting_than_a_spoilt_default(tmp_path):
    """The learning rate that is given is far too small; trial 0 has it."""
    spoilt = ["--learning-rate", "1e-6", "--hidden", "32"]
    status, output, _ = command(tmp_path, *SWEEP, *spoilt, "--trials", "20", "--out", "sweep")
    assert status == 0
    rows = trials(tmp_path / "sweep")
    assert len(rows) == 20
    assert float(rows[0]["learning_rate"]) == 1e-6
    best = max((row for row in rows if row["state"] == "complete"), key=lambda row: float(row["value"]))
    assert float(best["learning_rate"]) > 1e-4
    assert float(best["value"]) > float(rows[0]["value"]) + 0.1
    assert f"best: trial {best['trial']}, pg:sweep/trial-{int(best['trial']):04}" in output
    assert (tmp_path / "sweep" / "sweep.png").read_bytes()[:4] == b"\x89PNG"
    # an ordinary run folder, whose agent plays
    folder = tmp_path / "sweep" / f"trial-{int(best['trial']):04}"
    assert RunDescription.read(folder).description["config"]["learning_rate"] == float(best["learning_rate"])
    make_agent(f"pg:{folder}", make_game("tic_tac_toe")).close()


@pytest.mark.slow("kills it again and again")
@pytest.mark.full
def test_a_killed_sweep_goes_on_to_the_bit(tmp_path):
    """The fourth report is that of the end of the second trial."""
    assert command(tmp_path, *SWEEP, "--trials", "3", "--out", "whole")[0] == 0
    words = [sys.executable, "-c", DYING, "4", *SWEEP, "--trials", "3", "--out", "cut"]
    killed = subprocess.run(words, cwd=tmp_path, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "cut" / "trials.csv").exists()
    assert command(tmp_path, *SWEEP, "--trials", "3", "--out", "cut")[0] == 2  # without --resume
    assert command(tmp_path, *SWEEP, "--trials", "3", "--out", "cut", "--resume")[0] == 0
    assert trials(tmp_path / "cut") == trials(tmp_path / "whole")
    status, _, errors = command(tmp_path, *SWEEP, "--hidden", "16", "--out", "cut", "--resume")
    assert (status, "was begun with other options: hidden" in errors) == (2, True)


@pytest.mark.slow("trains a dozen agents")
@pytest.mark.full
def test_trials_run_in_other_processes_and_more_can_be_added(tmp_path):
    options = ["sweep", "kuhn_poker", *SWEEP[2:], "--objective", "exploitability", "--out", "sweep"]
    assert command(tmp_path, *options, "--trials", "2", "--parallel", "2")[0] == 0
    status, output, _ = command(tmp_path, *options, "--trials", "3", "--json", "--resume")
    content = json.loads(output)
    assert (status, len(content["trials"]), content["maximizes"]) == (0, 3, False)
    values = [trial["value"] for trial in content["trials"]]
    assert content["best"] == values.index(min(values))
    assert all(0 < value < 1 for value in values)


@pytest.mark.slow("starts a cluster")
@pytest.mark.full
def test_trials_run_on_ray(tmp_path, ray_cluster):
    """A trial is the same training wherever it runs."""
    assert command(tmp_path, *SWEEP, "--trials", "2", "--parallel", "ray", "--out", "ray")[0] == 0
    rows = trials(tmp_path / "ray")
    assert [row["state"] for row in rows] == ["complete"] * 2
    config = tmp_path / "ray" / "trial-0000" / "config.toml"
    assert main(["train", "--config", str(config), "--out", str(tmp_path / "here"), "--threads", "1"]) == 0
    weights = [folder / "snapshot-0002" / "weights.safetensors" for folder in (config.parent, tmp_path / "here")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


@pytest.mark.full
def test_a_trial_whose_values_do_not_go_together_fails_alone(tmp_path):
    """Shares of self-play and pool: neither 0.4 nor 1.6 in all; each value goes with another one."""
    shares = ["--search", "self_play=0.2|0.8", "--search", "pool=0.2|0.8", "--pruner", "none"]
    words = [*SWEEP[:3], *TRAINING, *QUICK, *shares, "--trials", "8", "--json"]
    status, output, _ = command(tmp_path, *words)
    ended = [(tuple(trial["values"].values()), trial["state"]) for trial in json.loads(output)["trials"]]
    assert status == 0
    assert {state for _, state in ended} == {"complete", "fail"}
    assert all((state == "complete") is (len(set(values)) == 2) for values, state in ended)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["gym:CartPole-v1", "pg", "--search", "hidden=8..32", "--objective", "elo"],
            "--objective elo is for self-play",
        ),
        (["connect_four", "pg", "--search", "hidden=8..32", "--objective", "exploitability"], "too many for an exact"),
        (["tic_tac_toe", "pg"], "name what is searched with --search"),
        (["tic_tac_toe", "pg", "--search", "hidden=8..32", "--resume"], "there is no sweep to resume"),
        (["tic_tac_toe", "pg", "--search", "hidden=8..32", "--parallel", "x"], "--parallel x is not a number"),
        (["tic_tac_toe", "mcts", "--search", "hidden=8..32"], "plays but does not learn"),
    ],
)
def test_a_sweep_that_cannot_be_run_is_refused_in_one_line(tmp_path, words, message):
    status, _, errors = command(tmp_path, "sweep", *words)
    assert (status, errors.count("\n")) == (2, 1)
    assert message in errors
    assert not (tmp_path / "runs").exists()
