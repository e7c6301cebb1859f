"""The position of a live game as pages show it."""

from typing import Any

from arena.match.replay import match_after
from arena.server.live_games import OVER, PLAYING, VOID, LiveGame
from arena.server.pages.board import svg_of
from arena.server.pages.reading import result_words
from games.engine.picture import mark_of


def shown_live(live: LiveGame) -> dict[str, Any]:
    """Return what the template of a position needs: board, notes, marks, clocks, the last move, and how it stands."""
    match, clocks, last = match_after(live.game, live.names, live.seed, live.actions[:-1]), live.clocks(), ""
    for action in live.actions[-1:]:
        last = match.action_text(action)
        match.play(action)
    picture = match.picture(match.state)
    return {
        "svg": svg_of(picture, f"{match.game.name}, position after move {len(live.actions)}"),
        "notes": picture.notes,
        "sides": picture.sides,
        "marks": [mark_of(seat, picture.sides) for seat in range(len(live.players))],
        "clocks": [_clock_words(clocks.left_s(seat)) for seat in range(len(live.players))],
        "last": last,
        "standing": _standing(live, match.seat),
    }


def _standing(live: LiveGame, to_move: int) -> str:
    if live.state == OVER and live.verdict is not None:
        return result_words(live.verdict, live.names)
    if live.state == VOID:
        return "taken back"
    if live.state != PLAYING:
        return "the challenge waits for an answer"
    offer = "" if live.draw_by is None else f"; {live.names[live.draw_by]} offers a draw"
    return f"{live.names[to_move]} to move{offer}"


def _clock_words(left_s: float | None) -> str:
    """Return the time on a clock as m:ss; "" without one.

    >>> _clock_words(301.2)
    '5:01'
    """
    return "" if left_s is None else f"{int(max(left_s, 0)) // 60}:{int(max(left_s, 0)) % 60:02}"
