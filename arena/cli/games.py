"""`arena games`: what can be played."""

import json
from dataclasses import asdict, dataclass

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from arena.registry import GAMES, make_game


@dataclass(frozen=True)
class Options:
    """List the games with their players, actions, observations and options.

    An option follows the game's name: tic_tac_toe:m=6,n=6,k=4
    """

    json: bool = False
    """Print JSON instead of a table."""


@dataclass(frozen=True)
class Row:
    """What the list says of a game."""

    game: str
    players: int
    actions: int
    observation: tuple[int, ...]
    traits: str
    options: dict[str, int]
    pettingzoo: str | None


def run(options: Options) -> int:
    """Print the list."""
    rows = []
    for name in GAMES.names():
        game = make_game(name)
        traits = ("perfect" if game.perfect_information else "hidden") + (", zero-sum" if game.zero_sum else "")
        rows.append(
            Row(
                name,
                game.num_players,
                game.num_actions,
                game.observation_shape,
                traits,
                dict(game.options),
                game.pettingzoo_name,
            )
        )
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    Console().print(_table(rows))
    return 0


def _table(rows: list[Row]) -> Table:
    table = Table(
        Column("game", no_wrap=True),
        "seats",
        "actions",
        "sees",
        "traits",
        "options",
        Column("as in PettingZoo", no_wrap=True),
        box=SIMPLE,
        padding=(0, 1, 0, 0),
    )
    for row in rows:
        settings = " ".join(f"{key}={value}" for key, value in row.options.items())
        shape = "x".join(map(str, row.observation))
        table.add_row(row.game, str(row.players), str(row.actions), shape, row.traits, settings, row.pettingzoo or "")
    return table
