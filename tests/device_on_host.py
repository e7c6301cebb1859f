"""Runs what numba-cuda makes of a kernel on this machine's processor: its LLVM code for a device, thread by thread.

This is the code that NVIDIA's compiler turns into PTX: typed and lowered for a device, with aligned records and scratch
of each thread's own. Only who reads a thread's number is another one, and the instructions are this processor's.
"""

import ctypes
import importlib.util
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

needs_compilers = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is for Linux")

NUMBER = "number_of_the_thread"
REGISTERS = {"tid": "add i32 0, 0", "ctaid": f"load i32, ptr @{NUMBER}", "ntid": "add i32 0, 1"}
"""How a thread learns its number: each is a block of its own, so that none waits for another."""


def on_host(library: Any) -> Callable[..., None]:
    """Return a function that runs a compiled kernel with a thread for each of a number of rows: (rows, *arguments)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    whole = llvm.parse_assembly(_registers())
    for module in library.modules:
        whole.link_in(llvm.parse_assembly(_for_this_machine(str(module))))
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes.getModulePassManager().run(whole, passes)
    engine = llvm.create_mcjit_compiler(whole, machine)
    engine.finalize_object()
    entry = engine.get_function_address(library._entry_name)
    thread = ctypes.c_int32.from_address(engine.get_global_value_address(NUMBER))

    def run(rows: int, *arguments: Any, _code: Any = engine) -> None:
        values = [value for argument in arguments for value in _flat(argument)]
        call = ctypes.CFUNCTYPE(None, *(type(value) for value in values))(entry)
        for thread.value in range(rows):
            call(*values)

    return run


def _for_this_machine(text: str) -> str:
    text = re.sub(r"^target (triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    text = text.replace("llvm.nvvm.barrier0", "barrier")
    return re.sub(r"llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x", r"read_\1", text)


def _registers() -> str:
    lines = [f"@{NUMBER} = global i32 0", "define void @barrier() alwaysinline {\n ret void\n}"]
    for register, instruction in REGISTERS.items():
        lines.append(f"define i32 @read_{register}() alwaysinline {{\n %value = {instruction}\n ret i32 %value\n}}")
    return "\n".join(lines)


def _flat(value: Any) -> list[Any]:
    """The values that a kernel takes for an argument: of an array its owner, sizes, memory, shape and strides."""
    if isinstance(value, tuple):
        return [flat for item in value for flat in _flat(item)]
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        numbers = [value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
        return [ctypes.c_void_p(0), ctypes.c_void_p(0), *map(ctypes.c_int64, numbers)]
    kind = {bool: ctypes.c_bool, int: ctypes.c_int64, float: ctypes.c_double}[type(value)]
    return [kind(value)]
