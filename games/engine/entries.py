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


def _flat(typing_context: Any, array: Any) -> Any:
    kind = types.Array(array.dtype, 1, "C")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = context.make_array(array)(context, builder, arguments[0])
        row = context.make_array(kind)(context, builder)
        data = builder.bitcast(given.data, row.data.type)
        size, item = given.nitems, given.itemsize
        populate(row, data=data, shape=[size], strides=[item], itemsize=item, meminfo=None)
        return row._getvalue()

    return kind(array), emit


flat: Any = intrinsic(_flat)
"""All entries of a contiguous array in one row: (array). The array has to live on where they are used.

`array.reshape` needs numba's runtime, which a device does not have.
"""


def _unowned(typing_context: Any, value: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, value, arguments[0])

    return value(value), emit


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        members: Any = kind  # iterable, which its type does not say
        for place, member in enumerate(members):
            bare = _without_owner(context, builder, member, builder.extract_value(value, place))
            value = builder.insert_value(value, bare, place)
    elif isinstance(kind, types.Array):
        view = context.make_array(kind)(context, builder, value)
        view.meminfo = null(view.meminfo.type)
        value = view._getvalue()
    return value


unowned: Any = intrinsic(_unowned)
"""The same array, None, or record of them, whose references nobody counts: (value). The arrays have to live on.

An array that is read from a record within a loop is counted there each time, if it is counted at all.
"""
