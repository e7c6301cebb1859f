"""Counting: results go into the ratings in the order of their numbers, and each has the next jobs planned.

The jobs that are over are counted several at once: what they need is read together, ratings follow each other in
memory, and what has come of them is written together. The ladder does not depend on how many are counted at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, exists, func, insert, or_, select, update

from arena.policy.registry import make_game
from arena.ratings.glicko2 import Glicko2Rating
from arena.server.history import is_kept
from arena.server.jobs import LADDER, job_row
from arena.server.ladders import LadderRow, ladder_numbered
from arena.server.matchmaking import draw_table, expected_score, rated, score, seatings, seed_of
from arena.server.schema import bots, jobs, ladders, ratings
from arena.store.many import execute_many
from arena.store.matches import returns_of
from arena.tournament.openings import random_openings_of
from games.engine.game import Game

MOST_COUNTED = 32
"""Jobs of a ladder that are counted in one operation: the first of them may have thousands behind it."""
OVER = ("done", "void")
"""States of jobs that are to be counted."""
RATE = update(bots).where(bots.c.id == bindparam("bot"))
RATE = RATE.values({name: bindparam(f"new_{name}") for name in ("rating", "deviation", "volatility", "games")})
COUNT = update(jobs).where(jobs.c.id == bindparam("job"))
COUNT = COUNT.values({name: bindparam(f"new_{name}") for name in ("score", "expected", "state")})


class BotRatings:
    """Ratings of bots of one ladder: read once, moved by the results of job after job, and written once.

    Args:
        rows: the bots, by number.

    """

    def __init__(self, rows: Iterable[Row[Any]]):
        known = list(rows)
        self._ratings = {bot.id: Glicko2Rating(bot.rating, bot.deviation, bot.volatility) for bot in known}
        self._games = {bot.id: bot.games for bot in known}
        self._active = [bot.id for bot in known if bot.state == "active"]
        self._rated: set[int] = set()
        self._counted: list[dict[str, Any]] = []
        self._history: list[dict[str, Any]] = []

    @property
    def num_active(self) -> int:
        """Number of bots that are paired."""
        return len(self._active)

    def draw(self, num_seats: int, seed: int) -> list[int]:
        """Return the bots that meet at a table, by number."""
        places = draw_table([self._ratings[bot] for bot in self._active], num_seats, seed)
        return [self._active[place] for place in places]

    def count(self, job: Row[Any], games: Sequence[Sequence[float]]) -> None:
        """Count the games of a job, from all of its sides; returns are by seat."""
        by_place = []
        for returns, side in zip(games, seatings(len(job.bots)), strict=True):
            by_place.append([seat_return for _, seat_return in sorted(zip(side, returns, strict=True))])
        before = [self._ratings[bot] for bot in job.bots]
        for bot, rating in zip(job.bots, rated(before, by_place), strict=True):
            self._move(bot, rating, len(games), job.finished)
        mean = sum(map(score, by_place)) / len(by_place)
        shown = {"new_score": mean, "new_expected": expected_score(before)}
        self._counted.append({"job": job.id, "new_state": "counted"} | shown)

    def _move(self, bot: int, rating: Glicko2Rating, games: int, at: float) -> None:
        before = self._games[bot]
        self._ratings[bot], self._games[bot] = rating, before + games
        self._rated.add(bot)
        if is_kept(before, before + games):
            kept = {"rating": rating.rating, "deviation": rating.deviation, "at": at}
            self._history.append({"bot": bot, "games": before + games} | kept)

    def write(self, connection: Connection) -> None:
        """Write the ratings that have moved, those that are kept as history, and the jobs as counted."""
        moved = [
            {"bot": bot, "new_games": self._games[bot]}
            | {f"new_{name}": getattr(self._ratings[bot], name) for name in ("rating", "deviation", "volatility")}
            for bot in sorted(self._rated)
        ]
        for statement, rows in ((RATE, moved), (insert(ratings), self._history), (COUNT, self._counted)):
            if rows:
                execute_many(connection, statement, rows)


def count_waiting(connection: Connection) -> bool:
    """Count some of the jobs that are over and next to be counted; return whether there were any."""
    next_one = exists().where(jobs.c.ladder == ladders.c.id, jobs.c.number == ladders.c.counted, jobs.c.state.in_(OVER))
    numbers = connection.execute(select(ladders.c.id).where(next_one)).scalars().all()
    for number in numbers:
        count_jobs(connection, ladder_numbered(connection, number))
    return bool(numbers)


def count_jobs(connection: Connection, ladder: LadderRow) -> LadderRow:
    """Count up to `MOST_COUNTED` jobs, and plan as many again; return the ladder as it is then.

    The rest is left to `count_waiting`, so that nobody waits for it.
    """
    over = _next_over(connection, ladder)
    if not over:
        return ladder
    known = _bots_for(connection, ladder, over)
    results = games_of(connection, ladder, [job.number for job in over if job.state == "done"])
    game, new = make_game(ladder.rules.game), []
    for job in over:
        if job.state == "done":
            known.count(job, results[job.number])
        ladder = replace(ladder, counted=job.number + 1)
        drawn = _draw_jobs(game, ladder, known)
        ladder = replace(ladder, planned=ladder.planned + len(drawn))
        new += drawn
    known.write(connection)
    return _write_plan(connection, ladder, new)


def plan_jobs(connection: Connection, ladder: LadderRow) -> LadderRow:
    """Plan the jobs of a ladder up to `ahead` beyond those that are counted; return it as it is then."""
    new = _draw_jobs(make_game(ladder.rules.game), ladder, _bots_for(connection, ladder, ()))
    return _write_plan(connection, replace(ladder, planned=ladder.planned + len(new)), new)


def replan_jobs(connection: Connection, ladder: LadderRow) -> LadderRow:
    """Plan anew what nobody has begun, for bots that have just come or gone; return the ladder as it is then.

    A newcomer need not wait for games that were planned without it.
    """
    mine = jobs.c.ladder == ladder.id, jobs.c.kind == LADDER
    last_started = connection.execute(select(func.max(jobs.c.number)).where(*mine, jobs.c.tries > 0)).scalar()
    planned = max(ladder.counted, 0 if last_started is None else last_started + 1)
    connection.execute(delete(jobs).where(*mine, jobs.c.number >= planned))
    return plan_jobs(connection, replace(ladder, planned=planned))


def games_of(connection: Connection, ladder: LadderRow, numbers: Sequence[int]) -> dict[int, list[list[float]]]:
    """Return the games of jobs of a ladder, each as the returns of its seats, by the number of the job."""
    sides = make_game(ladder.rules.game).num_players
    returns = returns_of(connection, ladder.run, [number * sides + side for number in numbers for side in range(sides)])
    return {number: [returns[number * sides + side] for side in range(sides)] for number in numbers}


def _next_over(connection: Connection, ladder: LadderRow) -> Sequence[Row[Any]]:
    """Return the jobs that are over and have none before them that is not."""
    end = ladder.counted + MOST_COUNTED
    upcoming = jobs.c.ladder == ladder.id, jobs.c.number >= ladder.counted, jobs.c.number < end
    rows = connection.execute(select(jobs).where(*upcoming).order_by(jobs.c.number)).all()
    first = next((place for place, job in enumerate(rows) if job.state not in OVER), len(rows))
    return rows[:first]


def _bots_for(connection: Connection, ladder: LadderRow, over: Sequence[Row[Any]]) -> BotRatings:
    """Return the ratings of the bots of a ladder that are paired or in these jobs."""
    playing = {bot for job in over for bot in job.bots}
    known = or_(bots.c.state == "active", bots.c.id.in_(playing))
    return BotRatings(connection.execute(select(bots).where(bots.c.ladder == ladder.id, known).order_by(bots.c.id)))


def _draw_jobs(game: Game, ladder: LadderRow, known: BotRatings) -> list[dict[str, Any]]:
    """Draw the jobs up to `ahead` beyond those that are counted, by the ratings of now."""
    if ladder.state != "open" or known.num_active < game.num_players:
        return []
    new = []
    for number in range(ladder.planned, ladder.counted + ladder.rules.ahead):
        seed = seed_of(ladder.rules.seed, number)
        opening = random_openings_of(game, ladder.rules.openings, 1, seed)[0]
        new.append(job_row(ladder.id, LADDER, known.draw(game.num_players, seed), seed, opening) | {"number": number})
    return new


def _write_plan(connection: Connection, ladder: LadderRow, new: Sequence[dict[str, Any]]) -> LadderRow:
    if new:
        connection.execute(insert(jobs), new)
    values = {"planned": ladder.planned, "counted": ladder.counted}
    connection.execute(update(ladders).where(ladders.c.id == ladder.id).values(values))
    return ladder
