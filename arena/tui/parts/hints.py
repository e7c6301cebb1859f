"""Hints: what an agent would do in the place of the person at the keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from arena.match.contained import ContainedPolicy
from arena.policy.protocol import Policy
from arena.tui.services.advisers import EXACT
from arena.tui.state.live_match import LiveMatch, Position, PositionAnalysis

HINT_S = 10.0
"""Seconds after which an agent that is asked for a hint has to come to an end; a second later the next is asked."""


def bring_to_an_end(policy: Policy, waited_s: float, others: bool) -> None:
    """Have an agent answer that has thought for `HINT_S` seconds; a second later stop it, if there are `others`."""
    policy.hurry()
    if others and waited_s > HINT_S + 1 and isinstance(policy, ContainedPolicy):
        policy.stop()


class Hints:
    """Agents (name, policy) that give hints, the best first, and the hint for the current position.

    One that has no hint, or takes too long, makes way for the next. `plays` is True if they sit at the table; then they
    know the game so far, and are asked as for their own moves. In games of perfect information (`open_game`) an agent
    that solves games says what a position is worth; without a value it only guesses, and makes way as well.
    """

    def __init__(self, advisers: Sequence[tuple[str, Policy]], plays: bool, open_game: bool = True):
        self.advisers, self.plays, self._open_game = tuple(advisers), plays, open_game
        self.answer: PositionAnalysis | None = None
        """Hint for the current position, if the player asked for it."""
        self._number = 0  # number of the adviser

    @property
    def adviser(self) -> tuple[str, Policy] | None:
        """The agent (name, policy) that is asked, or was last; None without agents."""
        return self.advisers[self._number] if self.advisers else None

    @property
    def name(self) -> str:
        """Name of that agent; empty without agents."""
        return "" if self.adviser is None else self.adviser[0]

    @property
    def policy(self) -> Policy | None:
        """Policy of that agent; None without agents."""
        return None if self.adviser is None else self.adviser[1]

    def begin(self) -> None:
        """Ask the best agent first, as in every new position."""
        self._number = 0

    def next(self) -> bool:
        """Turn to the next agent; return whether there is one."""
        if self._number + 1 >= len(self.advisers):
            return False
        self._number += 1
        return True

    def work(self, match: LiveMatch, seed: int) -> Callable[[], PositionAnalysis]:
        """Return the job that asks for a hint."""
        assert self.policy is not None
        return partial(match.consult, self.policy) if self.plays else partial(match.advise, self.policy, seed)

    def take(self, position: Position, hint: PositionAnalysis) -> str:
        """Keep an answer as the hint for a position; return why it cannot be one, or an empty text.

        An answer without probabilities gives its move alone.
        """
        answer = hint.answer
        if self._open_game and self.name in EXACT and answer.value is None and self._number + 1 < len(self.advisers):
            return "it has not solved this position"
        if position.chances(answer) or (isinstance(answer.action, tuple) and position.allows(answer.action)):
            self.answer = hint
        elif not isinstance(answer.action, tuple) and position.allows(answer.action):
            certain = np.eye(len(position.picture.action_cells))[answer.action]
            self.answer = replace(hint, answer=replace(answer, probs=certain))
        else:
            self.answer = None
            return answer.failure.detail if answer.failure else "its move is illegal"
        return ""
