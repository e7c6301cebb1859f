"""What compiled code is made from: the sources of a function and of those that it calls, and constants.

numba notices an edit of the file of a function that it keeps, and of no other file. An update of this project must not
run kernels that were compiled from what it replaces.
"""

import hashlib
import inspect
import re
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

VERSIONED = ("numba", "numpy", "math", "builtins")
"""Packages whose code changes only with a version."""


def is_record(value: object) -> bool:
    """Return whether a value is a class of named tuples; their fields are found by place in compiled code."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def meaning(value: Any, visited: set[int]) -> Iterator[str]:
    """Yield all that determines `value` in compiled code: a function's source and what it refers to, or a constant."""
    function = value.py_func if isinstance(value, Dispatcher) else inspect.unwrap(value)  # numba wraps intrinsics
    if inspect.isfunction(function):
        if id(function) in visited or function.__module__.partition(".")[0] in VERSIONED:
            return
        visited.add(id(function))
        yield inspect.getsource(function)
        for default in function.__defaults__ or ():
            yield from meaning(default, visited)
        for name, referred in _references(function):
            yield name
            yield from meaning(referred, visited)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.descr}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    elif is_record(value):
        yield f"{value.__name__}{value._fields}"
    elif isinstance(value, tuple):
        for item in value:
            yield from meaning(item, visited)
    elif not isinstance(value, ModuleType):
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _references(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and value of all that a function uses from its module, its closure and modules that it names."""
    names = sorted(set(_names(function.__code__)))
    outside = inspect.getclosurevars(function).nonlocals
    for name, value in [*outside.items(), *((n, function.__globals__[n]) for n in names if n in function.__globals__)]:
        yield name, value
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in VERSIONED:
            yield from ((f"{name}.{part}", getattr(value, part)) for part in names if hasattr(value, part))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a comprehension or a function inside
            yield from _names(constant)
