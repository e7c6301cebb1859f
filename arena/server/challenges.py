"""Challenges, by which live games begin: a person accepts by challenging back, a bot at once, if a worker is free."""

import secrets
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, or_, select

from arena.base.errors import UsageError
from arena.match.replay import game_labelled
from arena.match.time_control import TimeControl, read_time_control
from arena.server import audit
from arena.server.accounts import Account, account_named
from arena.server.jobs import LIVE, add_job
from arena.server.ladders import LadderRow, may_see, visible_ladder
from arena.server.live_games import PLAYING, VOID, WAITING, LiveGame, read_live, write_change
from arena.server.refusals import CONFLICT, INVALID, MISSING, RefusedError, refusing
from arena.server.schema import bots, jobs, live_games, workers
from arena.server.workers import ALIVE_S

MOST_CHALLENGES = 20
"""Most challenges of an account that wait for an answer."""


def challenge(
    connection: Connection, account: Account, ladder: str, opponent: str, seat: int, clock: str | None
) -> LiveGame:
    """Challenge somebody to a game of a ladder, accept such a challenge, or return to the game between the two.

    `seat` 0 or 1, and `clock`, are what the challenger wishes; who accepts gets the other seat. Raises `RefusedError`
    for opponents that cannot play, games that are not played live, and clocks that people cannot keep.
    """
    rules = visible_ladder(connection, ladder, account)
    require_live(rules)
    other = account_named(connection, opponent)
    if other is None or other.state != "active" or not may_see(connection, rules, other):
        raise RefusedError(MISSING, f"there is nobody of the name {opponent[:40]!r} who could play here")
    if other.id == account.id:
        raise RefusedError(INVALID, "you cannot play yourself; name somebody else")
    control = _read_clock(clock)
    for live in _between(connection, rules, account.id, other.id):
        if live.state == PLAYING:
            return live
        if live.challenger == other.id:
            return write_change(connection, live, state=PLAYING, since=time.time())
        write_change(connection, live, state=VOID)  # wished otherwise before
    mine = live_games.c.challenger == account.id, live_games.c.state == WAITING
    if len(connection.execute(select(live_games.c.id).where(*mine)).all()) >= MOST_CHALLENGES:
        raise RefusedError(CONFLICT, f"{MOST_CHALLENGES} challenges of yours wait already; take one back first")
    players = (account.id, other.id) if seat == 0 else (other.id, account.id)
    audit.note(connection, account.id, "challenge", f"{rules.name}: {other.name}")
    return _add(connection, rules, players, account.id, control)


def challenge_bot(
    connection: Connection, account: Account, ladder: str, name: str, seat: int, clock: str | None
) -> LiveGame:
    """Begin a game against a bot of a ladder, by its name, or return to the one that is being played.

    Raises `RefusedError` for a bot that there is not, as long as another one is played, and without a free worker.
    """
    rules = visible_ladder(connection, ladder, account)
    require_live(rules)
    control = _read_clock(clock)
    called = or_(bots.c.name == name, bots.c.player == name)
    bot = connection.execute(select(bots).where(bots.c.ladder == rules.id, bots.c.state == "active", called)).first()
    if bot is None:
        raise RefusedError(MISSING, f"there is no bot {name[:40]!r} on {rules.name} that is being paired")
    mine = live_games.c.challenger == account.id, live_games.c.state == PLAYING, live_games.c.bot.is_not(None)
    for row in connection.execute(select(live_games).where(*mine)).all():
        live = read_live(connection, row)
        if row.bot == bot.id:
            return live
        raise RefusedError(CONFLICT, f"you are playing {' - '.join(live.names)} on {live.ladder.name}; end that first")
    _require_worker(connection)
    players = (account.id, bot.account) if seat == 0 else (bot.account, account.id)
    new = {"state": PLAYING, "bot": bot.id, "bot_seat": 1 - seat}
    live = _add(connection, rules, players, account.id, control, **new)
    add_job(connection, rules, LIVE, [bot.id], live.seed, live=live.id)
    return live


def require_live(ladder: LadderRow) -> None:
    """Raise `RefusedError` for a ladder whose game people do not play over the server."""
    game = game_labelled(ladder.rules.game)
    if ladder.state != "open":
        raise RefusedError(CONFLICT, f"the ladder {ladder.name} is closed")
    if game.num_players != 2 or not game.perfect_information or game.simultaneous or game.action_box is not None:
        raise RefusedError(
            INVALID,
            f"{game.label} is not played live: people play games of two that hide nothing, since both ends have the "
            "whole position",
        )


def _add(
    connection: Connection,
    ladder: LadderRow,
    players: Sequence[int],
    challenger: int,
    control: TimeControl | None,
    **more: Any,
) -> LiveGame:
    now = time.time()
    new: dict[str, Any] = {
        "ladder": ladder.id,
        "first": players[0],
        "second": players[1],
        "challenger": challenger,
        "clock": None if control is None else str(control),
        "seed": secrets.randbelow(2**63),
        "state": WAITING,
        "version": 0,
        "actions": [],
        "spent": [],
        "since": now,
        "created": now,
    }
    key = connection.execute(insert(live_games).values(new | more)).inserted_primary_key
    assert key is not None
    return read_live(connection, connection.execute(select(live_games).where(live_games.c.id == key[0])).one())


def _between(connection: Connection, ladder: LadderRow, one: int, other: int) -> list[LiveGame]:
    """Return the games between two accounts that are being played or wait for an answer, the oldest first."""
    first, second = live_games.c.first, live_games.c.second
    both = or_((first == one) & (second == other), (first == other) & (second == one))
    people = live_games.c.bot.is_(None)
    where = live_games.c.ladder == ladder.id, live_games.c.state.in_((WAITING, PLAYING)), both, people
    rows = connection.execute(select(live_games).where(*where).order_by(live_games.c.state, live_games.c.id))
    return [read_live(connection, row) for row in rows]


def _require_worker(connection: Connection) -> None:
    """Raise `RefusedError` unless there is a worker for one more live game, and one for the ladders beside it."""
    alive = workers.c.state == "active", workers.c.seen > time.time() - ALIVE_S
    there = len(connection.execute(select(workers.c.id).where(*alive)).all())
    busy = jobs.c.kind == LIVE, jobs.c.state.in_(("open", "leased"))
    taken = len(connection.execute(select(jobs.c.id).where(*busy)).all())
    if not there:
        raise RefusedError(CONFLICT, "no worker is there now that could play a bot; try again later")
    if taken >= max(there - 1, 1):
        raise RefusedError(CONFLICT, "all workers for games against people are busy; try again later")


def _read_clock(text: str | None) -> TimeControl | None:
    if text is None:
        return None
    with refusing():
        control = read_time_control(text)
        if control.searches:
            raise UsageError(f"clock={text}: people count no {' or '.join(control.searches)}; give them time")
    return control
