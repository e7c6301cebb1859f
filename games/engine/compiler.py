"""From a template of kernels to machine code for one game, cached on disk across processes.

A template is a module whose functions call the placeholders of `games.engine.rules`. For a game it is written out
once more as a module of its own in which that one import names the game's functions and sizes instead. numba caches
the code of that module beside it, but notices no edit of the functions it calls: so the module's file is named by a
hash of everything it was built from (sources, constants, versions), and an edit leads to a new file.

A template may use the functions of another one: its import then names what that one has become for the same game.

The layout of a position is part of that hash as well. So a kernel is compiled for one signature only, and processes
that fill the cache at the same time write the same entries (numba numbers the entries of a function as they come, and
two that write different ones at once could swap them).
"""

import ast
import atexit
import hashlib
import importlib
import importlib.util
import inspect
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from games.engine.game import Game

PLACEHOLDERS = "games.engine.rules"
DEFAULTS = "games.engine.defaults"
SIZES = ("NUM_ACTIONS", "NUM_PLAYERS", "OBSERVATION_SHAPE")
"""Placeholders that are numbers, or of numbers: loops up to a number known when compiling are twice as fast."""
Sizes = tuple[int, int, tuple[int, ...]]
VERSIONED = ("numba", "numpy", "math", "builtins")
"""Packages whose code changes only with a version, and versions are hashed."""


def record_name(record: types.Record) -> tuple[str, tuple[str]]:
    """What machine code calls a record type: a hash of its layout.

    numba itself numbers these types as a process meets them, and names functions after the numbers. From a cache that
    several processes have filled would come functions of one name for different layouts, of which one answers for all.
    """
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


types.Record.mangling_args = property(record_name)  # type: ignore[assignment, method-assign]  # a property there too


@cache
def kernels(game: Game) -> Any:
    """The batch kernels of `games.engine.kernels` for this game."""
    return instantiate("games.engine.kernels", game)


@cache
def instantiate(template: str, game: Game) -> Any:
    """Import the module `template` once more with the rules of `game` in place of the placeholders."""
    layout = f"{game.state_dtype} {np.dtype(game.observation_dtype)}"
    return _instantiate(template, game.rules, layout, (game.num_actions, game.num_players, game.observation_shape))


@cache
def _instantiate(template: str, rules_name: str, layout: str, sizes: Sizes) -> ModuleType:
    origin = importlib.import_module(template)
    others = {
        name: _instantiate(name, rules_name, layout, sizes).__name__
        for name in _imported(inspect.getsource(origin))
        if _is_template(name)
    }
    source, homes = _bind(inspect.getsource(origin), rules_name, dict(zip(SIZES, sizes, strict=True)), others)
    parts = [source, layout, inspect.getsource(record_name)]
    parts += [numba.__version__, np.__version__, sys.version, platform.machine()]
    rules = [getattr(importlib.import_module(home), name) for name, home in homes.items()]
    seen: set[int] = set()
    for value in (*vars(origin).values(), *rules):
        if isinstance(value, Dispatcher):
            parts.extend(_meaning(value, seen))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    stem = f"{template}__{rules_name}__{digest}".replace(".", "_")
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
    """The modules that a source imports names from."""
    return [node.module for node in ast.parse(source).body if isinstance(node, ast.ImportFrom) and node.module]


def _is_template(name: str) -> bool:
    module = importlib.import_module(name)
    return name != PLACEHOLDERS and any(getattr(v, "__module__", "") == PLACEHOLDERS for v in vars(module).values())


def _bind(
    source: str, rules_name: str, sizes: Mapping[str, object], others: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """The template's source with its placeholders imported from elsewhere, and from where, by name.

    That is the module `rules_name`, or the one of defaults for what it lacks. The `sizes` are written out. `others` are
    templates that it imports from, with the modules that stand for them.
    """
    rules = importlib.import_module(rules_name)
    lines = source.splitlines(keepends=True)
    homes: dict[str, str] = {}
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    for node in reversed(imports):  # from the last on: line numbers of those before stay right
        names = [alias.name for alias in node.names]
        if node.module == PLACEHOLDERS:
            homes |= {name: rules_name if hasattr(rules, name) else DEFAULTS for name in names if name not in sizes}
            bound = [f"from {homes[name]} import {name}\n" for name in names if name not in sizes]
            bound += [f"{name} = {sizes[name]}\n" for name in names if name in sizes]
        elif node.module and node.module in others:
            bound = [f"from {others[node.module]} import {', '.join(names)}\n"]
        else:
            continue
        lines[node.lineno - 1 : node.end_lineno] = bound
    if not homes:
        raise ValueError(f"the template does not import from {PLACEHOLDERS}")
    return "".join(lines), homes


def _meaning(value: Any, seen: set[int]) -> Iterator[str]:
    """What `value` means to compiled code: a function's source with all that it refers to, or a constant's content."""
    function = value.py_func if isinstance(value, Dispatcher) else inspect.unwrap(value)  # numba wraps intrinsics
    if inspect.isfunction(function):
        if id(function) in seen or function.__module__.partition(".")[0] in VERSIONED:
            return
        seen.add(id(function))
        yield inspect.getsource(function)
        for default in function.__defaults__ or ():
            yield from _meaning(default, seen)
        for name, referred in _references(function):
            yield name
            yield from _meaning(referred, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.descr}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, tuple):
        for item in value:
            yield from _meaning(item, seen)
    elif not isinstance(value, ModuleType):
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _references(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function uses from its module, from its closure, and from modules that it names: names and values."""
    names = sorted(set(_names(function.__code__)))
    outside = inspect.getclosurevars(function).nonlocals
    for name, value in [*outside.items(), *((n, function.__globals__[n]) for n in names if n in function.__globals__)]:
        yield name, value
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in VERSIONED:
            yield from ((f"{name}.{part}", getattr(value, part)) for part in names if hasattr(value, part))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a comprehension or a function inside
            yield from _names(constant)


def _write_once(path: Path, source: str) -> None:
    """Create `path` whole or not at all, with a fixed time stamp: numba recompiles when the stamp changes."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
        file.write(source)
    os.utime(file.name, (0, 0))
    os.replace(file.name, path)


@cache
def cache_directory() -> Path:
    """Where compiled kernels are kept: below `ARENA_CACHE` or the user's cache folder.

    Where that cannot be written, it is a temporary folder that lives as long as this process.
    """
    folder = _cache_home() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="arena-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cache_home() -> Path:
    if "ARENA_CACHE" in os.environ:
        return Path(os.environ["ARENA_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "arena"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "arena"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"
