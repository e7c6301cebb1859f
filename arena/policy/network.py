"""Networks that users bring: a function of theirs, `FILE.py:FUNCTION`, makes the body of every network of a policy.

The function is given the observation space and the action space, and returns a `torch.nn.Module` that maps observations
[n, *O] to features [n, F]; the algorithm puts its heads on it. A run and its checkpoints name the function. Its file is
run where the user names it again, or trusts it as `games.engine.trust` says, and never because a checkpoint names it.
"""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from gymnasium import Space
from torch import nn

from arena.base.errors import UsageError
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
        try:
            return make(observation, action)
        except Exception as error:  # third-party code may raise anything
            raise _fault(f"{path.name}:{function} made no network", error) from error

    return made


def guarded(name: str, network: nn.Module, *arguments: Any) -> Any:
    """Return what a network gives; `UsageError` for whatever it raises."""
    try:
        return network(*arguments)
    except Exception as error:  # third-party code may raise anything
        raise _fault(f"the network {name} failed", error) from error


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
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # third-party code may raise anything
        del sys.modules[name]
        raise _fault(f"{path} cannot be imported", error) from error
    return module


def _fault(what: str, error: Exception) -> UsageError:
    """Return the error that says what third-party code did, with its traceback as a note."""
    fault = UsageError(f"{what}: {' '.join(f'{type(error).__name__}: {error}'.split())}")
    fault.add_note("".join(traceback.format_exception(error)))
    return fault
