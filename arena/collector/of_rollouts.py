"""Collectors of rollouts, in games that are made for them on the device where the learner computes, or beside it."""

import torch

from arena.collector.boards import HostBoards, OwnBoards, RolloutBoards
from arena.collector.rollout_collector import RolloutCollector
from arena.data.buffer.base import ReplayBuffer
from arena.env.device import settled_device
from arena.env.games import Recorder
from arena.env.make import Task, has_equal_seats, is_compiled, vector_games
from arena.env.native import GameVectorEnv
from arena.policy.manager import MultiAgentPolicyManager


def device_of_games(task: Task, device: torch.device, required: bool) -> str | None:
    """Return where games are played beside a learner of rollouts that computes on a device: `cpu` or `cuda`.

    None if it cannot learn from rollouts of them: on a CUDA device that is not torch's current one or for whose kernels
    something is missing, of hosted games on the CPU, and of those whose seats differ in their actions or choose
    continuous ones. Where something is missing for compiled games that are `required` there, `UsageError` says what.
    """
    if not has_equal_seats(task):
        return None
    if device.type == "cpu":
        return "cpu" if is_compiled(task) else None
    if device.type != "cuda" or device.index not in (None, torch.cuda.current_device()):
        return None
    compiled = is_compiled(task)
    if settled_device("cuda" if required and compiled else "auto") == "cpu":  # which advantages need, too
        return None
    return "cuda" if compiled else "cpu"


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
        task: a game for which `device_of_games` names a device.
        boards: how many games are played at the same time.
        manager: who plays.
        buffer: stays empty, see `RolloutCollector`.
        openings: random moves that a game begins with, at most.
        recorder: follows the games of one board.
        seed: of the games.
        device: where they are played, `cpu` or `cuda`.

    """
    assert has_equal_seats(task)
    learner = next(manager.parameters()).device
    chosen: RolloutBoards
    if device == "cpu" and learner.type != "cpu":
        chosen = HostBoards(vector_games(task, boards, openings), learner)
    else:
        chosen = OwnBoards(GameVectorEnv(task, boards, openings=openings, device=device))
    chosen.env.recorder = recorder
    chosen.env.seed(seed)
    return RolloutCollector(manager, chosen, buffer)
