"""The games: one module each, found by name.

>>> import games
>>> games.make("connect_four", rows=6, columns=7).num_actions
7
>>> env = games.connect_four.env(render_mode="ansi")
"""

import importlib
from typing import TYPE_CHECKING, Any

from games.engine.registry import make_game as make

if TYPE_CHECKING:
    from games.engine.game import Game

__all__ = ["GAMES", "check", "make"]

GAMES = {
    "backgammon": "games.backgammon:game",
    "breakthrough": "games.breakthrough:game",
    "chess": "games.chess:game",
    "checkers": "games.checkers:game",
    "connect_four": "games.connect_four:game",
    "gin_rummy": "games.gin_rummy:game",
    "go": "games.go:game",
    "goofspiel": "games.goofspiel:game",
    "gomoku": "games.gomoku:game",
    "hanabi": "games.hanabi:game",
    "hex": "games.hex:game",
    "kalah": "games.kalah:game",
    "kuhn_poker": "games.kuhn_poker:game",
    "leduc_holdem": "games.leduc_holdem:game",
    "leduc_poker": "games.leduc_poker:game",
    "liars_dice": "games.liars_dice:game",
    "matrix_game": "games.matrix_game:game",
    "othello": "games.othello:game",
    "pig": "games.pig:game",
    "rock_paper_scissors": "games.rock_paper_scissors:game",
    "texas_holdem": "games.texas_holdem:game",
    "texas_holdem_no_limit": "games.texas_holdem_no_limit:game",
    "tic_tac_toe": "games.tic_tac_toe:game",
    "tron": "games.tron:game",
}
"""The games of this distribution: name -> function that takes the options and returns a `Game`."""


def check(game: "Game", num_games: int = 10, seed: int = 0) -> None:
    """Play random games and raise `ContractError` where the rules break the contract; see `games.engine.check`."""
    from games.engine.check import check

    check(game, num_games, seed)


def __getattr__(name: str) -> Any:
    """Return the module of a game, imported on first use."""
    if name in GAMES:
        return importlib.import_module(f"games.{name}")
    raise AttributeError(f"module 'games' has no attribute {name!r}")
