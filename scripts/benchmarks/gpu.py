"""Games and trainings on a CUDA device: what each kernel compiles to, and speed where there is one."""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.configs.on_policy import PPOConfig
from agents.configs.search import AlphaZeroConfig
from arena.env.device import missing_for_cuda
from arena.env.native import GameVectorEnv
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.progress import Progress
from benchmarks.measure import NOBODY, Row, Work, rate
from games.engine.registry import GAMES, make_game

FAST = ("connect_four", "othello", "go:size=9", "backgammon")
"""Games whose speed on a device is a goal of the project."""
BOARDS = (65_536, 1_048_576)
TOWER = AlphaZeroConfig(
    simulations=64,
    quick_simulations=64,
    full_share=1.0,
    blocks=6,
    channels=128,
    hidden=256,
    batch_size=2048,
    update_per_step=0.0025,
)


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
    yield from speeds()


def speeds() -> Iterator[Row]:
    """Give what a device does in a second: moves of games, of a training with a league, and evaluations of a search."""
    for spec in FAST:
        for boards in BOARDS:
            work = f"{spec}: {boards:,} boards on the device, observations, masks, resets"
            yield rate("gpu", work, "moves/s", on_device(spec, boards), NOBODY)
    for work, speed, unit in (
        ("connect_four: PPO with a league, 262,144 boards", of_ppo, "moves/s"),
        ("go:size=9: AlphaZero, 16,384 boards, 6 blocks of 128 channels", of_alphazero, "evaluations/s"),
    ):
        yield Row("gpu", work, speed(), None, NOBODY.name, None, unit)


def of_ppo() -> float:
    """Return the moves a second of a training, with updates, snapshots and evaluations, after its first collection."""
    boards, moves = 262_144, 32
    run = {"boards": boards, "moves": moves, "steps": boards * moves * 16, "snapshots": 4}
    return trained("connect_four", "ppo", PPOConfig(batch_size=65_536), run, lambda progress: progress.step)


def of_alphazero() -> float:
    """Return the simulations a second of a training, each of which evaluates a position, after its first moves."""
    run = {"boards": 16_384, "moves": 1, "steps": 16_384 * 5, "snapshots": 1}
    return trained("go:size=9", "alphazero", TOWER, run, lambda progress: progress.simulations)


def trained(game: str, algo: str, config: object, run: dict[str, int], amount: Callable[[Progress], int]) -> float:
    """Return how fast an amount grows in a training on the device, from its first report to its last."""
    reports: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        options = RunConfig(
            out=Path(folder) / "run", device="cuda", evaluation=("random",), evaluation_games=100, **run
        )
        training = SelfPlayTraining(make_game(game), algo, config, options, LeagueConfig())
        training.train(lambda progress: reports.append((time.perf_counter(), amount(progress))))
    (began, first), (ended, last) = reports[0], reports[-1]
    return (last - first) / (ended - began)


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


def on_device(spec: str, boards: int) -> Work:
    """Make a random legal move on every board, chosen on the device; games that end are restarted."""
    import torch

    env = GameVectorEnv(make_game(spec), boards, autoreset=True, device="cuda")
    env.reset(seed=0)

    def play() -> int:
        for _ in range(20):
            env.step(torch.multinomial(env.mask.float(), 1)[:, 0])
        torch.cuda.synchronize()
        return 20 * boards

    return play
