"""Command lines as their commands read them."""

import importlib

from arena.cli.reading import read_options


def parsed(words: list[str]) -> object:
    """The options of a command line; raises `UsageError` if it does not understand them."""
    command, *arguments = words
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    options_type = module.options_for(arguments) if hasattr(module, "options_for") else module.Options
    return read_options(options_type, f"arena {command}", arguments)
