"""Agents that play by a table."""

import numpy as np
import pytest

from agents.solvers.tabular import TabularPolicy, solve_small_game
from arena.analysis.asking import ask_strategy
from arena.analysis.response import exploitability
from arena.analysis.table import StrategyTable, save_table
from arena.analysis.tree import build_tree
from arena.base.errors import CheckpointError, UsageError
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.policy.random import RandomPolicy
from arena.policy.registry import make_agent, make_game

pytestmark = pytest.mark.full

KUHN = build_tree(make_game("kuhn_poker"))


@pytest.fixture
def strategy():
    return KUHN.from_table(np.random.default_rng(2).random((KUHN.num_states, 2)))


def test_it_tells_the_strategy_of_its_table(strategy):
    policy = TabularPolicy(KUHN.game, StrategyTable.of_strategy(KUHN, strategy), seed=0)
    np.testing.assert_allclose(ask_strategy(KUHN, policy, "tabular"), strategy, rtol=1e-12)


def test_it_draws_as_often_as_its_table_says(strategy):
    policy = TabularPolicy(KUHN.game, StrategyTable.of_strategy(KUHN, strategy), seed=0)
    env = GameVectorEnv(KUHN.game, 20_000)
    obs, _ = env.reset(seed=0)
    result = policy.forward(Batch(obs=Batch(**obs, state=env.positions())))
    for card in range(3):
        holds = obs.obs[:, 2 + card] == 1
        bets = result.act[holds]
        error = bets.std() / np.sqrt(len(bets))
        assert abs(bets.mean() - result.probs[holds][0, 1]) < 4 * error + 1e-9


def test_a_seed_repeats_its_moves(strategy):
    policy = TabularPolicy(KUHN.game, StrategyTable.of_strategy(KUHN, strategy))
    pairings = [Pairing((0, 1), seed) for seed in range(50)]
    first, again = (play_matches(KUHN.game, [("a", policy), ("b", RandomPolicy())], pairings, 7) for _ in range(2))
    assert [record.actions for record in first] == [record.actions for record in again]


def test_a_folder_is_played_by_its_spec(strategy, tmp_path):
    save_table(tmp_path / "k", KUHN.game, StrategyTable.of_strategy(KUHN, strategy), {})
    policy = make_agent(f"tabular:{tmp_path / 'k'}", KUHN.game)
    np.testing.assert_allclose(ask_strategy(KUHN, policy, "tabular"), strategy, rtol=1e-12)
    with pytest.raises(CheckpointError, match="plays kuhn_poker"):
        make_agent(f"tabular:{tmp_path / 'k'}", make_game("leduc_poker"))


@pytest.mark.parametrize(("spec", "message"), [("tabular", "needs a folder"), ("tabular:nowhere", "no checkpoint")])
def test_a_missing_folder_is_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        make_agent(spec, KUHN.game)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice:dice=1,sides=3"])
def test_small_games_are_solved_at_once(spec):
    game = make_game(spec)
    tree = build_tree(game)
    policy = solve_small_game(game, seed=0)
    assert exploitability(tree, ask_strategy(tree, policy, "solved")).exploitability < 2e-5


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_poker:players=3", "is not a two-player zero-sum game"),
        ("matrix_game:payoffs=prisoners_dilemma", "is not a two-player zero-sum game"),
        ("tic_tac_toe", "has no hidden information"),
        ("liars_dice:dice=2", "more than 300,000 positions"),
    ],
)
def test_what_cannot_be_solved_at_once_is_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        solve_small_game(make_game(spec))


def test_equilibrium_play_loses_to_nobody_in_the_long_run():
    """Against random play both seats together earn clearly more than nothing."""
    game = make_game("leduc_poker")
    pairings = [Pairing((i % 2, 1 - i % 2), i // 2) for i in range(4000)]
    records = play_matches(game, [("solved", solve_small_game(game)), ("random", RandomPolicy())], pairings, 1)
    earned = np.array([record.verdict.returns[record.players.index("solved")] for record in records])
    assert earned.mean() > 0.4
    assert all(record.verdict.reason.name == "FINISHED" for record in records)
