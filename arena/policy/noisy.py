"""`noisy:SHARE:AGENT`: plays as another agent, but for a share of its moves, which are random legal ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.checks import require_between
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from games.engine.game import Game


class NoisyPolicy(Policy):
    """Wraps a policy and makes a share of its moves at random; for these the policy is not asked.

    Args:
        policy: the wrapped policy.
        random: draws the other moves.
        share: probability of a random move, 0 to 1.
        seed: of the decision which moves are random.

    """

    def __init__(self, policy: Policy, random: Policy, share: float, seed: int = 0):
        require_between(0, 1, random=share)
        self._policy, self._random, self._share = policy, random, share
        self._rng = make_rng(seed)
        # of the wrapped policy, not of the class
        self.needs_state, self.needs_moves = policy.needs_state, policy.needs_moves  # type: ignore[misc]
        self.one_at_a_time = policy.one_at_a_time

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the actions of both; what the policy thinks besides, where it chose in all rows."""
        chooses = self._rng.random(len(batch.obs)) >= self._share
        if chooses.all():
            return self._policy.forward(batch, state)
        act = self._random.forward(batch).act
        act = as_array(self._policy.map_action_inverse(as_array(act), batch))
        if not chooses.any():
            return Batch(act=act, state=Batch() if state is None else state)
        return self._partly(batch, state, np.flatnonzero(chooses), act)

    def _partly(self, batch: Batch, state: Any, rows: NDArray[np.int64], act: NDArray[Any]) -> Batch:
        """Return the actions with those of `rows` replaced by the policy's, and the hidden states of all rows."""
        chosen = self._policy.forward(batch[rows], None if state is None else state[rows])
        hidden = Batch() if state is None else Batch(state=state)
        if not isinstance(own := chosen.get("state", Batch()), Batch) or not own.is_empty():
            write_rows(hidden, Batch(state=own), rows, len(act))
        result = np.array(act, dtype=np.result_type(act, as_array(chosen.act)))
        result[rows] = as_array(chosen.act)
        return Batch(act=result, state=hidden.get("state", Batch()))

    def map_action(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions as the wrapped policy does."""
        return self._policy.map_action(act, batch)

    def map_action_inverse(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions back as the wrapped policy does."""
        return self._policy.map_action_inverse(act, batch)

    def reset(self, seed: int | None = None) -> None:
        """Forget earlier games; restart the random streams if a seed is given."""
        self._policy.reset(seed)
        self._random.reset(None if seed is None else seed + 1)
        if seed is not None:
            self._rng = make_rng(seed)

    def agree(self, seed: int) -> None:
        """Set the seed of decisions that hold for all rows of a batch."""
        self._policy.agree(seed)

    def hurry(self) -> None:
        """End the current search of the wrapped policy."""
        self._policy.hurry()

    def close(self) -> None:
        """Close the wrapped policy."""
        self._policy.close()


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
