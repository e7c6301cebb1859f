"""PSRO with exact best responses: what it leads to, and the published curve on Kuhn poker."""

import json

import numpy as np
import pytest

from agents.solvers.psro import Psro
from arena.analysis.response import exploitability
from arena.analysis.strategy_pools import META
from arena.analysis.tree import build_tree
from arena.base.errors import UnknownNameError, UsageError
from arena.cli.main import main
from arena.policy.registry import make_game
from arena.training.solve_run import SolveOptions, SolveRun

pytestmark = pytest.mark.full

KUHN = build_tree(make_game("kuhn_poker"))
CYCLE = build_tree(make_game("rock_paper_scissors:num_actions=5,max_cycles=1"))


def nash_conv(solver):
    return exploitability(solver.tree, solver.strategy()).nash_conv


def curve(solver, iterations):
    """NashConv by the total pool."""
    points = {solver.num_members: nash_conv(solver)}
    for _ in range(iterations):
        solver.run(1)
        points[solver.num_members] = nash_conv(solver)
    return points


def test_the_double_oracle_on_kuhn_poker_goes_as_openspiels():
    """OpenSpiel 2.0.2's PSROSolver with exact best responses, its payoffs computed exactly, equilibria by HiGHS."""
    points = curve(Psro(KUHN, "nash"), 12)
    assert [round(points[pool], 4) for pool in (2, 4, 6, 8, 10, 12)] == [0.9167, 0.8333, 0.3333, 0.2, 0.1667, 0.0641]
    assert points[14] < 1e-5
    assert max(points) <= 16, "in an equilibrium nothing is added any more"


def test_the_published_curve_on_kuhn_poker():
    """Muller et al. 2020, figure 3: NashConv 0.79, 0.13, 0.042 at total pools of 4, 10, 29.

    There each payoff of the meta-game is estimated from 1,000 games. Ours are 0.83, 0.136 +- 0.031 and 0.015 (20
    seeds); OpenSpiel 2.0.2 itself is at 0.83, 0.134 +- 0.027 (8 seeds) and 0.012 (3 seeds).
    """
    curves = [curve(Psro(KUHN, "nash", simulations=1000, seed=seed), 14) for seed in range(8)]
    found = {pool: np.mean([points[pool] for points in curves]) for pool in (4, 10, 30)}
    assert found[4] == pytest.approx(0.79, abs=0.05)
    assert found[10] == pytest.approx(0.13, abs=0.04)
    assert 0.002 < found[30] < 0.042


@pytest.mark.parametrize(("meta", "iterations", "bound"), [("nash", 8, 1e-5), ("prd", 8, 0.05), ("uniform", 240, 0.06)])
@pytest.mark.parametrize(
    "tree",
    [pytest.param(KUHN, marks=pytest.mark.slow("responds to many mixtures")), CYCLE],
    ids=["kuhn", "cycle"],
)
def test_every_meta_strategy_comes_near_an_equilibrium(tree, meta, iterations, bound):
    solver = Psro(tree, meta)
    solver.run(iterations)
    assert nash_conv(solver) / 2 < bound


def test_alpha_rank_responds_to_what_evolution_shows():
    points = curve(Psro(KUHN, "alpha-rank"), 14)
    assert points[10] == pytest.approx(0.13, abs=0.01)
    assert points[30] < 0.03
    with pytest.raises(UsageError, match="alpha-rank of 2,601 profiles takes too long"):
        META["alpha-rank"](np.zeros((2, 51, 51)))


def test_three_players():
    solver = Psro(build_tree(make_game("kuhn_poker:players=3")), "prd")
    before = nash_conv(solver)
    solver.run(6)
    assert solver.pools.payoffs.shape == (3, 7, 7, 7)
    np.testing.assert_allclose(solver.pools.payoffs.sum(axis=0), 0, atol=1e-12)
    assert nash_conv(solver) < before / 3
    with pytest.raises(UsageError, match="no zero-sum game of two"):
        Psro(solver.tree, "nash")


def test_payoffs_are_what_the_members_earn():
    """Against the tree's own values; estimates come close to them."""
    exact, estimated = Psro(KUHN, "uniform"), Psro(KUHN, "uniform", simulations=100_000, seed=3)
    exact.run(3)
    estimated.run(3)
    strategy = exact.strategy()
    mixed = np.einsum("pij,i,j->p", exact.pools.payoffs, *exact.pools.shares)
    np.testing.assert_allclose(exploitability(KUHN, strategy).values, mixed, atol=1e-12)
    np.testing.assert_allclose(estimated.pools.payoffs[:, :2, :2], exact.pools.payoffs[:, :2, :2], atol=0.02)


def test_wrong_names_and_numbers():
    with pytest.raises(UnknownNameError, match="unknown meta-strategy 'nasch'; did you mean 'nash'"):
        Psro(KUHN, "nasch")
    with pytest.raises(UsageError, match="simulations=-1"):
        Psro(KUHN, simulations=-1)


@pytest.mark.parametrize("algorithm", ["psro-nash", "psro-uniform"])
def test_a_run_goes_on_where_it_was(tmp_path, algorithm):
    def solved(name, **options):
        run = SolveRun(KUHN.game, algorithm, SolveOptions(out=tmp_path / name, **options))
        run.solve(lambda done, rate, measured: None)
        return run

    whole = solved("whole", iterations=12)
    solved("parts", iterations=5)
    parts = solved("parts", iterations=12, resume=True)
    np.testing.assert_array_equal(parts.solver.tree_solver.strategy(), whole.solver.tree_solver.strategy())
    assert parts.curve[-1].result.exploitability == whole.curve[-1].result.exploitability


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "kuhn_poker", "psro-nash", "--iterations", "10"]) == 0
    said = capsys.readouterr().out
    assert "tabular:runs/kuhn_poker-psro-nash plays within" in said
    assert [line.split()[0] for line in said.splitlines()[2:6]] == ["1", "2", "5", "10"]
    assert main(["exploitability", "kuhn_poker", "tabular:runs/kuhn_poker-psro-nash", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exploitability"] < 1e-5
    assert main(["solve", "kuhn_poker:players=3", "psro-nash"]) == 2
    assert "no zero-sum game of two" in capsys.readouterr().err
