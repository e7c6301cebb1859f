"""Hints: what an agent would do in the place of the person at the keyboard."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from arena.match.ask import Answer
from arena.policy.protocol import Policy
from arena.tui.state.live_match import LiveMatch, Position


class Hints:
    """The agent that gives hints (name, policy), None for nobody, and its hint for the current position.

    `plays` is True if it sits at the table; then it knows the game so far, and is asked as for its own move.
    """

    def __init__(self, adviser: tuple[str, Policy] | None, plays: bool):
        self.name = "" if adviser is None else adviser[0]
        """Name of the agent; empty for nobody."""
        self.policy = None if adviser is None else adviser[1]
        self.plays = plays
        self.answer: Answer | None = None
        """Hint for the current position, if the player asked for it."""

    def work(self, match: LiveMatch, seed: int) -> Callable[[], Answer]:
        """Return the job that asks for a hint."""
        assert self.policy is not None
        return partial(match.consult, self.policy) if self.plays else partial(match.advise, self.policy, seed)

    def take(self, position: Position, answer: Answer) -> str:
        """Keep an answer as the hint for a position; return why it is none, or an empty text.

        One without probabilities stands for its move alone.
        """
        if position.chances(answer) or (isinstance(answer.action, tuple) and position.allows(answer.action)):
            self.answer = answer
        elif not isinstance(answer.action, tuple) and position.allows(answer.action):
            self.answer = replace(answer, probs=np.eye(len(position.picture.action_cells))[answer.action])
        else:
            self.answer = None
            return answer.failure.detail if answer.failure else "its move is illegal"
        return ""
