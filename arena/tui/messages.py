"""What comes home from the thread where agents think.

Each carries the number of the job that it answers: news of a job that has been given up meanwhile is ignored.
"""

from dataclasses import dataclass

from textual.message import Message

from arena.match.ask import Answer
from arena.tui.table import Opinion, Position


@dataclass
class Dealt(Message):
    """A match is set up."""

    job: int
    positions: tuple[Position, ...]
    """From the start to the one to play from."""


@dataclass
class Moved(Message):
    """A move was made, or the agent to move lost the match instead."""

    job: int
    position: Position
    answer: Answer | None = None
    """What the agent said; None for a person's move."""


@dataclass
class Hinted(Message):
    """An agent said what it would do in the person's place."""

    job: int
    answer: Answer


@dataclass
class Analysed(Message):
    """An agent said what it thinks of a position of a match that was played before."""

    job: int
    number: int
    """Of the position."""
    opinion: Opinion
