"""The protocol of a policy: small, and free of torch."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from arena.data.batch import Batch

RESIGN = -2
"""An action that gives the game up, where matches are played; not -1, which a search that found nothing may leave."""


class Policy(ABC):
    """Answers a batch of decisions with actions.

    A batch has n rows. In a game, `batch.obs` is `Batch(agent_id, obs, mask)`: the seat to move (int [n]), what it sees
    ([n, *O]) and which actions it may take (bool [n, A]). A policy that searches sets `needs_state` and finds the
    positions themselves (structured records [n]) in `batch.obs.state`.
    """

    learns: ClassVar[bool] = False
    """True if transitions of its seats are worth storing."""
    needs_state: ClassVar[bool] = False
    """True if it needs the state records of its positions."""
    one_at_a_time: bool = False
    """True if its games are played one after the other: it thinks long, or answers one position at a time.

    The games of others are played side by side.
    """
    needs_moves: ClassVar[bool] = False
    """True if it needs `batch.obs.moves` (int32 [n, T], -1 after the last), all actions since the start, openings too.

    Matches tell them, in games of perfect information that are played in turns.
    """

    @abstractmethod
    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Choose an action a row.

        Returns `act` ([n]); it may add `state` (hidden state, passed back on the next call), `policy` (what learning
        needs later, stored with the transition), and for onlookers `probs` (float [n, A], its chance of each move, or
        the share of its search that went to it), `value` (float [n], expected return of the seat to move, None where it
        has no opinion), `visits` (int [n, A], simulations of each move) and `pv` (int [n, L], the line of play that it
        expects, its own move first, -1 after the last).
        """

    def __call__(self, batch: Batch, state: Any = None) -> Batch:
        """Choose an action a row, as `forward` does: `policy(batch)`."""
        return self.forward(batch, state)

    def exploration_noise(self, act: Any, batch: Batch) -> Any:
        """Actions changed for exploration; unchanged unless a policy explores this way."""
        return act

    def map_action(self, act: Any) -> Any:
        """Actions of the policy as the environment takes them; the same for most."""
        return act

    def map_action_inverse(self, act: Any) -> Any:
        """Actions of the policy that `map_action` turns into these."""
        return act

    def reset(self, seed: int | None = None) -> None:  # noqa: B027  # most policies have nothing to forget
        """Forget earlier games; with a seed, start the random stream anew."""

    def agree(self, seed: int) -> None:  # noqa: B027  # most policies decide for each row alone
        """Draw what holds for all rows of a batch by this seed, until a `reset`.

        Copies of a policy at parts of the same boards decide alike then: none thinks long while the others wait for it.
        """

    def hurry(self) -> None:  # noqa: B027  # most policies think for no time
        """Answer at once with what has been found; called by another thread while `forward` is at work."""

    def close(self) -> None:  # noqa: B027  # most policies hold nothing
        """Let go of what it holds outside of Python (programs, files); called when nobody needs it any more.

        Closing again does nothing.
        """
