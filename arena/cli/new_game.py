"""`arena new-game`: a file to begin a game of one's own with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.cli.begin import write_beginning
from arena.registry import GAMES

DONE = """wrote {name}.py and test_{name}.py in {folder}.

The test passes as it is:   python -m pytest test_{name}.py
To have the game found by its name, let your package declare in its pyproject.toml

    [project.entry-points."arena.games"]
    {name} = "{name}:GAMES"

and hold in {name}.py   GAMES = {{"{name}": "{name}:game"}}
"""


@dataclass(frozen=True)
class Options:
    """Write a commented game of one file, and its test, which passes at once."""

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """The game's name, in lower case with underscores."""
    folder: Path = Path()
    """Where the files go."""


def run(options: Options) -> int:
    """Write the files, and say how the game is found."""
    name = options.name
    words = {"NEW_GAME": name, "NEW_TITLE": name.replace("_", " ").capitalize()}
    write_beginning("new-game", name, options.folder, GAMES, words)
    print(DONE.format(name=name, folder=options.folder), end="")
    return 0
