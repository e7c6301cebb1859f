"""Options that a command has no use for, given what it is asked about."""

from arena.base.errors import UsageError

NAMED = {"limits": "time limits"}
"""Groups of options; others are named as they are written."""


def refuse_unused(options: object, defaults: object, names: tuple[str, ...], reason: str) -> None:
    """Raise `UsageError`, `--NAME: reason`, for the first of these options that differs from its default."""
    for name in names:
        if getattr(options, name) != getattr(defaults, name):
            raise UsageError(f"{NAMED.get(name, f'--{name}')}: {reason}")
