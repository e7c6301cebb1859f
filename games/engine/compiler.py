"""Compile a template of kernels for one game, cached on disk across processes.

A template is a module whose functions call the placeholders of `games.engine.rules`. For a game it is written out
once more as a module of its own in which that one import names the game's functions and sizes instead. numba caches
the code of that module, but notices no edit of the functions it calls: so the module's file is named by a
hash of everything it was built from and by (sources, constants, versions), and an edit leads to a new file.

A template may use the functions of another one: its import then names what that one has become for the same game.

The layout of a position is part of that hash as well. So a kernel is compiled for one signature only, and processes
that fill the cache at the same time write the same entries (numba numbers the entries of a function as they come, and
two that write different ones at once could swap them).
"""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import math
import os
import platform
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from games.engine import chance
from games.engine.cache_folder import cache_directory
from games.engine.chance import has_stream
from games.engine.jit import pipeline_source, record_name
from games.engine.meaning import is_record, meaning
from games.engine.ruleset import Rule

if TYPE_CHECKING:
    from games.engine.game import Game

PLACEHOLDERS = "games.engine.rules"
DEFAULTS = "games.engine.defaults"
SIZES = ("NUM_ACTIONS", "NUM_PLAYERS", "NUM_OUTCOMES", "OBSERVATION_SHAPE", "OBSERVATION_BYTES")
"""Placeholders that are numbers, or of numbers: loops up to a number known when compiling are twice as fast."""
Sizes = tuple[int, int, int, tuple[int, ...], int]
Rules = tuple[tuple[str, Rule], ...]
"""The rules of one game with their names; a key of caches."""
ONE_AT_A_TIME = threading.RLock()
"""Held while a module is made: another thread would make it again, and import from what is still empty."""


@cache
def kernels(game: "Game") -> Any:
    """Return the batch kernels of `games.engine.kernels` for this game."""
    return instantiate("games.engine.kernels", game)


@cache
def instantiate(template: str, game: "Game") -> Any:
    """Import the module `template` once more with the rules of `game` in place of the placeholders."""
    layout = f"{game.state_dtype} {np.dtype(game.observation_dtype)}"
    shown = math.prod(game.observation_shape) * np.dtype(game.observation_dtype).itemsize
    sizes = game.num_actions, game.num_players, game.num_outcomes, game.observation_shape, shown
    with ONE_AT_A_TIME:
        return _instantiate(template, rules_of(game), layout, sizes)


def rules_of(game: "Game") -> Rules:
    """Return the rules of a game, with `draw` and `reseed` where it has a random stream.

    Raises `UsageError` for a game that has no rules of this engine.
    """
    rules = game.ruleset()
    streams = {"draw": chance.draw, "reseed": chance.reseed} if has_stream(game.state_dtype) else {}
    return tuple({**dict(rules.named()), **streams}.items())


@cache
def _instantiate(template: str, rules: Rules, layout: str, sizes: Sizes) -> ModuleType:
    origin = importlib.import_module(template)
    others = {
        name: _instantiate(name, rules, layout, sizes).__name__
        for name in _imported(inspect.getsource(origin))
        if _is_template(name)
    }
    source, used = _bind(inspect.getsource(origin), dict(rules), dict(zip(SIZES, sizes, strict=True)), others)
    parts = [source, layout, inspect.getsource(record_name), pipeline_source()]
    parts += [numba.__version__, np.__version__, sys.version, platform.machine()]
    visited: set[int] = set()
    for value in (*vars(origin).values(), *used):
        if isinstance(value, Dispatcher) or is_record(value):
            parts.extend(meaning(value, visited))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    stem = f"{template}__{dict(rules)['apply'].__module__}__{digest}".replace(".", "_")
    path = cache_directory() / f"{stem}.py"
    if not path.exists():
        _write_once(path, source)
    spec = importlib.util.spec_from_file_location(stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module
    spec.loader.exec_module(module)
    return module


def _imported(source: str) -> list[str]:
    """Return the modules that a source imports names from."""
    return [node.module for node in ast.parse(source).body if isinstance(node, ast.ImportFrom) and node.module]


def _is_template(name: str) -> bool:
    module = importlib.import_module(name)
    return name != PLACEHOLDERS and any(getattr(v, "__module__", "") == PLACEHOLDERS for v in vars(module).values())


def _bind(
    source: str, rules: Mapping[str, Rule], sizes: Mapping[str, object], others: Mapping[str, str]
) -> tuple[str, list[Rule]]:
    """Return the template with its placeholders imported from the modules of a game, and the functions used.

    They are the `rules` of that name, or the defaults for what is not there. The `sizes` are written out. `others` are
    templates that it imports from, with the modules that stand for them.
    """
    defaults = importlib.import_module(DEFAULTS)
    lines = source.splitlines(keepends=True)
    used: list[Rule] = []
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    for node in reversed(imports):  # from the last on: line numbers of those before stay right
        names = [alias.name for alias in node.names]
        if node.module == PLACEHOLDERS:
            chosen = {name: rules.get(name) or getattr(defaults, name) for name in names if name not in sizes}
            used += chosen.values()
            bound = [f"from {rule.__module__} import {rule.__name__} as {name}\n" for name, rule in chosen.items()]
            bound += [f"{name} = {sizes[name]}\n" for name in names if name in sizes]
        elif node.module and node.module in others:
            bound = [f"from {others[node.module]} import {', '.join(names)}\n"]
        else:
            continue
        lines[node.lineno - 1 : node.end_lineno] = bound
    if not used and not others:
        raise ValueError(f"the template does not import from {PLACEHOLDERS}")
    return "".join(lines), used


def _write_once(path: Path, source: str) -> None:
    """Create `path` whole or not at all, with a fixed time stamp: numba recompiles when the stamp changes."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
        file.write(source)
    os.utime(file.name, (0, 0))
    os.replace(file.name, path)
