"""From a template of kernels to machine code for one game, cached on disk across processes.

A template is a module whose functions call the placeholders of `games.engine.rules`. For a game it is written out
once more as a module of its own in which that one import names the game's functions instead. numba caches the code of
that module beside it, but notices no edit of the functions it calls: so the module's file is named by a hash of
everything it was built from (sources, constants, versions), and an edit leads to a new file.
"""

import ast
import hashlib
import importlib.util
import inspect
import os
import platform
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from games.engine.game import Game

PLACEHOLDERS = "games.engine.rules"


def kernels(game: Game) -> Any:
    """The batch kernels of `games.engine.kernels` for this game."""
    return instantiate("games.engine.kernels", game)


def instantiate(template: str, game: Game) -> Any:
    """Import the module `template` once more with the rules of `game` in place of the placeholders."""
    return _instantiate(template, game.rules)


@lru_cache(maxsize=None)
def _instantiate(template: str, rules_name: str) -> ModuleType:
    rules = sys.modules[rules_name]
    source, names = _bind(Path(_origin(template)).read_text(encoding="utf-8"), rules_name)
    digest = hashlib.sha256(f"{source}{numba.__version__}{np.__version__}{sys.version}{platform.machine()}".encode())
    seen: set[int] = set()
    for name in names:
        _digest_value(getattr(rules, name), digest, seen)
    stem = f"{template}__{rules_name}__{digest.hexdigest()[:16]}".replace(".", "_")
    path = cache_directory() / f"{stem}.py"
    if not path.exists():
        _write_once(path, source)
    spec = importlib.util.spec_from_file_location(stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module
    spec.loader.exec_module(module)
    return module


def _origin(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    return spec.origin


def _bind(source: str, rules_name: str) -> tuple[str, list[str]]:
    """The template's source with its import of the placeholders turned to `rules_name`, and the names imported."""
    lines = source.splitlines(keepends=True)
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module == PLACEHOLDERS:
            assert node.end_lineno is not None
            names = [alias.name for alias in node.names]
            lines[node.lineno - 1 : node.end_lineno] = [f"from {rules_name} import {', '.join(names)}\n"]
            return "".join(lines), names
    raise ValueError(f"the template does not import from {PLACEHOLDERS}")


def _digest_value(value: Any, digest: Any, seen: set[int]) -> None:
    """Feed into `digest` what `value` means to compiled code: a function's source and its globals, or a constant."""
    if id(value) in seen:
        return
    seen.add(id(value))
    function = value.py_func if isinstance(value, Dispatcher) else value
    if inspect.isfunction(function):
        digest.update(inspect.getsource(function).encode())
        for name in sorted(function.__code__.co_names):
            if name in function.__globals__:
                digest.update(name.encode())
                _digest_value(function.__globals__[name], digest, seen)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
    elif not isinstance(value, ModuleType):
        digest.update(repr(value).encode())


def _write_once(path: Path, source: str) -> None:
    """Create `path` whole or not at all, with a fixed time stamp: numba recompiles when the stamp changes."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8") as file:
        file.write(source)
    os.utime(file.name, (0, 0))
    os.replace(file.name, path)


@lru_cache(maxsize=None)
def cache_directory() -> Path:
    """Where compiled kernels are kept: `ARENA_CACHE`, or the user's cache folder, or a fresh temporary one."""
    if "ARENA_CACHE" in os.environ:
        base = Path(os.environ["ARENA_CACHE"])
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "arena"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "arena"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"
    try:
        (base / "kernels").mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=base / "kernels").close()
    except OSError:
        base = Path(tempfile.mkdtemp(prefix="arena-"))
        (base / "kernels").mkdir()
    return base / "kernels"
