"""Manuals: how a game is played, in plain words, as a text that screens and commands show.

A manual is a small Markdown text with the five headings of `HEADINGS`. Those of the games here are files in
`games/manuals`, one a game; a game from elsewhere gives its text as `Game.manual_text`.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from games.engine.game import Game

HEADINGS = ("How it is played", "Options", "Notation", "Strategy", "Source")
"""Parts of a manual, in this order."""


@dataclass(frozen=True)
class Section:
    """One part of a manual."""

    heading: str
    paragraphs: tuple[str, ...]
    """Paragraphs and points of a list, each without line breaks; a point begins with "- "."""


def manual_of(game: Game) -> tuple[Section, ...]:
    """Return the manual of a game; empty if nobody has written one."""
    return parse_manual(game.manual_text or packaged_manual(game.name))


@cache
def packaged_manual(name: str) -> str:
    """Return the text of the manual of a game of this package; "" if there is none."""
    file = resources.files("games").joinpath("manuals", f"{name}.md")
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def parse_manual(text: str) -> tuple[Section, ...]:
    """Read the sections of a manual; the title and what stands before the first heading are left out.

    >>> parse_manual("# Nim\\n\\n## Strategy\\nTake a few\\nobjects.\\n- Leave an even\\n  number.\\n- Count.")
    (Section(heading='Strategy', paragraphs=('Take a few objects.', '- Leave an even number.', '- Count.')),)
    """
    _, *parts = re.split(r"^## *(.+)$", text, flags=re.MULTILINE)
    return tuple(Section(head.strip(), _paragraphs(body)) for head, body in zip(parts[::2], parts[1::2], strict=True))


def _paragraphs(body: str) -> tuple[str, ...]:
    """Return paragraphs, which end at an empty line, and points of lists."""
    pieces = re.split(r"\n\s*\n|\n(?=- )", body.strip())
    return tuple(" ".join(piece.split()) for piece in pieces if piece.strip())
