"""Things found by name: a registry is the union of mappings that installed packages declare as entry points.

An entry point of the group resolves to a mapping from a name to a reference `"module:attribute"`. Listing names
reads those mappings and imports nothing else; a reference is imported when it is asked for.
"""

import importlib
import inspect
import re
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TYPE_CHECKING, Any

from games.engine.errors import UnknownNameError, UsageError, foreign_code, in_a_line
from games.engine.identity import GameId
from games.engine.options import checked_options, plain_value, read_option, require_known
from games.engine.source_files import is_source_file, load_source_file, stored_name, without_hash
from games.engine.trust import trust

if TYPE_CHECKING:
    from games.engine.game import Game


OURS = ("agents", "arena", "games")
"""Packages of this distribution."""


class Registry:
    """Names of one kind (`noun`), collected from the entry points of one `group`.

    Two packages that declare the same name are a mistake, raised as `UsageError` on first use. Of a package that cannot
    be imported a warning tells; the others are there.
    """

    def __init__(self, group: str, noun: str):
        self.group = group
        self.noun = noun

    @cached_property
    def references(self) -> Mapping[str, str]:
        """Return every registered name with its reference."""
        references: dict[str, str] = {}
        for point in entry_points(group=self.group):
            for name, reference in self._declared(point).items():
                if references.setdefault(name, reference) != reference:
                    raise UsageError(f"{self.noun} {name!r} is registered as {references[name]!r} and as {reference!r}")
        return references

    def _declared(self, point: EntryPoint) -> Mapping[str, str]:
        try:
            mapping: Mapping[str, str] = point.load()
        except Exception as error:
            missing = f"{self.noun}s of {point.value} are missing, which cannot be imported"
            warnings.warn(f"{missing}: {in_a_line(error)}", stacklevel=2)
            return {}
        return mapping

    def names(self) -> list[str]:
        """Registered names, sorted."""
        return sorted(self.references)

    def load(self, name: str) -> Any:
        """Import and return what `name` refers to, a registered name or a file (`./nim.py`).

        Raises `UnknownNameError`, which names the nearest, if there is none, and `UsageError` for a file that defines
        none or that the user has not named, and for what another package raises when it is imported.
        """
        if is_source_file(name):
            return self._in_file(load_source_file(name), without_hash(name))
        if name not in self.references:
            raise UnknownNameError(self.noun, name, self.references)
        module, _, attribute = self.references[name].partition(":")
        with self.running(name, f"{self.noun} {name!r} ({module})"):
            return getattr(importlib.import_module(module), attribute)

    def running(self, name: str, doing: str) -> AbstractContextManager[None]:
        """Return a context for the code of a registered name or of a file: `foreign_code`, unless it is ours."""
        ours = not is_source_file(name) and re.split(r"[.:]", self.references[name])[0] in OURS
        return nullcontext() if ours else foreign_code(doing)

    def _in_file(self, module: ModuleType, path: str) -> Any:
        """Return what a file defines: the one entry of the mapping of a package, or what has its name."""
        mapping = self.group.rpartition(".")[2].upper()  # GAMES, AGENTS
        single = "game" if mapping == "GAMES" else mapping.removesuffix("S")
        references = [reference.partition(":")[2] for reference in getattr(module, mapping, {}).values()] or [single]
        if len(references) > 1:
            raise UsageError(f"{path} has {len(references)} entries in {mapping}; a file holds one {self.noun}")
        entry = getattr(module, references[0], None)
        if entry is None:
            kinds = (base for kind in vars(module).values() if isinstance(kind, type) for base in kind.__mro__)
            is_gym = any(kind.__module__.partition(".")[0] == "gymnasium" for kind in kinds)
            instead = f"; the environment of Gymnasium in it is gym:{path}" if is_gym else ""
            raise UsageError(f"{path} defines no {self.noun}: it has no {references[0]!r}{instead}")
        return entry


ENVIRONMENTS = {"env", "raw_env", "parallel_env"}
"""Functions of which a module of PettingZoo has one."""
GAMES = Registry("arena.games", "game")
HOSTS = Registry("arena.hosts", "host of games")
"""Hosts by name: what describes somebody else's games, `pettingzoo:NAME`; see `arena.env.hosted.host.Host`."""


def make_game(name: str, **options: Any) -> "Game":
    """Describe the game `name` with the given options (its own defaults otherwise).

    Options may also follow the name, as on a command line (`tic_tac_toe:m=6,n=6,k=4`) or as labels print them
    (`tic_tac_toe(m=6, n=6, k=4)`). Raises `UnknownNameError` for an unknown game or option, `UsageError` for a value
    that does not fit.
    """
    given = GameId.parse(name)
    if is_source_file(given.name):
        return _named(_in_file(given, options), stored_name(given.name))
    host, colon, hosted_name = given.name.partition(":")
    if colon and host not in GAMES.references:
        return _hosted(host, hosted_name, given.options, options)
    if colon:
        raise UsageError(f"{host}: option {hosted_name!r} is not of the form name=value")
    return _build(given, options)


def require_game_name(name: str) -> None:
    """Raise `UnknownNameError` where `make_game` would for the name of a game, but without importing any game."""
    given = GameId.parse(name)
    if not is_source_file(given.name) and ":" not in given.name and given.name not in GAMES.references:
        raise UnknownNameError(GAMES.noun, given.name, GAMES.references)


def _in_file(given: GameId, options: Mapping[str, Any]) -> "Game":
    """Describe the game that a file defines, or the environment of PettingZoo."""
    module = load_source_file(given.name)
    if not hasattr(module, "game") and not hasattr(module, "GAMES") and ENVIRONMENTS & vars(module).keys():
        trust(module.__name__)  # the user trusts its file
        return _hosted("pettingzoo", module.__name__, given.options, options)
    return _build(given, options)


def _build(given: GameId, options: Mapping[str, Any]) -> "Game":
    """Describe a game of ours or in a file, with options as texts, by name, or both."""
    build = GAMES.load(given.name)
    parameters = inspect.signature(build).parameters
    settled = dict(options)
    for key, text in given.options.items():
        if key in settled:
            raise UsageError(f"{given.name}: option {key} is given twice")
        require_known(given.name, key, parameters)
        settled[key] = read_option(given.name, parameters[key], str(text))
    with GAMES.running(given.name, f"game {given.name!r} cannot be described"):
        game: Game = checked_options(build)(**settled)
    return game


@cache
def _named(game: "Game", name: str) -> "Game":
    """Return a game under the name of its file: always the same object, as what is compiled for it is kept by it."""
    return replace(game, name=name)


def _hosted(host: str, name: str, texts: Mapping[str, object], options: Mapping[str, Any]) -> "Game":
    """Describe a host's game, with options as texts, by name, or both."""
    if host == "gym":
        raise UsageError(
            f"gym:{name} is an environment of one agent, and no game: train, sweep, collect and watch take it"
        )
    source = HOSTS.load(host)
    if not name:
        raise UsageError(f"{host}: needs the name of a game; 'arena games {host}:' lists those that are installed")
    if twice := texts.keys() & options.keys():
        raise UsageError(f"{host}:{name}: option {sorted(twice)[0]} is given twice")
    settled = {key: plain_value(str(text)) for key, text in texts.items()} | dict(options)
    game: Game = source.describe(name, dict(sorted(settled.items())))
    return game
