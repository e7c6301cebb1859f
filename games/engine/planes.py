"""Reading boards and writing observations and masks many entries at a time; for compiled code only.

The compiler cannot know that an observation and the board that it shows do not overlap: it would write byte by byte.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

BYTE, INDEX = ir.IntType(8), ir.IntType(32)
copy_memory: Any = cgutils.raw_memcpy  # numba says no types
LANES = (16, 8, 4, 2, 1)
"""Cells that one instruction takes; the largest that fits is taken as long as it does."""


def _stones(typing_context: Any, board: Any, own: Any, other: Any, out: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(board)(context, builder, arguments[0]).data
        target = context.make_array(out)(context, builder, arguments[3]).data
        at, size = 0, board.nitems
        for lanes in LANES:
            while size - at >= lanes:
                _write_lanes(builder, source, arguments[1:3], target, at, lanes)
                at += lanes
        return context.get_dummy_value()

    return types.none(board, types.int8, types.int8, out), emit


write_stones: Any = intrinsic(_stones)
"""Write for each cell of a board whether it is one seat's, and whether the other's: (board, own, other, out).

The board is a field of a record (int8), so that its size is known when compiling; `out` is int8 [..., 2], contiguous.
"""


def _write_lanes(builder: Any, source: Any, seats: Any, target: Any, at: int, lanes: int) -> None:
    """Emit the code for the cells `at` ... `at + lanes - 1`."""
    cells = builder.load(_lanes_at(builder, source, at, lanes), align=1)
    planes = [
        builder.zext(builder.icmp_signed("==", cells, _splat(builder, seat, lanes)), cells.type) for seat in seats
    ]
    order = [half * lanes + lane for lane in range(lanes) for half in range(2)]
    pairs = builder.shuffle_vector(*planes, ir.Constant(ir.VectorType(INDEX, 2 * lanes), order))
    builder.store(pairs, _lanes_at(builder, target, 2 * at, 2 * lanes), align=1)


def _cells(typing_context: Any, board: Any, seat: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(board)(context, builder, arguments[0]).data
        whole, size = ir.IntType(64), board.nitems
        word = ir.Constant(whole, 0)
        if size > whole.width:
            return word
        lanes = next(lanes for lanes in LANES if lanes <= size)
        for at in [*range(0, size - lanes, lanes), size - lanes]:  # the last may overlap the one before
            cells = builder.load(_lanes_at(builder, source, at, lanes), align=1)
            own = builder.icmp_signed("==", cells, _splat(builder, arguments[1], lanes))
            bits = builder.zext(builder.bitcast(own, ir.IntType(lanes)), whole)
            word = builder.or_(word, builder.shl(bits, ir.Constant(whole, at)))
        return word

    return types.uint64(board, types.int8), emit


cells_of: Any = intrinsic(_cells)
"""The cells of a board (a field of a record, int8) where a seat's stones are, as bits: (board, seat).

0 for a board of more than 64 cells.
"""


def _bits(typing_context: Any, bits: Any, out: Any, at: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = context.make_array(out)(context, builder, arguments[1]).data
        lanes = builder.bitcast(builder.trunc(arguments[0], ir.IntType(16)), ir.VectorType(ir.IntType(1), 16))
        entries = ir.VectorType(BYTE, 16)
        start = builder.gep(builder.bitcast(target, BYTE.as_pointer()), [arguments[2]])
        builder.store(builder.zext(lanes, entries), builder.bitcast(start, entries.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(types.int64, out, types.int64), emit


write_bits: Any = intrinsic(_bits)
"""Write sixteen bits, the lowest first, as entries of an observation: (bits, out, the place of the first in memory).

`out` is bool, contiguous, and has sixteen entries there.
"""


def _copy(typing_context: Any, source: Any, target: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kept, copied = (context.make_array(source)(context, builder, argument) for argument in arguments)
        copy_memory(builder, copied.data, kept.data, kept.nitems, kept.itemsize)
        return context.get_dummy_value()

    return types.none(source, target), emit


copy_entries: Any = intrinsic(_copy)
"""Copy an array to another one of its type and size, both contiguous: (source, target)."""


def _lanes_at(builder: Any, pointer: Any, offset: int, lanes: int) -> Any:
    start = builder.gep(builder.bitcast(pointer, BYTE.as_pointer()), [ir.Constant(INDEX, offset)], inbounds=True)
    return builder.bitcast(start, ir.VectorType(BYTE, lanes).as_pointer())


def _splat(builder: Any, value: Any, lanes: int) -> Any:
    vector = ir.VectorType(BYTE, lanes)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(
        one, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(INDEX, lanes), [0] * lanes)
    )
