"""A player that could not be made, and loses its games."""

from typing import Any, NoReturn

from arena.data.batch import Batch
from arena.match.ask import FailedError
from arena.match.verdict import Failure
from arena.policy.protocol import Policy


class UnseatedPolicy(Policy):
    """Stands for an agent that could not be made: it loses its games, with the reason."""

    def __init__(self, reason: str):
        self._reason = reason

    def reset(self, seed: int | None = None) -> NoReturn:
        """Fail."""
        raise FailedError(Failure(self._reason))

    def forward(self, batch: Batch, state: Any = None) -> NoReturn:
        """Fail."""
        raise FailedError(Failure(self._reason))
