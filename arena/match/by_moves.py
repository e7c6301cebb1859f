"""Players that answer moves with a move, as policies."""

from typing import Any, Protocol

import numpy as np

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.protocol import Policy


class AnswersMoves(Protocol):
    """A player who is told all moves of one game so far, and answers with the next."""

    def begin(self) -> None:
        """Wait for answers again, after `stop_waiting`."""

    def answer(self, played: list[int]) -> int:
        """Return the next action after these; raises `FailedError` if there will be none."""

    def stop_waiting(self) -> None:
        """End a running `answer` without one; called by another thread."""


class PolicyByMoves(Policy):
    """A player of one game as a policy."""

    needs_moves = True
    one_at_a_time = True

    def __init__(self, player: AnswersMoves):
        self._player = player

    def reset(self, seed: int | None = None) -> None:
        """Begin a game."""
        self._player.begin()

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the player's answer, `act` [1]; raises `UsageError` for more games than one."""
        moves = batch.obs.moves
        if len(moves) != 1:
            raise UsageError("a player answers in one game at a time")
        return Batch(act=np.array([self._player.answer([action for action in moves[0].tolist() if action >= 0])]))

    def hurry(self) -> None:
        """Wait no longer: the game has ended here."""
        self._player.stop_waiting()
