"""Files of tensors: what is written, the package safetensors reads, and the other way round."""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load, save

from arena.base.errors import CheckpointError
from arena.base.tensors import NUMPY, read_arrays, write_arrays

ARRAYS = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
    st.sampled_from(list(NUMPY.values())).flatmap(
        lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0, max_side=4))
    ),
    max_size=5,
)


def same(one, other):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert (array.dtype, array.shape) == (other[name].dtype, other[name].shape)
        assert array.tobytes() == other[name].tobytes()


@given(ARRAYS)
def test_what_is_written_is_read_here_and_elsewhere(tmp_path_factory, arrays):
    path = tmp_path_factory.getbasetemp() / "arrays.safetensors"
    digest = write_arrays(path, arrays)
    content = path.read_bytes()
    assert digest == hashlib.sha256(content).hexdigest()
    same(load(content), arrays)
    read, again = read_arrays(path)
    assert again == digest
    same(read, arrays)


@given(ARRAYS)
def test_what_is_written_elsewhere_is_read(tmp_path_factory, arrays):
    path = tmp_path_factory.getbasetemp() / "elsewhere.safetensors"
    path.write_bytes(save(arrays))
    read, _ = read_arrays(path)
    same(read, arrays)


def test_arrays_of_any_order_in_memory_are_written(tmp_path):
    array = np.arange(24.0).reshape(4, 6)
    write_arrays(tmp_path / "file", {"turned": array.T, "part": array[::2, 1:4]})
    same(read_arrays(tmp_path / "file")[0], {"part": array[::2, 1:4].copy(), "turned": array.T.copy()})


@pytest.mark.parametrize(("dtype", "shape"), [("F32", [0, 2**70]), ("F32", [0] * 100), ("BF16", [0])])
def test_what_numpy_cannot_hold_is_refused(dtype, shape, tmp_path):
    header = json.dumps({"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, 0]}}).encode()
    (tmp_path / "file").write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(CheckpointError, match="file cannot be read"):
        read_arrays(tmp_path / "file")


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a device of Linux")
def test_a_full_disk_is_the_systems_error():
    with pytest.raises(OSError, match="No space left"):
        write_arrays(Path("/dev/full"), {"a": np.zeros(100_000)})
