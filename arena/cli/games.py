"""`arena games`: the games that can be played."""

import json
import textwrap
from dataclasses import asdict, dataclass
from typing import Annotated

import tyro
from rich.console import Console
from rich.text import Text

from arena.base.tables import Cell, Column, print_table
from arena.base.terminal import make_console
from arena.policy.registry import GAMES, HOSTS, make_game
from arena.training.gym_names import GYM
from games.engine.game import Game
from games.engine.manual import manual_of
from games.engine.options import Option
from games.engine.text import printable

MANUAL_WIDTH = 100
"""Columns of a manual at most."""


@dataclass(frozen=True)
class Options:
    """List the games with their players, actions, observations and options, or show the rules of one.

    With the name of a game its manual follows: how it is played, options, notation, strategy and source. Options are
    given after the name: tic_tac_toe:m=6,n=6,k=4. The environments of PettingZoo and the games of OpenSpiel that are
    installed are listed by 'arena games pettingzoo:' and 'arena games openspiel:', environments of one agent by
    'arena games gym:'.
    """

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[GAME]")] = ""
    """Game to describe, or a host with a colon (openspiel:) to list its games; all compiled games by default."""
    json: bool = False
    """Print JSON instead of a table."""


@dataclass(frozen=True)
class GameRow:
    """One row of the list of games."""

    game: str
    players: int
    actions: int
    observation: tuple[int, ...]
    traits: str
    options: dict[str, Option]
    pettingzoo: str | None
    variant: str


def run(options: Options) -> int:
    """Print the list."""
    if options.game.endswith(":"):
        return _list_hosted(options.game.removesuffix(":"), options.json)
    names = [options.game] if options.game else GAMES.names()
    rows = [game_row(make_game(name)) for name in names]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    print_table(COLUMNS, [_cells(row) for row in rows])
    if options.game:
        _print_manual(make_console(), make_game(options.game))
    return 0


def _print_manual(console: Console, game: Game) -> None:
    """Print how a game is played."""
    for section in manual_of(game):
        console.print(Text(section.heading, "bold"))
        for paragraph in section.paragraphs:
            later = "    " if paragraph.startswith("- ") else "  "
            text = paragraph.replace("`", "")
            width = min(console.width, MANUAL_WIDTH)
            console.print(Text(textwrap.fill(text, width, initial_indent="  ", subsequent_indent=later)))
        console.print()


def _list_hosted(host: str, as_json: bool) -> int:
    """Print the games of a host, or the environments of Gymnasium."""
    if f"{host}:" == GYM:
        from arena.training.gym_specs import newest_ids

        hosted = newest_ids()
    else:
        hosted = [(one.name, one.summary) for one in HOSTS.load(host).names()]
    if as_json:
        print(json.dumps([{"game": f"{host}:{name}", "summary": summary} for name, summary in hosted], indent=2))
        return 0
    for name, summary in hosted:
        print(printable(f"{host}:{name}  {summary}".rstrip()))
    return 0


def game_row(game: Game) -> GameRow:
    """Return the row of a game."""
    knowledge = "hidden" if not game.perfect_information else "perfect"
    utility = "cooperative" if game.cooperative else "zero-sum" if game.zero_sum else "general-sum"
    box = game.action_box
    real = "some actions continuous" if game.num_actions else f"continuous actions ({box})"
    more = [] if box is None else [real]
    groups = [" and ".join(game.agents[seat] for seat in group.seats) for group in game.groups]
    more += [f"groups of agents: {'; '.join(groups)}"] if groups else []
    kind = [knowledge, *["chance"] * game.has_chance, *["simultaneous"] * game.simultaneous, utility, *more]
    return GameRow(
        game.name,
        game.num_players,
        game.num_actions,
        game.observation_shape,
        ", ".join(kind),
        dict(game.options),
        game.pettingzoo_name,
        game.variant,
    )


COLUMNS = (
    Column("game", least=20),
    Column("seats", right=True),
    Column("actions", right=True),
    Column("sees", rank=1),
    Column("traits", least=16),
)


def _cells(row: GameRow) -> list[Cell]:
    settings = " ".join(f"{key}={value}" for key, value in row.options.items())
    model = f"\nas PettingZoo's {row.pettingzoo}" if row.pettingzoo else ""
    variant = f"\n{row.variant}" if row.variant else ""
    return [
        Text.assemble((row.game, "bold"), f"\n{settings}"),
        str(row.players),
        str(row.actions or "real"),
        "x".join(map(str, row.observation)),
        Text.assemble(row.traits, (model + variant, "dim")),
    ]
