"""What may be imported because a file names it: environments of PettingZoo, and what the user trusts.

Games are named in files that somebody else may have written: stores, run folders, records. Importing a module runs it,
so a name from a file imports nothing but what is known here, or what the user has named on the command line, in
`trust`, or in the environment variable `ARENA_TRUST` (packages and files, separated by commas), which child processes
inherit. The same holds for files that make networks, which checkpoints name.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from arena.base.errors import UsageError

KNOWN = ("pettingzoo.butterfly", "pettingzoo.classic", "pettingzoo.mpe", "pettingzoo.sisl", "pettingzoo.atari", "mpe2")
"""Packages whose modules are environments and nothing else."""
VARIABLE = "ARENA_TRUST"


def trust(module: str) -> None:
    """Allow a module and those below it, or a file `my_nets.py`, to be imported in this process and its children."""
    trusted = _trusted()
    if module not in trusted:
        os.environ[VARIABLE] = ",".join([*trusted, module])


def require_trust(module: str, any_function: bool) -> None:
    """Raise `UsageError` unless a module may be imported; `any_function` if more than its usual functions is called."""
    trusted = _trusted() if any_function else [*KNOWN, *_trusted()]
    if not any(module == known or module.startswith(f"{known}.") for known in trusted):
        raise UsageError(
            f"{module} is not imported because a file names it: name the environment on the command line, call "
            f"arena.env.trust({module!r}), or set {VARIABLE}={module}"
        )


def trusted_file(path: Path) -> Path:
    """Return the trusted file at `path` or, where it has been moved, of that name; `UsageError` if there is none."""
    files = [Path(name).resolve() for name in _trusted() if name.endswith(".py")]
    for is_it in (lambda file: file == path.resolve(), lambda file: file.name == path.name):
        if found := next(filter(is_it, files), None):
            return found
    raise UsageError(
        f"{path} is not run because a file names it: name it with --network, call arena.env.trust({path.name!r}), or "
        f"set {VARIABLE}={path}"
    )


def _trusted() -> list[str]:
    return [name for name in os.environ.get(VARIABLE, "").split(",") if name]


def trust_named(arguments: Sequence[str]) -> None:
    """Trust the modules of the PettingZoo environments that a command line names."""
    for argument in arguments:
        for module in re.findall(r"(?<![\w.])pettingzoo:([\w.]+)", argument):
            trust(module)
