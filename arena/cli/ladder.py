"""`arena ladder`: the players of a game in a store, by rating."""

import json
from dataclasses import dataclass
from typing import Annotated

import tyro

from arena.base.checks import numbers_in, require_at_least
from arena.base.passwords import without_password
from arena.base.terminal import make_console
from arena.cli.server_ladders import is_address, print_server_ladders
from arena.cli.unused_options import refuse_unused
from arena.policy.registry import make_game
from arena.store import DEFAULT_URL, Store
from arena.tournament.files import as_dict
from arena.tournament.ladder import find_ladders
from arena.tournament.report import print_ladder


@dataclass(frozen=True)
class Options:
    """List the players of a game by rating, from all of its games in a store.

    All games under one clock are rated in one fit; each clock has a ladder of its own. Players whom no games connect
    are separated by a line: their ratings cannot be compared. Players of cooperative games are listed by what teams
    earn, those of games for chips by what they earn a hand.

    In place of a game, the address of a ladder server lists the bots of its ladders, and the address of a ladder's page
    those of one. The environment variable ARENA_KEY holds your key, which private ladders need.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME|URL")]
    """Game, with options after its name (tic_tac_toe:m=6,n=6,k=4), or address of a server:
    https://arena.example.org."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the matches: path of an SQLite file, or URL of another database."""
    anchor: Annotated[str | None, tyro.conf.arg(metavar="PLAYER|mean", help_behavior_hint="")] = None
    """Player whose Elo is 0, or mean for the mean of all; by default random where it plays, else the mean."""
    limit: int = 20
    """Largest number of players in the list."""
    json: bool = False
    """Print JSON instead of a table."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "limit"))


def run(options: Options) -> int:
    """Print a ladder for each clock."""
    if is_address(options.game):
        reason = f"for games in a store, and {options.game} is a server's address"
        refuse_unused(options, Options(options.game), ("store", "anchor"), reason)
        print_server_ladders(options.game, options.limit, options.json)
        return 0
    game = make_game(options.game)
    with Store(options.store, create=False) as store:
        ladders = find_ladders(store, game, anchor=options.anchor)
    if options.json:
        content = [as_dict(one.table, game.label, options.limit) | {"clock": one.clock} for one in ladders]
        print(json.dumps(content, indent=2))
    elif not ladders:
        print(f"Nobody has played {game.label} in {without_password(options.store)}.")
    console = make_console()
    for one in [] if options.json else ladders:
        print_ladder(one.table, f"{game.label}, {one.clock}", options.limit, console)
    return 0
