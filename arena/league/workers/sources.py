"""How the members of a league come to workers: by their folders where those are seen, or through the cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from arena.errors import CheckpointError
from arena.policy.checkpoint import Checkpoint


class Source(Protocol):
    """Where a worker finds the checkpoint of a member."""

    def read(self) -> Checkpoint:
        """Read it; `CheckpointError` if it is not what it was."""


@dataclass(frozen=True)
class OnDisk:
    """In a folder that the worker sees as well."""

    folder: str
    sha256: str
    """Hash of its weights."""

    def read(self) -> Checkpoint:
        """Read it."""
        found = Checkpoint.read(Path(self.folder))
        if found.description["sha256"] != self.sha256:
            raise CheckpointError(f"{self.folder} is not the checkpoint that joined the league: its weights are others")
        return found


@dataclass(frozen=True)
class InCluster:
    """In the memory of a cluster; read where it is wanted and not before."""

    reference: Any
    """Has a `get`."""

    def read(self) -> Checkpoint:
        """Fetch it."""
        found: Checkpoint = self.reference.get()
        return found
