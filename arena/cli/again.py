"""The command line that stands for options: what to type to do the same again."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any


def command_line(command: str, positional: Sequence[str], options: Any, usual: Any) -> str:
    """A line for a shell: the command, its words, and every option in which `options` differs from `usual`.

    Both are instances of one dataclass, whose fields that hold dataclasses are options as well; fields that both have
    in common, as those behind the positional words, are passed over.
    """
    return shlex.join(["arena", command, *positional, *_flags(options, usual)])


def _flags(options: Any, usual: Any) -> Iterator[str]:
    for field in fields(options):
        value, default = getattr(options, field.name), getattr(usual, field.name)
        if is_dataclass(value):
            yield from _flags(value, default)
        elif value != default and isinstance(value, bool):
            yield f"--{field.name.replace('_', '-')}"
        elif value != default:
            yield from (f"--{field.name.replace('_', '-')}", str(value))
