"""The members of a league as opponents: loaded from their checkpoints when they are needed, and let go of again."""

from collections import OrderedDict
from pathlib import Path

import torch

from arena.errors import CheckpointError
from arena.league.records import Member
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import Checkpoint
from arena.registry import learning_algorithm
from games.engine.game import Game

RESIDENT = 16
"""Members that are kept in memory besides those at the tables."""


class Pool:
    """Loads members, each with weights of its own, and keeps those that were needed last.

    Args:
        game: what they play.
        algo: what they learned with.
        folder: the run's, which their checkpoints are relative to.
        device: where they compute.
        resident: how many are kept.

    """

    def __init__(self, game: Game, algo: str, folder: Path, device: torch.device, resident: int = RESIDENT):
        self._game, self._algo, self._folder, self._device = game, algo, folder, device
        self._resident = resident
        self._kept: OrderedDict[str, BasePolicy] = OrderedDict()

    def load(self, member: Member) -> BasePolicy:
        """A member, moving as it did in training; `CheckpointError` if its checkpoint is not what the league knows."""
        if member.name not in self._kept:
            self._kept[member.name] = self._read(member)
        self._kept.move_to_end(member.name)
        while len(self._kept) > self._resident:
            self._kept.popitem(last=False)
        return self._kept[member.name]

    def _read(self, member: Member) -> BasePolicy:
        checkpoint = Checkpoint.read(self._folder / member.folder)
        if (found := checkpoint.description["sha256"]) != member.sha256:
            raise CheckpointError(f"{checkpoint.where} is not what joined the league: its hash is {found}")
        policy = checkpoint.policy(self._algo, learning_algorithm(self._algo), self._game)
        return policy.to(self._device).train()
