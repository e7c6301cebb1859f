"""Results of the agents' thread, as messages to the screen.

Each carries the number of its job: results of jobs that were dropped meanwhile are ignored.
"""

from dataclasses import dataclass

from textual.message import Message

from arena.match.ask import Answer
from arena.tui.state.live_match import Position, PositionAnalysis


@dataclass
class JobDone(Message):
    """A job is done."""

    job: int
    """Its number."""


@dataclass
class Dealt(JobDone):
    """A match is set up."""

    positions: tuple[Position, ...]
    """Positions from the start to the one to play from."""


@dataclass
class MovePlayed(JobDone):
    """A move was made, or the agent to move forfeited the match."""

    position: Position
    answer: Answer | None = None
    """The agent's answer; None for a person's move."""


@dataclass
class RemoteNews(Message):
    """A server was asked for news of a game, or offered a draw in it."""

    refusal: str = ""
    """Why it took no offer."""
    looked: bool = False
    """True if it was asked for news alone."""


@dataclass
class Hinted(JobDone):
    """An agent gave a hint."""

    hint: PositionAnalysis


@dataclass
class Analysed(JobDone):
    """An agent analysed a position of a stored match."""

    number: int
    """Number of the position."""
    analysis: PositionAnalysis
