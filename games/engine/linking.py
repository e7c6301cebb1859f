"""What kernels call becomes a part of each kernel, and is no program of its own.

numba makes machine code of every function that a kernel calls, with two ways to call it from outside, before it links
the function into the kernel and optimises it there once more: a third of the time of a compilation. Here such functions
are lowered and linked only. One that Python calls after all is compiled then.

numba also leaves them open to callers from outside the kernel. Since there are none, LLVM may inline a function that is
called once, whatever its size, and keep no copy of it: rules play random games up to 1.4 times as fast.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NativeLowering

# numba is untyped.
_builder: Any = DefaultPassBuilder
_register: Any = register_pass

_LINKED: list[bool] = []
"""Whether each of the functions is linked only that are being compiled, from the kernel inwards; under numba's lock."""


class LinkedLibrary(JITCodeLibrary):
    """Code of a function that is optimised, and made machine code, with the kernel that it is linked into."""

    environment: tuple[str, Any]
    """What it refers to in Python: the name of a variable of its code, and the object there."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


class KernelLibrary(JITCodeLibrary):
    """Code of a kernel, which alone calls what has been linked into it."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.private  # nor has a name: the machine code of all kernels shares names
        super()._optimize_final_module()  # type: ignore[no-untyped-call]


class Pipeline(CompilerBase):
    """numba's own passes, but for `KernelLowering`."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline there is."""
        made = _builder.define_nopython_pipeline(self.state)
        made.passes = [(KernelLowering if one is NativeLowering else one, text) for one, text in made.passes]
        made.finalize()
        return [made]


@_register(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Lower a function, and make it a program unless it is linked only."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Set `state.cr` and `state.library`."""
        lower: Any = super().run_pass
        linked = bool(_LINKED) and _LINKED[-1]
        library: Any = LinkedLibrary if linked else KernelLibrary
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        if not linked:
            lower(state)
            _set_environments(state.library, set())
            return True
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = True
        lower(state)
        lowered, key = state["cr"], object()  # callers look the function up by its key, else by its machine code
        state.library.environment = state.targetctx.get_env_name(lowered.fndesc), lowered.env
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=key)
        return True


def _set_environments(library: Any, done: set[Any]) -> None:
    """Have machine code know the environments of all that is linked into it, as far as it refers to them."""
    for part in library._linking_libraries:
        if part in done:
            continue
        done.add(part)
        if isinstance(part, LinkedLibrary):
            codegen: Any = part.codegen
            if codegen._engine.get_global_value_address(part.environment[0]):
                codegen.set_env(*part.environment)
        _set_environments(part, done)


@contextmanager
def compiling(dispatcher: Any, signature: Any, kept: bool) -> Iterator[None]:
    """While a function is compiled: what it calls is linked only, unless it is kept on disk for itself."""
    linked = bool(_LINKED) and not kept
    known = None if linked else dispatcher.overloads.get(signature)
    if known is not None and isinstance(known.library, LinkedLibrary):
        del dispatcher.overloads[signature]  # it needs machine code now
    _LINKED.append(linked)
    try:
        yield
    finally:
        _LINKED.pop()


def add_overload(dispatcher: Any, result: Any) -> None:
    """Have a compiled function known to those that call it, and to Python unless it is linked only."""
    if isinstance(result.library, LinkedLibrary):
        dispatcher.overloads[tuple(result.signature.args)] = result
    else:
        known: Any = Dispatcher
        known.add_overload(dispatcher, result)
