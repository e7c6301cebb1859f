"""Games on a CUDA device: the layout of their records, and their kernels, run there or only compiled.

The rules are those of the CPU: `games.engine.device_kernels` runs the functions of `games.engine.moves`, a thread a
game. Needs numba-cuda (extra `cuda`); with `NUMBA_ENABLE_CUDASIM=1` the kernels run in numba's simulator instead.
"""

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import config

from games.engine.batch import Games, Shown, View, new_games
from games.engine.compiler import instantiate
from games.engine.game import Game

SIMULATED = bool(vars(config)["ENABLE_CUDASIM"])  # numba sets it where no type checker looks
"""Whether numba runs kernels in its simulator, on arrays of the CPU."""
BLOCK = 128
"""Threads of a block."""


class Capability(NamedTuple):
    """Compute capability of a device."""

    major: int
    minor: int


HOPPER = Capability(9, 0)


def device_dtype(game: Game) -> np.dtype[Any]:
    """Return the layout of a position on a device: the fields of `game.state_dtype`, each where its size puts it.

    A device reads a number only from an address that is a multiple of its size, and most records are packed. Assigning
    records of one layout to records of the other copies field by field.
    """
    dtype = game.state_dtype
    return np.dtype([(name, dtype[name]) for name in dtype.names or ()], align=True)


def device_kernels(game: Game) -> Any:
    """Return the kernels of `games.engine.device_kernels` for a game, as functions that nothing has compiled yet."""
    return instantiate("games.engine.device_kernels", game)


@cache
def launchable_kernels(game: Game) -> dict[str, "DeviceKernel"]:
    """Return the kernels of a game by their names, to be launched on the device."""
    kernels = device_kernels(game)
    blocks = {"observe_movers": kernels.OBSERVING or BLOCK}
    return {
        name: DeviceKernel(getattr(kernels, name), example, blocks.get(name, BLOCK))
        for name, example in kernel_arguments(game).items()
    }


