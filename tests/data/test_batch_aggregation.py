"""`Batch.cat` and `Batch.stack`: what lacks a key is padded, what does not fit together is refused."""

import numpy as np
import pytest
import torch

from arena.data import Batch


def test_stack_pads_missing_keys():
    a = Batch(a=np.ones([4, 4]), common=Batch(c=np.zeros([4, 5])))
    b = Batch(b=np.ones([4, 6]), common=Batch(c=np.zeros([4, 5])))
    c = Batch.stack([a, b])
    assert (c.a.shape, c.b.shape, c.common.c.shape) == ((2, 4, 4), (2, 4, 6), (2, 4, 5))
    assert [row.any() for row in c.a] == [True, False]
    assert [row.any() for row in c.b] == [False, True]


def test_stack_pads_objects_with_none():
    data = Batch.stack((Batch(a=np.array([0.0, 2.0])), Batch(a=np.array([1.0, 3.0]), b="done")))
    assert str(data) == "\n".join(
        [
            "Batch(",
            "    a: array([[0., 2.],",
            "              [1., 3.]]),",
            "    b: array([None, 'done'], dtype=object),",
            ")",
        ]
    )


def test_cat_pads_missing_keys():
    a = Batch(a=np.ones([3, 4]), common=Batch(c=np.zeros([3, 5])))
    b = Batch(b=np.ones([4, 3]), common=Batch(c=np.zeros([4, 5])))
    c = Batch.cat([a, b])
    assert (c.a.shape, c.b.shape, c.common.c.shape) == ((7, 4), (7, 3), (7, 5))
    assert (c.a[:3] == 1).all()
    assert (c.a[3:] == 0).all()
    assert (c.b[:3] == 0).all()
    assert (c.b[3:] == 1).all()


def test_padding_keeps_dtype_and_kind():
    c = Batch.cat([Batch(x=[1, 2]), Batch(x=[3], i=np.array([4], np.int8), t=torch.ones(1), o=["s"], n={"d": [True]})])
    assert (c.i.dtype, c.i.tolist()) == (np.int8, [0, 0, 4])
    assert torch.equal(c.t, torch.tensor([0.0, 0.0, 1.0]))
    assert c.o.tolist() == [None, None, "s"]
    assert (c.n.d.dtype, c.n.d.tolist()) == (np.bool_, [False, False, True])
    s = Batch.stack([Batch(), Batch(i=np.int8(4), t=torch.ones(2), b=True, n={"d": 2.5})])
    assert (s.i.tolist(), s.t.tolist(), s.b.tolist(), s.n.d.tolist()) == (
        [0, 4],
        [[0, 0], [1, 1]],
        [False, True],
        [0, 2.5],
    )


def test_structured_records_are_leaves_too():
    record = np.zeros(2, [("board", np.int8, (2,)), ("turn", np.int8)])
    record["turn"] = 1
    batch = Batch.cat([Batch(a=[1]), Batch(a=[2, 3], state=record)])
    assert batch.state["turn"].tolist() == [0, 1, 1]
    assert batch[1:].state.dtype == record.dtype
    assert batch == Batch.stack(list(batch))


def test_splitting_and_joining():
    data = Batch(a=np.array([[0.0, 2.0], [1.0, 3.0]]), b=[5, -5])
    parts = list(data.split(1, shuffle=False))
    assert parts == [Batch(a=[[0.0, 2.0]], b=[5]), Batch(a=[[1.0, 3.0]], b=[-5])]
    assert Batch.cat(parts) == data
    assert Batch.stack(list(data)) == data


def test_reserved_keys_stay_reserved_or_are_filled():
    for join in (Batch.cat, Batch.stack):
        assert join([Batch(a=[1], r=Batch()), Batch(a=[2], r=Batch())]).r == Batch()
        assert join([Batch(r=Batch(s=Batch())), Batch(r=Batch())]) == Batch(r=Batch(s=Batch()))
        assert join([]) == Batch()
        assert join([Batch(), Batch()]) == Batch()
    assert Batch.cat([Batch(a=[1], r=Batch()), Batch(a=[2], r=[3])]).r.tolist() == [0, 3]
    assert Batch.stack([Batch(r=Batch()), Batch(r={"s": 3})]).r.s.tolist() == [0, 3]


def test_joining_takes_mappings():
    assert Batch.cat([{"a": [1]}, Batch(a=[2])]) == Batch(a=[1, 2])
    assert Batch.stack([{"a": 1}, {"a": 2}]) == Batch(a=[1, 2])


def test_stacking_along_another_axis():
    rows = [Batch(a=np.zeros(3), b={"c": torch.zeros(3)}), Batch(a=np.ones(3), b={"c": torch.ones(3)})]
    stacked = Batch.stack(rows, axis=1)
    assert stacked.a.tolist() == [[0, 1]] * 3
    assert stacked.b.c.tolist() == [[0, 1]] * 3


@pytest.mark.parametrize(
    "rows", [[Batch(a=[1]), Batch(b=[1])], [Batch(a={"b": [1]}), Batch(a={"c": [1]})], [Batch(a=Batch()), Batch(a=[1])]]
)
def test_different_keys_stack_along_the_first_axis_only(rows):
    with pytest.raises(ValueError, match="along axis 0 only, not 1"):
        Batch.stack(rows, axis=1)


@pytest.mark.parametrize("join", [Batch.cat, Batch.stack])
@pytest.mark.parametrize(
    "other", [Batch(a=Batch(b=Batch())), Batch(a={"b": np.zeros((4, 4))})], ids=["reserved below", "batch"]
)
def test_a_batch_and_an_array_do_not_join(join, other):
    with pytest.raises(ValueError, match="key 'a' is a Batch in some"):
        join([Batch(a=np.zeros([4, 4])), other])


@pytest.mark.parametrize("join", [Batch.cat, Batch.stack])
def test_an_array_and_a_tensor_do_not_join(join):
    for pair in ([np.zeros(2), torch.zeros(2)], [torch.zeros(2), np.zeros(2)]):
        with pytest.raises(TypeError):
            join([Batch(a=pair[0]), Batch(a=pair[1])])


def test_what_numpy_refuses_is_refused():
    with pytest.raises(ValueError, match="same shape"):
        Batch.stack([Batch(a=np.zeros(2)), Batch(a=np.zeros(3))])
    with pytest.raises(TypeError, match="is a scalar"):
        Batch.cat([Batch(a=1), Batch(a=2)])
    with pytest.raises(TypeError, match="expected a Batch or a mapping, not int"):
        Batch.cat([Batch(a=[1]), 3])


def test_in_place_forms():
    batch = Batch(a=[1])
    batch.cat_(Batch(a=[2]))
    batch.cat_([{"a": [3]}, Batch(a=[4], b=[5])])
    batch.cat_({"a": [6]})
    assert batch == Batch(a=[1, 2, 3, 4, 6], b=[0, 0, 0, 5, 0])
    empty = Batch()
    empty.cat_(Batch(a=[1]))
    assert empty == Batch(a=[1])
    row = Batch(a=1)
    row.stack_([Batch(a=2), {"a": 3}])
    assert row == Batch(a=[1, 2, 3])
    nothing = Batch()
    nothing.stack_([Batch(a=2), Batch(a=3)])
    assert nothing == Batch(a=[2, 3])


def test_joining_copies():
    array = np.zeros(2)
    joined = Batch.cat([Batch(a=array)])
    joined.a[0] = 1
    assert array[0] == 0
