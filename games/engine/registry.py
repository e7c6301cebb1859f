"""Things found by name: a registry is the union of mappings that installed packages declare as entry points.

An entry point of the group resolves to a mapping from a name to a reference `"module:attribute"`. Listing names
reads those mappings and imports nothing else; a reference is imported when it is asked for.
"""

import importlib
import inspect
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from games.engine.errors import UnknownNameError, UsageError
from games.engine.options import checked_option, read_option

if TYPE_CHECKING:
    from games.engine.game import Game


class Registry:
    """Names of one kind (`noun`), collected from the entry points of one `group`.

    Two packages that declare the same name are a mistake, raised as `ValueError` on first use.
    """

    def __init__(self, group: str, noun: str):
        self.group = group
        self.noun = noun

    @cached_property
    def references(self) -> Mapping[str, str]:
        """Every registered name with its reference."""
        found: dict[str, str] = {}
        for point in entry_points(group=self.group):
            for name, reference in point.load().items():
                if found.setdefault(name, reference) != reference:
                    raise ValueError(f"{self.noun} {name!r} is registered as {found[name]!r} and as {reference!r}")
        return found

    def names(self) -> list[str]:
        """Registered names, sorted."""
        return sorted(self.references)

    def load(self, name: str) -> Any:
        """Import and return what `name` refers to; `UnknownNameError` names the nearest if there is none."""
        if name not in self.references:
            raise UnknownNameError(self.noun, name, self.references)
        module, _, attribute = self.references[name].partition(":")
        return getattr(importlib.import_module(module), attribute)


GAMES = Registry("arena.games", "game")


def make_game(name: str, **options: Any) -> "Game":
    """Describe the game `name` with the given options (its own defaults otherwise).

    Options may also follow the name, as on a command line: `tic_tac_toe:m=6,n=6,k=4`. Raises `UnknownNameError` for an
    unknown game or option, `UsageError` for a value that does not fit.
    """
    name, _, suffix = name.partition(":")
    build = GAMES.load(name)
    parameters = inspect.signature(build).parameters
    for option in options:
        _require_known(name, option, parameters)
    settled = {key: checked_option(name, parameters[key], value) for key, value in options.items()}
    for item in filter(None, suffix.split(",")):
        key, equals, text = item.partition("=")
        if not equals:
            raise UsageError(f"{name}: option {item!r} is not of the form name=value")
        if key in settled:
            raise UsageError(f"{name}: option {key} is given twice")
        _require_known(name, key, parameters)
        settled[key] = read_option(name, parameters[key], text)
    game: Game = build(**settled)
    return game


def _require_known(name: str, option: str, parameters: Iterable[str]) -> None:
    if option not in parameters:
        raise UnknownNameError(f"option of {name}", option, parameters)
