"""Live games: people play each other or a bot, move by move; the server keeps the moves and the clocks.

They begin by a challenge (`arena.server.challenges`). A bot is played by a worker, to whom the game is a job. A change
is made to the game as it was read, or not at all: each has a version, which grows by one with every change.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Row, or_, select, update

from arena.match.match import Match
from arena.match.replay import game_labelled, match_after
from arena.match.time_control import GameClocks, TimeControl, read_time_control
from arena.match.verdict import Reason, Verdict, agreed, forfeit, has_agreed_draws
from arena.server.accounts import WORKER, Account
from arena.server.jobs import end_live, holds_live
from arena.server.ladders import LadderRow, ladder_numbered, may_see
from arena.server.refusals import CONFLICT, FORBIDDEN, INVALID, MISSING, RefusedError, refusing
from arena.server.schema import accounts, bots, live_games
from arena.server.state import ServerState
from games.engine.game import Game

State = Literal["waiting", "playing", "over", "void"]
WAITING, PLAYING, OVER, VOID = get_args(State)
LAG_S = 1.0
"""Seconds of each move that are the network's, not the player's."""
LONGEST_MOVE_S = 86400.0
"""Seconds after which somebody without a clock has left the game, and a challenge is accepted no more."""
LONGEST_MOVE_WITH_BOT_S = 600.0
"""The same in games against bots, which keep a worker."""
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
    state: State
    version: int
    actions: tuple[int, ...]
    spent: tuple[tuple[int, float], ...]
    """Seat and seconds of each action."""
    draw_by: int | None
    """Seat that offers a draw; None for no offer."""
    since: float
    """When the clock of the seat to move began."""
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
    def game(self) -> Game:
        """Game that is played."""
        return game_labelled(self.ladder.rules.game)

    def replayed(self) -> Match:
        """Return the match in its present position."""
        return match_after(self.game, self.names, self.seed, self.actions)

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
        return GameClocks(self.control or TimeControl(), len(self.players), self.spent)


def find_live(connection: Connection, number: int, account: Account | None) -> LiveGame:
    """Return a live game; `RefusedError` if there is none that an account, None for a passer-by, may watch.

    Workers play on all ladders, also on those that they do not see.
    """
    row = connection.execute(select(live_games).where(live_games.c.id == number)).one_or_none()
    works = account is not None and account.role == WORKER
    if row is None or not (works or may_see(connection, ladder_numbered(connection, row.ladder), account)):
        raise RefusedError(MISSING, f"there is no live game {number}")
    return read_live(connection, row)


def played_by(account: int) -> ColumnElement[bool]:
    """Return the condition of the games in which an account plays, itself or by its bot."""
    return or_(live_games.c.first == account, live_games.c.second == account)


def list_live(connection: Connection, ladder: LadderRow) -> list[LiveGame]:
    """Return the games that are being played on a ladder, the newest first."""
    playing = live_games.c.ladder == ladder.id, live_games.c.state == PLAYING
    rows = connection.execute(select(live_games).where(*playing).order_by(live_games.c.id.desc()).limit(50))
    return [read_live(connection, row) for row in rows]


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
    if live.draw_by == 1 - seat:  # a move declines
        changes["draw_by"] = None
    if match.verdict is not None:
        changes |= {"state": OVER, "verdict": _written(match.verdict)}
    return _change(server, live, since=time.time(), **changes)


def offer_draw(server: ServerState, account: Account, number: int) -> LiveGame:
    """Offer a draw, or accept the other's offer; the same offer again, or in an ended game, changes nothing.

    An offer stands until the other moves. Raises `RefusedError` where nobody could accept.
    """
    return _again(lambda: _offer_draw(server, account, number))


def _offer_draw(server: ServerState, account: Account, number: int) -> LiveGame:
    live, seat = _own(server, account, number, None)
    if live.state == WAITING:
        raise RefusedError(CONFLICT, "the game has not begun")
    if live.bot_seat is not None:
        raise RefusedError(CONFLICT, f"{live.names[live.bot_seat]} is a bot, and agrees on no draw")
    if not has_agreed_draws(live.game):
        raise RefusedError(CONFLICT, f"nobody agrees on draws in {live.game.label}")
    if live.state != PLAYING or live.draw_by == seat:
        return live
    if live.draw_by is None:
        return _change(server, live, draw_by=seat)
    return _end(server, live, agreed(len(live.players)))


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
    return _end(server, live, forfeit(len(live.players), seat, reason, loss=live.game.forfeit_return))


def flag(server: ServerState, live: LiveGame) -> LiveGame:
    """End a game in which the time of whoever is to move is over, and void an old challenge; return it as it is now."""
    now = time.time()
    try:
        if live.state == WAITING and now - live.since > LONGEST_MOVE_S:
            return _change(server, live, state=VOID)
        if live.is_late(now):
            return _end(server, live, _late(live.game, live.to_move))
    except ChangedError:  # somebody else was quicker
        with server.reading() as connection:
            return read_live(connection, connection.execute(select(live_games).where(live_games.c.id == live.id)).one())
    return live


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
        return write_change(connection, live, **values)

    changed = server.writer.do(operation)
    server.live_versions[changed.id] = changed.version
    return changed


def write_change(connection: Connection, live: LiveGame, **values: Any) -> LiveGame:
    """Change a game; `ChangedError` if it has been changed since it was read."""
    unchanged = live_games.c.id == live.id, live_games.c.version == live.version
    new = values | {"version": live.version + 1}
    if not connection.execute(update(live_games).where(*unchanged).values(new)).rowcount:
        raise ChangedError(CONFLICT, "the game has changed meanwhile; look at it again")
    if live.bot_seat is not None and values.get("state") in (OVER, VOID):
        end_live(connection, live.id)
    return read_live(connection, connection.execute(select(live_games).where(live_games.c.id == live.id)).one())


def read_live(connection: Connection, row: Row[Any]) -> LiveGame:
    """Return the live game of a row."""
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
        draw_by=row.draw_by,
        since=row.since,
        verdict=None if row.verdict is None else _read(row.verdict),
    )


def _late(game: Game, seat: int) -> Verdict:
    return forfeit(game.num_players, seat, Reason.LATE, loss=game.forfeit_return)


def _written(verdict: Verdict) -> dict[str, Any]:
    return {"returns": verdict.returns, "reason": verdict.reason.value, "offender": verdict.offender}


def _read(stored: dict[str, Any]) -> Verdict:
    return Verdict(tuple(stored["returns"]), Reason(stored["reason"]), stored["offender"])
