"""Results of the agents' thread, as messages to the screen.

Each carries the number of its job: results of jobs that were dropped meanwhile are ignored.
"""

from dataclasses import dataclass

from textual.message import Message

from arena.match.ask import Answer
from arena.tui.state.live_match import Position, PositionAnalysis


@dataclass
class Dealt(Message):
    """A match is set up."""

    job: int
    positions: tuple[Position, ...]
    """Positions from the start to the one to play from."""


@dataclass
class MovePlayed(Message):
    """A move was made, or the agent to move forfeited the match."""

    job: int
    position: Position
    answer: Answer | None = None
    """The agent's answer; None for a person's move."""


@dataclass
class Hinted(Message):
    """An agent gave a hint."""

    job: int
    answer: Answer


@dataclass
class Analysed(Message):
    """An agent analysed a position of a stored match."""

    job: int
    number: int
    """Number of the position."""
    analysis: PositionAnalysis
