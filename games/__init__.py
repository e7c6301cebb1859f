"""What is played: one file a game, found by name.

>>> import games
>>> games.make("connect_four", rows=6, columns=7).num_actions
7
>>> env = games.connect_four.env(render_mode="ansi")
"""

import importlib
from typing import Any

from games.engine.registry import make_game as make

__all__ = ["GAMES", "make"]

GAMES = {
    "connect_four": "games.connect_four:game",
    "tic_tac_toe": "games.tic_tac_toe:game",
}
"""The games of this distribution: name -> function that takes the options and returns a `Game`."""


def __getattr__(name: str) -> Any:
    """The module of a game, imported when it is first named."""
    if name in GAMES:
        return importlib.import_module(f"games.{name}")
    raise AttributeError(f"module 'games' has no attribute {name!r}")
