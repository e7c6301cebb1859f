"""Openings, and games that begin in another position than usual, by its text: the FEN of a book, or of a PGN's tag."""

from dataclasses import replace
from functools import lru_cache

from arena.base.errors import UsageError
from arena.policy.registry import make_game
from games.engine.actions import Action
from games.engine.game import Game, position_bytes

Moves = tuple[Action, ...]
Opening = Moves | str
"""Moves that are played before the players choose, or a position to begin with, in the game's own text (FEN)."""


def parted(opening: Opening) -> tuple[str, Moves]:
    """Return the position and the moves of an opening, one of them empty."""
    return (opening, ()) if isinstance(opening, str) else ("", opening)


def with_start(game: Game, start: str) -> Game:
    """Return the game that begins in a position given as text, or as it is where there is none.

    Raises `UsageError` for a position that cannot be read, and for a game whose positions have no text.
    """
    if not start:
        return game
    if game.parse_position is None:
        raise UsageError(f"{game.name} begins in its first position: others cannot be written")
    return replace(game, initial=game.parse_position(start))


def start_of(game: Game) -> str:
    """Return the position in which a game begins as text; empty for the usual one."""
    if game.position_text is None or game.parse_position is None or game.has_chance:
        return ""
    return "" if position_bytes(game.initial) == _usual(game.label) else game.position_text(game.initial)


@lru_cache(maxsize=64)
def _usual(label: str) -> bytes:
    return position_bytes(make_game(label).initial)
