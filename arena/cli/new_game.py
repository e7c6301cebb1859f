"""`arena new-game`: the template of a game."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.policy.registry import GAMES

DONE = """wrote {name}.py, test_{name}.py and pyproject.toml in {folder}.

    cd {folder}
    python -m unittest                      its test, which passes as it is
    {check:<39} whether its rules keep the contract of games
    {train:<39} every command takes the file
    pip install -e .                        then its name is {name}, and 'arena games' lists it
"""


@dataclass(frozen=True)
class Options:
    """Write a commented, working game as a template, with a test that passes, in a folder that can be installed.

    The game is one file, to be changed into a game of your own.
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Name of the game, in lower case with underscores."""
    folder: Path = Path()
    """Folder in which the new folder NAME is made."""
    pettingzoo: bool = False
    """Write an environment of PettingZoo instead of compiled rules: slower, in plain Python, of any shape."""


def run(options: Options) -> int:
    """Write the files, and print what can be done with the game."""
    name = options.name
    words = {"NEW_GAME": name, "NEW_TITLE": name.replace("_", " ").capitalize()}
    template = "new_environment.txt" if options.pettingzoo else "new_game.py"
    folder = write_beginning("new-game", name, options.folder, GAMES, words, template)
    file = f"./{name}.py"
    commands = {"check": f"arena check-game {file}", "train": f"arena train {file} ppo"}
    print(DONE.format(name=name, folder=shlex.quote(str(folder)), **commands), end="")
    return 0
