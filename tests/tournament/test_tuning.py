"""Tuning: SPSA by its equations and on planted optima, its games, its files, and what happens after a kill."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import chdir, closing, redirect_stderr, redirect_stdout

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.base.ranges import read_range
from arena.cli.main import main
from arena.match.limits import Limits
from arena.policy.parameters import with_settings
from arena.policy.registry import AGENTS
from arena.store import Store
from arena.tournament.spsa import Gains, TunedParameter, follow, probe, settled
from arena.tournament.tuning import Tuning, TuningConfig, read_tuned
from tests.tournament.planted import BEST
from tests.tournament.test_resume import FAILING

CONNECT_FOUR, CHESS = games.make("connect_four"), games.make("chess")
ONE = TunedParameter("c", 1.0, 0.0, 10.0, 0.5)
WHOLE = TunedParameter("n", 3.0, 0.0, 4.0, 0.5, whole=True)
COMMAND = ["tune", "tic_tac_toe", "mcts:4", "--parameter", "exploration=0..4:start=3", "--iterations", "5"]


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setitem(AGENTS.references, "planted", "tests.tournament.planted:PLANTED")


def command(folder, *options):
    """Run the command; return its status, output and errors."""
    with chdir(folder), redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        status = main([*COMMAND, *options])
    return status, output.getvalue(), errors.getvalue()


def test_gains_are_those_of_spalls_equations():
    count, rate, step = 200, 0.3, 0.5
    c = step * count**0.101
    a = rate * step**2 * (20 + count) ** 0.602
    gains = Gains(count, rate)
    for k in (1, 17, count):
        c_k, a_k = c / k**0.101, a / (20 + k) ** 0.602
        assert gains.probe(k) * step == pytest.approx(c_k)
        assert gains.follow(k) == pytest.approx(a_k / c_k**2)
        after = follow([ONE], np.array([5.0]), gains, k, np.array([-1.0]), 0.75)
        assert after[0] == pytest.approx(5 + a_k * 0.75 / (c_k * -1))


def test_probes_are_on_both_sides_and_within_bounds():
    points = [probe([ONE], np.array([9.9]), Gains(10, 0.1), 3, np.random.default_rng(seed)) for seed in range(20)]
    assert {point.signs[0] for point in points} == {1.0, -1.0}
    reach = 0.5 * (10 / 3) ** 0.101
    for point in points:
        assert sorted([point.plus[0], point.minus[0]]) == pytest.approx([9.9 - reach, 10.0])


def test_whole_numbers_are_probed_by_whole_numbers_that_are_right_on_average():
    rng = np.random.default_rng(0)
    points = [probe([WHOLE], np.array([2.3]), Gains(1, 0.1), 1, rng) for _ in range(2000)]
    upper = [max(point.plus[0], point.minus[0]) for point in points]
    assert set(upper) == {2.0, 3.0}
    assert np.mean(upper) == pytest.approx(2.8, abs=0.05)
    assert all(abs(point.plus - point.minus) == 1 for point in points)


def test_the_estimate_is_the_mean_of_the_later_half_and_the_spread_its_deviation():
    estimate, spread = settled(np.array([[9.0], [9.0], [1.0], [3.0]]))
    assert (estimate[0], spread[0]) == (2.0, 1.0)


def test_spsa_finds_the_optimum_of_simulated_games():
    """Results are drawn by the logistic law of Elo; the optimum is worth 1,000 Elo more than the start."""
    parameters = [TunedParameter("a", 10, 0, 100, 5), TunedParameter("b", 0.9, 0, 1, 0.05)]
    best, width = np.array([60.0, 0.4]), np.array([100.0, 1.0])
    for seed in range(5):
        rng, gains = np.random.default_rng(seed), Gains(300, 100 / 300)
        theta, path = np.array([10.0, 0.9]), []
        for k in range(1, 301):
            points = probe(parameters, theta, gains, k, rng)
            worse, better = (-2000 * ((one - best) / width) ** 2 @ np.ones(2) for one in (points.minus, points.plus))
            wins = rng.binomial(16, 1 / (1 + 10 ** ((worse - better) / 400)))
            theta = follow(parameters, theta, gains, k, points.signs, (2 * wins - 16) / 8)
            path.append(theta)
        assert np.all(np.abs(settled(np.array(path))[0] - best) / width < 0.1)


@pytest.mark.full
def test_a_planted_optimum_is_found_by_games(planted, tmp_path):
    """Of two parameters at once, one of them a whole number, from a corner far away."""
    bounds = ["slope=0..1:step=0.1", "level=0..40:step=4"]
    parameters = read_tuned(CONNECT_FOUR, "planted", bounds)
    with (
        closing(Tuning(CONNECT_FOUR, "planted", parameters, TuningConfig(150))) as tuning,
        Store(tmp_path / "games.sqlite") as store,
    ):
        result = tuning.run(store)
    slope, level = result.values
    assert abs(slope.estimate - BEST["slope"]) < 0.12
    assert abs(level.estimate - BEST["level"]) < 5
    assert result.spec == f"planted:,slope={slope.parameter.text(slope.estimate)},level={round(level.estimate)}"


@pytest.mark.full
def test_one_seed_fixes_the_games_whatever_the_workers(tmp_path):
    assert command(tmp_path, "--out", "one")[0] == 0
    assert command(tmp_path, "--out", "two", "--workers", "2")[0] == 0
    assert command(tmp_path, "--out", "other", "--seed", "1")[0] == 0
    one, two, other = ((tmp_path / name / "iterations.csv").read_text() for name in ("one", "two", "other"))
    assert one == two != other


@pytest.mark.slow("kills it again and again")
@pytest.mark.full
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_tuning_goes_on_to_the_bit(tmp_path, when):
    assert command(tmp_path, "--out", "whole")[0] == 0
    words = [sys.executable, "-c", FAILING, when, "6", *COMMAND, "--out", "cut"]
    killed = subprocess.run(words, cwd=tmp_path, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert killed.returncode == -signal.SIGKILL
    with Store(tmp_path / "cut" / "games.sqlite") as store:
        assert store.count() == 8 * (5 if when == "before" else 6)
    assert command(tmp_path, "--out", "cut")[0] == 0
    for name in ("iterations.csv", "tuning.json"):
        assert (tmp_path / "cut" / name).read_text() == (tmp_path / "whole" / name).read_text()


def test_the_command_shows_the_estimate_with_its_spread_and_resumes_in_its_own_folder(tmp_path):
    status, output, _ = command(tmp_path)
    assert status == 0
    folder = tmp_path / "runs" / "tune-tic_tac_toe-mcts-1"
    assert re.search(r"exploration +3 +[\d.]+ +[\d.]+ +[\d.]+ +0 to 4 +0.2", output)
    assert "tuned:   mcts:4,exploration=" in output
    assert (folder / "parameters.png").read_bytes()[:4] == b"\x89PNG"
    rows = list(csv.DictReader((folder / "iterations.csv").open()))
    assert [int(row["wins"]) + int(row["draws"]) + int(row["losses"]) for row in rows] == [16] * 5
    again = command(tmp_path, "--json")
    content = json.loads(again[1])
    assert content["games"] == 80
    assert content["tuned"].startswith("mcts:4,exploration=")
    assert command(tmp_path, "--seed", "3")[0] == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [folder.name, f"{folder.name[:-1]}2"]


@pytest.mark.full
def test_a_clock_reaches_the_games_of_a_tuning(tmp_path):
    parameters = read_tuned(CONNECT_FOUR, "mcts", ["exploration=1..2"])
    config = TuningConfig(1, games=2, limits=Limits(clock="nodes=8"))
    with closing(Tuning(CONNECT_FOUR, "mcts", parameters, config)) as tuning, Store(tmp_path / "games") as store:
        assert len(tuning.run(store).iterations) == 1
        assert all(match.record.move_ms for match in store.matches())  # known only where a clock ran


@pytest.mark.parametrize(
    ("spec", "texts", "message"),
    [
        ("mcts:4", [], r"name what is tuned, as --parameter exploration=LOW..HIGH; mcts:4 has exploration=1.41421"),
        ("mcts:4", ["exploratoin=1..2"], "unknown parameter of mcts 'exploratoin'; did you mean 'exploration'?"),
        ("mcts:4", ["exploration=1"], "'exploration=1' is not of the form NAME=LOW..HIGH"),
        ("mcts:4", ["exploration=2..1"], "2 is not below 1"),
        ("mcts:4", ["exploration=0..101"], "exploration of mcts is from 0 to 100"),
        ("mcts:4", ["exploration=0..1:start=2"], "start=2 is not from 0 to 1"),
        ("mcts:4", ["exploration=0..1:step=2"], "step=2 is not above 0 and at most 1"),
        ("mcts:4", ["exploration=0..1:stp=2"], "did you mean 'step'?"),
        ("mcts:4", ["exploration=0..1:step=x"], "exploration: step: 'x' is not a number"),
        ("mcts:4", ["exploration=0..1", "exploration=0..2"], "exploration is given twice"),
        ("random", ["exploration=0..1"], "random has no parameters that can be tuned in connect_four"),
        ("alphabeta:2", ["tempo=0..10"], "alphabeta:2 has no parameters that can be tuned in connect_four"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(spec, texts, message):
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        read_tuned(CONNECT_FOUR, spec, texts)
    assert "\n" not in str(raised.value)


def test_whole_numbers_take_whole_bounds_and_steps_from_a_half():
    with pytest.raises(UsageError, match="tempo of alphabeta is a whole number"):
        read_tuned(CHESS, "alphabeta:2", ["tempo=0.5..10"])
    with pytest.raises(UsageError, match=r"step=0.1 is not at least 0.5"):
        read_tuned(CHESS, "alphabeta:2", ["tempo=0..10:step=0.1"])


def test_starts_and_steps_are_those_of_the_spec_and_a_twentieth_of_the_bounds():
    (one,) = read_tuned(CONNECT_FOUR, "mcts:4,exploration=0.5", ["exploration=0..4"])
    assert (one.start, one.step) == (0.5, 0.2)
    (one,) = read_tuned(CONNECT_FOUR, "mcts:4", ["exploration=2..4"])  # the usual value is not within
    assert one.start == 3
    (one,) = read_tuned(CHESS, "alphabeta:2", ["tempo=10..14"])
    assert (one.start, one.step, one.whole) == (12, 0.5, True)


def test_games_of_more_players_are_refused():
    game = games.make("kuhn_poker", players=3)
    with pytest.raises(UsageError, match="which kuhn_poker has none of"):
        Tuning(game, "ismcts:3", [TunedParameter("exploration", 1, 0, 2, 0.1)])


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    status, _, errors = command(tmp_path, "--out", "full")
    assert (status, errors.count("\n")) == (2, 1)
    assert "full is not empty" in errors


def test_settings_of_a_spec_are_replaced():
    assert with_settings("200", {"a": "1"}) == "200,a=1"
    assert with_settings("prog --x=1,a=2,b c=3", {"b c": "4"}) == "prog --x=1,a=2,b c=4"


def test_ranges_are_read_with_signs_and_fractions():
    one = read_range("x=-.5...5:start=0", ("start",), "")
    assert (one.name, one.low, one.high, one.words) == ("x", -0.5, 0.5, {"start": "0"})
