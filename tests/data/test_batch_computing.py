"""`Batch` computes: to torch and back, arithmetic on every leaf, means."""

import numpy as np
import pytest
import torch

from arena.data import Batch


def test_to_torch_and_back():
    batch = Batch(a=np.arange(3), b={"c": np.ones(2, np.float32), "d": "text"}, e=1.5, f=np.array([None]), g=[True])
    batch.to_torch()
    assert (batch.a.dtype, batch.b.c.dtype, batch.e.dtype) == (torch.int64, torch.float32, torch.float64)
    assert batch.b.d == "text"
    assert batch.f.dtype == object
    batch.to_torch(dtype=torch.float32)
    assert batch.a.dtype == batch.e.dtype == batch.g.dtype == torch.float32
    batch.b.c.requires_grad_()
    batch.to_numpy()
    assert (batch.a.dtype, type(batch.b.c), batch.e.shape) == (np.float32, np.ndarray, ())
    reversed_view = Batch(a=np.arange(3)[::-1])
    reversed_view.to_torch()
    assert reversed_view.a.tolist() == [2, 1, 0]


def test_arithmetic_reaches_every_leaf_but_reserved_keys():
    batch = Batch(a=np.array([1.0, 2.0]), b={"c": torch.tensor([3.0])}, d=4, r=Batch())
    assert batch + 1 == Batch(a=[2.0, 3.0], b={"c": torch.tensor([4.0])}, d=5, r=Batch())
    assert (batch * 2 - batch - batch).a.tolist() == [0, 0]
    assert (batch / 2).b.c.item() == 1.5
    assert (Batch(a=np.zeros((2, 2)), b=[1, 2]) + np.array([10, 20])).a.tolist() == [[10, 20], [10, 20]]
    for operand in ("text", None, [1]):
        with pytest.raises(TypeError, match="does not compute with"):
            batch + operand
    with pytest.raises(ValueError, match="keys differ"):
        batch + Batch(a=1)


def test_in_place_arithmetic_keeps_the_arrays():
    array = np.array([1.0, 2.0])
    batch = Batch(a=array, b={"c": np.ones(2)})
    batch += 1
    batch *= Batch(a=np.array([2.0, 3.0]), b={"c": 4})
    batch -= 1
    batch /= 2
    assert batch.a is array
    assert array.tolist() == [1.5, 4.0]
    assert batch.b.c.tolist() == [3.5, 3.5]


def test_np_mean():
    data = Batch(a=np.array([[0.0, 2.0], [1.0, 3.0]]), b=[[5, -5], [1, -2]])
    assert str(np.mean(data)) == "Batch(\n    a: 1.5,\n    b: -0.25,\n)"
    assert np.mean(data, axis=0) == Batch(a=[0.5, 2.5], b=[3.0, -3.5])
    assert np.mean(Batch(a=torch.tensor([1.0, 2.0]), b=Batch(), c=3)) == Batch(a=torch.tensor(1.5), b=Batch(), c=3.0)
