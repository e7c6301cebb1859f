"""`arena ladder`: the players of a game in a store, by rating."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated

import tyro
from rich.box import SIMPLE
from rich.table import Column, Table
from rich.text import Text

from arena.base.checks import numbers_in, require_at_least
from arena.base.passwords import without_password
from arena.base.terminal import make_console
from arena.policy.registry import make_game
from arena.store import DEFAULT_URL, LadderRow, Store


@dataclass(frozen=True)
class Options:
    """List the players of a game by their latest rating, with the number of their games in a store."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """Game, with options after its name: tic_tac_toe:m=6,n=6,k=4."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the matches: path of an SQLite file, or URL of another database."""
    limit: int = 20
    """Largest number of players in the list."""
    json: bool = False
    """Print JSON instead of a table."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "limit"))


def run(options: Options) -> int:
    """Print the ladder."""
    label = make_game(options.game).label
    with Store(options.store, create=False) as store:
        rows = store.ladder(label, options.limit)
    if options.json:
        print(json.dumps([asdict(row) | {"games": row.games} for row in rows], indent=2))
    elif rows:
        make_console().print(_table(rows))
    else:
        print(f"Nobody has played {label} in {without_password(options.store)}.")
    return 0


def _table(rows: list[LadderRow]) -> Table:
    numbers = (Column(name, justify="right", no_wrap=True) for name in ("Elo", "95 %", "games", "W/D/L"))
    table = Table(Column("", justify="right"), "player", *numbers, "rated (UTC)", box=SIMPLE, padding=(0, 1, 0, 0))
    for place, row in enumerate(rows, start=1):
        rated = () if row.rated is None else (f"{row.elo:.0f}", f"{row.low:.0f} to {row.high:.0f}")
        when = "" if row.rated is None else f"{datetime.fromtimestamp(row.rated, UTC):%Y-%m-%d %H:%M}"
        counts = (f"{row.games:,}", f"{row.wins}/{row.draws}/{row.losses}")
        table.add_row(str(place), Text(row.player), *(rated or ("–", "–")), *counts, when)
    return table
