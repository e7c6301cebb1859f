"""What is played: one file a game, found by name.

>>> import games
>>> games.make("connect_four", rows=6, columns=7).num_actions
7
"""

import inspect
from typing import TYPE_CHECKING, Any

from games.engine.errors import UnknownNameError, UsageError
from games.engine.registry import GAMES as REGISTRY

if TYPE_CHECKING:
    from games.engine.game import Game

__all__ = ["GAMES", "make"]

GAMES = {
    "connect_four": "games.connect_four:game",
    "tic_tac_toe": "games.tic_tac_toe:game",
}
"""The games of this distribution: name -> function that takes the options and returns a `Game`."""


def make(name: str, **options: Any) -> "Game":
    """Describe the game `name` with the given options (its own defaults otherwise).

    Raises `UnknownNameError` for an unknown game or option, `UsageError` for an option out of range.
    """
    build = REGISTRY.load(name)
    parameters = inspect.signature(build).parameters
    for option, value in options.items():
        if option not in parameters:
            raise UnknownNameError(f"option of {name}", option, parameters)
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{name}: option {option}={value!r} is not a whole number")
    game: Game = build(**options)
    return game
