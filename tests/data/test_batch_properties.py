"""What holds for every `Batch`, tried on random hierarchies."""

import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arena.data import Batch

ROWS = 5
LEAVES = [
    np.arange(ROWS),
    np.arange(ROWS * 6, dtype=np.float32).reshape(ROWS, 2, 3),
    np.arange(ROWS) % 2 == 0,
    np.array([f"text {i}" for i in range(ROWS)], object),
    torch.arange(ROWS * 2).reshape(ROWS, 2),
]
KEYS = st.sampled_from(["obs", "act", "rew", "info"])
LEAF = st.sampled_from(LEAVES)


def trees(leaf: st.SearchStrategy, reserved: bool = True) -> st.SearchStrategy[Batch]:
    """Nested batches of `leaf` values, some keys of which may be reserved, with at least one array of `ROWS` rows."""
    values = st.recursive(
        leaf | st.just(Batch()) if reserved else leaf,
        lambda inner: st.dictionaries(KEYS, inner, min_size=not reserved, max_size=3).map(Batch),
        max_leaves=8,
    )
    return st.builds(lambda entries: Batch(entries, first=LEAVES[0]), st.dictionaries(KEYS, values, max_size=4))


def paths(batch: Batch, prefix: tuple[str, ...] = ()) -> dict:
    """Every leaf by the keys that lead to it."""
    found = {}
    for key, value in batch.items():
        found.update(paths(value, (*prefix, key)) if isinstance(value, Batch) else {(*prefix, key): value})
    return found


@given(trees(LEAF), st.lists(st.integers(-ROWS, ROWS - 1), min_size=1))
def test_indexing_reaches_every_leaf(batch, index):
    for way in (index, np.array(index), slice(index[0], None), index[0], np.array(index[0])):
        selected = paths(batch[way])
        for path, leaf in paths(batch).items():
            assert np.array_equal(selected[path], leaf[way])


@given(trees(LEAF), st.integers(1, 7), st.booleans())
def test_split_and_cat_are_inverse(batch, size, merge_last):
    assert Batch.cat(list(batch.split(size, shuffle=False, merge_last=merge_last))) == batch


@given(trees(LEAF))
def test_rows_and_stack_are_inverse(batch):
    assert paths(Batch.stack(list(batch))).keys() == paths(batch).keys()
    assert Batch.stack(list(batch)) == batch


@given(trees(LEAF))
def test_pickle_and_copy_keep_everything(batch):
    assert pickle.loads(pickle.dumps(batch)) == batch == Batch(batch, copy=True)


@given(trees(LEAF))
def test_writing_rows_back_changes_nothing(batch):
    other = Batch(batch, copy=True)
    other[1:3] = batch[1:3]
    assert other == batch
    other[0] = Batch()
    assert all(is_blank(row) for row in paths(other[0:1]).values())
    assert other[1:] == batch[1:]


@given(trees(LEAF, reserved=False), trees(LEAF, reserved=False))
def test_batches_join_if_no_key_means_two_things(a, b):
    leaves, others = paths(a), paths(b)
    if not all(agree(p, leaves[p], q, others[q]) for p in leaves for q in others):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            Batch.cat([a, b])
        return
    joined = paths(Batch.cat([a, b]))
    assert joined.keys() == leaves.keys() | others.keys()
    for path, leaf in joined.items():
        assert len(leaf) == 2 * ROWS
        for rows, part in ((leaf[:ROWS], leaves), (leaf[ROWS:], others)):
            assert np.array_equal(rows, part[path]) if path in part else is_blank(rows)


def agree(path, leaf, other_path, other_leaf) -> bool:
    """Whether two leaves at these places can stand in one hierarchy: one row of the same kind, or different keys."""
    if path == other_path:
        return type(leaf) is type(other_leaf) and leaf.shape[1:] == other_leaf.shape[1:]
    shorter = min(len(path), len(other_path))
    return path[:shorter] != other_path[:shorter]


def is_blank(rows) -> bool:
    return all(x is None for x in rows.flat) if rows.dtype == object else not rows.any()


@given(trees(st.sampled_from(LEAVES[:3])))
def test_torch_and_back(batch):
    other = Batch(batch, copy=True)
    other.to_torch()
    assert all(isinstance(leaf, torch.Tensor) for leaf in paths(other).values())
    other.to_numpy()
    assert other == batch


@given(trees(st.sampled_from(LEAVES[:2])))
def test_arithmetic_is_done_leaf_by_leaf(batch):
    total = paths(batch + batch * 2 - 1)
    assert all(np.array_equal(total[path], leaf * 3 - 1) for path, leaf in paths(batch).items())
