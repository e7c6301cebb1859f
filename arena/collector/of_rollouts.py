"""Collectors of rollouts, in games that are made for them on the device where the learner computes."""

import torch

from arena.collector.rollout_collector import RolloutCollector
from arena.data.buffer.base import ReplayBuffer
from arena.env.device import settled_device
from arena.env.games import Recorder
from arena.env.make import Task, is_compiled
from arena.env.native import GameVectorEnv
from arena.policy.manager import MultiAgentPolicyManager


def device_of_games(task: Task, device: torch.device, required: bool) -> str | None:
    """Return where games can be played beside a learner that computes on a device: `cpu` or `cuda`.

    None if they cannot be played there: hosted ones, and those on a device that is not torch's current CUDA device.
    Where CUDA lacks something for games, `UsageError` says what if they are `required` there; else None.
    """
    if not is_compiled(task):
        return None
    if device.type == "cpu":
        return "cpu"
    if device.type != "cuda" or device.index not in (None, torch.cuda.current_device()):
        return None
    games = settled_device("cuda" if required else "auto")
    return games if games == "cuda" else None


def rollouts_of(
    task: Task,
    boards: int,
    manager: MultiAgentPolicyManager,
    buffer: ReplayBuffer,
    openings: int,
    recorder: Recorder | None,
    seed: int,
    device: str,
) -> RolloutCollector:
    """Return a collector of the rollouts of a manager's policies.

    Args:
        task: a compiled game.
        boards: how many games are played at the same time.
        manager: who plays.
        buffer: stays empty, see `RolloutCollector`.
        openings: random moves that a game begins with, at most.
        recorder: follows the games of one board.
        seed: of the games.
        device: where they are played, `cpu` or `cuda`.

    """
    assert is_compiled(task)
    env = GameVectorEnv(task, boards, openings=openings, device=device)
    env.recorder = recorder
    env.seed(seed)
    return RolloutCollector(manager, env, buffer)
