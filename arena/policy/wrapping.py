"""The base of policies that play as another one does, but for some of their moves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch
from arena.data.rows import as_array, write_rows
from arena.policy.protocol import Policy


class WrappingPolicy(Policy):
    """Delegates to a wrapped policy, which it closes with itself."""

    def __init__(self, policy: Policy):
        self._policy = policy
        # of the wrapped policy, not of the class
        self.needs_state, self.needs_moves = policy.needs_state, policy.needs_moves  # type: ignore[misc]
        self.costly, self.obeys = policy.costly, policy.obeys  # type: ignore[misc]
        self.one_at_a_time = policy.one_at_a_time

    def answer_rows(self, batch: Batch, state: Any, rows: NDArray[np.int64], act: NDArray[Any]) -> Batch:
        """Return the actions `act` [n] with those of `rows` replaced by the policy's, and all hidden states.

        `act` holds actions of the policy, as `map_action_inverse` returns them.
        """
        if not len(rows):
            return Batch(act=act, state=Batch() if state is None else state)
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

    def agree(self, seed: int) -> None:
        """Set the seed of decisions that hold for all rows of a batch."""
        self._policy.agree(seed)

    def hurry(self) -> None:
        """End the current search of the wrapped policy."""
        self._policy.hurry()

    def close(self) -> None:
        """Close the wrapped policy."""
        self._policy.close()
