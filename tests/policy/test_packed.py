"""Rows of booleans as bits are what NumPy packs, and are read back as they were."""

import numpy as np
import pytest
import torch

from arena import make_game
from arena.policy.packed import PackedRows, RowFormat, as_tensor, pack_by_tensors, row_formats, unpack_by_tensors

BOARD = (8, 8, 21)


@pytest.fixture
def rows():
    return torch.rand(9, *BOARD, generator=torch.Generator().manual_seed(0)) < 0.3


def test_rows_are_stored_in_an_eighth_of_the_memory_and_read_as_they_were(rows):
    form = RowFormat(BOARD, torch.bool)
    stored = form.encode(rows)
    assert stored.shape == (9, form.nbytes) == (9, 168)
    np.testing.assert_array_equal(stored.numpy(), np.packbits(rows.numpy().reshape(9, -1), axis=1))
    assert torch.equal(as_tensor(form.view(stored)), rows)
    assert not as_tensor(form.view(form.zeros(9, device=torch.device("cpu")))).any()


@pytest.mark.parametrize(("shape", "dtype"), [((8, 8, 15), torch.bool), (BOARD, torch.int8)])
def test_few_booleans_and_numbers_are_stored_as_they_are(shape, dtype):
    form, rows = RowFormat(shape, dtype), torch.ones(3, *shape, dtype=dtype)
    assert form.encode(rows) is rows
    assert form.view(rows) is rows
    assert form.zeros(3, device=torch.device("cpu")).shape == rows.shape
    assert form.nbytes == rows[0].nbytes


@pytest.mark.parametrize(("n", "count"), [(5, 1), (5, 8), (5, 13), (5, 4672), (0, 13)])
def test_any_device_packs_as_numpy_does(n, count):
    rows = torch.rand(n, count, generator=torch.Generator().manual_seed(count)) < 0.5
    bits = pack_by_tensors(rows.view(torch.uint8))
    np.testing.assert_array_equal(bits.numpy(), np.packbits(rows.numpy(), axis=1))
    assert torch.equal(unpack_by_tensors(bits, count), rows)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
def test_a_gpu_keeps_what_the_cpu_keeps(rows):
    form = RowFormat(BOARD, torch.bool)
    stored = form.encode(rows.cuda())
    assert torch.equal(stored.cpu(), form.encode(rows))
    assert torch.equal(as_tensor(form.view(stored)).cpu(), rows)


def test_rows_are_indexed_and_divided_as_those_of_a_tensor_are(rows):
    form, order = RowFormat(BOARD, torch.bool), torch.randperm(9)
    packed = form.view(form.encode(rows))
    assert isinstance(packed, PackedRows)
    assert (len(packed), packed.ndim) == (9, 4)
    assert torch.equal(packed.index_select(0, order).unpack(), rows[order])
    assert torch.equal(packed[2:5].to(torch.device("cpu")).unpack(), rows[2:5])
    assert torch.equal(packed[5:5].unpack(), rows[5:5])
    for part, expected in zip(packed.chunk(4), rows.chunk(4), strict=True):
        assert torch.equal(part.unpack(), expected)


def test_chess_is_stored_as_bits_and_connect_four_is_not():
    assert [form.is_packed for form in row_formats(make_game("chess"))] == [True, True]
    assert [form.is_packed for form in row_formats(make_game("connect_four"))] == [False, False]
