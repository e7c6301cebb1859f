"""Online ratings of finished games, and their table in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.base.intervals import NORMAL_95
from arena.ratings.online import Glicko2Ratings, OnlineRating, OnlineRatings, OpenSkillRatings
from arena.tournament.played import PlayedGames


def rate_online(games: PlayedGames, system: str) -> dict[str, OnlineRating]:
    """Return the ratings after all games, rated one after the other; the best first."""
    ratings: OnlineRatings = Glicko2Ratings() if system == "glicko2" else OpenSkillRatings()
    for record in games.records:
        ratings.add(record.players, record.verdict.returns)
    return ratings.table()


def print_online(rated: dict[str, OnlineRating], system: str, console: Console) -> None:
    """Print online ratings in a table."""
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
    note = "New players start at 1500; ± is the 95 % interval." if system == "glicko2" else "New players have mu 25."
    console.print(f"\n{note}", style="dim", highlight=False)
