"""`random`: draws a legal action uniformly."""

from typing import Any

from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.random import RandomPolicy
from arena.policy.registration import Spaces
from games.engine.game import Game


class RandomOfGroups(Policy):
    """Draws uniformly from the legal actions of each seat, where some have continuous actions of their own."""

    def __init__(self, game: Game, seed: int):
        self._game, self._rng = game, make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n, k]."""
        return Batch(act=self._game.draw_actions(batch.obs.agent_id, batch.obs.mask, self._rng))

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> Policy:
    """Make a random agent; it takes no argument."""
    if argument:
        raise UsageError(f"'random' takes no argument, not {argument!r}")
    if game.action_box is not None and game.groups:
        return RandomOfGroups(game, seed=0)
    return RandomPolicy(action_space=Spaces.of_game(game).action, seed=0)
