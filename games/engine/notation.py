"""File formats for whole games, such as PGN."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WrittenGame:
    """A game that was read from text."""

    game: Any
    """The `Game`, begun where the text begins."""
    actions: tuple[int, ...]
    players: tuple[str, ...]
    """Names by seat."""
    returns: tuple[float, ...] | None
    """What each seat earned, in wins (1), draws (0) and losses (-1); None if the text does not say."""
    termination: str = ""
    """How it ended, in PGN's words (`adjudication`); "" if the text does not say."""


@dataclass(frozen=True)
class Notation:
    """A file format for games of one kind."""

    suffix: str
    """`.pgn`"""
    write: Callable[[Any, Sequence[int], Sequence[str], Sequence[float] | None, Mapping[str, str]], str]
    """Its text (`Game`, actions, names by seat, what each earned, circumstances); `IllegalActionError` for a wrong
    action. Circumstances have the names that PGN gives them: `Event`, `Date` (`2026.05.31`), `Round`, `TimeControl`,
    `Termination`; a format leaves out what it has no place for."""
    read: Callable[[str], WrittenGame]
    """The game in a text that holds one; `UsageError` if it cannot be read, or cannot have been played."""
    split: Callable[[str], list[str]]
    """The texts of the games in a file."""
