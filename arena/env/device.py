"""Where games are played: on the CPU, or on a CUDA device if this machine has all that this needs."""

import importlib
import importlib.util
import os

from arena.base.errors import UsageError
from arena.base.extras import install_command

DEVICES = ("cpu", "cuda", "auto")


def settled_device(name: str) -> str:
    """Return `cpu` or `cuda` for the name of a device; `auto` is `cuda` where it can be used.

    Raises `UsageError` for another name, and for `cuda` where it cannot be used, with what is missing.
    """
    if name not in DEVICES:
        raise UsageError(f"device={name!r} is not one of {', '.join(DEVICES)}")
    if name == "cpu":
        return name
    problem = missing_for_cuda()
    if problem and name == "cuda":
        raise UsageError(f"device 'cuda' cannot be used here: {problem}; 'cpu' always works")
    return "cpu" if problem else "cuda"


def missing_for_cuda() -> str:
    """Return what this machine lacks for games on a CUDA device; empty if it has all."""
    if importlib.util.find_spec("numba_cuda") is None:
        return f"numba-cuda is not installed ({install_command('cuda')})"
    try:
        importlib.import_module("numba.cuda.np.arrayobj")  # kernels need it; not every release of NumPy fits it
    except (ImportError, AttributeError) as error:
        return f"numba-cuda cannot be imported: {error} ({install_command('cuda')} takes packages that fit each other)"
    import torch
    from numba import cuda

    from games.engine.device import SIMULATED

    if SIMULATED:
        return ""

    if torch.version.cuda is None:
        return f"torch {torch.__version__} is built without CUDA (https://pytorch.org/get-started says how to get it)"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device, or no driver of NVIDIA's for it"
    if not cuda.is_available():
        return "numba finds no CUDA driver (`python -m numba -s` says more)"
    return ""


def available_bytes() -> int:
    """Return how much memory is free on the device, in bytes; of the simulator's the machine's own."""
    from games.engine.device import SIMULATED

    if SIMULATED:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    import torch

    return torch.cuda.mem_get_info()[0]
