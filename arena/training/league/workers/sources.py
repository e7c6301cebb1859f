"""Sources of members' checkpoints for workers: a folder that the worker can read, or the memory of a cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from arena.base.errors import CheckpointError
from arena.policy.checkpoint import Checkpoint


class Source(Protocol):
    """Source of a member's checkpoint."""

    def read(self) -> Checkpoint:
        """Read the checkpoint; raise `CheckpointError` if it has changed since the member joined."""


@dataclass(frozen=True)
class OnDisk:
    """A checkpoint in a folder that the worker can read."""

    folder: str
    sha256: str
    """Expected hash of the weights."""

    def read(self) -> Checkpoint:
        """Read the checkpoint; raise `CheckpointError` if its hash differs."""
        checkpoint = Checkpoint.read(Path(self.folder))
        if checkpoint.description["sha256"] != self.sha256:
            raise CheckpointError(f"{self.folder} is not the checkpoint that joined the league: its weights differ")
        return checkpoint


@dataclass(frozen=True)
class InCluster:
    """A checkpoint in the memory of a cluster, fetched by the worker that needs it."""

    reference: Any
    """Reference to the stored object, with a method `get`."""

    def read(self) -> Checkpoint:
        """Fetch the checkpoint."""
        checkpoint: Checkpoint = self.reference.get()
        return checkpoint
