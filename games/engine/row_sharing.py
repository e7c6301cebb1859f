"""Sharing the rows of a call between threads, inside compiled code.

Python's lock takes as long to pass from thread to thread as a short call lasts. So the threads of `GameVectorEnv` meet
here, without it: the one that leads opens the gate, all take rows until none is left, and the leader closes the gate
and waits for those inside. Nobody waits for a thread that has not entered: where it is asleep, or has no core, the
others do its rows. Those who have helped wait a little for the gate to be opened once more, then go.

A gate is int64 [3 + threads, 8], in each line only the first entry is used: threads that write into the same line of
the cache would wait for each other. The lines are the call that is open (0: none), how many helpers are inside, how
often helpers look for another call before they go, and for each thread how many of its rows have been taken.
"""

from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from games.engine.jit import njit

CALL, INSIDE, POLLS, TAKEN = 0, 1, 2, 3
CHUNKS = 4
"""Number of chunks in which a thread takes its rows. Others may have to wait for its last chunk."""
TRIAL_POLLS = 5000
"""Looks by which their time is measured, some 0.1 ms."""
WIDTH = 8
"""Entries of a line, 64 bytes."""
ORDER = "seq_cst"
"""All that is read and written here is seen by all threads in one order, and what was written before with it."""
declared: Any = cgutils.get_or_insert_function  # numba says no types


class RowShare(NamedTuple):
    """One thread's part in a call."""

    gate: NDArray[np.int64]
    thread: int
    """Number of the thread; 0 leads."""
    call: int
    """Number of the call, not 0; the same for all threads that share its rows."""


def new_gate(threads: int) -> NDArray[np.int64]:
    """Return a closed gate for a number of threads, the leader included."""
    return np.zeros((TAKEN + threads, WIDTH), np.int64)


def _place(context: Any, builder: Any, gate: Any, arguments: Any) -> Any:
    """Return the address of the first entry of a line; the arguments are the gate and the line."""
    start = context.make_array(gate)(context, builder, arguments[0]).data
    return builder.gep(start, [builder.mul(arguments[1], ir.Constant(ir.IntType(64), WIDTH))])


def _read(typing_context: Any, gate: Any, line: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place(context, builder, gate, arguments), ORDER, 8)

    return types.int64(gate, types.int64), emit


def _write(typing_context: Any, gate: Any, line: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _place(context, builder, gate, arguments), ORDER, 8)
        return context.get_dummy_value()

    return types.none(gate, types.int64, types.int64), emit


def _add(typing_context: Any, gate: Any, line: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _place(context, builder, gate, arguments), arguments[2], ORDER)

    return types.int64(gate, types.int64, types.int64), emit


def _pause(typing_context: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if builder.module.triple.startswith("x86_64"):  # leaves the core to its other thread for a moment
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(declared(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), emit


read: Any = intrinsic(_read)
write: Any = intrinsic(_write)
add: Any = intrinsic(_add)  # gives what was there before
pause: Any = intrinsic(_pause)


@njit
def enter(share: RowShare, rows: int) -> tuple[int, int]:
    """Open the gate for a call (thread 0, the leader), or enter if it is open for that call. Returns as `take` does."""
    gate = share.gate
    if share.thread == 0:
        for line in range(TAKEN, gate.shape[0]):
            write(gate, line, 0)
        write(gate, CALL, share.call)
    else:
        add(gate, INSIDE, 1)
        if read(gate, CALL) != share.call:
            return 0, 0
    return take(share, rows)


@njit
def take(share: RowShare, rows: int) -> tuple[int, int]:
    """Take rows that are left: returns the first and the one after the last, (0, 0) if there are none.

    Each thread begins with its own, which it had in the call before as well: they are in its core's cache.
    """
    gate = share.gate
    threads = gate.shape[0] - TAKEN
    for other in range(threads):
        owner = (share.thread + other) % threads
        first, end = rows * owner // threads, rows * (owner + 1) // threads
        many = end - first if threads == 1 else (end - first + CHUNKS - 1) // CHUNKS
        at = first + add(gate, TAKEN + owner, many)
        if at < end:
            return at, min(at + many, end)
    return 0, 0


@njit
def leave(share: RowShare) -> None:
    """End a call (the thread 0): all rows are done then. A helper waits for another call before it goes."""
    gate = share.gate
    if share.thread == 0:
        write(gate, CALL, 0)
        while read(gate, INSIDE) > 0:
            pause()
        return
    add(gate, INSIDE, -1)
    look_for_another(gate, share.call, read(gate, POLLS))


@njit(cache=True, nogil=True)
def look_for_another(gate: NDArray[np.int64], call: int, polls: int) -> None:
    """Look so many times whether the gate is open for another call; return once it is."""
    for _ in range(polls):
        now = read(gate, CALL)
        if now != 0 and now != call:
            return
        pause()


@cache
def polls_per_s() -> float:
    """Return how often a helper of this machine looks for another call in a second."""
    gate, took_s = new_gate(1), []
    for _ in range(5):
        start = perf_counter()
        look_for_another(gate, 0, TRIAL_POLLS)
        took_s.append(perf_counter() - start)
    return TRIAL_POLLS / min(took_s)
