"""`command_line`: the shell command that repeats a run with the same options."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from arena.base.passwords import without_password


def command_line(command: str, positional: Sequence[str], options: Any, usual: Any) -> str:
    """Return the shell command of `options`: its positional arguments, and each option that differs from `usual`.

    `options` and `usual` are instances of one dataclass; options within nested dataclasses are included. Passwords in
    URLs are left out.
    """
    return without_password(shlex.join(["arena", command, *positional, *_flags(options, usual)]))


def _flags(options: Any, usual: Any) -> Iterator[str]:
    for field in fields(options):
        value, default = getattr(options, field.name), getattr(usual, field.name)
        if is_dataclass(value):
            yield from _flags(value, default)
        elif value != default and isinstance(value, bool):
            yield f"--{field.name.replace('_', '-')}"
        elif value != default and isinstance(value, tuple):  # an option that may be given several times
            yield from (word for one in value for word in (f"--{field.name.replace('_', '-')}", str(one)))
        elif value != default:
            yield from (f"--{field.name.replace('_', '-')}", str(value))
