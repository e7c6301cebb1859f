"""The protocol of a policy: small, and free of torch."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arena.data.batch import Batch

RESIGN = -2
"""An action that resigns a match; it differs from -1, which a failed search may return."""


class Policy(ABC):
    """Protocol of policies, which choose actions for a batch of decisions.

    A batch has n rows. In a game, `batch.obs` is `Batch(agent_id, obs, mask)`: the seat to move (int [n]), what it sees
    ([n, *O]) and which actions it may take (bool [n, A]). A policy that searches sets `needs_state` and finds the
    positions themselves (structured records [n]) in `batch.obs.state`.
    """

    learns: ClassVar[bool] = False
    """True if transitions of its seats are worth storing."""
    needs_state: ClassVar[bool] = False
    """True if it needs the state records of its positions."""
    needs_rewards: bool = False
    """True if it learns from what the others earn: its transitions hold the rewards of all seats.

    They are `info.rewards` (float [n, P]), its own first, then those of the seats that follow.
    """
    one_at_a_time: bool = False
    """True if its games are played one after the other, since it thinks long or handles one position at a time.

    The games of other policies are played side by side.
    """
    costly: ClassVar[bool] = False
    """True if its answers cost money or many seconds: tournaments write its games down after few of them."""
    obeys: ClassVar[frozenset[str]] = frozenset()
    """Limits of a search that it obeys where it is told them with its clock: `nodes`, `depth`."""
    needs_moves: ClassVar[bool] = False
    """True if it needs `batch.obs.moves` (int32 [n, T], -1 after the last), all actions since the start, openings too.

    Matches provide them in games of perfect information without simultaneous moves.
    """

    @abstractmethod
    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Choose an action for each row.

        Returns `act` ([n]; where actions are continuous [n, k], which `map_action` brings within their bounds). It may
        add `state` (hidden state, passed back on the next call), `policy` (what learning needs later, stored with the
        transition), and for onlookers `probs` (float [n, A], its chance of each move, or the share of its search that
        went to it), `value` (float [n], expected return of the seat to move, None where it has no opinion), `visits`
        (int [n, A], simulations of each move) and `pv` (int [n, L], the line of play that it expects, its own move
        first, -1 after the last); for the record `transcript` (objects [n], the JSON of an
        `arena.policy.transcript.Transcript`, or None). Where rows fail by themselves, `failure` (objects [n]) has the
        exception of each of them, None for others: it is judged as if it had been raised for that row alone.
        """

    def __call__(self, batch: Batch, state: Any = None) -> Batch:
        """Call `forward`: `policy(batch)`."""
        return self.forward(batch, state)

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Return actions changed for exploration; by default unchanged."""
        return act

    def map_action(self, act: Any, batch: Batch | None = None) -> Any:
        """Map actions of the policy for a batch to those of the environment; by default unchanged."""
        return act

    def map_action_inverse(self, act: Any, batch: Batch | None = None) -> Any:
        """Return the actions of the policy that `map_action` turns into these."""
        return act

    def reset(self, seed: int | None = None) -> None:  # noqa: B027  # most policies have nothing to forget
        """Forget earlier games; restart the random stream if a seed is given."""

    def agree(self, seed: int) -> None:  # noqa: B027  # most policies decide for each row alone
        """Set the seed of decisions that hold for all rows of a batch, until a `reset`.

        Copies of a policy that play parts of the same boards then decide alike, so that none thinks long while others
        wait.
        """

    def hurry(self) -> None:  # noqa: B027  # most policies think for no time
        """End the current search and answer at once; called by another thread while `forward` runs."""

    def close(self) -> None:  # noqa: B027  # most policies hold nothing
        """Release external resources such as programs and files; called after the last use.

        Closing it again has no effect.
        """


@runtime_checkable
class PositionEvaluator(Protocol):
    """A policy that evaluates positions without choosing a move."""

    def values(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """Return the expected returns [n] of the seats to move in unfinished positions [n]; NaN where unknown."""
