"""Games on a CUDA device: what each kernel compiles to, which needs no device, and their speed where there is one."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from arena.env.device import missing_for_cuda
from arena.env.native import GameVectorEnv
from benchmarks.measure import NOBODY, Row, Work, rate
from games.engine.registry import GAMES, make_game

FAST = ("connect_four", "othello", "go:size=9", "backgammon")
"""Games whose speed on a device is a goal of the project."""
BOARDS = 65_536


@dataclass(frozen=True)
class Compiled:
    """One kernel of a game, compiled to PTX."""

    game: str
    kernel: str
    instructions: int
    ptx_bytes: int
    seconds: float
    """Time of compiling, from Python to PTX."""


def rows() -> Iterator[Row]:
    """Give size and compile time of every kernel of every game; then moves a second where there is a device."""
    if (problem := missing_compilers()) is not None:
        yield Row("gpu", f"kernels not compiled: {problem}", 0, None, "no peer", None, "instructions")
        return
    for name in GAMES.names():
        for one in compiled_kernels(name):
            work = f"{one.game}: {one.kernel}, {one.ptx_bytes:,} bytes of PTX in {one.seconds:.1f} s"
            yield Row("gpu", work, one.instructions, None, NOBODY.name, None, "instructions")
    if problem := missing_for_cuda():
        yield Row("gpu", f"speed not measured: {problem}", 0, None, NOBODY.name, None, "moves/s")
        return
    for spec in FAST:
        work = f"{spec}: {BOARDS:,} boards on the device, observations, masks, resets"
        yield rate("gpu", work, "moves/s", on_device(spec), NOBODY)


def missing_compilers() -> str | None:
    """Return which package is missing for compiling kernels; None if none is."""
    try:
        from numba.cuda.cudadrv.nvvm import NVVM

        NVVM()
    except Exception as error:  # ImportError, or one of the many of a library that cannot be loaded
        return f"{error}".partition("\n")[0]
    return None


def compiled_kernels(name: str) -> Iterator[Compiled]:
    """Compile the kernels of a game, each from scratch but for functions that another one has called before."""
    from games.engine.device import compiled, device_kernels, kernel_arguments, ptx

    game = make_game(name)
    kernels = device_kernels(game)
    for kernel, arguments in kernel_arguments(game).items():
        start = time.perf_counter()
        text = ptx(compiled(getattr(kernels, kernel), arguments))
        seconds = time.perf_counter() - start
        instructions = len(re.findall(r"^\t(?!\.|//|[{}]).+;$", text, re.MULTILINE))
        yield Compiled(name, kernel, instructions, len(text), seconds)


def on_device(spec: str) -> Work:
    """Make a random legal move on every board, chosen on the device; games that end are restarted."""
    import torch

    env = GameVectorEnv(make_game(spec), BOARDS, autoreset=True, device="cuda")
    env.reset(seed=0)

    def play() -> int:
        for _ in range(20):
            env.step(torch.multinomial(env.mask.float(), 1)[:, 0])
        torch.cuda.synchronize()
        return 20 * BOARDS

    return play
