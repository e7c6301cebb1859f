"""Moves in the Go Text Protocol, game by game: what programs write, from and to the notation of our games.

Colours are black for the first seat and white for the second. Go writes points as the protocol's text does; gomoku too
(columns without I, rows from below). Othello counts rows from the top and passes with `pass`, as Edax, Egaroucid and
NTest do; hex likewise, with `swap-pieces` for the swap, as HexGui, MoHex and Wolve do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.base.errors import UsageError

COLOURS = ("black", "white")
"""Colours by seat."""
COLUMNS = "abcdefghjklmnopqrstuvwxyz"
"""Letters of columns, without I."""


@dataclass(frozen=True)
class GtpNotation:
    """The words of the protocol for the moves of one game."""

    written: Callable[[str], str] = str.strip
    """Turns a move in the game's notation into the protocol's."""
    read: Callable[[str], str] = str.strip
    """Turns a move in the protocol's notation into the game's; `UsageError` if it is none."""
    passes: bool = False
    """True if a player may have to pass, or may pass."""


def _without_i(text: str) -> str:
    return f"{COLUMNS[ord(text[0]) - ord('a')]}{text[1:]}".upper()


def _with_i(text: str) -> str:
    column = COLUMNS.find(text.strip().lower()[:1])
    if column < 0 or not text.strip():
        raise UsageError(f"{text.strip()!r} is not a point; columns are letters without I")
    return f"{chr(ord('a') + column)}{text.strip()[1:]}"


def _swap_written(text: str) -> str:
    return "swap-pieces" if text == "swap" else text


def _swap_read(text: str) -> str:
    return "swap" if text.strip().lower() == "swap-pieces" else text


NOTATIONS: Mapping[str, GtpNotation] = {
    "go": GtpNotation(passes=True),
    "othello": GtpNotation(passes=True),
    "hex": GtpNotation(_swap_written, _swap_read),
    "gomoku": GtpNotation(_without_i, _with_i),
}


def gtp_notation(game: str, who: str) -> GtpNotation:
    """Return the notation of a game; `UsageError`, which begins with `who`, for one without."""
    if game not in NOTATIONS:
        raise UsageError(f"{who}: the Go Text Protocol is for {', '.join(NOTATIONS)}, not {game}")
    return NOTATIONS[game]
