"""The options of a policy: its config, given whole or, as in the manual's constructors, one by one."""

import inspect
from dataclasses import fields
from typing import TypeVar

from arena.base.errors import UsageError

ConfigT = TypeVar("ConfigT")


def one_config(policy: object, config: ConfigT | None, options: ConfigT) -> ConfigT:
    """Return the `config` of a policy or, if that is None, the `options` that its constructor was given one by one.

    Raises `UsageError` for options besides a config.
    """
    if config is None:
        return options
    parameters = inspect.signature(type(policy)).parameters
    for field in fields(options):  # type: ignore[arg-type]  # a config is a dataclass
        value = getattr(options, field.name)
        if field.name in parameters and value not in (parameters[field.name].default, field.default):
            raise UsageError(f"{field.name}={value} stands beside a config: set it there, or leave the config out")
    return config
