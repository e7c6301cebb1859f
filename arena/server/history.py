"""The way of ratings: what each bot was rated after so many games, at some 300 points however many it plays."""

import math
from typing import Any

from sqlalchemy import Connection, delete, select

from arena.server.schema import bots, ratings

FIRST_GAMES = 20
"""Games of a bot after each of which its rating is kept."""
GROWTH = 1.04
"""Later ones are kept as often as the number of games has grown by this factor."""


def is_kept(before: int, after: int) -> bool:
    """Return whether a rating is kept that was reached by the games after number `before`, up to `after`."""
    return before < FIRST_GAMES or _step(after) > _step(before)


def forget_ratings(connection: Connection, ladder: int) -> None:
    """Delete the history of a ladder, which is about to be rated anew."""
    connection.execute(delete(ratings).where(ratings.c.bot.in_(select(bots.c.id).where(bots.c.ladder == ladder))))


def rating_history(connection: Connection, bot: int) -> list[dict[str, Any]]:
    """Return past ratings of a bot by number of games: `games`, `rating`, `deviation`, and the time `at`."""
    query = select(ratings.c.games, ratings.c.rating, ratings.c.deviation, ratings.c.at).where(ratings.c.bot == bot)
    return [dict(row._mapping) for row in connection.execute(query.order_by(ratings.c.games))]


def _step(games: int) -> int:
    return math.floor(math.log(games) / math.log(GROWTH))
