"""How snapshots are measured: by points where they win and lose, by what a team earns where nobody wins."""

import json

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.base.intervals import mean_error
from arena.policy.registry import make_agent, make_game
from arena.policy.snapshots import best_snapshot, snapshots_in
from arena.training.evaluation import GameEvaluator, TeamEvaluator, evaluator_of, team_returns
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.options import EVALUATION
from arena.training.scores import return_scores, score_words
from tests.training.small import ALGORITHMS, tiny

SAME = make_game("matrix_game:payoffs=1 0;0 3|1 0;0 3")
"""Both get 1 or 3 for the same choice, and nothing otherwise: a random team earns 1 on average."""


def training(folder, league=None, game=SAME, steps=1280):
    run = RunConfig(out=folder, steps=steps, snapshots=4, boards=16, moves=4, threads=1, evaluation_games=40)
    return SelfPlayTraining(game, "ppo", tiny(ALGORITHMS["ppo"]), run, league)


def test_the_kind_of_game_decides():
    fixed = evaluator_of(make_game("tic_tac_toe"), EVALUATION, 10, 0)
    assert (type(fixed), fixed.measure, set(fixed.opponents)) == (GameEvaluator, "score", {"random", "one-ply"})
    teams = evaluator_of(SAME, EVALUATION, 10, 0)
    assert (type(teams), teams.measure, set(teams.others)) == (TeamEvaluator, "return", {"random"})
    named = evaluator_of(SAME, (), 10, 0, references=("random",))
    assert list(named.others) == ["random"]


def test_a_team_of_random_agents_earns_what_it_must():
    returns = team_returns(SAME, make_agent("random", SAME), 2000, seed=1)
    assert returns.shape == (2000,)
    assert set(returns) == {0, 1, 3}
    assert returns.mean() == pytest.approx(1.0, abs=0.12)
    assert (returns == team_returns(SAME, make_agent("random", SAME), 2000, seed=1)).all()


def test_a_fault_costs_the_team_what_the_offender_loses():
    class Illegal(type(make_agent("random", SAME))):
        def forward(self, batch, state=None):
            answer = super().forward(batch, state)
            answer.act[:] = 99
            return answer

    assert set(team_returns(SAME, Illegal(), 4, seed=0)) == {-1}


def test_returns_have_an_interval():
    values = np.array([1.0, 2.0, 3.0, 6.0])
    scores = return_scores(values)
    error = 1.959964 * values.std() / 2
    assert scores == pytest.approx({"return": 3.0, "return_low": 3 - error, "return_high": 3 + error})
    assert mean_error(0, 0.0, 0.0) == 0


def test_scores_in_words():
    assert score_words({"random": 0.985, "one-ply": 0.5}) == ["random 98%", "one-ply 50%"]
    assert score_words({"return": -31.84}) == ["return -31.84"]
    earned = {"return/random": -38.166, "return": -31.84, "return_low": -37.24, "return_high": -26.44}
    assert score_words(earned) == ["return -31.84 ±5.4", "random -38.17"]


def test_a_training_of_a_game_that_nobody_wins_is_measured_by_returns(tmp_path):
    run = training(tmp_path / "run")
    seen = []
    run.train(lambda progress: seen.append(progress))
    progress = run.progress()
    assert progress.measure == "return"
    assert (progress.elo, progress.elo_zero, progress.pool_score) == (None, None, None)
    assert all(one.pool_score is None for one in seen)
    assert set(progress.evaluation) == {"return", "return_low", "return_high", "return/random"}
    earned = {
        folder: json.loads((folder / "config.json").read_text())["evaluation"]["return"]
        for folder in snapshots_in(tmp_path / "run")
    }
    assert len(earned) == 4
    assert earned[best_snapshot(tmp_path / "run")] == max(earned.values())
    again = SelfPlayTraining(SAME, "ppo", run.setup.config, RunConfig(**vars(run.setup.options) | {"resume": True}))
    assert again.progress().evaluation == progress.evaluation


def test_the_best_is_what_earns_most_whatever_others_earn(tmp_path):
    training(tmp_path / "run", steps=256).train()
    earned = [(2.0, 9.0), (3.0, 0.0), (1.0, 9.0), (0.0, 0.0)]
    for folder, (own, other) in zip(snapshots_in(tmp_path / "run"), earned, strict=True):
        told = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(told | {"evaluation": {"return": own, "return/random": other}}))
    assert best_snapshot(tmp_path / "run").name == "snapshot-0002"


@pytest.mark.parametrize(
    ("league", "wrong"),
    [
        (LeagueConfig(gate="score"), "gate=score"),
        (LEAGUES["pfsp"], "matchmaker=pfsp"),
        (LEAGUES["full"], "matchmaker=pfsp and exploiters=2 and verification=0.15"),
    ],
)
def test_a_league_that_asks_who_wins_is_refused_where_nobody_does(tmp_path, league, wrong):
    with pytest.raises(UsageError, match=f"nobody wins matrix_game, and {wrong} ask who does: take the league past"):
        training(tmp_path / "run", league)
    assert not (tmp_path / "run").exists()


@pytest.mark.full
def test_a_training_of_one_seat(tmp_path):
    pytest.importorskip("mpe2")
    run = training(tmp_path / "run", game=make_game("pettingzoo:mpe2.simple_v3"), steps=2400)
    run.train()
    scores = run.progress().evaluation
    assert scores["return_low"] < scores["return"] < scores["return_high"] < 0
    assert scores["return/random"] < 0
