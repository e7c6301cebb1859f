"""Events: the games of a ladder as they come in, in a list, or played again move by move as a broadcast.

Workers report whole games, so that nobody learns of a position before its game is over; a broadcast runs behind. Games
in which people play are shown as they are played.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from arena.base.errors import UsageError
from arena.server import ladders, live_games
from arena.server.accounts import Account
from arena.server.api import Id, LadderName, Server
from arena.server.live_api import changed
from arena.server.pages.live_position import shown_live
from arena.server.pages.reading import GALLERY, summary
from arena.server.pages.rendering import TEMPLATES, page
from arena.server.pages.sessions import Visitor
from arena.server.refusals import CLOSED, RefusedError
from arena.server.state import ServerState
from arena.store import MatchFilter, StoredMatch

live = APIRouter(include_in_schema=False)
STREAM_S = 300.0
"""Seconds after which a stream ends; browsers open it again."""
POLL_S, MOVE_S, PAUSE_S = 1.0, 0.5, 3.0
"""Seconds between looks for new games, between moves, and after a game."""
MOST_SPECTATORS = 1000
"""Streams at a time."""
NEWEST = 20
"""Games that a list gets at once."""


class Streams:
    """The number of open streams, and the newest games of each ladder, which all of its streams share."""

    def __init__(self) -> None:
        self.open = 0
        self._newest: dict[tuple[str, int], tuple[float, list[StoredMatch]]] = {}

    async def newest(self, server: ServerState, run: int) -> list[StoredMatch]:
        """Return the newest games of a ladder, the oldest of them first; at most one query a second asks for them."""
        at, games = self._newest.get((server.store.name, run), (0.0, []))
        if time.monotonic() - at > POLL_S:
            self._newest[server.store.name, run] = time.monotonic(), games  # others keep the old ones meanwhile
            games = await run_in_threadpool(server.store.matches, MatchFilter(run=run), limit=NEWEST)
            self._newest[server.store.name, run] = time.monotonic(), games
        return games[::-1]


STREAMS = Streams()


@live.get("/ladders/{name}/live")
def broadcast_page(request: Request, server: Server, account: Visitor, name: LadderName) -> Response:
    """Show the newest game of a ladder, move by move."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    return page(request, "live.html", account, ladder=visible)


@live.get("/ladders/{name}/events")
def game_events(
    server: Server,
    account: Visitor,
    name: LadderName,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Stream the games of a ladder that come in."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    after = int(last_event_id) if last_event_id and last_event_id.isdecimal() else None
    return _stream(server, _games(server, visible.run, after))


@live.get("/ladders/{name}/live/events")
def position_events(server: Server, account: Visitor, name: LadderName) -> Response:
    """Stream the newest game of a ladder by its positions, then the newest by then."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
    return _stream(server, _positions(server, visible.run))


@live.get("/live/{number}")
def live_page(request: Request, server: Server, account: Visitor, number: Id) -> Response:
    """Show a live game as it stands, and then as it goes on."""
    with server.reading() as connection:
        game = live_games.find_live(connection, number, account)
    return page(request, "live_game.html", account, live=game, **shown_live(game))


@live.get("/live/{number}/events")
def live_events(server: Server, account: Visitor, number: Id) -> Response:
    """Stream the positions of a live game."""
    with server.reading() as connection:
        live_games.find_live(connection, number, account)
    return _stream(server, _live_positions(server, account, number))


def _stream(server: ServerState, events: AsyncIterator[str]) -> Response:
    if STREAMS.open >= MOST_SPECTATORS:
        raise RefusedError(CLOSED, "there are too many spectators now; try again later")
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_bounded(server, events), media_type="text/event-stream", headers=headers)


async def _bounded(server: ServerState, events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield events until the server drains or the stream has lasted long enough."""
    STREAMS.open += 1
    try:
        until = time.monotonic() + STREAM_S
        async for event in events:
            yield event
            if server.draining or time.monotonic() > until:
                return
    finally:
        STREAMS.open -= 1


async def _games(server: ServerState, run: int, after: int | None) -> AsyncIterator[str]:
    """Yield each new game, and a comment where there is none, by which a broken connection is noticed."""
    while True:
        games = await STREAMS.newest(server, run)
        if after is None:
            after = games[-1].id if games else 0
        for one in games:
            if one.id > after:
                after = one.id
                yield _event("game", summary(one) | {"players": list(one.record.players)}, one.id)
        yield ":\n\n"
        await asyncio.sleep(POLL_S)


async def _positions(server: ServerState, run: int) -> AsyncIterator[str]:
    shown = 0
    while True:
        games = await STREAMS.newest(server, run)
        if not games or games[-1].id == shown:
            yield ":\n\n"
            await asyncio.sleep(POLL_S)
            continue
        shown = games[-1].id
        for move in range(len(games[-1].record.actions) + 1):
            yield _event("position", {"match": shown, "html": await run_in_threadpool(_drawn, games[-1], move)})
            await asyncio.sleep(MOVE_S)
        await asyncio.sleep(PAUSE_S)


async def _live_positions(server: ServerState, account: Account | None, number: int) -> AsyncIterator[str]:
    version = None
    while True:
        game = await changed(server, account, number, version)
        if game.version == version:
            yield ":\n\n"
            continue
        version = game.version
        html = await run_in_threadpool(
            TEMPLATES.get_template("live_position.html").render, live=game, **shown_live(game)
        )
        yield _event("position", {"html": html})


def _drawn(stored: StoredMatch, move: int) -> str:
    """Return a position of a match as HTML."""
    record = stored.record
    shown: dict[str, Any] = {"match": summary(stored), "record": record, "at": move, "last": len(record.actions)}
    try:
        shown |= {"walk": GALLERY.walk(record), "position": GALLERY.position(record, move)}
    except UsageError as error:
        return TEMPLATES.get_template("fault.html").render(fault=str(error))
    return TEMPLATES.get_template("position.html").render(**shown)


def _event(name: str, data: dict[str, Any], number: int | None = None) -> str:
    """Return an event as it goes over the wire: JSON has no line breaks."""
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"
