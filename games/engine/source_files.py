"""Games and agents in a Python file of the user's own: `./nim.py`, `./nim.py:heaps=3`, `./my_agent.py:runs/x`.

Where such a name is stored it has the beginning of the content's hash, `./nim.py@1a2b3c4d`: what was stored with other
contents is refused. A file is imported under a name of its own, made of its content as well, so that kernels which were
compiled from other contents are not used; other processes find it under that name among the files that are trusted.
"""

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from games.engine.errors import UsageError, in_a_line
from games.engine.trust import SUFFIX, require_trusted_file, trusted_files

NAME = re.compile(rf"(?P<path>[^:(@]+{re.escape(SUFFIX)})(?:@(?P<hash>[0-9a-f]{{8}}))?")
HASH = re.compile(rf"(?<={re.escape(SUFFIX)})@[0-9a-f]{{8}}(?=:|$)")
PREFIX = "arena_file_"


def is_source_file(name: str) -> bool:
    """Return whether the name of a game or an agent is that of a file."""
    return NAME.fullmatch(name) is not None


def without_hash(name: str) -> str:
    """Return a name as the user types it: a file in it without the hash of its content.

    >>> without_hash("./nim.py@1a2b3c4d"), without_hash("gym:./walk.py@1a2b3c4d:Walk-v0"), without_hash("hex")
    ('./nim.py', 'gym:./walk.py:Walk-v0', 'hex')
    """
    return HASH.sub("", name)


def short_name(name: str) -> str:
    """Return the name of a game or an agent as part of the name of a folder: that of a file is its stem.

    >>> short_name("./nim.py@1a2b3c4d"), short_name("hex")
    ('nim', 'hex')
    """
    return Path(without_hash(name)).stem if is_source_file(name) else name


def lies_here(package: str, prefix: str = "") -> str:
    """Return what to do about a package that is a file of the current folder, and not installed; else nothing.

    The file is named by its path after `prefix`.
    """
    file = f"{package}{SUFFIX}"
    if find_spec(package) is not None or not Path(file).is_file():
        return ""
    return f"{file} lies here and is not installed: name it {prefix}./{file}, or set PYTHONPATH=."


def stored_name(name: str) -> str:
    """Return the name under which a file is stored: its path, from the current folder if it is in it, and its hash.

    Other names are returned as they are. Raises `UsageError` if the file cannot be read or has another hash.
    """
    match = NAME.fullmatch(name)
    if match is None:
        return name
    path, (_, digest) = os.path.relpath(match["path"]), _read(match["path"])
    if match["hash"] not in (None, digest):
        raise UsageError(f"{match['path']} has changed: it was stored as @{match['hash']}, and is now @{digest}")
    shown = os.path.abspath(path) if path.startswith(os.pardir) else os.path.join(os.curdir, path)
    return f"{shown}@{digest}"


def load_source_file(name: str) -> ModuleType:
    """Import a file by its name; once for each content.

    Raises `UsageError` if it is not trusted, cannot be read, has another hash, or fails.
    """
    path = without_hash(name)
    require_trusted_file(path)
    digest = stored_name(name).rpartition("@")[2]  # refuses another content
    find_source_files()
    try:
        return import_module(_module_name(path, digest))
    except Exception as error:  # of the user's code: anything
        raise UsageError(f"{path} cannot be imported: {in_a_line(error)}") from error


def _read(path: str) -> tuple[bytes, str]:
    """Return the content of a file and the beginning of its hash."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    return content, hashlib.sha256(content).hexdigest()[:8]


def _module_name(path: str, digest: str) -> str:
    return f"{PREFIX}{re.sub(r'[^a-zA-Z0-9_]', '_', Path(path).stem)}_{digest}"


def _spec(module_name: str, path: str, content: bytes) -> ModuleSpec:
    spec = spec_from_loader(module_name, _FileLoader(path, content), origin=os.path.realpath(path))
    assert spec is not None
    spec.has_location = True
    return spec


class _FileLoader(Loader):
    """Runs the content of a file, whose hash its module's name has; modules beside it can be imported."""

    def __init__(self, path: str, content: bytes):
        self._path, self._content = os.path.realpath(path), content

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: Python creates the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the file in its module."""
        folder = os.path.dirname(self._path)
        if folder not in sys.path:
            sys.path.append(folder)
        exec(compile(self._content, self._path, "exec"), module.__dict__)


class SourceFiles:
    """Import finder for the modules of trusted files, for processes that are sent what is defined there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module of that name, None if no trusted file has it."""
        if not fullname.startswith(PREFIX):
            return None
        for file in trusted_files():
            try:
                content, digest = _read(file)
            except UsageError:
                continue
            if _module_name(file, digest) == fullname:
                return _spec(fullname, file, content)
        return None


def find_source_files() -> None:
    """Install `SourceFiles` as an import finder; idempotent."""
    if not any(isinstance(finder, SourceFiles) for finder in sys.meta_path):
        sys.meta_path.append(SourceFiles())
