"""The ladders of a server, as `arena ladder URL` prints them."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from arena.base.extras import extra_imported
from arena.base.intervals import NORMAL_95
from arena.base.terminal import make_console
from arena.base.text import printable
from arena.tui.drawing.plotting import spark

if TYPE_CHECKING:
    from arena.server.models import BotStanding, LadderShown, RatingShown

WAY = 24
"""Past ratings of a bot that are drawn, the newest."""


def is_address(text: str) -> bool:
    """Return whether a text is meant for the address of a server."""
    return text.startswith(("http://", "https://"))


def print_server_ladders(address: str, limit: int, as_json: bool) -> None:
    """Print the standings of all ladders of a server, or of the one whose page the address is."""
    with extra_imported("ladder", "server"):
        from arena.server.client import Client, split_address
        from arena.server.models import BotStanding, LadderShown, RatingShown
    url, name = split_address(address)
    client = Client.of_visitor(url)
    if name is None:
        ladders = client.read("/ladders", list[LadderShown])
    else:
        ladders = [client.read(f"/ladders/{name}", LadderShown)]
    shown = [(one, client.read(f"/ladders/{one.name}/standings", list[BotStanding])[:limit]) for one in ladders]
    if as_json:
        content = [one.model_dump() | {"standings": [row.model_dump() for row in rows]} for one, rows in shown]
        print(json.dumps(content, indent=2))
        return
    console = make_console()
    for one, rows in shown:
        bots = [] if name is None else [row.bot for row in rows]  # one request each: for a single ladder alone
        ways = {bot: client.read(f"/bots/{bot}/history", list[RatingShown]) for bot in bots}
        _print_standings(one, rows, ways, console)
    if not shown:
        print(f"{url} has no ladders that you may see.")


def _print_standings(
    ladder: "LadderShown",
    rows: "Sequence[BotStanding]",
    ways: "Mapping[int, Sequence[RatingShown]]",
    console: Console,
) -> None:
    clock = "no clock" if ladder.clock is None else ladder.clock
    title = f"{ladder.name}: {ladder.game}, {clock}, {ladder.counted} jobs counted"
    console.print(printable(title), markup=False, highlight=False)
    table = Table(box=None, pad_edge=False)
    table.add_column("bot")
    for column in ("rating", "±95 %", "games"):
        table.add_column(column, justify="right")
    if ways:
        table.add_column("so far")
    for row in rows:
        name = printable(row.player) + ("" if row.active else " (out)")
        way = [spark([one.rating for one in ways[row.bot]], WAY)] if ways else []
        table.add_row(name, f"{row.rating:.0f}", f"{NORMAL_95 * row.deviation:.0f}", f"{row.games}", *way)
    console.print(table if rows else "no games yet", markup=False)
    console.print()
