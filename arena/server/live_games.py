"""Live games: people play each other or a bot, move by move; the server keeps the moves and the clocks.

A person who is challenged accepts by challenging back; a bot is played by a worker, to whom the game is a job. A change
is made to the game as it was read, or not at all: each has a version, which grows by one with every change.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, insert, or_, select, update

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.match.match import Match
from arena.match.replay import empty_seats, game_labelled
from arena.match.time_control import GameClocks, TimeControl, read_time_control
from arena.match.verdict import Reason, Verdict, forfeit
from arena.server import audit
from arena.server.accounts import WORKER, Account, account_named
from arena.server.jobs import LIVE, add_job, end_live, holds_live
from arena.server.ladders import LadderRow, ladder_numbered, may_see, visible_ladder
from arena.server.refusals import CONFLICT, FORBIDDEN, INVALID, MISSING, RefusedError, refusing
from arena.server.schema import accounts, bots, jobs, live_games, workers
from arena.server.state import ServerState
from arena.server.workers import ALIVE_S
from games.engine.game import Game

State = Literal["waiting", "playing", "over", "void"]
WAITING, PLAYING, OVER, VOID = get_args(State)
LAG_S = 1.0
"""Seconds of each move that are the network's, not the player's."""
LONGEST_MOVE_S = 86400.0
"""Seconds after which somebody without a clock has left the game, and a challenge is accepted no more."""
LONGEST_MOVE_WITH_BOT_S = 600.0
"""The same in games against bots, which keep a worker."""
MOST_CHALLENGES = 20
"""Most challenges of an account that wait for an answer."""

MOST_TRIES = 3
"""Times that a request is answered anew where others change the game meanwhile."""


class ChangedError(RefusedError):
    """Raised where a game has been changed since it was read: the same request may be answered otherwise now."""


@dataclass(frozen=True)
class LiveGame:
    """A live game as of the time of the query."""

    id: int
    ladder: LadderRow
    """Whose game it is, and who may watch."""
    players: tuple[int | None, ...]
    """Accounts by seat; None for a bot."""
    names: tuple[str, ...]
    challenger: int
    """Account."""
    control: TimeControl | None
    seed: int
    """Of a session at a screen, whose first game this is."""
    state: State
    version: int
    actions: tuple[int, ...]
    spent: tuple[tuple[int, float], ...]
    """Seat and seconds of each action."""
    since: float
    """When the last change was made."""
    verdict: Verdict | None

    @property
    def bot_seat(self) -> int | None:
        """Seat of the bot; None between people."""
        return self.players.index(None) if None in self.players else None

    @property
    def longest_move_s(self) -> float:
        """Seconds for a move where there is no clock: a worker waits for no person for ever."""
        return LONGEST_MOVE_S if self.bot_seat is None else LONGEST_MOVE_WITH_BOT_S

    @property
    def match_seed(self) -> int:
        """Seed of the game itself."""
        return spawn_seeds(self.seed, 0, count=1)[0]

    def replayed(self) -> Match:
        """Return the match in its present position."""
        match = empty_seats(game_labelled(self.ladder.rules.game), self.names, self.match_seed)
        for action in self.actions:
            match.play(action)
        return match

    @cached_property
    def to_move(self) -> int:
        """The seat to move."""
        return self.replayed().seat

    def is_late(self, now: float) -> bool:
        """Return whether the time of the seat to move is over."""
        if self.state != PLAYING:
            return False
        left = self.longest_move_s if self.control is None else self.clocks().reading(self.to_move).seconds_left
        return left is not None and now - self.since - LAG_S > left

    def clocks(self) -> GameClocks:
        """Return the clocks after the last action."""
        clocks = GameClocks(self.control or TimeControl(), len(self.players))
        for seat, seconds in self.spent:
            clocks.spend(seat, seconds)
        return clocks


def find_live(connection: Connection, number: int, account: Account | None) -> LiveGame:
    """Return a live game; `RefusedError` if there is none that an account, None for a passer-by, may watch.

    Workers play on all ladders, also on those that they do not see.
    """
    row = connection.execute(select(live_games).where(live_games.c.id == number)).one_or_none()
    works = account is not None and account.role == WORKER
    if row is None or not (works or may_see(connection, ladder_numbered(connection, row.ladder), account)):
        raise RefusedError(MISSING, f"there is no live game {number}")
    return _live(connection, row)


def list_live(connection: Connection, ladder: LadderRow) -> list[LiveGame]:
    """Return the games that are being played on a ladder, the newest first."""
    playing = live_games.c.ladder == ladder.id, live_games.c.state == PLAYING
    rows = connection.execute(select(live_games).where(*playing).order_by(live_games.c.id.desc()).limit(50))
    return [_live(connection, row) for row in rows]


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
            return _changed(connection, live, state=PLAYING, since=time.time())
        _changed(connection, live, state=VOID)  # wished otherwise before
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
        live = _live(connection, row)
        if row.bot == bot.id:
            return live
        raise RefusedError(CONFLICT, f"you are playing {' - '.join(live.names)} on {live.ladder.name}; end that first")
    _require_worker(connection)
    players = (account.id, bot.account) if seat == 0 else (bot.account, account.id)
    new = {"state": PLAYING, "bot": bot.id, "bot_seat": 1 - seat}
    live = _add(connection, rules, players, account.id, control, **new)
    add_job(connection, rules, LIVE, [bot.id], live.seed, live=live.id)
    return live


def play(
    server: ServerState, account: Account, number: int, place: int, action: int, lease: str | None = None
) -> LiveGame:
    """Play the action number `place` of a game; the same once more changes nothing. `lease` is that of a bot's worker.

    Raises `RefusedError` for an illegal action, and for one out of turn or of who does not play.
    """
    return _again(lambda: _play(server, account, number, place, action, lease))


def _play(server: ServerState, account: Account, number: int, place: int, action: int, lease: str | None) -> LiveGame:
    live, seat = _own(server, account, number, lease)
    if live.state == PLAYING and live.actions[place : place + 1] == (action,) and live.spent[place][0] == seat:
        return live
    if live.state != PLAYING:
        raise RefusedError(CONFLICT, f"the game is {live.state}")
    if place != len(live.actions):
        raise RefusedError(CONFLICT, f"{len(live.actions)} moves have been played, so that the next is not {place}")
    match = live.replayed()
    if match.seat != seat:
        raise RefusedError(CONFLICT, f"it is the turn of {live.names[match.seat]}")
    seconds = max(time.time() - live.since - LAG_S, 0.0)
    if not live.clocks().spend(seat, seconds) or seconds > live.longest_move_s:
        return _end(server, live, _late(match.game, seat))
    with refusing():
        match.play(action)
    changes: dict[str, Any] = {"actions": [*live.actions, action], "spent": [*live.spent, (seat, seconds)]}
    if match.verdict is not None:
        changes |= {"state": OVER, "verdict": _written(match.verdict)}
    return _change(server, live, since=time.time(), **changes)


def leave(server: ServerState, account: Account, number: int, reason: Reason, lease: str | None = None) -> LiveGame:
    """Take back a challenge, or lose a game by resigning or by one's own clock; an ended game stays as it is.

    A bot loses by other faults as well, as its worker says, whose `lease` that is.
    """
    if lease is None and reason not in (Reason.RESIGNED, Reason.LATE):
        raise RefusedError(INVALID, f"people do not lose as {reason}")
    return _again(lambda: _leave(server, account, number, reason, lease))


def _leave(server: ServerState, account: Account, number: int, reason: Reason, lease: str | None) -> LiveGame:
    live, seat = _own(server, account, number, lease)
    if live.state == WAITING:
        return _change(server, live, state=VOID)
    if live.state != PLAYING:
        return live
    game = game_labelled(live.ladder.rules.game)
    return _end(server, live, forfeit(len(live.players), seat, reason, loss=game.forfeit_return))


def flag(server: ServerState, live: LiveGame) -> LiveGame:
    """End a game in which the time of whoever is to move is over, and void an old challenge; return it as it is now."""
    now = time.time()
    try:
        if live.state == WAITING and now - live.since > LONGEST_MOVE_S:
            return _change(server, live, state=VOID)
        if live.is_late(now):
            return _end(server, live, _late(game_labelled(live.ladder.rules.game), live.to_move))
    except ChangedError:  # somebody else was quicker
        with server.reading() as connection:
            return _live(connection, connection.execute(select(live_games).where(live_games.c.id == live.id)).one())
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
    return _live(connection, connection.execute(select(live_games).where(live_games.c.id == key[0])).one())


def _between(connection: Connection, ladder: LadderRow, one: int, other: int) -> list[LiveGame]:
    """Return the games between two accounts that are being played or wait for an answer, the oldest first."""
    first, second = live_games.c.first, live_games.c.second
    both = or_((first == one) & (second == other), (first == other) & (second == one))
    people = live_games.c.bot.is_(None)
    where = live_games.c.ladder == ladder.id, live_games.c.state.in_((WAITING, PLAYING)), both, people
    rows = connection.execute(select(live_games).where(*where).order_by(live_games.c.state, live_games.c.id))
    return [_live(connection, row) for row in rows]


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


def _own(server: ServerState, account: Account, number: int, lease: str | None) -> tuple[LiveGame, int]:
    """Return a live game as it is now, and the seat of an account, or of the bot whose worker has this lease.

    Raises `RefusedError` for who does not play.
    """
    with server.reading() as connection:
        live = find_live(connection, number, account)
        if lease is not None and live.bot_seat is not None and holds_live(connection, number, lease):
            return flag(server, live), live.bot_seat
    if lease is not None or account.id not in live.players:
        raise RefusedError(FORBIDDEN, f"live game {number} is played by {' and '.join(live.names)}")
    return flag(server, live), live.players.index(account.id)


def _again(request: Callable[[], LiveGame]) -> LiveGame:
    """Answer a request; once more where somebody else has changed the game meanwhile."""
    for _ in range(MOST_TRIES):
        with suppress(ChangedError):
            return request()
    return request()


def _end(server: ServerState, live: LiveGame, verdict: Verdict) -> LiveGame:
    return _change(server, live, state=OVER, since=time.time(), verdict=_written(verdict))


def _change(server: ServerState, live: LiveGame, **values: Any) -> LiveGame:
    """Write a change, and tell those who wait for it."""

    def operation(connection: Connection) -> LiveGame:
        return _changed(connection, live, **values)

    changed = server.writer.do(operation)
    server.live_versions[changed.id] = changed.version
    return changed


def _changed(connection: Connection, live: LiveGame, **values: Any) -> LiveGame:
    """Change a game; `ChangedError` if it has been changed since it was read."""
    unchanged = live_games.c.id == live.id, live_games.c.version == live.version
    new = values | {"version": live.version + 1}
    if not connection.execute(update(live_games).where(*unchanged).values(new)).rowcount:
        raise ChangedError(CONFLICT, "the game has changed meanwhile; look at it again")
    if live.bot_seat is not None and values.get("state") in (OVER, VOID):
        end_live(connection, live.id)
    return _live(connection, connection.execute(select(live_games).where(live_games.c.id == live.id)).one())


def _live(connection: Connection, row: Row[Any]) -> LiveGame:
    query = select(accounts.c.id, accounts.c.name).where(accounts.c.id.in_((row.first, row.second)))
    by_account = {number: name for number, name in connection.execute(query)}
    players: list[int | None] = [row.first, row.second]
    names = [by_account[row.first], by_account[row.second]]
    if row.bot is not None:
        players[row.bot_seat] = None
        names[row.bot_seat] = connection.execute(select(bots.c.player).where(bots.c.id == row.bot)).scalar_one()
    return LiveGame(
        id=row.id,
        ladder=ladder_numbered(connection, row.ladder),
        players=tuple(players),
        names=tuple(names),
        challenger=row.challenger,
        control=None if row.clock is None else read_time_control(row.clock),
        seed=row.seed,
        state=row.state,
        version=row.version,
        actions=tuple(row.actions),
        spent=tuple((seat, seconds) for seat, seconds in row.spent),
        since=row.since,
        verdict=None if row.verdict is None else _read(row.verdict),
    )


def _read_clock(text: str | None) -> TimeControl | None:
    if text is None:
        return None
    with refusing():
        control = read_time_control(text)
        if control.searches:
            raise UsageError(f"clock={text}: people count no {' or '.join(control.searches)}; give them time")
    return control


def _late(game: Game, seat: int) -> Verdict:
    return forfeit(game.num_players, seat, Reason.LATE, loss=game.forfeit_return)


def _written(verdict: Verdict) -> dict[str, Any]:
    return {"returns": verdict.returns, "reason": verdict.reason.value, "offender": verdict.offender}


def _read(stored: dict[str, Any]) -> Verdict:
    return Verdict(tuple(stored["returns"]), Reason(stored["reason"]), stored["offender"])
