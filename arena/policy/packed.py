"""`PackedRows`: rows of booleans as bits, in an eighth of the memory, until a network reads them."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from arena.data.buffer.bits import widened
from games.engine.game import Game

FEWEST = 1_024
"""Booleans of a row from which packing takes less time than moving them."""


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Booleans [n, *row_shape] as bits, on any device; it is indexed and divided as a tensor of n rows is."""

    bits: Tensor
    """Bits, uint8 [n, m], the first boolean of a row in the highest bit, as `numpy.packbits` has them."""
    row_shape: tuple[int, ...]
    """Shape of a row."""

    @property
    def ndim(self) -> int:
        """Return the number of axes of the booleans."""
        return 1 + len(self.row_shape)

    def __len__(self) -> int:
        """Return n."""
        return len(self.bits)

    def __getitem__(self, rows: Any) -> "PackedRows":
        """Return some of the rows."""
        return PackedRows(self.bits[rows], self.row_shape)

    def index_select(self, dim: int, index: Tensor) -> "PackedRows":
        """Return the rows of an index, as `Tensor.index_select` with `dim` = 0 does."""
        return PackedRows(self.bits.index_select(dim, index), self.row_shape)

    def chunk(self, chunks: int) -> tuple["PackedRows", ...]:
        """Return the rows in parts, as `Tensor.chunk` does."""
        return tuple(PackedRows(part, self.row_shape) for part in self.bits.chunk(chunks))

    def to(self, device: torch.device) -> "PackedRows":
        """Return the rows on a device."""
        return PackedRows(self.bits.to(device), self.row_shape)

    def unpack(self) -> Tensor:
        """Return the booleans, bool [n, *row_shape]."""
        if self.bits.is_cuda:
            return unpack_by_tensors(self.bits, math.prod(self.row_shape)).reshape(len(self), *self.row_shape)
        return torch.from_numpy(widened(self.bits.numpy(), self.row_shape))


class RowFormat(NamedTuple):
    """Format in which rows [n, *shape] are stored: as bits if they are many booleans, otherwise as they are."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def is_packed(self) -> bool:
        """Return whether rows are stored as bits."""
        return self.dtype == torch.bool and math.prod(self.shape) >= FEWEST

    @property
    def nbytes(self) -> int:
        """Return the number of bytes of a stored row."""
        return math.ceil(math.prod(self.shape) / 8) if self.is_packed else math.prod(self.shape) * self.dtype.itemsize

    def zeros(self, *counts: int, device: torch.device) -> Tensor:
        """Return storage filled with zeros: [*counts, *shape], or bits [*counts, m]."""
        if self.is_packed:
            return torch.zeros((*counts, self.nbytes), dtype=torch.uint8, device=device)
        return torch.zeros((*counts, *self.shape), dtype=self.dtype, device=device)

    def encode(self, rows: Tensor) -> Tensor:
        """Return rows [n, *shape] as they are stored."""
        return packed(rows) if self.is_packed else rows

    def view(self, stored: Tensor) -> Tensor | PackedRows:
        """Return stored rows [n, ...] without a copy, for readers that unpack them with `as_tensor`."""
        return PackedRows(stored, self.shape) if self.is_packed else stored


def row_formats(game: Game) -> tuple[RowFormat, RowFormat]:
    """Return the formats of a game's observations and masks."""
    dtype = getattr(torch, np.dtype(game.observation_dtype).name)
    return RowFormat(game.observation_shape, dtype), RowFormat((game.num_actions,), torch.bool)


def packed(rows: Tensor) -> Tensor:
    """Return booleans [n, *shape] as the `bits` of `PackedRows`, uint8 [n, m]."""
    entries = rows.flatten(1).view(torch.uint8)
    return pack_by_tensors(entries) if rows.is_cuda else torch.from_numpy(np.packbits(entries.numpy(), axis=1))


def as_tensor(rows: Tensor | PackedRows) -> Tensor:
    """Return rows as the tensor that they stand for."""
    return rows.unpack() if isinstance(rows, PackedRows) else rows


def pack_by_tensors(entries: Tensor) -> Tensor:
    """Return zeros and ones, uint8 [n, k], as `numpy.packbits` packs them, by operations of any device."""
    rows, count = entries.shape
    octets = torch.nn.functional.pad(entries, (0, -count % 8)).reshape(rows, -(-count // 8), 8)
    return (octets << _shifts(entries.device)).sum(2, dtype=torch.uint8)


def unpack_by_tensors(bits: Tensor, count: int) -> Tensor:
    """Return the first `count` booleans of rows of bits, uint8 [n, m], by operations of any device."""
    return (bits[:, :, None] >> _shifts(bits.device) & 1).bool().flatten(1)[:, :count]


def _shifts(device: torch.device) -> Tensor:
    return torch.arange(7, -1, -1, dtype=torch.uint8, device=device)
