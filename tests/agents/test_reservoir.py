"""An even sample of all that came in."""

import numpy as np
import pytest

from agents.learning.reservoir import Reservoir
from arena.data.batch import Batch


def rows(begin, end):
    return Batch(number=np.arange(begin, end), obs=np.arange(begin, end, dtype=np.float32)[:, None].repeat(2, axis=1))


def held(reservoir):
    return reservoir.state_dict().rows.number


def test_it_keeps_all_while_there_is_room():
    reservoir, rng = Reservoir(8), np.random.default_rng(0)
    assert len(reservoir) == 0
    reservoir.add(rows(0, 3), rng)
    reservoir.add(rows(3, 8), rng)
    assert len(reservoir) == 8
    np.testing.assert_array_equal(held(reservoir), np.arange(8))


@pytest.mark.full
def test_every_row_stays_with_the_same_chance():
    """30 rows in three parts, 5 places: each stays in a sixth of 6,000 trials; the bound is five deviations."""
    counts, rng = np.zeros(30), np.random.default_rng(1)
    for _ in range(6000):
        reservoir = Reservoir(5)
        for begin, end in ((0, 4), (4, 17), (17, 30)):
            reservoir.add(rows(begin, end), rng)
        kept = held(reservoir)
        assert len(set(kept.tolist())) == 5
        counts[kept] += 1
    deviation = np.sqrt(6000 * (1 / 6) * (5 / 6))
    assert np.abs(counts - 1000).max() < 5 * deviation


def test_leaves_of_a_row_stay_together():
    reservoir, rng = Reservoir(50), np.random.default_rng(2)
    for begin in range(0, 1000, 70):
        reservoir.add(rows(begin, begin + 70), rng)
    drawn = reservoir.sample(200, rng)
    np.testing.assert_array_equal(drawn.obs[:, 0], drawn.number)
    assert set(drawn.number.tolist()) <= set(held(reservoir).tolist())


def test_what_is_saved_goes_on_as_if_nothing_had_been():
    one, other = Reservoir(20), Reservoir(20)
    one.add(rows(0, 60), np.random.default_rng(3))
    other.load_state_dict(one.state_dict())
    for reservoir in (one, other):
        reservoir.add(rows(60, 90), np.random.default_rng(4))
    assert one.num_added == other.num_added == 90
    np.testing.assert_array_equal(held(one), held(other))
    empty = Reservoir(20)
    empty.load_state_dict(Reservoir(20).state_dict())
    assert len(empty) == 0
