"""`arena export`: a trained network as an ONNX file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.base.errors import UsageError
from arena.policy.agent_spec import AgentSpec
from arena.policy.registry import learning_algorithm
from arena.training.task_names import make_task
from games.engine.identity import GameId


@dataclass(frozen=True)
class Options:
    """Write the network of a trained agent to an ONNX file, which runs without torch.

    The outputs of the file are compared with those of torch.
    """

    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """Trained agent, as ALGO:DIR."""
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")]
    """File to write; an existing one is replaced."""
    of: str = ""
    """Whose network, by the name of the game's agent, where an agent has several: --of adversary_0."""


def run(options: Options) -> int:
    """Write the file, and print its input shape and its difference from torch."""
    agent = AgentSpec.parse(options.agent)
    if not agent.argument:
        raise UsageError(f"{options.agent!r} is not a trained agent, ALGO:DIR, such as ppo:runs/mine")
    if not options.out.absolute().parent.is_dir():
        raise UsageError(f"{options.out.parent} is not a folder to write {options.out.name} into")
    from arena.policy.checkpoint import load_policy
    from arena.policy.export import export_onnx, network_for
    from arena.policy.snapshots import find_snapshot, read_config

    algorithm = learning_algorithm(agent.name)
    description = read_config(find_snapshot(agent.folder))
    task = make_task(GameId(description["game"], description["options"]).spec)
    policy = load_policy(agent.name, algorithm, task, agent.argument)
    policy, spaces = network_for(policy, task, options.of)
    difference = export_onnx(policy, spaces, options.out)
    print(f"{options.out}: observations {spaces.observation_shape}, outputs within {difference:.0e} of torch's")
    return 0
