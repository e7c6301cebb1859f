"""Gymnasium environments as `gym.make` takes them: what is registered, and those of the user's own files."""

from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from arena.base.errors import UsageError
from arena.training.gym_names import GYM, split_source
from games.engine.source_files import is_source_file, lies_here, load_source_file, without_hash
from games.engine.trust import require_trust


def spec_of(env_id: str) -> str | EnvSpec:
    """Return what `gym.make` makes for a name, whose file is imported.

    Raises `UsageError` if the user has not named the file or the module, or if there is no such environment in a file.
    """
    source, name = split_source(env_id)
    if is_source_file(source):
        return _spec_in(load_source_file(source), without_hash(source), name)
    if source:
        require_trust(source, any_function=False)
        if said := lies_here(source.partition(".")[0], GYM):
            raise UsageError(said)
    return env_id


def newest_ids() -> list[tuple[str, str]]:
    """Return the ids that Gymnasium knows, in their newest versions and by name, and the module of each."""
    newest: dict[tuple[str | None, str], EnvSpec] = {}
    for spec in gym.registry.values():
        before = newest.get((spec.namespace, spec.name))
        if before is None or (spec.version or 0) > (before.version or 0):
            newest[spec.namespace, spec.name] = spec
    return sorted((spec.id, _module_of(spec)) for spec in newest.values())


def _module_of(spec: EnvSpec) -> str:
    entry = spec.entry_point
    return entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", "")


def _spec_in(module: ModuleType, path: str, name: str) -> EnvSpec:
    """Return an environment of the user's file; without a name the only one that it registers or, if none, defines."""
    registered, defined = _registered(module, path), _defined(module)
    if name in registered or name in defined:
        return {**defined, **registered}[name]
    known: Mapping[str, EnvSpec] = registered or defined
    if not known:
        raise UsageError(
            f"{path} has no environment of Gymnasium: it registers none, and defines no subclass of gymnasium.Env"
        )
    if name or len(known) > 1:
        has = f"no environment {name!r}" if name else f"{len(known)} environments"
        raise UsageError(f"{path} has {has}: name one of {', '.join(known)}, as in {GYM}{path}:{min(known)}")
    return next(iter(known.values()))


def _registered(module: ModuleType, path: str) -> dict[str, EnvSpec]:
    """Return the environments, by id, that a file registers and defines."""
    specs = {}
    for spec in gym.registry.values():
        entry = spec.entry_point
        if isinstance(entry, str):
            where, _, name = entry.partition(":")
            if where in (module.__name__, Path(path).stem):
                spec = copy(spec)
                spec.entry_point = entry = getattr(module, name, None)  # the text would import the file once more
        if getattr(entry, "__module__", None) == module.__name__:
            specs[spec.id] = spec
    return specs


def _defined(module: ModuleType) -> dict[str, EnvSpec]:
    """Return the environments, by class, that a file defines; they get the wrappers of those with an id."""
    kinds: Iterator[Any] = (one for one in vars(module).values() if isinstance(one, type) and issubclass(one, gym.Env))
    own = (kind for kind in kinds if kind.__module__ == module.__name__ and not issubclass(kind, gym.Wrapper))
    return {kind.__name__: EnvSpec(f"{kind.__name__}-v0", entry_point=kind) for kind in own}
