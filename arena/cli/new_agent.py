"""`arena new-agent`: a file to begin an agent of one's own with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.registry import AGENTS

DONE = """wrote {module}.py and test_{module}.py in {folder}.

The test passes as it is:   python -m pytest test_{module}.py
To have the agent found by its name, let your package declare in its pyproject.toml

    [project.entry-points."arena.agents"]
    {name} = "{module}:AGENTS"

Then   arena train connect_four {name}   trains it, and every other command knows it.
"""


@dataclass(frozen=True)
class Options:
    """Write a commented agent of one file that learns, and its test, which passes at once."""

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """The agent's name, in lower case with underscores."""
    folder: Path = Path()
    """Where the files go."""


def run(options: Options) -> int:
    """Write the files, and say how the agent is found."""
    module, name = options.name, options.name.replace("_", "-")
    title = options.name.replace("_", " ").capitalize()
    words = {"NEW_AGENT": module, "NEW_NAME": name, "NEW_TITLE": title, "NewAgent": title.title().replace(" ", "")}
    write_beginning("new-agent", module, options.folder, AGENTS, words)
    print(DONE.format(module=module, name=name, folder=options.folder), end="")
    return 0
