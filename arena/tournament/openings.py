"""Openings of games: random legal moves or lines of a file, each played from all sides."""

import re
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.files import read_text
from arena.match.batch import random_openings
from arena.match.match import Match
from games.engine.actions import Action
from games.engine.game import Game

RANDOM, FILE = "random:", "file:"
FORMS = "random:N, as random:4, or file:PATH"


def check_openings(form: str) -> None:
    """Raise `UsageError` for a form that `openings_of` cannot read."""
    if not (re.fullmatch(rf"{RANDOM}[0-9]{{1,4}}", form) or (form.startswith(FILE) and form != FILE)):
        raise UsageError(f"openings {form!r} are not of the form {FORMS}")


def openings_of(game: Game, form: str, count: int, seed: int) -> list[tuple[Action, ...]]:
    """Return `count` openings of a game, as actions; they repeat only if there are too few.

    `random:N` draws N legal moves each, by `seed`. `file:PATH` reads a text file with a line of moves each, in the
    game's notation; blank lines and comments after # are skipped. Raises `UsageError` for moves that cannot be played.
    """
    check_openings(form)
    if form.startswith(RANDOM):
        return random_openings(game, int(form.removeprefix(RANDOM)), count, seed)
    path = Path(form.removeprefix(FILE))
    try:
        text = read_text(path)
    except UsageError as error:
        raise UsageError(f"openings {error}") from None
    lines = [(number, line.partition("#")[0].split()) for number, line in enumerate(text.splitlines(), start=1)]
    openings = [_line(game, moves, f"openings {path}, line {number}") for number, moves in lines if moves]
    if not openings:
        raise UsageError(f"openings {path} has no line of moves")
    return [openings[i % len(openings)] for i in range(count)]


def _line(game: Game, moves: list[str], where: str) -> tuple[Action, ...]:
    """Return the actions of `moves`; `UsageError` names `where` if one cannot be played."""
    match = Match(game, [("", None)] * game.num_players)
    for move in moves:
        try:
            match.play(game.parse_action(match.state, move))
        except UsageError as error:
            raise UsageError(f"{where}: {move!r} cannot be played: {error}") from None
    if match.over:
        raise UsageError(f"{where}: the game is over after these moves")
    return tuple(match.actions)
