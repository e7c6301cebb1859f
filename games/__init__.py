"""What is played: one file a game, found by name.

>>> import games
>>> games.make("connect_four", rows=6, columns=7).num_actions
7
"""

from games.engine.registry import make_game as make

__all__ = ["GAMES", "make"]

GAMES = {
    "connect_four": "games.connect_four:game",
    "tic_tac_toe": "games.tic_tac_toe:game",
}
"""The games of this distribution: name -> function that takes the options and returns a `Game`."""
