"""Pages for everybody: ladders, bots, matches, workers. Private ladders show themselves to their members alone."""

import time
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from arena.base.errors import UsageError
from arena.base.intervals import NORMAL_95
from arena.base.text import printable
from arena.match.verdict import FAULTS, Verdict
from arena.server import bots, ladders, live_games, workers
from arena.server.api import Id, LadderName, Server, visible_match
from arena.server.history import rating_history
from arena.server.pages.chart import rating_chart
from arena.server.pages.positions import Gallery
from arena.server.pages.rendering import page, static_file
from arena.server.pages.sessions import Visitor
from arena.server.pages.tables import ResultTable, result_table
from arena.server.refusals import MISSING, RefusedError
from arena.server.state import ServerState
from arena.store import MatchFilter, Selection, Store, StoredMatch

reading = APIRouter(include_in_schema=False)
LATEST = 30
"""Matches on the pages of a ladder and of a bot."""
MOST_IN_HEAT_MAP = 25
"""Bots of a table of payoffs, the best ones."""
GALLERY = Gallery()
RESULTS_S = 2.0
"""Seconds for which the results of a ladder are shown as they were read: all of its games are counted for them."""
_RESULTS: WeakKeyDictionary[Store, dict[int, tuple[ResultTable, float]]] = WeakKeyDictionary()


@reading.get("/static/{name}")
def static(name: str) -> Response:
    """Return the stylesheet, the script or the icon."""
    kinds = {"arena.css": "text/css", "arena.js": "text/javascript", "icon.svg": "image/svg+xml"}
    if name not in kinds:
        raise RefusedError(MISSING, "there is no such file")
    return Response(static_file(name), media_type=kinds[name], headers={"Cache-Control": "max-age=300"})


@reading.get("/")
def ladder_list(request: Request, server: Server, account: Visitor) -> Response:
    """Show the ladders that one may see."""
    with server.reading() as connection:
        known = ladders.list_ladders(connection, account)
        leaders = {one.name: ladders.standings(connection, one.id)[:1] for one in known}
    return page(request, "ladders.html", account, ladders=known, leaders=leaders)


@reading.get("/ladders/{name}")
def ladder(request: Request, server: Server, account: Visitor, name: LadderName) -> Response:
    """Show a ladder: standings, payoffs, the latest games."""
    with server.reading() as connection:
        visible = ladders.visible_ladder(connection, name, account)
        standings = ladders.standings(connection, visible.id)
        waiting = bots.list_bots(connection, ladder=visible.id, state="qualifying")
        playing = live_games.list_live(connection, visible)
    table = _results(server, visible)
    matches = [summary(one) for one in server.store.matches(MatchFilter(run=visible.run), limit=LATEST)]
    shown = [row["player"] for row in standings if row["active"]][:MOST_IN_HEAT_MAP]
    return page(
        request,
        "ladder.html",
        account,
        ladder=visible,
        standings=[row | {"half": NORMAL_95 * row["deviation"], "wdl": table.row(row["player"])} for row in standings],
        payoffs=[(one, [table.share(one, other) for other in shown]) for one in shown],
        names=shown,
        waiting=waiting,
        playing=playing,
        matches=matches,
    )


@reading.get("/bots/{number}")
def bot(request: Request, server: Server, account: Visitor, number: Id) -> Response:
    """Show a bot: its versions, its way in, its latest matches; to whoever submitted it, what went wrong as well."""
    with server.reading() as connection:
        shown, its_ladder = bots.visible_bot(connection, number, account)
        versions = bots.list_bots(connection, ladder=its_ladder.id, name=shown["name"])
        history = rating_history(connection, number)
    wanted = MatchFilter(player=shown["player"], run=its_ladder.run)
    own = account is not None and (account.id == shown["account"] or account.role == "owner")
    return page(
        request,
        "bot.html",
        account,
        bot=shown | {"half": NORMAL_95 * shown["deviation"]},
        ladder=its_ladder,
        chart=rating_chart(f"Elo of {printable(shown['player'])} by its number of games", history),
        versions=versions,
        own=own,
        wdl=_results(server, its_ladder).row(shown["player"]),
        matches=[summary(one) for one in server.store.matches(wanted, limit=LATEST)],
        faults=_faults(server, shown["player"], its_ladder.run) if own else [],
    )


@reading.get("/matches/{number}")
def match(
    request: Request,
    server: Server,
    account: Visitor,
    number: Id,
    move: Annotated[int | None, Query(ge=0, lt=2**31)] = None,
) -> Response:
    """Show a match after so many moves, by default at its end."""
    stored, its_ladder = visible_match(server, number, account)
    last = len(stored.record.actions)
    at = last if move is None else min(move, last)
    shown: dict[str, Any] = {"walk": None, "position": None, "fault": ""}
    try:
        shown["walk"] = GALLERY.walk(stored.record)
        shown["position"] = GALLERY.position(stored.record, at)
    except UsageError as error:
        shown["fault"] = str(error)
    return page(
        request,
        "match.html",
        account,
        match=summary(stored),
        ladder=its_ladder,
        record=stored.record,
        at=at,
        last=last,
        **shown,
    )


@reading.get("/workers")
def worker_table(request: Request, server: Server, account: Visitor) -> Response:
    """Show the workers."""
    with server.reading() as connection:
        return page(request, "workers.html", account, workers=workers.list_workers(connection))


def summary(stored: StoredMatch) -> dict[str, Any]:
    """Return a match as lists show it."""
    record = stored.record
    return {
        "id": stored.id,
        "added": stored.added,
        "players": record.players,
        "result": result_words(record.verdict, record.players),
        "length": len(record.actions),
    }


def result_words(verdict: Verdict, players: tuple[str, ...]) -> str:
    """Return how a match ended: who won, or what each earned, and a breach of the rules."""
    if len(players) > 2 or sum(verdict.returns) != 0:
        text = ", ".join(f"{one:+g}" for one in verdict.returns)
    elif verdict.returns[0] == verdict.returns[1]:
        text = "draw"
    else:
        text = f"{players[verdict.returns.index(max(verdict.returns))]} wins"
    if verdict.offender is not None:
        text += f": {players[verdict.offender]} {verdict.reason.value}"
    return text


def _results(server: ServerState, visible: ladders.LadderRow) -> ResultTable:
    """Return the results of a ladder, which are read once for all that look at the same time."""
    tables = _RESULTS.setdefault(server.store, {})
    table, until = tables.get(visible.run, (None, 0.0))
    if table is None or time.monotonic() > until:
        table = result_table(server.store.results(Selection(visible.rules.game, runs=(visible.run,))))
        tables[visible.run] = table, time.monotonic() + RESULTS_S
    return table


def _faults(server: ServerState, player: str, run: int) -> list[dict[str, Any]]:
    """Return the latest matches that a bot lost by breaking a rule, with what it answered or how it ended."""
    lost = []
    for reason in FAULTS:
        for one in server.store.matches(MatchFilter(player=player, run=run, reason=reason), limit=LATEST):
            verdict = one.record.verdict
            if verdict.offender is not None and one.record.players[verdict.offender] == player:
                lost.append(summary(one) | {"reason": reason.value, "detail": verdict.detail})
    return sorted(lost, key=lambda one: -one["id"])[:LATEST]
