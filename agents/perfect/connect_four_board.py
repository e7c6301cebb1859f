"""Connect Four bitboards in numpy: conversion, mirror images, and enumeration of positions.

Bits are as in `connect_four_search`: `rows + 1` per column, the lowest cell first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.perfect.connect_four_search import BOARD
from games.engine.game import State

Words = NDArray[np.uint64]


def measures(rows: int, columns: int) -> Any:
    """Return the `BOARD` record of this size."""
    board = np.zeros(1, BOARD)[0]
    height = rows + 1
    full = [((1 << rows) - 1) << (column * height) for column in range(columns)]
    board["height"] = height
    board["bottom"] = sum(1 << (column * height) for column in range(columns))
    board["cells"] = sum(full)
    outside_in = sorted(range(columns), key=lambda column: -abs(2 * column - columns + 1))
    board["columns"][:columns] = [full[column] for column in outside_in]
    board["width"], board["count"] = columns, rows * columns
    return board


def from_state(state: State) -> tuple[np.uint64, np.uint64]:
    """Return the discs of the player to move, and all discs."""
    rows, columns = state["board"].shape
    bits = np.uint64(1) << (np.arange(columns)[None, :] * (rows + 1) + np.arange(rows)[::-1, None]).astype(np.uint64)
    discs = state["board"]
    return bits[discs == state["current_player"]].sum(dtype=np.uint64), bits[discs >= 0].sum(dtype=np.uint64)


def mirrored(words: Words, board: Any) -> Words:
    """Return the boards with left and right exchanged."""
    height, width = int(board["height"]), int(board["width"])
    column = np.uint64((1 << height) - 1)
    result = np.zeros_like(words)
    for i in range(width):
        result |= (words >> np.uint64(i * height) & column) << np.uint64((width - 1 - i) * height)
    return result


def keys(own: Words, mask: Words, board: Any) -> Words:
    """Return one number for each position, equal to that of its mirror image."""
    return np.minimum(own + mask, mirrored(own, board) + mirrored(mask, board))


def has_four(discs: Words, board: Any) -> NDArray[np.bool_]:
    """Return whether four of the discs are in line."""
    result = np.zeros(discs.shape, np.bool_)
    height = int(board["height"])
    for step in (1, height - 1, height, height + 1):
        pairs = discs & discs >> np.uint64(step)
        result |= (pairs & pairs >> np.uint64(2 * step)) != 0
    return result


def children(own: Words, mask: Words, board: Any) -> tuple[Words, Words, NDArray[np.bool_]]:
    """Return the positions [columns, n] after a move in each column, for the next player, and which moves are legal."""
    height, width = int(board["height"]), int(board["width"])
    bottoms = np.uint64(1) << np.arange(width, dtype=np.uint64) * np.uint64(height)
    moves = (mask + bottoms[:, None]) & ~mask
    lawful = (moves & board["cells"]) != 0
    columns = bottoms * np.uint64((1 << (height - 1)) - 1)
    moves &= columns[:, None]
    return np.broadcast_to(own ^ mask, moves.shape).copy(), mask | moves, lawful & (moves != 0)


def following(own: Words, mask: Words, board: Any, chosen: NDArray[np.bool_] | None = None) -> tuple[Words, Words]:
    """Return the unfinished positions after one more move, sorted by key, with one of each mirrored pair.

    The one whose own word is the key is kept. Moves are all legal ones, or those in the columns `chosen` [columns, n].
    """
    own, mask, moved = children(own, mask, board)
    if chosen is not None:
        moved = moved & chosen
    going_on = moved & ~has_four(own ^ mask, board)
    own, mask = own[going_on], mask[going_on]
    unique, firsts = np.unique(keys(own, mask, board), return_index=True)
    own, mask = own[firsts], mask[firsts]
    is_key = own + mask == unique
    return np.where(is_key, own, mirrored(own, board)), np.where(is_key, mask, mirrored(mask, board))


def positions_after(moves: int, board: Any) -> tuple[Words, Words]:
    """Return `own` and `mask` [n] of all unfinished positions after `moves` moves, sorted by key.

    Of each mirrored pair only one position is returned.
    """
    own = mask = np.zeros(1, np.uint64)
    for _ in range(moves):
        own, mask = following(own, mask, board)
    return own, mask
