"""`arena new-agent`: the template of a learning agent."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.policy.registry import AGENTS

DONE = """wrote {module}.py, test_{module}.py and pyproject.toml in {folder}.

    cd {folder}
    python -m unittest                          its test, which passes as it is
    {train:<43} every command takes the file
    pip install -e .                            then its name is {name}, and 'arena agents' lists it
"""


@dataclass(frozen=True)
class Options:
    """Write a commented, working learning agent as a template, and a test that passes, in a folder to be installed.

    The agent is one file, to be changed into an algorithm of your own.
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Name of the agent, in lower case with underscores."""
    folder: Path = Path()
    """Folder in which the new folder NAME is made."""


def run(options: Options) -> int:
    """Write the files, and print what can be done with the agent."""
    module, name = options.name, options.name.replace("_", "-")
    title = options.name.replace("_", " ").capitalize()
    words = {"NEW_AGENT": module, "NEW_NAME": name, "NEW_TITLE": title, "NewAgent": title.title().replace(" ", "")}
    folder = write_beginning("new-agent", module, options.folder, AGENTS, words, "new_agent.py")
    train = f"arena train connect_four ./{module}.py"
    print(DONE.format(module=module, name=name, train=train, folder=shlex.quote(str(folder))), end="")
    return 0
