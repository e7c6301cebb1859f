"""Entries of the zoo: folders with a card and, where the agent was trained, a checkpoint beside it.

Packages that declare agents may have a folder `zoo` beside the module that does; in it, each game has a folder of its
name. What users add lies in a folder of their own.
"""

import importlib
import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from arena.base.errors import UnknownNameError, UsageError
from arena.policy.registry import AGENTS
from arena.policy.snapshots import CONFIG
from arena.policy.zoo.card import CARD, ZooCard, read_card
from games.engine.registry import make_game

if TYPE_CHECKING:
    from games.engine.game import Game

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
"""Names of entries, which are names of folders."""


@dataclass(frozen=True)
class ZooEntry:
    """One folder of the zoo."""

    name: str
    folder: Path
    own: bool
    """True if the user added it."""

    @property
    def card(self) -> ZooCard:
        """Its card; `CheckpointError` if it cannot be read."""
        return read_card(self.folder)

    @property
    def trained(self) -> bool:
        """True if a checkpoint lies beside the card."""
        return (self.folder / CONFIG).exists()


def entries() -> dict[str, ZooEntry]:
    """Return all entries by name: those of installed packages, then those that the user added."""
    known: dict[str, ZooEntry] = {}
    for folder, own in [*((folder, False) for folder in _packaged()), (own_folder(), True)]:
        cards = sorted(folder.glob(f"*/{CARD}")) if folder.is_dir() else []
        for file in cards:
            name = file.parent.name
            if NAME.fullmatch(name):
                known.setdefault(name, ZooEntry(name, file.parent, own))
    return known


def find_entry(name: str) -> ZooEntry:
    """Return the entry of a name; `UnknownNameError`, which names the nearest, if there is none."""
    known = entries()
    if name not in known:
        raise UnknownNameError("entry of the zoo", name, known)
    return known[name]


def own_folder() -> Path:
    """Return the folder of what the user added: $ARENA_ZOO, or `arena/zoo` where the system keeps data of programs."""
    if "ARENA_ZOO" in os.environ:
        return Path(os.environ["ARENA_ZOO"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "arena" / "zoo"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "arena" / "zoo"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "arena" / "zoo"


def card_of(game: "Game") -> ZooCard:
    """Return the card of a game by its name, whatever its options; `UsageError` if no package has one."""
    for folder in _packaged():
        if NAME.fullmatch(game.name) and (folder / game.name / CARD).exists():
            return read_card(folder / game.name)
    raise UsageError(f"the zoo has no champion of {game.name}; 'arena zoo' lists the games that have one")


def fits(card: ZooCard, game: "Game") -> bool:
    """Return whether a card is about a game with exactly these options."""
    return make_game(card.game).label == game.label


@cache
def _packaged() -> tuple[Path, ...]:
    modules = {point.value.partition(":")[0] for point in entry_points(group=AGENTS.group)}
    files = (importlib.import_module(module).__file__ for module in sorted(modules))
    return tuple(Path(file).parent / "zoo" for file in files if file is not None)
