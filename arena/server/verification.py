"""Results played again: forged ones are found, and bots that do not repeat themselves are told from them.

A game is fixed by its seed, so another worker must come to the same moves. Which jobs are played again nobody can
know beforehand: a keyed hash of their numbers says so. If the second result differs, a third decides, by another
account's worker or by an owner's, who is believed. The worker that stands alone is blocked, all of its results that
nobody has confirmed are played again, forged ones are replaced, and the ladder is rated anew. So it takes one forged
result in the sample to find them all: at a share s and a rate of forging f that is after 1 / (s f) results on
average.

Bots under a clock or with threads do not repeat themselves. Where three results all differ they are marked, and no
longer compared. For games with them the scores of each worker are tested as fishtest does: by the chi-square of their
residuals, what was scored less what was expected by rating, over all of the worker's jobs.
"""

import hmac
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from arena.match.json_lines import from_json_line
from arena.ratings.glicko2 import START, UNKNOWN, VOLATILITY
from arena.server import audit
from arena.server.counting import BotRatings, games_of
from arena.server.history import forget_ratings
from arena.server.jobs import LADDER, VERIFICATION
from arena.server.ladders import LadderRow, ladder_numbered
from arena.server.schema import bots, jobs, workers
from arena.store.matches import replace_games

LEAST_JOBS = 20
"""Jobs of a worker before its residuals say anything."""


def is_sampled(secret: str, job: int, share: float) -> bool:
    """Return whether a job is among the `share` that is played again: a keyed hash, which nobody can foresee."""
    digest = hmac.digest(secret.encode(), str(job).encode(), "sha256")
    return int.from_bytes(digest[:8], "big") < share * 2**64


def want_verification(connection: Connection, job: Row[Any]) -> None:
    """Have a job of a ladder played again, if all its bots repeat themselves."""
    unsteady = select(func.count()).where(bots.c.id.in_(job.bots), bots.c.steady.is_(False))
    if connection.execute(unsteady).scalar_one():
        return
    same = {name: job._mapping[name] for name in ("ladder", "bots", "seed", "opening", "created")}
    again = {"kind": VERIFICATION, "of": job.id, "state": "open", "tries": 0, "checked": ""}
    connection.execute(insert(jobs).values(same | again))
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(checked="wanted"))


def settle(connection: Connection, original: Row[Any]) -> None:
    """Compare the results of a job, once another one of it has come in."""
    again = connection.execute(
        select(jobs).where(jobs.c.of == original.id, jobs.c.state == "done").order_by(jobs.c.id)
    ).all()
    votes = Counter([original.digest, *(one.digest for one in again)])
    [(digest, count)] = votes.most_common(1)
    if count == 1 and len(again) == 1:
        want_verification(connection, original)
    elif count == 1:
        connection.execute(update(bots).where(bots.c.id.in_(original.bots)).values(steady=False))
        _mark(connection, original, "unsteady")
    else:
        _decide(connection, original, again, digest)


def _decide(connection: Connection, original: Row[Any], again: Sequence[Row[Any]], digest: str) -> None:
    """Replace a result that stands alone, and block whoever reported it."""
    for one in (original, *again):
        if one.digest != digest:
            convict(connection, one.worker, f"job {original.id} was reported with other games than others found")
    if original.digest == digest:
        _mark(connection, original, "right")
        return
    ladder = ladder_numbered(connection, original.ladder)
    right = next(one for one in again if one.digest == digest)
    records = [from_json_line(line)[1] for line in right.games]
    replace_games(connection, ladder.run, enumerate(records, start=original.number * len(records)))
    connection.execute(update(jobs).where(jobs.c.id == original.id).values(digest=digest))
    _mark(connection, original, "forged")
    rate_again(connection, ladder)


def convict(connection: Connection, worker: int, reason: str) -> None:
    """Block a worker, and have all of its results played again that nobody has confirmed."""
    if connection.execute(select(workers.c.state).where(workers.c.id == worker)).scalar_one() == "blocked":
        return
    connection.execute(update(workers).where(workers.c.id == worker).values(state="blocked", reason=reason))
    audit.note(connection, None, "block", f"worker {worker}: {reason}")
    unconfirmed = jobs.c.worker == worker, jobs.c.kind == LADDER, jobs.c.checked == "", jobs.c.digest.is_not(None)
    for job in connection.execute(select(jobs).where(*unconfirmed).order_by(jobs.c.id)).all():
        want_verification(connection, job)


def rate_again(connection: Connection, ladder: LadderRow) -> None:
    """Rate all counted jobs of a ladder anew, in their order."""
    newcomer = {"rating": START, "deviation": UNKNOWN, "volatility": VOLATILITY, "games": 0}
    connection.execute(update(bots).where(bots.c.ladder == ladder.id).values(newcomer))
    forget_ratings(connection, ladder.id)
    known = BotRatings(connection.execute(select(bots).where(bots.c.ladder == ladder.id)))
    counted = jobs.c.ladder == ladder.id, jobs.c.state == "counted"
    rows = connection.execute(select(jobs).where(*counted).order_by(jobs.c.number)).all()
    results = games_of(connection, ladder, [row.number for row in rows])
    for row in rows:
        known.count(row, results[row.number])
    known.write(connection)


def residuals(connection: Connection) -> dict[int, tuple[int, float]]:
    """Return for each worker with enough jobs their number and the p-value of its residuals, two-sided.

    The variance of a job's mean score is at most that of one game, e (1 - e), as its games share an opening. The
    p-value is that of chi-square with one degree of freedom, and errs on the side of the worker.
    """
    variance = jobs.c.expected * (1 - jobs.c.expected)
    surplus = func.sum(jobs.c.score - jobs.c.expected)
    query = select(jobs.c.worker, func.count(), surplus, func.sum(variance)).where(
        jobs.c.kind == LADDER, jobs.c.state == "counted", jobs.c.score.is_not(None)
    )
    return {
        worker: (count, math.erfc(abs(sum_) / math.sqrt(2 * max(total, 1e-9))))
        for worker, count, sum_, total in connection.execute(query.group_by(jobs.c.worker))
        if count >= LEAST_JOBS
    }


def _mark(connection: Connection, original: Row[Any], checked: str) -> None:
    connection.execute(update(jobs).where(jobs.c.id == original.id).values(checked=checked))
