"""`arena export`: a trained network as an ONNX file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.tasks import make_task
from arena.errors import UsageError
from arena.registry import learning_algorithm


@dataclass(frozen=True)
class Options:
    """Write the network of a trained agent to an ONNX file, which runs without torch; its outputs are compared."""

    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """A trained agent, ALGO:DIR."""
    file: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The file; one that is there is replaced."""


def run(options: Options) -> int:
    """Write the file, and say what it takes and gives."""
    name, _, folder = options.agent.partition(":")
    if not folder:
        raise UsageError(f"{options.agent!r} names no training; a trained agent is ALGO:DIR, as ppo:runs/mine")
    if not options.file.absolute().parent.is_dir():
        raise UsageError(f"{options.file.parent} is no folder to write {options.file.name} into")
    from arena.policy.checkpoint import load_policy
    from arena.policy.export import export_onnx
    from arena.policy.kinds import Spaces
    from arena.policy.snapshots import newest_snapshot, read_config

    algorithm = learning_algorithm(name)
    description = read_config(newest_snapshot(Path(folder)))
    settings = ",".join(f"{key}={value}" for key, value in description["options"].items())
    task = make_task(f"{description['game']}:{settings}" if settings else description["game"])
    policy = load_policy(name, algorithm, task, folder)
    spaces = Spaces.of_task(task)
    difference = export_onnx(policy, spaces, options.file)
    print(f"{options.file}: observations {spaces.observation_shape}, outputs within {difference:.0e} of torch's")
    return 0
