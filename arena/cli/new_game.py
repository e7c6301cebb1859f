"""`arena new-game`: the template of a game."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.policy.registry import GAMES

DONE = """wrote {name}.py and test_{name}.py in {folder}.

The test passes as it is:   python -m pytest test_{name}.py
To have the game found by its name, let your package declare in its pyproject.toml

    [project.entry-points."arena.games"]
    {name} = "{name}:GAMES"

and hold in {name}.py   GAMES = {{"{name}": "{name}:game"}}
"""
DONE_ENVIRONMENT = """wrote {name}.py and test_{name}.py in {folder}.

The test passes as it is:   python -m pytest test_{name}.py
In that folder the environment is a game of its own name:

    export PYTHONPATH=$PWD
    arena check-game pettingzoo:{name}
    arena train pettingzoo:{name} ppo --steps 100000 --out runs/{name}
    arena play pettingzoo:{name} ppo:runs/{name} random
"""


@dataclass(frozen=True)
class Options:
    """Write a commented, working game as a template, and a test that passes.

    The game is one file, to be changed into a game of your own.
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """Name of the game, in lower case with underscores."""
    folder: Path = Path()
    """Folder for the files."""
    pettingzoo: bool = False
    """Write an environment of PettingZoo instead of compiled rules: slower, in plain Python, of any shape."""


def run(options: Options) -> int:
    """Write the files, and print how to register the game."""
    name = options.name
    words = {"NEW_GAME": name, "NEW_TITLE": name.replace("_", " ").capitalize()}
    template, done = ("new_environment", DONE_ENVIRONMENT) if options.pettingzoo else ("new_game", DONE)
    write_beginning("new-game", name, options.folder, GAMES, words, template)
    print(done.format(name=name, folder=options.folder), end="")
    return 0
