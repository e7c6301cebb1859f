"""`arena collect`: transitions of an agent, in a file to learn from offline."""

import dataclasses
from pathlib import Path
from typing import Annotated

import tyro

from arena.base.checks import numbers_in, require_at_least
from arena.base.counting import counted
from arena.base.errors import UsageError
from arena.training.task_names import make_task


@dataclasses.dataclass(frozen=True)
class Options:
    """Let an agent play all seats of a game, or a Gymnasium environment, and write its transitions to an HDF5 file.

    'arena train' learns from such a file with offline algorithms.
    """

    task: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TASK")]
    """Game or environment: connect_four, tic_tac_toe:m=6,n=6,k=4, gym:CartPole-v1, gym:./walk.py."""
    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """Agent that plays, as 'arena agents' lists them: random, alphabeta:4, ppo:runs/mine."""
    out: Path
    """File to write; an existing one is replaced."""
    steps: int = 50_000
    """Smallest number of transitions to write."""
    random: float = 0.0
    """Share of moves replaced by random ones (games), 0 to 1, so that the data covers more than the agent's play."""
    environments: int = 10
    """Number of games played at the same time."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "steps", "environments"))
        require_at_least(0, **numbers_in(self, "seed"))
        if not self.out.absolute().parent.is_dir():
            raise UsageError(f"{self.out.parent} is not a folder to write {self.out.name} into")


def run(options: Options) -> int:
    """Collect the transitions, write them, and print what was written."""
    task = make_task(options.task)
    from arena.training.collecting import collect_transitions

    buffer, returns = collect_transitions(
        task, options.agent, options.steps, options.random, options.environments, options.seed
    )
    buffer.save_hdf5(options.out)
    mean = "" if returns.ndim > 1 or not len(returns) else f", mean return {returns.mean():.1f}"
    print(f"{options.out}: {counted(len(buffer), 'transition')}, {counted(len(returns), 'episode')} finished{mean}")
    return 0
