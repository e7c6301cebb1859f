"""Suggestions for names of modules, functions and options that do not exist."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from types import ModuleType
from typing import Any

UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message that refuses `name`: the most similar known name, else `otherwise`."""
    near = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else otherwise


def module_meant(module: str, known: Iterable[str]) -> str:
    """Return the end of a message that refuses a module: a similar name among `known` modules and its neighbours."""
    parent = module.rpartition(".")[0]
    spec = find_spec(parent) if parent else None
    places = (spec.submodule_search_locations or ()) if spec else ()
    whole = {name.rpartition(".")[2]: name for name in known}
    whole |= {one.name: f"{parent}.{one.name}" for one in pkgutil.iter_modules(places)}
    near = get_close_matches(module.rpartition(".")[2], sorted(whole), n=1, cutoff=0.75)
    return f"; did you mean {whole[near[0]]}?" if near else ""


def functions_of(module: ModuleType) -> list[str]:
    """Return the names of the public callables of a module."""
    return [name for name, one in vars(module).items() if callable(one) and not name.startswith("_")]


def options_of(module: ModuleType | None, make: Callable[..., Any]) -> list[str] | None:
    """Return the keywords that `make` accepts; None where they cannot be known.

    A function with `**kwargs` is assumed to pass them on to the module's `raw_env`, as PettingZoo's do.
    """
    known: list[str] = []
    for function in (make, getattr(module, "raw_env", None)):
        try:
            parameters = inspect.signature(function).parameters if function is not None else None
        except (TypeError, ValueError):  # not written in Python
            return None
        if parameters is None:
            return None
        known += [name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD and name != "self"]
        if all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            return list(dict.fromkeys(known))
    return None


def refused_option(error: Exception, options: Mapping[str, Any]) -> str | None:
    """Return the option named by an error about an unexpected keyword; None for any other error."""
    match = UNEXPECTED.search(str(error)) if isinstance(error, TypeError) else None
    return match[1] if match and match[1] in options else None
