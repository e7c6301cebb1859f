"""Modules that may be imported for the name of a game or an agent: known environments, and what the user trusts.

Games and agents are named in files that somebody else may have written: stores, run folders, records. Importing a
module runs it, so a name from a file imports nothing but what is known here, or what the user has named on the command
line, in `trust`, or in the environment variable `ARENA_TRUST` (packages and paths of Python files, separated by
commas), which child processes inherit. The same holds for files that make networks, which checkpoints name.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from games.engine.errors import UsageError

OF_PETTINGZOO = (*(f"pettingzoo.{kind}" for kind in ("butterfly", "classic", "mpe", "sisl", "atari")), "mpe2")
OF_GYMNASIUM = ("ale_py", "gymnasium_robotics", "highway_env", "minigrid", "miniworld")
KNOWN = (*OF_PETTINGZOO, *OF_GYMNASIUM)
"""Packages whose modules are environments and nothing else."""
VARIABLE = "ARENA_TRUST"
SUFFIX = ".py"


def trust(name: str) -> None:
    """Allow environments of a module, and of those below it, or a file to be imported in this process and its children.

    Raises `UsageError` for a file whose path has a comma, which separates entries of `ARENA_TRUST`.
    """
    if name.endswith(SUFFIX):
        name = os.path.realpath(name)
        if "," in name:
            raise UsageError(f"{name!r}: the path of a game or an agent may have no comma")
    trusted = _trusted()
    if name not in trusted:
        os.environ[VARIABLE] = ",".join([*trusted, name])


def trusted_files() -> Iterator[str]:
    """Yield the paths of the files that are trusted."""
    yield from (os.path.realpath(name) for name in _trusted() if name.endswith(SUFFIX))


def require_trust(module: str, any_function: bool) -> None:
    """Raise `UsageError` unless a module may be imported; `any_function` if more than its usual functions is called."""
    trusted = _trusted() if any_function else [*KNOWN, *_trusted()]
    if not _is_among(module, trusted):
        raise UsageError(
            f"{module} is not imported because a file names it: name the environment on the command line, call "
            f"arena.env.trust({module!r}), or set {VARIABLE}={module}"
        )


def is_known(module: str) -> bool:
    """Return whether a module may be imported whoever names it."""
    return _is_among(module, KNOWN)


def _is_among(module: str, packages: Sequence[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def require_trusted_file(path: str) -> None:
    """Raise `UsageError` unless a Python file may be run."""
    if os.path.realpath(path) not in trusted_files():
        raise UsageError(
            f"{path} is not run because a file names it: name it on the command line, call arena.env.trust({path!r}), "
            f"or set {VARIABLE}={os.path.realpath(path)}"
        )


def trusted_file(path: Path) -> Path:
    """Return the trusted file at `path` or, where it has been moved, of that name; `UsageError` if there is none."""
    files = [Path(name) for name in trusted_files()]
    for is_it in (lambda file: file == path.resolve(), lambda file: file.name == path.name):
        if trusted := next(filter(is_it, files), None):
            return trusted
    raise UsageError(
        f"{path} is not run because a file names it: name it with --network, call arena.env.trust({path.name!r}), or "
        f"set {VARIABLE}={path}"
    )


def _trusted() -> list[str]:
    return [name for name in os.environ.get(VARIABLE, "").split(",") if name]


def trust_named(arguments: Sequence[str]) -> None:
    """Trust the Python files that a command line names, and the modules of environments (PettingZoo, Gymnasium)."""
    for name in code_named(arguments):
        trust(name)


def code_named(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the Python files, and the modules of environments, that a command line names."""
    for argument in arguments:
        for module in re.findall(r"(?<![\w.])(?:pettingzoo:([\w.]+)|gym:([\w.]+):)", argument):
            yield "".join(module)
        yield from re.findall(r"(?:^|[\s=]|\bgym:)([^\s:=(@]+\.py)(?=[:(@,\s]|$)", argument)
