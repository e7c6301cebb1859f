"""Machine instructions on words of 64 bits (uint64), for boards that are sets of squares; for compiled code only."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from games.engine.jit import njit

ZERO, ONE = np.uint64(0), np.uint64(1)
DEFINED = ir.Constant(ir.IntType(1), 0)
"""For counts of zeros: that of 0 is 64, not undefined."""


def _instruction(build: Callable[[Any, Any], Any], result: Any) -> Any:
    """A function of one word, compiled to the instruction that `build(builder, word)` emits."""

    @intrinsic
    def instruction(typing_context: Any, word: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return build(builder, arguments[0])

        return result(types.uint64), emit

    return instruction


popcount = _instruction(lambda builder, word: builder.ctpop(word), types.int64)
"""Number of bits that are set."""
lowest_index = _instruction(lambda builder, word: builder.cttz(word, DEFINED), types.int64)
"""Index of the lowest bit that is set; 64 if there is none."""
leading_zeros = _instruction(lambda builder, word: builder.ctlz(word, DEFINED), types.int64)
"""Number of bits above the highest one that is set; 64 if there is none."""
swap_bytes = _instruction(lambda builder, word: builder.bswap(word), types.uint64)
"""The eight bytes in reverse order: a board of 8 x 8 squares upside down."""


@njit
def bit(index: int) -> Any:
    """Return the word with one bit set."""
    return ONE << np.uint64(index)


@njit
def has(word: Any, index: int) -> Any:
    """Return whether a bit is set."""
    return word >> np.uint64(index) & ONE != ZERO


@njit
def number_at(planes: Any, index: int) -> Any:
    """Return the number whose bits 0, 1 and 2 are the bits `index` of `planes[0]`, `planes[1]` and `planes[2]`."""
    where = np.uint64(index)
    low, middle, high = planes[0] >> where & ONE, planes[1] >> where & ONE, planes[2] >> where & ONE
    return np.int64(low | middle << ONE | high << np.uint64(2))