def kernel_arguments(game: Game) -> dict[str, tuple[Any, ...]]:
    """Return arguments of the right types for every kernel of a game, by its name."""
    initial = game.initial.reshape(1).astype(device_dtype(game))
    games: Games = new_games(game, 1)._replace(states=initial.copy(), initial=initial)
    rows, actions = np.zeros(1, np.int64), np.zeros(1, np.int64)
    rewards = np.zeros((1, game.num_players), np.float32)
    obs = np.zeros((1, *game.observation_shape), game.observation_dtype)
    each = np.zeros((1, game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.zeros((1, game.num_players, game.num_actions), np.bool_)
    return {
        "reset": (games, rows),
        "first_illegal": (games, rows, actions, actions),
        "advance": (
            games,
            rows,
            actions,
            True,
            Shown(games.seats.copy(), obs, games.mask.copy(), rewards, rewards > 0),
        ),
        "observe_movers": (games, rows, View(obs, masks[0])),
        "observe_all": (games, rows, View(each, masks)),
        "joint_masks": (games, rows, View(masks, masks)),
        "playouts": (games, actions, 0),
    }


def compiled(kernel: Any, arguments: tuple[Any, ...], capability: Capability = HOPPER) -> Any:
    """Compile a kernel for arguments of these types, to a library of numba's. No device is needed for that."""
    from numba.cuda import compiler

    typeof: Any = numba.typeof  # untyped
    types = tuple(map(typeof, arguments))
    with _compiling_for(capability):
        library, _ = compiler._compile_pyfunc_with_fixup(
            kernel.py_func, types, device=False, abi="numba", cc=capability
        )
    return library


def ptx(library: Any, capability: Capability = HOPPER) -> str:
    """Return a compiled kernel as PTX, with each of its tables once, in the device's global memory.

    numba puts a copy for each function that reads a table into constant memory, of which a kernel has 64 KB, and which
    is slow where threads read different places.
    """
    return _with_shared_tables(library.get_asm_str(cc=capability))


TABLE = re.compile(r"^\.const (\.align \d+ \.b8) ([\w$]+)(\[\d+\] = \{[^}]*\};)\n", re.MULTILINE)


def _with_shared_tables(text: str) -> str:
    """Return PTX in which tables of the same content are one, and lie in global memory."""
    first, others = dict[tuple[str, str], str](), dict[str, str]()

    def kept(table: re.Match[str]) -> str:
        alignment, name, content = table.groups()
        others[name] = first.setdefault((alignment, content), name)
        return f".global {alignment} {name}{content}\n" if others[name] == name else ""

    text = TABLE.sub(kept, text)
    text = re.sub(r"[\w$]+", lambda name: others.get(name[0], name[0]), text)
    return re.sub(r"\.const\b", ".global", text)


def machine_code(text: str, capability: Capability = HOPPER) -> Any:
    """Assemble PTX for devices of a compute capability; returns an object code of `cuda.core`.

    Raises the assembler's error where the kernel needs more than such a device has.
    """
    from cuda.core import Linker, LinkerOptions, ObjectCode

    options = LinkerOptions(arch=f"sm_{capability.major}{capability.minor}")
    return Linker(ObjectCode.from_ptx(text.encode()), options=options).link("cubin")


class DeviceKernel:
    """Launches a kernel on the device, for which it is compiled at the first launch; or in numba's simulator.

    Args:
        kernel: as `numba.cuda.jit` returns it.
        example: arguments of the types that it takes.
        block: threads of a block. Each has a row of its own, and none waits for those of another block.

    """

    def __init__(self, kernel: Any, example: tuple[Any, ...], block: int = BLOCK):
        self._kernel, self._example, self._block = kernel, example, block
        self._count = len(_flat(example))
        self._loaded: Any = None

    def launch(self, rows: int, stream: int, *arguments: Any) -> None:
        """Run the kernel with a thread for each of a number of rows, on a stream of the device (its handle).

        `arguments` are numbers and arrays (on the device what `numbers_of` gives for them), and tuples of those.
        """
        if not rows:
            return
        blocks = -(-rows // self._block)
        if SIMULATED:
            self._kernel[blocks, self._block](*arguments)
            return
        from cuda.core import LaunchConfig, launch

        if self._loaded is None:
            self._loaded = self._compiled()
        numbers = _flat(arguments)
        assert len(numbers) == self._count  # of fewer, it would read what lies behind them
        launch(_stream(stream), LaunchConfig(grid=blocks, block=self._block), self._loaded, *numbers)

    def _compiled(self) -> Any:
        from cuda.core import Device

        device = Device()
        device.set_current()
        capability = Capability(*device.compute_capability)
        text = ptx(compiled(self._kernel, self._example, capability), capability)
        name = re.search(r"\.visible \.entry ([\w$]+)\(", text)
        assert name is not None
        return machine_code(text, capability).get_kernel(name[1])


def _flat(arguments: Iterable[Any]) -> list[Any]:
    """Return the numbers in arguments, one after the other."""
    numbers: list[Any] = []
    for one in arguments:
        if isinstance(one, tuple):
            numbers += _flat(one)
        elif isinstance(one, np.ndarray):
            numbers += numbers_of(one.ctypes.data, one.shape, one.strides, one.itemsize)
        else:
            numbers += one if isinstance(one, list) else [one]
    return numbers


@cache
def _stream(handle: int) -> Any:
    from cuda.core import LEGACY_DEFAULT_STREAM, Stream

    return Stream.from_handle(handle) if handle else LEGACY_DEFAULT_STREAM


def numbers_of(address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> list[int]:
    """Return an array in the device's memory as a kernel of numba's takes it; strides in bytes."""
    return [0, 0, math.prod(shape), itemsize, address, *shape, *strides]  # of nobody's, it has no owner


@contextmanager
def _compiling_for(capability: Capability) -> Iterator[None]:
    """Answer for the device that numba asks for its capability, when it compiles a function that a kernel calls."""
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = before
