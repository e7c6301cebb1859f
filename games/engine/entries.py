"""Entries of arrays for compiled code that touches many of them.

`array[i]` counts one more reference to the array, which takes as long as a move in a small game (and several threads
wait for each other's counting), and is of a shape that the compiler does not know.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

unpack: Any = cgutils.unpack_tuple  # numba says no types
null: Any = cgutils.get_null_value
populate: Any = arrayobj.populate_array


def _entry(typing_context: Any, array: Any, index: Any, shape: Any) -> Any:
    if array.layout != "C":
        raise TypingError(f"entry takes contiguous arrays, not {array}")
    kind = array.copy(ndim=array.ndim - 1)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = context.make_array(array)(context, builder, arguments[0]).data
        sizes = unpack(builder, arguments[2])
        item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        strides: list[Any] = []
        length = ir.Constant(ir.IntType(64), 1)
        for size in reversed(sizes):
            strides.insert(0, builder.mul(length, item))
            length = builder.mul(length, size)
        entry = context.make_array(kind)(context, builder)
        at = builder.gep(start, [builder.mul(arguments[1], length)])
        populate(entry, data=at, shape=sizes, strides=strides, itemsize=item, meminfo=None)
        return entry._getvalue()

    return kind(array, types.int64, shape), emit


entry: Any = intrinsic(_entry)
"""`array[index]` of a contiguous array whose entries have this shape, a tuple of constants: (array, index, shape).

The index is from 0. The array has to live on where the entry is used.
"""


def _unowned(typing_context: Any, array: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if array == types.none:
            return context.get_dummy_value()
        seen = context.make_array(array)(context, builder, arguments[0])
        seen.meminfo = null(seen.meminfo.type)
        return seen._getvalue()

    return array(array), emit


unowned: Any = intrinsic(_unowned)
"""The same array (or None), whose references nobody counts: (array). It has to live on where this is used."""
