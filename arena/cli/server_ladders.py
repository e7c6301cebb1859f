"""The ladders of a server, as `arena ladder URL` prints them."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from arena.base.extras import extra_imported
from arena.base.intervals import NORMAL_95
from arena.base.terminal import make_console
from arena.base.text import printable

if TYPE_CHECKING:
    from arena.server.models import BotStanding, LadderShown


def is_address(text: str) -> bool:
    """Return whether a text is meant for the address of a server."""
    return text.startswith(("http://", "https://"))


def print_server_ladders(address: str, limit: int, as_json: bool) -> None:
    """Print the standings of all ladders of a server, or of the one whose page the address is."""
    with extra_imported("ladder", "server"):
        from arena.server.client import Client, split_address
        from arena.server.models import BotStanding, LadderShown
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
        _print_standings(one, rows, console)
    if not shown:
        print(f"{url} has no ladders that you may see.")


def _print_standings(ladder: "LadderShown", rows: "Sequence[BotStanding]", console: Console) -> None:
    clock = "no clock" if ladder.clock is None else ladder.clock
    title = f"{ladder.name}: {ladder.game}, {clock}, {ladder.counted} jobs counted"
    console.print(printable(title), markup=False, highlight=False)
    table = Table(box=None, pad_edge=False)
    table.add_column("bot")
    for column in ("rating", "±95 %", "games"):
        table.add_column(column, justify="right")
    for row in rows:
        name = printable(row.player) + ("" if row.active else " (out)")
        table.add_row(name, f"{row.rating:.0f}", f"{NORMAL_95 * row.deviation:.0f}", f"{row.games}")
    console.print(table if rows else "no games yet", markup=False)
    console.print()
