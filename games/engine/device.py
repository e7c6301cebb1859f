"""Games on a CUDA device: the layout of their records, and their kernels, run there or only compiled.

The rules are those of the CPU: `games.engine.device_kernels` runs the functions of `games.engine.moves`, a thread a
game. Needs numba-cuda (extra `cuda`); with `NUMBA_ENABLE_CUDASIM=1` the kernels run in numba's simulator instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

from games.engine.batch import Games, Shown, View, new_games
from games.engine.compiler import instantiate
from games.engine.game import Game

BLOCK = 128
"""Threads of a block. Each has a game of its own, and none waits for another."""
Capability = tuple[int, int]
"""Compute capability of a device."""
HOPPER = (9, 0)


def device_dtype(game: Game) -> np.dtype[Any]:
    """Return the layout of a position on a device: the fields of `game.state_dtype`, each where its size puts it.

    A device reads a number only from an address that is a multiple of its size, and most records are packed. Assigning
    records of one layout to records of the other copies field by field.
    """
    dtype = game.state_dtype
    return np.dtype([(name, dtype[name]) for name in dtype.names or ()], align=True)


def device_kernels(game: Game) -> Any:
    """Return the kernels of `games.engine.device_kernels` for a game, each to be launched by `launch`."""
    return instantiate("games.engine.device_kernels", game)


def launch(kernel: Any, rows: int, stream: Any, *arguments: Any) -> None:
    """Run a kernel with a thread for each of a number of rows, on a stream of the device (0 for the default one)."""
    if rows:
        kernel[-(-rows // BLOCK), BLOCK, stream](*arguments)


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
        "joint_masks": (games, rows, View(each, masks)),
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
    """Return a compiled kernel as PTX."""
    text: str = library.get_asm_str(cc=capability)
    return text


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
