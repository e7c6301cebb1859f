"""The position of a live game as pages show it."""

from typing import Any

from arena.match.replay import empty_seats, game_labelled
from arena.server.live_games import OVER, PLAYING, VOID, LiveGame
from arena.server.pages.board import svg_of
from arena.server.pages.reading import result_words
from games.engine.picture import mark_of


def shown_live(live: LiveGame) -> dict[str, Any]:
    """Return what the template of a position needs: board, notes, marks, clocks, the last move, and how it stands."""
    match = live.replayed()
    picture = match.picture(match.state)
    clocks = live.clocks()
    return {
        "svg": svg_of(picture, f"{match.game.name}, position after move {len(live.actions)}"),
        "notes": picture.notes,
        "sides": picture.sides,
        "marks": [mark_of(seat, picture.sides) for seat in range(len(live.players))],
        "clocks": [_clock_words(clocks.left_s(seat)) for seat in range(len(live.players))],
        "last": _last_move(live),
        "standing": _standing(live),
    }


def _last_move(live: LiveGame) -> str:
    """Return the last move in the game's notation; "" before the first."""
    if not live.actions:
        return ""
    before = empty_seats(game_labelled(live.ladder.rules.game), live.names, live.match_seed)
    for action in live.actions[:-1]:
        before.play(action)
    return before.action_text(live.actions[-1])


def _standing(live: LiveGame) -> str:
    if live.state == OVER and live.verdict is not None:
        return result_words(live.verdict, live.names)
    if live.state == VOID:
        return "taken back"
    return f"{live.names[live.to_move]} to move" if live.state == PLAYING else "the challenge waits for an answer"


def _clock_words(left_s: float | None) -> str:
    """Return the time on a clock as m:ss; "" without one.

    >>> _clock_words(301.2)
    '5:01'
    """
    return "" if left_s is None else f"{int(max(left_s, 0)) // 60}:{int(max(left_s, 0)) % 60:02}"
