"""`arena rate`: ratings of games in a CSV or PGN file."""

from dataclasses import asdict, dataclass
from json import dumps
from pathlib import Path
from typing import Annotated, Literal

import tyro

from arena.base.errors import UnknownNameError, UsageError
from arena.base.terminal import make_console
from arena.tournament.files import claim_directory, to_json, write_standings
from arena.tournament.online import print_online, rate_online
from arena.tournament.played import read_games
from arena.tournament.report import print_standings
from arena.tournament.standings import standings


@dataclass(frozen=True)
class Options:
    """Rate the players of games in a CSV or PGN file.

    A CSV file has a header, and one line for each game:

    white,black,result - the result is 1-0, 0-1 or 1/2-1/2, or the first player's score 1, 0 or 0.5;
    the advantage of the first seat is estimated, too

    player_1,player_2,result - the same, but the order of the players has no meaning

    player_1,...,player_N,score_1,...,score_N - games of several players; higher scores are better

    The games.csv of a tournament can be read, too.
    """

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """CSV file, or PGN file if its name ends in .pgn."""
    anchor: str | None = None
    """Player whose rating is 0; by default the mean rating is 0."""
    online: Literal["glicko2", "openskill"] | None = None
    """Update ratings game by game, in the order of the file; by default Elo is fitted to all games at once."""
    json: bool = False
    """Print JSON instead of tables."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for tables and pictures, new or empty; by default nothing is written."""

    def __post_init__(self) -> None:
        if self.online is not None and (self.anchor is not None or self.out is not None):
            raise UsageError("online ratings are only printed: leave out anchor and out")


def run(options: Options) -> int:
    """Read the games, rate the players, and print the ratings."""
    games = read_games(options.file)
    if options.anchor is not None and options.anchor not in games.names:
        raise UnknownNameError("player", options.anchor, games.names)
    console = make_console()
    console = console if console.is_terminal else make_console(width=160)
    if options.online is not None:
        rated = rate_online(games, options.online)
        if options.json:
            print(dumps([{"player": name, **asdict(one)} for name, one in rated.items()], indent=2))
        else:
            print_online(rated, options.online, console)
        return 0
    directory = claim_directory(options.out) if options.out is not None else None
    table = standings(games.names, games.records, options.anchor, games.seat_order, games.chance)
    if directory is not None:
        write_standings(table, options.file.name, directory)
    if options.json:
        print(to_json(table, options.file.name))
        return 0
    print_standings(table, options.file.name, console)
    if games.unfinished:
        print(f"{games.unfinished} unfinished games are left out.")
    if directory is not None:
        print(f"Results are in {directory}.")
    return 0
