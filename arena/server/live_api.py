"""The routes of live games under /api/v1: challenges, moves, and waiting for what happens next."""

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool

from arena.match.verdict import Reason
from arena.server import challenges, ladders, live_games, models
from arena.server.accounts import Account
from arena.server.api import REFUSALS, Caller, Id, Known, LadderName, Server
from arena.server.live_games import PLAYING, LiveGame
from arena.server.refusals import INVALID, RefusedError
from arena.server.state import ServerState

live_routes = APIRouter(prefix="/api/v1", responses=REFUSALS)
WAIT_S = 20.0
"""Most seconds after which whoever waits for a change gets the game as it is."""
LOOK_S = 0.05
"""Seconds between looks for a change, in memory."""
Version = Annotated[int | None, Query(ge=0, lt=2**31)]
Wait = Annotated[float, Query(ge=0, le=WAIT_S)]


@live_routes.post("/ladders/{name}/live", status_code=201)
def challenge(server: Server, account: Known, name: LadderName, wanted: models.Challenge) -> models.LiveGameShown:
    """Challenge somebody to a game, accept such a challenge, or return to the game between the two.

    A bot accepts at once; a worker plays for it.
    """
    if (wanted.opponent is None) == (wanted.bot is None):
        raise RefusedError(INVALID, "name one of opponent and bot")

    def operation(connection: Any) -> LiveGame:
        wishes = wanted.seat - 1, wanted.clock
        if wanted.bot is not None:
            return challenges.challenge_bot(connection, account, name, wanted.bot, *wishes)
        return challenges.challenge(connection, account, name, str(wanted.opponent), *wishes)

    live = server.writer.do(operation)
    server.live_versions[live.id] = live.version
    return shown(live)


@live_routes.get("/ladders/{name}/live")
def list_live(server: Server, account: Caller, name: LadderName) -> list[models.LiveGameShown]:
    """List the live games that are being played on a ladder, the newest first."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
        return [shown(live) for live in live_games.list_live(connection, visible)]


@live_routes.get("/live/{number}")
async def live_game(
    server: Server, account: Caller, number: Id, after: Version = None, wait: Wait = WAIT_S
) -> models.LiveGameShown:
    """Return a live game; with `after`, wait up to `wait` seconds for a later version than that."""
    return shown(await changed(server, account, number, after, wait))


@live_routes.post("/live/{number}/moves")
def play(server: Server, account: Known, number: Id, move: models.LiveMove) -> models.LiveGameShown:
    """Play a move. The same move a second time changes nothing."""
    return shown(live_games.play(server, account, number, move.place, move.action, move.lease))


@live_routes.post("/live/{number}/draw")
def offer_draw(server: Server, account: Known, number: Id) -> models.LiveGameShown:
    """Offer a draw, or accept the other's offer, which stands until one moves. A second offer changes nothing."""
    return shown(live_games.offer_draw(server, account, number))


@live_routes.post("/live/{number}/end")
def leave(server: Server, account: Known, number: Id, leaving: models.Leaving) -> models.LiveGameShown:
    """Lose a game by resigning or by one's own clock, or take back a challenge."""
    return shown(live_games.leave(server, account, number, Reason(leaving.reason), leaving.lease))


async def changed(
    server: ServerState, account: Account | None, number: int, after: int | None, wait: float = WAIT_S
) -> LiveGame:
    """Return a live game once it has another version than `after`, at the latest after `wait` seconds."""
    until = time.monotonic() + wait
    while True:
        live = await run_in_threadpool(_read, server, account, number)
        if live.version != after or server.draining or time.monotonic() >= until:
            return live
        while time.monotonic() < until and server.live_versions.get(number, after) == after:
            if server.draining or live.is_late(time.time()):
                break
            await asyncio.sleep(LOOK_S)


def _read(server: ServerState, account: Account | None, number: int) -> LiveGame:
    with server.reading() as connection:
        live = live_games.find_live(connection, number, account)
    return live_games.flag(server, live)


def shown(live: LiveGame) -> models.LiveGameShown:
    """Return a live game as it goes over the wire."""
    verdict = live.verdict
    return models.LiveGameShown(
        id=live.id,
        ladder=live.ladder.name,
        game=live.ladder.rules.game,
        players=list(live.names),
        bot_seat=live.bot_seat,
        challenger=live.names[live.players.index(live.challenger)],
        clock=None if live.control is None else str(live.control),
        seed=live.seed,
        state=live.state,
        version=live.version,
        actions=list(live.actions),
        to_move=live.to_move if live.state == PLAYING else None,
        seats=[seat for seat, _ in live.spent],
        spent_s=[seconds for _, seconds in live.spent],
        draw_by=live.draw_by,
        since=live.since,
        returns=None if verdict is None else list(verdict.returns),
        reason=None if verdict is None else verdict.reason.value,
        offender=None if verdict is None else verdict.offender,
    )
