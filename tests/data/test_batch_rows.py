"""`Batch` as rows: indexing, writing, length and shape, splitting, emptying."""

import numpy as np
import pytest
import torch

from arena.data import Batch


def test_rows_and_slices():
    batch = Batch(a=np.array([[0.0, 2.0], [1.0, 3.0]]), b=[[5, -5], [1, -2]], reserved=Batch())
    assert batch[0] == Batch(a=[0.0, 2.0], b=[5, -5], reserved=Batch())
    assert batch[:, 1] == Batch(a=[2.0, 3.0], b=[-5, -2], reserved=Batch())
    assert batch[[1, 0]].b.tolist() == [[1, -2], [5, -5]]
    assert batch[np.array([True, False])].b.tolist() == [[5, -5]]
    assert [sample.a.tolist() for sample in batch] == [[0.0, 2.0], [1.0, 3.0]]
    assert list(batch) == [batch[0], batch[1]]


@pytest.mark.parametrize("index", [slice(None, None, -1), slice(2, None, -2), slice(0, 3, -1)])
def test_slices_may_go_backwards_through_tensors_too(index):
    batch = Batch(a=np.arange(4), b=Batch(c=torch.arange(4)))
    assert batch[index].b.c.tolist() == batch[index].a.tolist() == np.arange(4)[index].tolist()
    batch[index] = Batch(a=10 + batch[index].a, b=Batch(c=10 + batch[index].b.c))
    assert batch.b.c.tolist() == batch.a.tolist()


def test_slices_are_written_through():
    batch = Batch(obs={"index": np.zeros((2, 3))}, act=torch.zeros((2, 2)))
    batch[:, 1] += 6
    assert str(batch[-1]) == "\n".join(
        [
            "Batch(",
            "    obs: Batch(",
            "             index: array([0., 6., 0.]),",
            "         ),",
            "    act: tensor([0., 6.]),",
            ")",
        ]
    )


def test_rows_are_written_with_missing_keys_zeroed():
    batch = Batch(a=np.ones(3), b=np.array(["x", "y", "z"]), c={"d": torch.ones(3), "e": np.ones(3)}, f=Batch())
    batch[0] = {"a": 5}
    batch[1:] = Batch(a=[6, 7], c={"e": [8, 9]})
    assert batch.a.tolist() == [5, 6, 7]
    assert batch.b.tolist() == [None, None, None]
    assert batch.c.d.tolist() == [0, 0, 0]
    assert batch.c.e.tolist() == [0, 8, 9]
    assert batch.f.is_empty()


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"a": 1, "z": 2}, "key 'z' is not in this Batch"),
        ({"a": 1, "c": {"z": 2}}, "key 'z' is not in this Batch"),
        ({"a": {"b": 1}}, "key 'a' is a Batch on one side"),
        ({"a": 1, "c": 1}, "key 'c' is a Batch on one side"),
        (1, "only a Batch or a mapping"),
        (np.zeros(2), "only a Batch or a mapping"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_is_written(value, error):
    batch = Batch(a=np.ones(2), c={"d": np.ones(2)})
    with pytest.raises(ValueError, match=error):
        batch[0] = value
    assert batch == Batch(a=np.ones(2), c={"d": np.ones(2)})


def test_an_empty_batch_has_no_rows():
    with pytest.raises(IndexError):
        _ = Batch()[0]


def test_length_and_shape():
    batch = Batch(a=[5.0, 4.0], b=np.zeros((2, 3, 4)))
    assert (len(batch), batch.shape) == (2, [2])
    assert batch[0].shape == []
    assert Batch(a=np.zeros((2, 2)), b=np.zeros((2, 2))).shape == [2, 2]
    assert Batch(a=np.zeros((5, 4)), b={"c": torch.zeros(3, 6)}).shape == [3, 4]
    assert len(Batch(a=np.zeros((5, 4)), b={"c": torch.zeros(3, 6)})) == 3
    assert len(Batch(a=[1, 2], b=Batch(), c=Batch(d=Batch()))) == 2
    assert Batch(a=[1, 2], b=Batch()).shape == []
    assert Batch().shape == []


@pytest.mark.parametrize("batch", [Batch(), Batch(a=Batch()), Batch(a=1), Batch(a=[1], b="text"), Batch(a=np.array(1))])
def test_scalars_and_reserved_keys_have_no_length(batch):
    with pytest.raises(TypeError, match=r"no len\(\)"):
        len(batch)


def test_is_empty():
    assert Batch().is_empty()
    assert not Batch(a=Batch(), b=Batch(c=Batch())).is_empty()
    assert Batch(a=Batch(), b=Batch(c=Batch())).is_empty(recurse=True)
    assert not Batch(d=1).is_empty()
    assert not Batch(a=np.float64(1.0)).is_empty(recurse=True)


@pytest.mark.parametrize(
    ("size", "merge_last", "lengths"),
    [(1, False, [1] * 5), (2, False, [2, 2, 1]), (2, True, [2, 3]), (5, True, [5]), (9, False, [5]), (9, True, [5])],
)
def test_split(size, merge_last, lengths):
    batch = Batch(a=np.arange(5), b={"c": np.arange(5) * 2})
    parts = list(batch.split(size, shuffle=False, merge_last=merge_last))
    assert [len(part) for part in parts] == lengths
    assert Batch.cat(parts) == batch


def test_split_shuffles_rows_together_by_the_global_generator():
    batch = Batch(a=np.arange(50), b={"c": np.arange(50) * 2})
    np.random.seed(3)
    first = Batch.cat(list(batch.split(7)))
    np.random.seed(3)
    assert Batch.cat(list(batch.split(7))) == first
    assert first != batch
    assert (first.b.c == first.a * 2).all()
    assert sorted(first.a) == list(range(50))
    with pytest.raises(ValueError, match="size=0 is not at least 1"):
        batch.split(0)
    assert list(Batch(a=[]).split(2)) == []


def test_empty_sets_zero_or_none():
    batch = Batch(a=np.ones(2), b=np.array(["x", None]), c={"d": torch.ones(2)}, e=3, f="text", g=Batch(), h=2.5)
    blank = Batch.empty(batch)
    assert blank == Batch(
        a=np.zeros(2), b=np.array([None, None]), c={"d": torch.zeros(2)}, e=0, f=None, g=Batch(), h=0.0
    )
    assert batch.a.tolist() == [1, 1], "the original stays"
    assert batch.empty_() is batch
    assert batch == blank
    assert Batch(a=np.array(3.0)).empty_().a.shape == ()


def test_empty_sets_the_rows_of_an_index():
    batch = Batch(a=np.ones((3, 2)), b={"c": np.array(["x", "y", "z"])})
    assert Batch.empty(batch, 1).a.tolist() == [[1, 1], [0, 0], [1, 1]]
    batch.empty_([0, 2])
    assert batch.a.tolist() == [[0, 0], [1, 1], [0, 0]]
    assert batch.b.c.tolist() == [None, "y", None]
