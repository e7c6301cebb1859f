"""numba's `njit`, with a cache in the cache folder of this project and nowhere else.

numba itself keeps it beside the source, where an installed package often cannot be written, or in a folder of its own,
and stops the program where neither can be. What it finds there it unpickles, whoever has written it.
"""

import hashlib
import inspect
import os
import pickle
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property, partial, wraps
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _Cache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys

from games.engine import linking
from games.engine.cache_folder import cache_directory
from games.engine.file_lock import file_lock
from games.engine.linking import Pipeline, add_overload, compiling
from games.engine.meaning import meaning

PATIENCE_S = 60.0
"""Seconds to wait for another process that compiles the same function; longer than any takes alone."""


def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """Compile a function as `numba.njit` does with these options; with `cache`, keep it in `cache_directory()`."""
    if function is None:
        return lambda function: njit(function, cache=cache, **options)
    compiled: Any = numba.njit(pipeline_class=Pipeline, **options)(function)
    if isinstance(compiled, Dispatcher):  # numba may be told to compile nothing
        named: Any = compiled
        kept = KernelCache(function) if cache else None
        named.compile = _named_by_layout(named, named.compile, kept)
        named.add_overload = partial(add_overload, named)
        if kept is not None:
            named._cache = kept
    return compiled


def record_name(record: types.Record) -> tuple[str, tuple[str]]:
    """Return the name of a record type in machine code: a hash of its layout.

    numba itself numbers these types as a process meets them, and names functions after the numbers. From a cache that
    several processes have filled would come functions of one name for different layouts, of which one answers for all.
    """
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


@cache
def pipeline_source() -> str:
    """Return the source of the pipeline of `njit`: kernels are named by it, so that an edit of it makes them anew."""
    return inspect.getsource(linking)


def _named_by_layout(function: Any, compile: Callable[..., Any], kept: "KernelCache | None") -> Callable[..., Any]:
    """Return `compile` of a function such that it names records by `record_name`, in what it compiles and nowhere else.

    numba holds its lock while it compiles, so that no other function is compiled meanwhile. The lock
    `between_processes` is taken after it, always in this order.
    """
    between_processes: Callable[[], AbstractContextManager[None]] = nullcontext if kept is None else kept.lock
    record: Any = types.Record
    lock: Any = global_compiler_lock

    @wraps(compile)
    def compile_named(signature: Any) -> Any:
        with lock, between_processes():
            before = record.mangling_args
            record.mangling_args = property(record_name)
            try:
                with compiling(function, signature, kept is not None):
                    return compile(signature)
            finally:
                record.mangling_args = before

    return compile_named


class Unchecked:
    """A kernel whose arguments are looked at on the first call only.

    numba looks at every argument of every call, which takes a microsecond or two for a record of arrays, longer than a
    move in a small game. Later arguments must be of the same types: their caller has made them itself.
    """

    def __init__(self, kernel: Any):
        self._kernel = kernel
        self.call: Callable[..., Any] = self._first_call
        """Runs the kernel."""

    def __reduce__(self) -> tuple[type, tuple[Any]]:
        return Unchecked, (self._kernel,)  # machine code cannot be copied

    def prepare(self, *arguments: Any) -> None:
        """Compile the kernel for the types of these arguments, or load it, without running it.

        Call it before a clock starts: the first call of a kernel takes seconds otherwise.
        """
        if self.call != self._first_call:
            return
        if isinstance(self._kernel, Dispatcher):
            typeof: Any = numba.typeof  # untyped
            self.call = self._kernel.compile(tuple(typeof(argument) for argument in arguments))
        else:
            self.call = self._kernel

    def _first_call(self, *arguments: Any) -> Any:
        self.prepare(*arguments)
        return self.call(*arguments)


class KernelCache(_Cache):
    """Cache of one compiled function. It looks for its folder on first use, not when a module is imported."""

    def __init__(self, function: Callable[..., Any]):
        self._function, self._enabled = function, True

    @cached_property
    def _kept(self) -> Any:
        kept: Any = _Kept
        return kept(self._function)

    @property
    def cache_path(self) -> str:
        """The folder of this function's files."""
        path: str = self._kept.cache_path
        return path

    def lock(self) -> AbstractContextManager[None]:
        """Return a lock between processes, so that one compiles the function and the others load what it has kept."""
        try:
            path = os.path.join(self.cache_path, f"{self._kept._impl.filename_base}.lock")
        except OSError:  # nothing is kept either
            return nullcontext()
        return file_lock(path, PATIENCE_S) if self._enabled else nullcontext()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature; None if there is none, or if it cannot be read."""
        if not self._enabled:
            return None
        try:
            return self._kept.load_overload(sig, target_context)
        except (AttributeError, ImportError):  # it is of another version of this project, with classes that are gone
            self._kept.flush()
        except (OSError, EOFError, pickle.UnpicklingError):
            pass
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code. Failures are ignored, since the code runs without being stored."""
        if self._enabled:
            try:
                self._kept.save_overload(sig, data)
            except (OSError, EOFError, pickle.UnpicklingError):
                return

    def enable(self) -> None:
        """Load and save from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither load nor save from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Empty the cache."""
        self._kept.flush()


class _Locator(_CacheLocator):
    """Below the cache folder, in one for each folder of sources."""

    def __init__(self, function: Callable[..., Any], source: str):
        self._function = function
        self._py_file, self._lineno = source, function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        path: Any = self.get_suitable_cache_subpath  # untyped
        return os.path.join(cache_directory(), path(self._py_file))

    def get_source_stamp(self) -> str:
        """Return a hash of all that the function is compiled from; files in the cache are named by one themselves."""
        if Path(self._py_file).parent == cache_directory():
            return Path(self._py_file).name
        parts = [pipeline_source(), *meaning(self._function, set())]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        locator = cls(py_func, py_file)
        os.makedirs(locator.get_cache_path(), mode=0o700, exist_ok=True)
        return locator


class _Format(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012  # as numba declares it


class _Kept(FunctionCache):
    """Cache of machine code as numba writes it, read without all that compiles.

    numba first fills its context with every function that it can compile, a third of a second of each process. Machine
    code needs only the memory management that it calls; a compiler that comes later fills the context itself.
    """

    _impl_class = _Format

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        runtime: Any = rtsys  # untyped, like the next
        load: Any = self._load_overload
        runtime.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return load(sig, target_context)
