"""Boards written as planes, sixteen cells at a time; for compiled code only.

The compiler cannot know that an observation and the board that it shows do not overlap: it would write byte by byte.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BYTE, INDEX = ir.IntType(8), ir.IntType(32)
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


def _lanes_at(builder: Any, pointer: Any, offset: int, lanes: int) -> Any:
    start = builder.gep(builder.bitcast(pointer, BYTE.as_pointer()), [ir.Constant(INDEX, offset)], inbounds=True)
    return builder.bitcast(start, ir.VectorType(BYTE, lanes).as_pointer())


def _splat(builder: Any, value: Any, lanes: int) -> Any:
    vector = ir.VectorType(BYTE, lanes)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(
        one, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(INDEX, lanes), [0] * lanes)
    )
