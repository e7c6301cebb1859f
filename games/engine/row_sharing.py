"""The rows of a call shared between threads, inside compiled code: who enters, takes rows, and waits for the others.

Python's lock takes as long to pass from thread to thread as a short call lasts. So the threads of `GameVectorEnv` meet
here, without it: the one that leads opens the gate, all take rows until none is left, and the leader closes the gate
and waits for those inside. Nobody waits for a thread that has not entered: where it is asleep, or has no core, the
others do its rows. Those who have helped wait a little for the gate to be opened once more, then go.

A gate is int64 [2 + threads, 8], in each line only the first entry is used: threads that write into the same line of
the cache would wait for each other. The lines are the call that is open (0: none), how many helpers are inside, and
for each thread how many of its rows have been taken.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

CALL, INSIDE, TAKEN = 0, 1, 2
CHUNKS = 4
"""In how many pieces a thread takes its rows: the last piece of one is what another may have to wait for."""
PATIENCE = 3000
"""How often a helper looks whether there is another call, some 0.1 ms in all."""
WIDTH = 8
"""Entries of a line, 64 bytes."""
ORDER = "seq_cst"
"""All that is read and written here is seen by all threads in one order, and what was written before with it."""
declared: Any = cgutils.get_or_insert_function  # numba says no types


def new_gate(threads: int) -> NDArray[np.int64]:
    """A closed gate for so many threads, the leader included."""
    return np.zeros((TAKEN + threads, WIDTH), np.int64)


def _place(context: Any, builder: Any, gate: Any, arguments: Any) -> Any:
    """Where the first entry of a line is: arguments are the gate and the line."""
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
def enter(gate: Any, thread: int, call: int, rows: int) -> tuple[int, int]:
    """Open the gate for a call (the thread 0, which leads), or go in if it is open for it; gives what `take` does."""
    if thread == 0:
        for line in range(TAKEN, gate.shape[0]):
            write(gate, line, 0)
        write(gate, CALL, call)
    else:
        add(gate, INSIDE, 1)
        if read(gate, CALL) != call:
            return 0, 0
    return take(gate, thread, rows)


@njit
def take(gate: Any, thread: int, rows: int) -> tuple[int, int]:
    """Rows that nobody has taken yet, the first and the one after the last; (0, 0) if there are none.

    Each thread begins with its own, which it had in the call before as well: they are in its core's cache.
    """
    threads = gate.shape[0] - TAKEN
    for other in range(threads):
        owner = (thread + other) % threads
        first, end = rows * owner // threads, rows * (owner + 1) // threads
        many = end - first if threads == 1 else (end - first + CHUNKS - 1) // CHUNKS
        at = first + add(gate, TAKEN + owner, many)
        if at < end:
            return at, min(at + many, end)
    return 0, 0


@njit
def leave(gate: Any, thread: int, call: int) -> None:
    """End a call (the thread 0): all rows are done then. A helper waits for another call before it goes."""
    if thread == 0:
        write(gate, CALL, 0)
        while read(gate, INSIDE) > 0:
            pause()
        return
    add(gate, INSIDE, -1)
    for _ in range(PATIENCE):
        now = read(gate, CALL)
        if now != 0 and now != call:
            break
        pause()
