"""Searches by copies of positions do in a hosted game what they do by compiled rules."""

from dataclasses import replace

import numpy as np
import pytest

from agents.configs.search import AlphaZeroConfig
from agents.guided import copied_tree
from agents.guided.guided import GuidedSearch, RootNoise
from agents.scripted.one_ply import OnePlyPolicy
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.training.league.config import RunConfig
from arena.training.league.self_play import SelfPlayTraining
from tests.env.hosted.test_hosted import CLASSIC, LEAGUE, CutError
from tests.training.league.small import left_behind

SMALL = AlphaZeroConfig(
    simulations=8, quick_simulations=4, play_simulations=8, hidden=16, batch_size=16, update_per_step=0.2
)


def positions_of(name, moves):
    """Yield the positions [4] of games of a name, played at random."""
    env, rng = vector_games(make_game(name), 4), np.random.default_rng(5)
    env.reset(seed=0)
    for _ in range(moves):
        yield env.positions()
        env.step([rng.choice(np.flatnonzero(mask)) for mask in env.mask])
        env.reset(np.flatnonzero(env.over))


def network(obs, mask):
    weights = np.random.default_rng(0).normal(size=(obs[0].size, 8)).astype(np.float32)
    scores = obs.reshape(len(obs), -1).astype(np.float32) @ weights
    return scores[:, :7], np.tanh(scores[:, 7] / 5)


@pytest.mark.full
@pytest.mark.parametrize(("considered", "kept"), [(0, copied_tree.POSITIONS_KEPT), (4, 3)])
def test_a_guided_search_by_copies_is_that_by_rules(considered, kept, monkeypatch):
    monkeypatch.setattr(copied_tree, "POSITIONS_KEPT", kept)
    found = []
    for name in ("connect_four", CLASSIC[0]):
        search, rng = GuidedSearch(make_game(name), 40, considered), np.random.default_rng(1)
        noise = None if considered else RootNoise(1.0, 0.25)
        found.append([search.search(states, network, rng, noise) for states in positions_of(name, 8)])
    for ours, theirs in zip(*found, strict=True):
        for part in ("visits", "probs", "act", "value", "pv"):
            assert np.array_equal(getattr(ours, part), getattr(theirs, part)), part


@pytest.mark.full
def test_one_ply_by_copies_sees_the_wins_and_threats_that_rules_show():
    found = []
    for name in ("connect_four", CLASSIC[0]):
        policy = OnePlyPolicy(make_game(name), seed=0)
        found.append([policy.forward(Batch(obs=Batch(state=states))).probs for states in positions_of(name, 40)])
    ours, theirs = map(np.array, found)
    assert np.array_equal(ours, theirs)
    assert (ours.max(axis=-1) == 1).any(), "there was something to see"


@pytest.mark.full
def test_alphazero_on_pettingzoos_rules_leaves_the_snapshots_of_alphazero_on_ours(tmp_path):
    ours = replace(make_game("connect_four"), symmetries=())  # which a hosted game does not state
    for game, out in ((make_game(CLASSIC[0]), "theirs"), (ours, "ours")):
        run = RunConfig(
            out=tmp_path / out, seed=1, threads=1, evaluation=("random",), evaluation_games=4, steps=160, snapshots=2,
            boards=4,
        )  # fmt: skip
        SelfPlayTraining(game, "alphazero", SMALL, run, LEAGUE).train()
    for number in (1, 2):
        file = f"snapshot-{number:04}/weights.safetensors"
        assert (tmp_path / "theirs" / file).read_bytes() == (tmp_path / "ours" / file).read_bytes()


@pytest.mark.full
@pytest.mark.parametrize("name", ["openspiel:breakthrough(rows=4,columns=3)"])
def test_alphazero_trains_resumes_exactly_and_takes_part(name, tmp_path):
    def training(out, **changed):
        run = RunConfig(
            out=tmp_path / out, seed=2, threads=1, evaluation=("one-ply",), evaluation_games=2, steps=96, snapshots=3,
            boards=4, **changed,
        )  # fmt: skip
        return SelfPlayTraining(make_game(name), "alphazero", SMALL, run, LEAGUE)

    def cut(progress):
        if progress.step > 40:
            raise CutError

    training("whole").train()
    with pytest.raises(CutError):
        training("cut").train(cut)
    training("cut", resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")
    players = {"net": f"alphazero:{tmp_path}/whole", "puct": f"puct:{tmp_path}/whole:10", "mcts": "mcts:10"}
    result = run_tournament(make_game(name), players, TournamentConfig(games=2))
    assert not any(record.verdict.offender is not None for record in result.records)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openspiel:leduc_poker", "it hides something; ppo learns there, ismcts searches"),
        ("openspiel:backgammon", "chance events, and is played by copies: use mcts"),
        ("openspiel:matrix_pd", "seats decide at the same time"),
    ],
)
def test_a_guided_search_is_refused_by_name_with_what_would_do(name, said):
    with pytest.raises(UsageError, match=said) as told:
        GuidedSearch(make_game(name), 10)
    assert name in str(told.value)


def test_results_above_one_are_not_taken_for_the_best_there_are():
    by_margin = make_game("openspiel:dots_and_boxes(utility_margin=true)")
    assert not by_margin.wins_at_one
    assert make_game("openspiel:dots_and_boxes").wins_at_one


def test_one_ply_plays_where_positions_are_copied():
    game = make_game("openspiel:breakthrough(rows=4,columns=3)")
    players = [("one ply", make_agent("one-ply", game)), ("random", make_agent("random", game))]
    records = play_matches(game, players, [Pairing((0, 1), seed) for seed in range(20)])
    assert sum(record.verdict.returns[0] > 0 for record in records) >= 13
