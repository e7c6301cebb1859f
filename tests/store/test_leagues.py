"""What trainers tell each other through a store."""

import dataclasses

import pytest

from arena.base.errors import UsageError
from arena.store import ResultCount, Snapshot

pytestmark = pytest.mark.full

FIRST = Snapshot("a/main-0001", "main", "a/main", 1, 1000, None, "f00")
SECOND = dataclasses.replace(FIRST, name="b/main-0001", learner="b/main", sha256="ba5")


def test_snapshots_are_found_by_everybody_in_the_order_in_which_they_came(store):
    store.add_snapshots("league", [SECOND])
    store.add_snapshots("league", [SECOND, FIRST])
    store.add_snapshots("another", [FIRST])
    assert store.snapshots("league") == [SECOND, FIRST]
    assert store.snapshots("another") == [FIRST]
    assert store.snapshots("nobody's") == []


def test_a_name_is_one_snapshots_alone(store):
    store.add_snapshots("league", [FIRST])
    with pytest.raises(UsageError, match="the league has another 'a/main-0001' already: each trainer needs a name"):
        store.add_snapshots("league", [SECOND, dataclasses.replace(FIRST, sha256="0dd")])
    assert store.snapshots("league") == [FIRST], "nothing is half-written"


def test_counts_take_the_place_of_those_before(store):
    told = [
        ResultCount("training", "a/main", "b/main-0001", 5, 0, 2),
        ResultCount("evaluation", "a/main-0001", "random", 9, 1, 0),
    ]
    store.put_counts("league", told)
    store.put_counts("league", [])
    newer = dataclasses.replace(told[0], wins=8)
    store.put_counts("league", [newer])
    assert store.counts("league") == [told[1], newer]
    assert store.counts("another") == []
