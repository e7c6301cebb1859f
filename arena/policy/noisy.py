"""`noisy:SHARE:AGENT`: plays as another agent, but for a share of its moves, which are random legal ones."""

from typing import Any

import numpy as np

from arena.base.checks import require_between
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.rows import as_array
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from arena.policy.wrapping import WrappingPolicy
from games.engine.game import Game


class NoisyPolicy(WrappingPolicy):
    """Wraps a policy and makes a share of its moves at random; for these the policy is not asked.

    Args:
        policy: the wrapped policy.
        random: draws the other moves.
        share: probability of a random move, 0 to 1.
        seed: of the decision which moves are random.

    """

    def __init__(self, policy: Policy, random: Policy, share: float, seed: int = 0):
        require_between(0, 1, random=share)
        super().__init__(policy)
        self._random, self._share = random, share
        self._rng = make_rng(seed)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the actions of both; what the policy thinks besides, where it chose in all rows."""
        chooses = self._rng.random(len(batch.obs)) >= self._share
        if chooses.all():
            return self._policy.forward(batch, state)
        act = as_array(self.map_action_inverse(as_array(self._random.forward(batch).act), batch))
        return self.answer_rows(batch, state, np.flatnonzero(chooses), act)

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games; restart the random streams if a seed is given."""
        super().reset(seed)
        self._random.reset(None if seed is None else seed + 1)
        if seed is not None:
            self._rng = make_rng(seed)


def make(game: Game, argument: str) -> NoisyPolicy:
    """Make an agent from `SHARE:AGENT`."""
    share, _, agent = argument.partition(":")
    try:
        probability = float(share)
    except ValueError:
        probability = np.nan
    if not agent or not 0 <= probability <= 1:
        raise UsageError(
            f"noisy:{argument}: give the share of random moves, 0 to 1, and an agent, as in noisy:0.2:mcts:400"
        )
    return NoisyPolicy(make_agent(agent, game), make_agent("random", game), probability)
