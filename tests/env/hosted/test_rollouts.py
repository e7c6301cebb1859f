"""Rollouts of hosted games, half of them at a time, are the transitions that a `Collector` stores."""

import pytest

from tests.collector.rollouts import COLLECTIONS, both_in_halves, collect_in_halves
from tests.env.hosted.worlds import spec


@pytest.mark.parametrize("name", ["irregular", "truncated", "race", "early_death"])
def test_transitions_are_those_of_arrays(name):
    ours, theirs = both_in_halves(spec(name))
    assert all([collect_in_halves(ours, theirs) for _ in range(COLLECTIONS)])
