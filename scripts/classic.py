"""PettingZoo's classic games."""

import warnings
from importlib import import_module
from types import ModuleType


def classic(name: str) -> ModuleType:
    """Import a module of `pettingzoo.classic`, `chess_v6`, without its warning about its own import path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(f"pettingzoo.classic.{name}")
