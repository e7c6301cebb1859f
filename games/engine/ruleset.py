"""The rules of one game, as functions; `games.engine.rules` has the contract of each."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from typing import Any, Self

from numba.core.dispatcher import Dispatcher

from games.engine.errors import DescriptionError, UnknownNameError

Rule = Callable[..., Any]
"""A function at the top level of a module, decorated with `numba.njit`."""


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The rules of one game, each under its name in `games.engine.rules`.

    Raises `UnknownNameError` for a name that is no rule, `DescriptionError` where a rule that every game needs is
    missing or one is not a compiled function of a module.
    """

    legal_actions: Rule
    apply: Rule
    observe: Rule
    returns: Rule
    random_action: Rule | None = None
    playout_action: Rule | None = None
    prior: Rule | None = None
    heuristic: Rule | None = None
    features: Rule | None = None
    chance_outcomes: Rule | None = None
    """Needed where chance moves."""
    draw_outcome: Rule | None = None
    redact: Rule | None = None
    """Needed, with the two that follow, where something is hidden."""
    determinize: Rule | None = None
    information_state: Rule | None = None

    def __new__(cls, **rules: Rule | None) -> Self:
        """Check the names, for which Python would raise a `TypeError` that knows no better one."""
        known = {field.name: field.default is MISSING for field in fields(cls)}
        for name in rules:
            if name not in known:
                raise UnknownNameError("rule", name, known)
        if missing := [name for name, needed in known.items() if needed and name not in rules]:
            raise DescriptionError(f"the rules of a game lack {', '.join(missing)}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, rule in self.named():
            if not isinstance(rule, Dispatcher):
                raise DescriptionError(f"the rule {name} is {rule!r}, not a function decorated with numba.njit")
            module, home = _home(rule)
            if getattr(sys.modules.get(module), home, None) is not rule:
                raise DescriptionError(f"the rule {name} ({module}.{home}) is not at the top level of its module")

    def named(self) -> Iterator[tuple[str, Rule]]:
        """Return every rule that the game has, with its name."""
        rules = ((field.name, getattr(self, field.name)) for field in fields(self))
        return ((name, rule) for name, rule in rules if rule is not None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rules by name: numba would pickle their code, and unpickle other functions."""
        return _imported, ({name: _home(rule) for name, rule in self.named()},)


def _home(rule: Rule) -> tuple[str, str]:
    """Return the module that a rule can be imported from, and its name there."""
    return rule.__module__, rule.__name__


def _imported(homes: dict[str, tuple[str, str]]) -> Ruleset:
    return Ruleset(**{name: getattr(import_module(module), rule) for name, (module, rule) in homes.items()})
