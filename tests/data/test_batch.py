"""`Batch` as a container: construction, keys, equality, copies, printing.

The examples are those of the Tianshou manual ("Batch", "Understand Batch"), whose semantics it keeps.
"""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch

from arena.data import Batch


def test_a_batch_holds_scalars_arrays_and_batches():
    batch = Batch(a=4, b=[5, 5], c="2312312", d=("a", -2, -3))
    assert (batch.b == np.array([5, 5])).all()
    batch.b = np.array([3, 4, 5])
    assert str(batch) == "\n".join(
        [
            "Batch(",
            "    a: 4,",
            "    b: array([3, 4, 5]),",
            "    c: '2312312',",
            "    d: array(['a', '-2', '-3'], dtype=object),",
            ")",
        ]
    )


def test_a_mapping_and_keywords_make_the_same_batch():
    assert Batch({"a": 4, "b": [5, 5], "c": {"d": 1}}) == Batch(a=4, b=[5, 5], c=Batch(d=1))
    assert Batch(Batch(a=1), b=2) == Batch(a=1, b=2)
    assert Batch({"a": 1}, a=2).a == 2


def test_a_list_of_mappings_is_stacked():
    batch = Batch([{"a": 0.0, "b": "hello"}, {"a": 1.0, "b": "world"}])
    assert str(batch) == "\n".join(
        ["Batch(", "    a: array([0., 1.]),", "    b: array(['hello', 'world'], dtype=object),", ")"]
    )
    assert Batch(np.array([{"a": 1}, {"a": 2}])) == Batch(a=[1, 2])
    assert Batch(x=[{"a": 1}, {"a": 2}]).x == Batch(a=[1, 2])
    assert Batch(x=np.array([{"a": 1}, {"a": 2}])).x == Batch(a=[1, 2])


def test_arrays_are_kept_by_reference_unless_copied():
    array = np.zeros((3, 4))
    assert Batch(arr=array).arr is array
    copied = Batch(arr=array, nested={"arr": array}, copy=True)
    assert copied.arr is not array
    assert not np.shares_memory(copied.nested.arr, array)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([1, 2], np.int64),
        ([1, 2.5], np.float64),
        ([True, False], np.bool_),
        (["a", "longer"], object),
        ([None, 1], object),
        ([[1, 2], [3]], object),
        ([np.zeros((2, 3)), np.zeros((2, 4))], object),
        (np.array(["a", "b"]), object),
        ([], np.float64),
    ],
)
def test_lists_become_arrays(value, dtype):
    array = Batch(a=value).a
    assert array.dtype == dtype
    assert len(array) == len(value)


def test_tensors_in_a_list_are_stacked():
    assert torch.equal(Batch(a=[torch.zeros(2), torch.ones(2)]).a, torch.tensor([[0.0, 0.0], [1.0, 1.0]]))


def test_keys_are_strings():
    with pytest.raises(TypeError, match="a key of a Batch is a string, not 1"):
        Batch({1: 2})
    with pytest.raises(TypeError, match="not 1"):
        Batch(a={1: 2})


def test_keys_are_read_and_written_as_attributes_and_as_items():
    batch = Batch(a=4, b=[5, 5])
    assert batch["a"] == batch.a == 4
    batch["c"] = {"d": 1}
    batch.c.e = 2
    assert batch.c == Batch(d=1, e=2)
    assert list(batch.keys()) == ["a", "b", "c"]
    assert [key for key, _ in batch.items()] == ["a", "b", "c"]
    assert next(iter(batch.values())) == 4
    assert "a" in batch
    assert "z" not in batch
    assert (batch.get("a"), batch.get("z"), batch.get("z", 3)) == (4, None, 3)
    assert (batch.pop("a"), batch.pop("a", None)) == (4, None)
    assert "a" not in batch


def test_a_missing_key_is_named():
    with pytest.raises(AttributeError, match=r"no key 'c'; it has \['a'\]"):
        _ = Batch(a=1).c
    with pytest.raises(KeyError, match="c"):
        _ = Batch(a=1)["c"]


def test_update_takes_a_batch_a_mapping_and_keywords_that_win():
    batch = Batch(a=4, b=[5, 5])
    batch.update(c=1, d=2, e=3)
    assert str(batch) == "\n".join(
        ["Batch(", "    a: 4,", "    b: array([5, 5]),", "    c: 1,", "    d: 2,", "    e: 3,", ")"]
    )
    batch.update(Batch(a=1), b=2)
    batch.update({"c": 7, "d": 0}, d=8)
    batch.update(None)
    assert batch == Batch(a=1, b=2, c=7, d=8, e=3)


def test_keys_that_name_methods_do_no_harm():
    info = {"keys": [1], "items": [2], "values": [3], "update": [4]}
    batch = Batch(info=info, act=[1])
    assert Batch.cat([batch, batch]).info["items"].tolist() == [2, 2]
    assert Batch(batch.info) == batch.info == pickle.loads(pickle.dumps(batch)).info


def test_equality():
    batch = Batch(a=np.arange(3), b={"c": "x"}, d=Batch())
    assert batch == Batch(d=Batch(), b={"c": "x"}, a=[0, 1, 2])
    for other in (Batch(), Batch(a=[0, 1, 2], b={"c": "y"}, d=Batch()), Batch(a=[0, 1], b={"c": "x"}, d=Batch())):
        assert batch != other
    assert Batch(a=torch.zeros(2)) != Batch(a=np.zeros(2))
    assert Batch(a=Batch()) != Batch(a=0)
    assert Batch(a=1) != {"a": 1}
    with pytest.raises(TypeError, match="unhashable"):
        hash(batch)


@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))], ids=["copy", "pickle"]
)
def test_copies_keep_everything_and_share_nothing(how):
    batch = Batch(a=np.arange(3), b={"c": torch.ones(2), "d": ["x", None]}, e=Batch(), f=1.5)
    other = how(batch)
    assert other == batch
    other.a[0] = 9
    other.b.c[0] = 9
    assert batch.a[0] == 0
    assert batch.b.c[0] == 1


def test_printing_indents_what_spans_lines():
    assert str(Batch()) == "Batch()"
    batch = Batch(a=np.array([[0.0, 3.0], [1.0, 4.0]]), long=Batch(b=Batch(), c=np.float32(1.5)))
    assert repr(batch) == "\n".join(
        [
            "Batch(",
            "    a: array([[0., 3.],",
            "              [1., 4.]]),",
            "    long: Batch(",
            "              b: Batch(),",
            "              c: 1.5,",
            "          ),",
            ")",
        ]
    )


def test_numpy_takes_a_batch_as_one_thing():
    array = np.empty(2, object)
    array[0] = Batch(a=np.zeros(3))
    assert array[0].a.shape == (3,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(Batch(a=[1, 2])).shape == ()


@pytest.mark.full
def test_batches_work_without_torch():
    program = """
import sys
from arena.data import Batch
Batch.cat([Batch(a=[1], b="x" and [2]), Batch(a=[3])]); Batch.stack([Batch(a=1), Batch(b=2)]).to_numpy()
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
