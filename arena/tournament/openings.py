"""Openings of games: random legal moves or those of a book, each played from all sides."""

import re
from collections.abc import Sequence

from arena.base.errors import UsageError
from arena.match.batch import random_openings
from arena.match.starts import Moves, Opening
from arena.tournament.books import openings_in, parse_book
from games.engine.game import Game

RANDOM, FILE = "random:", "file:"
FORMS = "random:N, as random:4, or file:PATH"


def check_openings(form: str) -> None:
    """Raise `UsageError` for a form that `openings_of` cannot read."""
    if not (re.fullmatch(rf"{RANDOM}[0-9]{{1,4}}", form) or (form.startswith(FILE) and form != FILE)):
        raise UsageError(f"openings {form!r} are not of the form {FORMS}")
    if form.startswith(FILE):
        parse_book(form.removeprefix(FILE))


def random_openings_of(game: Game, form: str, count: int, seed: int) -> list[Moves]:
    """Return `count` openings of random moves, by the form `random:N`; `UsageError` for another one."""
    check_openings(form)
    if not form.startswith(RANDOM):
        raise UsageError(f"openings {form[:60]!r} are not of the form {RANDOM}N")
    return random_openings(game, int(form.removeprefix(RANDOM)), count, seed)


def openings_of(game: Game, form: str, count: int, seed: int) -> Sequence[Opening]:
    """Return `count` openings of a game, as actions or positions; they repeat only if there are too few.

    `random:N` draws N legal moves each, by `seed`. `file:PATH` reads a book: text with a line of moves each in the
    game's notation (blank lines and comments after # are skipped), games in PGN or SGF, positions of chess in EPD, or a
    polyglot book (.bin), from which lines are drawn by the weights of their moves. Raises `UsageError` for moves that
    cannot be played and positions that cannot be.
    """
    check_openings(form)
    if form.startswith(RANDOM):
        return random_openings_of(game, form, count, seed)
    return openings_in(parse_book(form.removeprefix(FILE)), game, count, seed)
