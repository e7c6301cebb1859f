"""Networks that users bring: a function of theirs, `FILE.py:FUNCTION`, makes the body of every network of a policy.

The function is given the observation space and the action space, and returns a `torch.nn.Module` that maps observations
[n, *O] to features [n, F]; the algorithm puts its heads on it. A run and its checkpoints name the function. Its file is
run where the user names it again, or trusts it as `games.engine.trust` says, and never because a checkpoint names it.
"""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gymnasium import Space
from torch import nn

from arena.base.errors import UsageError, foreign_code
from games.engine.trust import trust, trusted_file

MakeNetwork = Callable[[Space[Any], Space[Any]], Any]
"""Makes a network's body from the spaces of observations and actions."""


def named_network(name: str) -> str:
    """Return the name of a network as runs store it, with the whole path of its file, which is trusted from now on.

    It is empty for an empty name. Raises `UsageError` if there is no such file or function.
    """
    if not name:
        return ""
    file, function = _parts(name)
    path = Path(file).resolve()
    trust(str(path))
    stored = f"{path}:{function}"
    network_of(stored)
    return stored


def network_of(name: str) -> MakeNetwork:
    """Return the function of a name that `named_network` returned; `UsageError` if its file is not trusted."""
    file, function = _parts(name)
    path = trusted_file(Path(file))
    make = getattr(_module(path), function, None)
    if not callable(make):
        raise UsageError(f"{path} has no function {function!r}, which is to make a network")

    def made(observation: Space[Any], action: Space[Any]) -> Any:
        with foreign_code(f"{path.name}:{function} made no network"):
            return make(observation, action)

    return made


def guarded(name: str, network: nn.Module, *arguments: Any) -> Any:
    """Return what a network gives; `UsageError` for whatever it raises."""
    with foreign_code(f"the network {name} failed"):
        return network(*arguments)


def _parts(name: str) -> tuple[str, str]:
    file, colon, function = name.rpartition(":")
    if not colon or not file.endswith(".py") or not function.isidentifier():
        raise UsageError(f"network={name!r} is not of the form FILE.py:FUNCTION, such as my_nets.py:make")
    return file, function


@cache
def _module(path: Path) -> Any:
    """Run a file, once, and return its module."""
    if not path.is_file():
        raise UsageError(f"there is no file {path} to make a network")
    name = f"arena_network_{path.stem}_{abs(hash(path)):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # of a file named .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as dataclasses and the like expect
    with foreign_code(f"{path} cannot be imported"):
        try:
            spec.loader.exec_module(module)
        except Exception:
            del sys.modules[name]
            raise
    return module
