"""Trainings with all roles: who learned from whom, what each left behind, what was drawn as curves."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.configs.on_policy import A2CConfig
from arena.base.errors import UsageError
from arena.policy.registry import make_agent, make_game
from arena.trainer.logger import BaseLogger
from arena.training.league.config import LEAGUES, LeagueConfig
from arena.training.league.records import read_league
from arena.training.league.self_play import SelfPlayTraining
from tests.training.league.small import left_behind, run_config, training

pytestmark = pytest.mark.full

FULL = replace(LEAGUES["full"], opponents=2)


class Noted(BaseLogger):
    """Keeps what is logged."""

    def __init__(self):
        super().__init__()
        self.figures: dict[str, list[tuple[int, float]]] = {}

    def write(self, step_type, step, data):
        for key, value in data.items():
            self.figures.setdefault(key, []).append((step, float(np.mean(value))))


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A league of three roles that has trained to its end, and its figures."""
    made = training("ppo", tmp_path_factory.mktemp("runs") / "run", FULL, steps=16_000, snapshots=4)
    made.set_logger(noted := Noted())
    made.train()
    return made, noted.figures


def test_learners_take_turns_of_the_lengths_asked_for(full):
    made, _ = full
    main, exploiter, of_all = made.league.learners
    assert [learner.turns for learner in (main, exploiter, of_all)] == [4, 4, 4]
    assert main.step == pytest.approx(8000, abs=4 * 512)
    assert exploiter.step == of_all.step == pytest.approx(4000, abs=4 * 512)
    assert made.league.step == main.step + exploiter.step + of_all.step


def test_members_lie_where_the_league_says_and_are_what_it_says(full):
    made, _ = full
    league = read_league(made.folder)
    assert [member.name for member in league.members_of("main")] == [f"main-000{n}" for n in range(1, 5)]
    assert {member.role for member in league.members} == {"main", "main exploiter", "league exploiter"}
    for number, member in enumerate(league.members, 1):
        loaded = make_agent(f"ppo:{made.folder / member.folder}", made.game)
        pooled = made.pool.load(member)
        assert made.current_learner.name_of(number, made.league) == member.name
        assert all(torch.equal(a, b) for a, b in zip(loaded.parameters(), pooled.parameters(), strict=True))
    newest = league.members_of("main-exploiter")[-1]
    loaded = make_agent(f"ppo:{made.folder / 'main-exploiter'}", made.game)
    again = make_agent(f"ppo:{made.folder / newest.folder}", made.game)
    assert all(torch.equal(a, b) for a, b in zip(loaded.parameters(), again.parameters(), strict=True))


def test_a_main_exploiter_begins_anew_with_every_snapshot(full):
    made, _ = full
    record = made.league.learner("main-exploiter")
    members = made.league.members_of("main-exploiter")
    assert record.resets == len(members) > 0
    assert all(member.parent is None for member in members)
    mains = made.league.members_of("main")
    assert [member.parent for member in mains] == [None, *[member.name for member in mains[:-1]]]


def test_everybody_met_whom_its_role_is_to_meet(full):
    made, _ = full
    met = {name: set(opponents) for name, opponents in made.league.training.table.items()}
    assert "main" in met["main-exploiter"]
    assert met["main-exploiter"] <= {"main"} | {m.name for m in made.league.members_of("main")}
    assert met["league-exploiter"] <= {member.name for member in made.league.members}
    assert any(name.startswith("main-exploiter") for name in met["main"])
    assert "main" not in met["main"] | met["league-exploiter"], "games against oneself are not counted"


def test_only_whose_turn_it_is_learns(tmp_path):
    made = training("ppo", tmp_path / "run", FULL, steps=16_000, snapshots=4)
    weights = {}

    def check(progress):
        others = [learner for learner in made.learners if learner is not made.current_learner]
        for learner in others:
            now = torch.cat([p.detach().flatten() for p in learner.policy.parameters()])
            turn, before = weights.get(learner.record.name, (None, None))
            assert turn != made.turn or torch.equal(before, now)
            weights[learner.record.name] = made.turn, now

    made.train(check)


def test_teachers_learn_if_they_are_to(tmp_path):
    league = replace(FULL, teachers_learn=True)
    made = training("ppo", tmp_path / "run", league, steps=16_000, snapshots=4)
    before = {}

    def check(progress):
        now = next(made.learners[0].policy.parameters()).detach().clone()
        if made.current_learner.record.role == "main exploiter":
            before.setdefault(made.turn, []).append(now)

    made.train(check)
    changes = [not torch.equal(seen[0], seen[-1]) for seen in before.values() if len(seen) > 1]
    assert changes
    assert all(changes)


