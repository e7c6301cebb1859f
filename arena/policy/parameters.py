"""Numbers in the spec of an agent that change how it plays: `exploration` of `mcts:400,exploration=1.2`.

An agent that has such parameters says so where it is registered (`AgentKind.parameters`), so that `arena tune` can list
them, and refuse others.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.base.errors import UnknownNameError, UsageError
from arena.base.numbers import number_in

SETTING = re.compile(r",\s*([^,=:/]+?)\s*=\s*([^,]*)$")
"""The last `,NAME=VALUE` of an argument."""


@dataclass(frozen=True)
class Parameter:
    """A number that an agent takes in its spec."""

    name: str
    usual: float
    """Value where the spec has none."""
    low: float
    high: float
    """Bounds of the values that it takes, both included."""
    whole: bool = False

    def __str__(self) -> str:
        """The parameter as a list of them shows it: `exploration=1.41421 (0 to 100)`."""
        return f"{self.name}={self.usual:g} ({self.low:g} to {self.high:g})"


def split_settings(argument: str) -> tuple[str, dict[str, str]]:
    """Return the argument of an agent without the settings at its end, and those by name; the last of a name counts.

    >>> split_settings("200,exploration=1.2")
    ('200', {'exploration': '1.2'})
    """
    settings: dict[str, str] = {}
    while match := SETTING.search(argument):
        argument = argument[: match.start()]
        settings.setdefault(match[1], match[2].strip())
    return argument, dict(reversed(settings.items()))


def with_settings(argument: str, values: Mapping[str, str]) -> str:
    """Return the argument of an agent with these settings, in place of those of the same name.

    >>> with_settings("200,exploration=1.2", {"exploration": "0.9"})
    '200,exploration=0.9'
    """
    bare, settings = split_settings(argument)
    return ",".join([bare, *(f"{name}={value}" for name, value in (settings | dict(values)).items())])


def read_parameters(agent: str, settings: Mapping[str, str], known: Iterable[Parameter]) -> dict[str, float]:
    """Return the values of all parameters of `agent`: those that its spec sets, and the usual ones.

    Raises `UnknownNameError` for a setting that is no parameter, `UsageError` for a value out of its bounds.
    """
    parameters = {parameter.name: parameter for parameter in known}
    values = {name: parameter.usual for name, parameter in parameters.items()}
    for name, text in settings.items():
        if name not in parameters:
            raise unknown_parameter(agent, name, tuple(parameters.values()))
        values[name] = _value(agent, parameters[name], text)
    return values


def unknown_parameter(agent: str, name: str, known: Sequence[Parameter]) -> UsageError:
    """Return the error for a name that is no parameter of an agent."""
    return UnknownNameError(f"parameter of {agent}", name, [parameter.name for parameter in known])


def _value(agent: str, parameter: Parameter, text: str) -> float:
    value = number_in(text)
    if not parameter.low <= value <= parameter.high or (parameter.whole and not value.is_integer()):
        kind = "a whole number" if parameter.whole else "a number"
        raise UsageError(
            f"{agent}: {parameter.name}={text} is not {kind} from {parameter.low:g} to {parameter.high:g}, "
            f"as in {parameter.name}={parameter.usual:g}"
        )
    return value
