"""Lazy imports of a package's public names, and errors that name the new place of names of Tianshou."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from arena.base.moved import direction, has_moved


def door(package: str, homes: Mapping[str, str] | None = None) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names are imported on first use.

    `homes` maps each module to the names that it defines, separated by spaces. For any other name, `AttributeError`
    says where it is, if Tianshou has it in this package.
    """
    home = {name: module for module, names in (homes or {}).items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(home[name]), name)
            setattr(sys.modules[package], name, value)
            return value
        message = direction(f"{package}.{name}".removeprefix("arena."))
        raise AttributeError(message or f"module {package!r} has no attribute {name!r}", name=name)

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home})

    return __getattr__, __dir__


class Signposts:
    """Import finder for modules of Tianshou that have moved: empty packages, whose names raise with the new place.

    Python asks this finder last, and also for `name` where `from arena.policy import name` is no attribute: the
    `ImportError` then names the place, where Python's own would drop what an `AttributeError` says.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return an empty package for a module that has moved; raise `ImportError` for a name, None for all else."""
        top, _, old = fullname.partition(".")
        if top != "arena":
            return None
        if has_moved(old):
            return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]  # a loader by its methods
        if message := direction(old):
            raise ImportError(message)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: Python creates the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Make access to any name of the module raise an error that says where it is."""
        module.__getattr__, module.__dir__ = door(module.__name__)  # type: ignore[method-assign]


def put_up_signposts() -> None:
    """Install `Signposts` as the last import finder; idempotent."""
    if not any(isinstance(finder, Signposts) for finder in sys.meta_path):
        sys.meta_path.append(Signposts())