def test_members_are_rated_by_games_of_their_own(full):
    made, _ = full
    league = made.league
    assert league.ratings["random"] == (0.0, 0.0)
    assert league.ratings.keys() == {"random", *[member.name for member in league.members]}
    assert [point.name for point in league.history] == [member.name for member in league.members]
    for number, member in enumerate(league.members):
        met = league.evaluation.table[member.name]
        assert set(met) == {"random", *[other.name for other in league.members[max(0, number - 2) : number]]}
        assert all(counts.games == 10 for counts in met.values())


def test_curves_are_drawn(full):
    _, figures = full
    assert {"score/random", "score/pool", "elo", "elo/low", "elo/high", "opponents/itself", "opponents/pool",
            "opponents/different", "opponents/staleness", "opponents/references"} <= figures.keys()  # fmt: skip
    assert {"main-exploiter/elo", "league-exploiter/opponents/pool"} <= figures.keys()
    assert len(figures["score/random"]) == 4
    for name in ("itself", "pool", "rivals", "references"):
        assert all(0 <= share <= 1 for _, share in figures[f"opponents/{name}"])
    assert figures["opponents/itself"][0][1] == 1.0, "there was nobody else"
    assert figures["opponents/pool"][-1][1] >= 0.5
    assert figures["opponents/staleness"][-1][1] > 0
    low, high = figures["elo/low"][-1][1], figures["elo/high"][-1][1]
    assert low < figures["elo"][-1][1] < high


def test_a_gate_that_nobody_passes_ends_the_training_and_says_so(tmp_path):
    league = LeagueConfig(gate="sprt", gate_elo0=900, gate_elo1=1000, gate_games=10, gate_tries=3)
    made = training("ppo", tmp_path / "run", league, snapshots=5)
    with pytest.raises(UsageError, match=r"the gate has refused 3 snapshots of main in a row, the last with \d+% of"):
        made.train()
    assert [member.name for member in read_league(made.folder).members] == ["main-0001"]
    assert sorted(path.name for path in made.folder.glob("snapshot-*")) == ["snapshot-0001"]
    resumed = training("ppo", tmp_path / "run", league, snapshots=5, resume=True)
    assert resumed.turn == 4
    assert resumed.train().name == "snapshot-0001", "the newest that was let in"
    assert resumed.progress().refused == 4


def test_a_policy_for_each_seat_in_a_game_of_three_that_hides_something(tmp_path):
    game = make_game("kuhn_poker:players=3")
    league = replace(FULL, seats="separate", gate="sprt", gate_games=6)
    config = A2CConfig(hidden=16)

    def run(name):
        made = SelfPlayTraining(
            game, "a2c", config, run_config(tmp_path / name, steps=4000, snapshots=2, boards=32), league
        )
        return made, made.train()

    made, last = run("one")
    loaded = make_agent(f"a2c:{last}", game)
    seats = [torch.cat([p.flatten() for p in policy.parameters()]) for policy in loaded.policies]
    assert len(seats) == 3
    assert not any(torch.equal(seats[i], seats[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert all(counts.games == 12 for counts in made.league.evaluation.table["main-0001"].values())
    run("two")
    assert left_behind(tmp_path / "two") == left_behind(tmp_path / "one")


@pytest.mark.parametrize(
    ("league", "evaluation"),
    [
        (LeagueConfig(matchmaker="rating", earlier_met=1), ()),
        (LeagueConfig(matchmaker="psro", meta_strategy="prd", earlier_met=0), ("random",)),
        (LeagueConfig(main_agents=2, matchmaker="window", pool_window=2), ("random",)),
    ],
)
def test_matchmakers_at_work(league, evaluation, tmp_path):
    made = training("ppo", tmp_path / "run", league, steps=6 * 512, snapshots=3, evaluation=evaluation)
    made.train()
    members = made.league.members
    assert len(members) == 3 * league.main_agents
    if league.matchmaker == "psro":
        assert set(made.league.evaluation.table["main-0003"]) == {"random", "main-0001", "main-0002"}


def test_references_are_always_among_those_that_measure(tmp_path):
    league = LeagueConfig(self_play=0.8, pool=0.1, references=("one-ply",))
    made = training("ppo", tmp_path / "run", league, steps=512, snapshots=1)
    made.train()
    assert made.progress().evaluation.keys() == {"random", "one-ply"}
    assert made.league.evaluation.of("main-0001", "one-ply").games == 10


def test_a_matchmaker_that_needs_ratings_is_refused_without_any(tmp_path):
    league = LeagueConfig(matchmaker="rating", earlier_met=0)
    with pytest.raises(UsageError, match="the matchmaker rating needs ratings"):
        training("ppo", tmp_path / "run", league, evaluation=())
    assert not (tmp_path / "run").exists()
