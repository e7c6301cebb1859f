"""The ladders of a server, as `arena ladder URL` prints them."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.intervals import NORMAL_95
from arena.base.terminal import make_console
from arena.base.text import printable


def is_address(text: str) -> bool:
    """Return whether a text is meant for the address of a server."""
    return text.startswith(("http://", "https://"))


def print_server_ladders(address: str, limit: int, as_json: bool) -> None:
    """Print the standings of all ladders of a server, or of the one whose page the address is."""
    try:
        from arena.server.client import Client, split_address
    except ModuleNotFoundError as error:
        raise UsageError(f"ladder needs the package {error.name}; {install_command('server')}") from None
    url, name = split_address(address)
    client = Client.of_visitor(url)
    known = client.get("/ladders") if name is None else [client.get(f"/ladders/{name}")]
    shown = [one | {"standings": client.get(f"/ladders/{one['name']}/standings")[:limit]} for one in known]
    if as_json:
        print(json.dumps(shown, indent=2))
        return
    console = make_console()
    for one in shown:
        _print_standings(one, console)
    if not shown:
        print(f"{url} has no ladders that you may see.")


def _print_standings(ladder: dict[str, Any], console: Console) -> None:
    clock = "no clock" if ladder["clock"] is None else ladder["clock"]
    title = f"{ladder['name']}: {ladder['game']}, {clock}, {ladder['counted']} jobs counted"
    console.print(printable(title), markup=False, highlight=False)
    table = Table(box=None, pad_edge=False)
    table.add_column("bot")
    for column in ("rating", "±95 %", "games"):
        table.add_column(column, justify="right")
    for row in ladder["standings"]:
        name = printable(row["player"]) + ("" if row["active"] else " (out)")
        table.add_row(name, f"{row['rating']:.0f}", f"{NORMAL_95 * row['deviation']:.0f}", f"{row['games']}")
    console.print(table if ladder["standings"] else "no games yet", markup=False)
    console.print()
