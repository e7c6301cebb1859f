"""`arena new-game`: a file to begin a game of one's own with."""

import keyword
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

import tyro

from arena.errors import UsageError
from arena.registry import GAMES

DONE = """wrote {game} and {test}.

The test passes as it is:   python -m pytest {test}
To have the game found by its name, let your package declare in its pyproject.toml

    [project.entry-points."arena.games"]
    {name} = "{name}:GAMES"

and hold in {game}   GAMES = {{"{name}": "{name}:game"}}
"""


@dataclass(frozen=True)
class Options:
    """Write a commented game of one file, and its test, which passes at once.

    For example:

    arena new-game nine_mens_morris
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
    """The game's name, in lower case with underscores."""
    folder: Path = Path()
    """Where the files go."""


def run(options: Options) -> int:
    """Write the files; `UsageError`, and nothing is written, for a name that will not do or files that are there."""
    name = options.name
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise UsageError(f"new-game: {name!r} is no name in lower case with underscores, as nine_mens_morris")
    if name in GAMES.names():
        raise UsageError(f"new-game: there is a game {name} already; arena games lists them")
    if not options.folder.is_dir():
        raise UsageError(f"new-game: {options.folder} is not a folder")
    files = {options.folder / f"{name}.py": "new_game.py", options.folder / f"test_{name}.py": "test_new_game.txt"}
    for path in files:
        if path.exists():
            raise UsageError(f"new-game: {path} is there already; nothing was written")
    words = {"NEW_GAME": name, "NEW_TITLE": name.replace("_", " ").capitalize()}
    for path, template in files.items():
        text = resources.files("arena.cli.templates").joinpath(template).read_text(encoding="utf-8")
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        path.write_text(text, encoding="utf-8")
    game, test = files
    print(DONE.format(name=name, game=game, test=test), end="")
    return 0
