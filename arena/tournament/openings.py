"""How games begin: random legal moves, or lines of a file, each played from all sides."""

import re
from pathlib import Path

from arena.errors import UsageError
from arena.match.batch import random_openings
from arena.match.match import Match
from games.engine.game import Game

RANDOM, FILE = "random:", "file:"
FORMS = "random:N, as random:4, or file:PATH"


def check_openings(form: str) -> None:
    """`UsageError` unless it is of one of the forms that `openings_of` reads."""
    if not (re.fullmatch(rf"{RANDOM}[0-9]{{1,4}}", form) or (form.startswith(FILE) and form != FILE)):
        raise UsageError(f"openings {form!r} are not of the form {FORMS}")


def openings_of(game: Game, form: str, count: int, seed: int) -> list[tuple[int, ...]]:
    """`count` openings of a game, as actions; they repeat only if there are too few.

    `random:N` draws N legal moves each, by `seed`; `file:PATH` takes the lines of a text file, moves in the game's own
    notation, and passes over empty lines and what follows a #. Raises `UsageError` for moves that cannot be played.
    """
    check_openings(form)
    if form.startswith(RANDOM):
        return random_openings(game, int(form.removeprefix(RANDOM)), count, seed)
    path = Path(form.removeprefix(FILE))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"openings {path} cannot be read: {error}") from None
    lines = [(number, line.partition("#")[0].split()) for number, line in enumerate(text.splitlines(), start=1)]
    found = [_line(game, moves, f"openings {path}, line {number}") for number, moves in lines if moves]
    if not found:
        raise UsageError(f"openings {path} has no line of moves")
    return [found[i % len(found)] for i in range(count)]


def _line(game: Game, moves: list[str], where: str) -> tuple[int, ...]:
    """The actions that `moves` mean, one after the other."""
    match = Match(game, [("", None)] * game.num_players)
    for move in moves:
        try:
            match.play(game.parse_action(match.state, move))
        except UsageError as error:
            raise UsageError(f"{where}: {move!r} cannot be played: {error}") from None
    if match.over:
        raise UsageError(f"{where}: the game is over after these moves")
    return tuple(match.actions)
