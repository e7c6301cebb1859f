"""`arena new-agent`: the template of a learning agent."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.policy.registry import AGENTS

DONE = """wrote {module}.py and test_{module}.py in {folder}.

The test passes as it is:   python -m pytest test_{module}.py
To have the agent found by its name, let your package declare in its pyproject.toml

    [project.entry-points."arena.agents"]
    {name} = "{module}:AGENTS"

Then   arena train connect_four {name}   trains it, and every other command knows it.
"""


@dataclass(frozen=True)
class Options:
    """Write a commented, working learning agent as a template, and a test that passes.

    The agent is one file, to be changed into an algorithm of your own.
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Name of the agent, in lower case with underscores."""
    folder: Path = Path()
    """Folder for the files."""


def run(options: Options) -> int:
    """Write the files, and print how to register the agent."""
    module, name = options.name, options.name.replace("_", "-")
    title = options.name.replace("_", " ").capitalize()
    words = {"NEW_AGENT": module, "NEW_NAME": name, "NEW_TITLE": title, "NewAgent": title.title().replace(" ", "")}
    write_beginning("new-agent", module, options.folder, AGENTS, words, "new_agent")
    print(DONE.format(module=module, name=name, folder=options.folder), end="")
    return 0
