"""The ladder: its tree against counting, whom it pairs, and a small simulation from the command line."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena.ratings.ladder import BINS, RatingLadder, below, bin_of, of_rank
from scripts import ladder_simulation as simulation

pytestmark = pytest.mark.full

SCRIPT = Path(__file__).parents[2] / "scripts" / "ladder_simulation.py"


@pytest.fixture(scope="module")
def ladder():
    """A ladder on which 200 agents have played 3000 games: the lower number wins."""
    ladder = RatingLadder(200, seed=1)
    for _ in range(3000):
        first, second = ladder.pair()
        ladder.record(first, second, float(first < second))
    return ladder


def test_the_tree_counts_who_stands_where(ladder):
    bins = np.sort(ladder.agents["bin"])
    assert ladder.counts[0] == 200
    for place in (0, 1, BINS // 2, BINS - 1, *bins[::20].tolist()):
        assert below(ladder.counts, place) == np.searchsorted(bins, place)
    for rank in range(0, 200, 13):
        assert ladder.agents["bin"][of_rank(ladder.counts, ladder.heads, rank)] == bins[rank]
    assert [bin_of(mu) for mu in (-99.0, 99.0)] == [0, BINS - 1]


def test_the_better_stand_above(ladder):
    order = np.argsort(-ladder.ratings)
    assert np.corrcoef(order, np.arange(200))[0, 1] > 0.98
    assert np.all(ladder.agents["games"] > 5)
    assert np.all(ladder.deviations < 350)


def test_a_pair_is_away_until_its_result_is_known():
    ladder = RatingLadder(4, seed=0)
    (a, b), (c, d) = ladder.pair(), ladder.pair()
    assert {a, b, c, d} == {0, 1, 2, 3}
    assert ladder.counts[0] == 0
    ladder.record(a, b, 0.5)
    assert set(ladder.pair()) == {a, b}


def test_equals_meet_once_they_are_known(ladder):
    gaps, apart = [], np.ptp(ladder.ratings)
    for _ in range(300):
        first, second = ladder.pair()
        gaps.append(abs(ladder.ratings[first] - ladder.ratings[second]))
        ladder.record(first, second, float(first < second))
    assert np.mean(gaps) < apart / 8


def test_newcomers_play_first(ladder):
    ladder.agents["phi"][:10] = 2.0
    before = ladder.agents["games"].copy()
    for _ in range(100):
        first, second = ladder.pair()
        ladder.record(first, second, float(first < second))
    more = ladder.agents["games"] - before
    assert more[:10].mean() > 1.5 * more[10:].mean()


def test_the_seed_fixes_the_pairs():
    runs = []
    for _ in range(2):
        ladder, pairs = RatingLadder(50, seed=7), []
        for _ in range(100):
            pairs.append(ladder.pair())
            ladder.record(*pairs[-1], 1.0)
        runs.append((pairs, ladder.ratings.tolist()))
    assert runs[0] == runs[1]


@pytest.mark.slow("simulates thousands of seasons")
def test_a_small_simulation_holds_what_its_intervals_say():
    command = [sys.executable, str(SCRIPT), "--agents", "3000", "--games", "60000"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    *held, by_rating, by_strength = [float(share) for share in re.findall(r"intervals hold ([\d.]+) %", said)]
    *off, _, _ = [float(points) for points in re.findall(r"off by (\d+)", said)]
    assert len(held) == 10
    assert 93 < min(held) <= max(held) < 99
    assert off[-1] < 70 < off[0]
    assert by_rating > 80  # of 30 agents
    assert by_strength > 60
    assert "games a second on one core" in said


@pytest.mark.slow("simulates thousands of seasons")
@pytest.mark.parametrize(("deviation", "draws"), [(100, 0.3), (200, 0.0), (300, 0.3), (400, 0.3)])
def test_intervals_hold_the_truth_however_far_apart_strengths_are(deviation, draws):
    size = 20_000
    truth = np.random.default_rng(1).normal(1500, deviation, size)
    ladder = RatingLadder(size, seed=1)
    simulation.play(ladder, truth, 20 * size, draws)
    held = np.abs(ladder.ratings - truth) < 1.96 * ladder.deviations
    best = np.argsort(-ladder.ratings)[: size // 100]
    assert held.mean() > 0.93
    assert held[best].mean() > 0.85
    slope = np.polyfit(ladder.ratings, truth, 1)[0]
    assert 0.95 < slope < 1.08


def test_a_ladder_of_one_is_refused():
    ended = subprocess.run([sys.executable, str(SCRIPT), "--agents", "1"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "1 agents and 20000000 games are no ladder" in ended.stderr
