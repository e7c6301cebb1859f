"""`arena rate`: ratings of games that were played elsewhere."""

from dataclasses import asdict, dataclass
from json import dumps
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.errors import UnknownNameError, UsageError
from arena.ratings.head_to_head import NORMAL_95
from arena.ratings.online import Glicko2Ratings, OnlineRating, OnlineRatings, OpenSkillRatings
from arena.tournament.files import as_json, claim_directory, write_standings
from arena.tournament.played import PlayedGames, read_games
from arena.tournament.report import print_standings
from arena.tournament.standings import standings


@dataclass(frozen=True)
class Options:
    """Rate games that were played elsewhere, from a CSV or PGN file.

    A CSV file has a header, and a line for each game:

    white,black,result - the result is 1-0, 0-1 or 1/2-1/2, or the first's score 1, 0 or 0.5;
    what the first seat is worth is estimated, too

    player_1,player_2,result - the same, where the order of the players says nothing

    player_1,...,player_N,score_1,...,score_N - games of more players, the higher score the better

    A tournament's own games.csv is read as well.
    """

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """CSV, or PGN if its name ends in .pgn."""
    anchor: str | None = None
    """The player whose rating is 0; without one, the mean of all is."""
    online: Literal["glicko2", "openskill"] | None = None
    """Ratings that move game by game, in the order of the file, as on a ladder; else Elo of all games at once."""
    json: bool = False
    """Print JSON in place of tables."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for tables and pictures, new or empty; by default nothing is written."""

    def __post_init__(self) -> None:
        if self.online is not None and (self.anchor is not None or self.out is not None):
            raise UsageError("online ratings are only printed: no anchor or out goes with them")


def run(options: Options) -> int:
    """Read, rate, print."""
    games = read_games(options.file)
    if options.anchor is not None and options.anchor not in games.names:
        raise UnknownNameError("player", options.anchor, games.names)
    console = Console()
    console = console if console.is_terminal else Console(width=160)
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
        print(as_json(table, options.file.name))
        return 0
    print_standings(table, options.file.name, console)
    if games.unfinished:
        print(f"{games.unfinished} unfinished games are left out.")
    if directory is not None:
        print(f"Results are in {directory}.")
    return 0


def rate_online(games: PlayedGames, system: str) -> dict[str, OnlineRating]:
    """Where rating game after game leads; the best first."""
    ratings: OnlineRatings = Glicko2Ratings() if system == "glicko2" else OpenSkillRatings()
    for record in games.records:
        ratings.add(record.players, record.verdict.returns)
    return ratings.table()


def print_online(rated: dict[str, OnlineRating], system: str, console: Console) -> None:
    """Print ratings that moved game by game."""
    table = Table("#", "player", box=None, pad_edge=False)
    for heading in ("rating", "±", "games") if system == "glicko2" else ("mu", "sigma", "games"):
        table.add_column(heading, justify="right")
    for rank, (name, one) in enumerate(rated.items(), start=1):
        figures = (
            (f"{one.rating:.0f}", f"{NORMAL_95 * one.deviation:.0f}")
            if system == "glicko2"
            else (f"{one.rating:.2f}", f"{one.deviation:.2f}")
        )
        table.add_row(str(rank), Text(name, style="bold"), *figures, str(one.games))
    console.print(table)
    note = "Newcomers stand at 1500; ± is the 95 % interval." if system == "glicko2" else "Newcomers have mu 25."
    console.print(f"\n{note}", style="dim", highlight=False)
