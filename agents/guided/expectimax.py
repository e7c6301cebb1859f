"""`expectimax:DIR:PLIES`: search over the ends of turns, valued by a trained network.

The checkpoint may be of any algorithm whose policy tells what positions after moves are worth (`RatesEnds`): td.
"""

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agents.guided.afterstates import AfterstateSearch
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.protocol import Policy
from arena.policy.registry import learning_algorithm
from arena.policy.snapshots import find_snapshot, read_config
from games.engine.game import Game

MOST_PLIES = 3
"""Largest number of turns that are looked ahead; each takes a hundred times as long as the one before."""


@runtime_checkable
class RatesEnds(Protocol):
    """A policy that can guide a search over the ends of turns."""

    def expected(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the expected returns [m] of the seats whose turns have ended, for features [m, F + 1]."""


class ExpectimaxPolicy(Policy):
    """Plays towards the end of its turn that is worth most after the turns that may follow."""

    needs_state = True

    def __init__(self, game: Game, policy: RatesEnds, plies: int):
        self._search = AfterstateSearch(game, policy.expected, plies, "expectimax")
        self.one_at_a_time = plies > 1

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n] and `value` [n]."""
        act, value = self._search.best(self._search.turns.positions(batch))
        return Batch(act=act, value=value)


def make(game: Game, argument: str) -> ExpectimaxPolicy:
    """Make an agent from `DIR:PLIES`.

    Raises `UsageError` for a checkpoint that does not rate positions after moves, and another number of plies.
    """
    folder, _, amount = argument.rpartition(":")
    if not folder or amount not in map(str, range(MOST_PLIES + 1)):
        raise UsageError(
            f"expectimax:{argument}: give a trained agent and the turns to look ahead, up to {MOST_PLIES}, "
            "as in expectimax:runs/backgammon-td:1"
        )
    algorithm = str(read_config(find_snapshot(Path(folder)))["algorithm"])
    policy = load_policy(algorithm, learning_algorithm(algorithm), game, folder)
    if not isinstance(policy, RatesEnds):
        raise UsageError(f"expectimax:{argument}: {algorithm!r} does not rate positions after moves; td does")
    return ExpectimaxPolicy(game, policy, int(amount))
