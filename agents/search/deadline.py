"""The time at which a search ends, which compiled code reads by itself.

A thread that ends the search in its place would have to be started for every move, and to be given a processor in time:
10 ms each on a busy machine, which is the increment of a fast game.
"""

import math
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from games.engine.jit import njit

NANOSECOND = 1e-9
FUNCTION = "clock_gettime"


def new_deadline(seconds: float | None) -> NDArray[np.float64]:
    """Return a deadline [1]: the time of `time.monotonic` in so many seconds from now; never if that is None.

    A search ends once it is `passed`; `bring_forward` makes that at once, from another thread.
    Load the kernels before (`Unchecked.prepare`): the time is for the search alone.
    """
    return np.array([math.inf if seconds is None else time.monotonic() + seconds])


def bring_forward(deadline: NDArray[np.float64]) -> None:
    """Make a deadline pass now."""
    deadline.fill(-math.inf)


@njit(inline="always")
def passed(deadline: NDArray[np.float64]) -> bool:
    """Return whether a deadline [1] has passed; the clock is only asked where there is one."""
    return deadline[0] < math.inf and monotonic() >= deadline[0]


def monotonic() -> float:
    """Return `time.monotonic`, in compiled code too."""
    return time.monotonic()


@intrinsic
def _monotonic(typing_context: Any) -> Any:
    """Ask the C library's `clock_gettime`, as Python does."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, number, real = ir.IntType(64), ir.IntType(32), ir.DoubleType()
        with builder.goto_entry_block():  # memory that is taken in a loop is only returned after it
            timespec = builder.alloca(ir.ArrayType(word, 2))
        parts = [builder.gep(timespec, [number(0), number(part)]) for part in range(2)]
        kind = ir.FunctionType(number, [number, word.as_pointer()])
        function = builder.module.globals.get(FUNCTION) or ir.Function(builder.module, kind, FUNCTION)
        builder.call(function, [number(time.CLOCK_MONOTONIC), parts[0]])
        seconds, nanoseconds = (builder.sitofp(builder.load(part), real) for part in parts)
        return builder.fadd(seconds, builder.fmul(nanoseconds, real(NANOSECOND)))

    return types.float64(), generate


@overload(monotonic)
def _compiled_monotonic() -> Any:
    ask: Any = _monotonic  # of no type to mypy

    def compiled() -> float:
        seconds: float = ask()
        return seconds

    return compiled
