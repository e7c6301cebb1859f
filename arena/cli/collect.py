"""`arena collect`: play, and write down the transitions for others to learn from."""

import dataclasses
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.tasks import make_task
from arena.config import require_at_least
from arena.errors import UsageError


@dataclasses.dataclass(frozen=True)
class Options:
    """Let an agent play all seats of a game, or in a Gymnasium environment, and write a file to learn from offline."""

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
    """What to play: connect_four, tic_tac_toe:m=6,n=6,k=4, gym:CartPole-v1"""
    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """Who plays, as in 'arena agents': random, alphabeta:4, ppo:runs/mine"""
    out: Path
    """The file; one that is there is replaced."""
    steps: int = 50_000
    """Moves to be played, at least."""
    random: float = 0.0
    """Share of random moves among them (games), 0 to 1: who learns should see more than the best play."""
    environments: int = 10
    """Games that are played at the same time."""
    seed: int = 0
    """Fixes the moves."""

    def __post_init__(self) -> None:
        require_at_least(self, 1, "steps", "environments")
        require_at_least(self, 0, "seed")
        if not self.out.absolute().parent.is_dir():
            raise UsageError(f"{self.out.parent} is no folder to write {self.out.name} into")


def run(options: Options) -> int:
    """Collect, write, and say what was written."""
    task = make_task(options.task)
    from arena.runs.collecting import collect_transitions

    buffer, stats = collect_transitions(
        task, options.agent, options.steps, options.random, options.environments, options.seed
    )
    buffer.save_hdf5(options.out)
    returns = "" if stats.returns.ndim > 1 or not len(stats.returns) else f", mean return {stats.returns.mean():.1f}"
    print(f"{options.out}: {len(buffer):,} transitions of {stats.n_collected_episodes:,} episodes{returns}")
    return 0
