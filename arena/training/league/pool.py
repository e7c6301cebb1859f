"""`Pool`: the members of a league as opponents, loaded from their checkpoints and cached."""

from collections import OrderedDict
from pathlib import Path

import torch

from arena.base.errors import CheckpointError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import Checkpoint
from arena.policy.registry import learning_algorithm
from arena.training.league.records import Member
from games.engine.game import Game

MAX_CACHED_MEMBERS = 16
"""Number of members kept in memory besides those that are playing."""


class Pool:
    """Loads members and caches the most recently used ones.

    Args:
        game: the game that they play.
        algo: name of their algorithm.
        folder: folder of the run, which their checkpoints are relative to.
        device: device that they compute on.
        cache_size: largest number of members in the cache.

    """

    def __init__(self, game: Game, algo: str, folder: Path, device: torch.device, cache_size: int = MAX_CACHED_MEMBERS):
        self._game, self._algo, self._folder, self._device = game, algo, folder, device
        self._cache_size = cache_size
        self._cache: OrderedDict[str, BasePolicy] = OrderedDict()

    def load(self, member: Member) -> BasePolicy:
        """Return the policy of a member in training mode; raise `CheckpointError` if its checkpoint has changed."""
        if member.name not in self._cache:
            self._cache[member.name] = self._read(member)
        self._cache.move_to_end(member.name)
        while len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return self._cache[member.name]

    def _read(self, member: Member) -> BasePolicy:
        checkpoint = Checkpoint.read(self._folder / member.folder)
        if (sha256 := checkpoint.description["sha256"]) != member.sha256:
            raise CheckpointError(f"{checkpoint.where} has changed since it joined the league: its hash is {sha256}")
        policy = checkpoint.policy(self._algo, learning_algorithm(self._algo), self._game)
        return policy.to(self._device).train()
