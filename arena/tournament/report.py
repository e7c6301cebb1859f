"""What a tournament shows in the terminal: the rating table and the cross table."""

import math
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.tournament.standings import Standing, Standings
from arena.tournament.tournament import TournamentResult

MOST_COLUMNS = 12
"""A cross table of more players does not fit a terminal; it is in the picture."""
WIDE = 110
"""Characters from which the rating table is printed in one piece."""

Columns = Sequence[tuple[str, Callable[[Standing], str | Text]]]
"""Headings, with what stands below them for a player."""

RATING: Columns = (
    ("Elo", lambda row: f"{row.elo:.0f}"),
    ("±", lambda row: f"{row.error:.0f}"),
    ("LOS", lambda row: "" if row.superiority is None else percent(row.superiority, certain=False)),
    ("games", lambda row: str(row.tally.games.sum())),
    ("W/D/L", lambda row: f"{row.tally.wins}/{row.tally.draws}/{row.tally.losses}"),
    ("score", lambda row: percent(row.tally.score)),
)


def print_report(result: TournamentResult, console: Console) -> None:
    """Print the rating table, in two parts on a narrow terminal, and the cross table if it is not too wide."""
    table, details = result.standings, _details(len(result.records[0].players))
    title = f"{result.game}, {len(result.records)} games"
    if console.width >= WIDE:
        console.print(_table(title, table, [*RATING, *details]))
    else:
        console.print(_table(title, table, RATING))
        console.print(_table("\nin detail", table, details))
    if 2 < len(table.rows) <= MOST_COLUMNS:
        console.print(_table("\nscore of the row against the column", table, _scores(table)))
    zero = result.config.anchor or "the mean of all"
    console.print(
        f"\nElo: {zero} is 0; ± is the 95 % interval. LOS: likelihood of being stronger than the next. "
        f"Cycles: {percent(table.unexplained)} of the score differences fit no rating.",
        style="dim",
        highlight=False,
    )


def _details(seats: int) -> Columns:
    """Scores from each seat, and what should make a reader doubt them."""

    def from_seat(seat: int) -> Callable[[Standing], str]:
        return lambda row: percent(row.tally.score_by_seat[seat])

    return (
        *((f"seat {seat + 1}", from_seat(seat)) for seat in range(seats)),
        ("distinct games", lambda row: str(len(row.tally.lines))),
        ("illegal", lambda row: _alarming(row.tally.illegal)),
        ("crashed", lambda row: _alarming(row.tally.crashed)),
    )


def _scores(table: Standings) -> Columns:
    """A column for each player, with what the others scored against it."""
    scores = {row.rank: table.scores[place] for place, row in enumerate(table.rows)}

    def against(place: int) -> Callable[[Standing], str]:
        return lambda row: percent(scores[row.rank][place]) or "·"

    return [(str(row.rank), against(place)) for place, row in enumerate(table.rows)]


def _table(title: str, standings: Standings, columns: Columns) -> Table:
    """Rank and name of every player, and these columns."""
    table = Table(title=title, box=None, pad_edge=False, title_justify="left")
    table.add_column("#", justify="right")
    table.add_column("agent", min_width=12, overflow="fold")
    for heading, _ in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in standings.rows:
        table.add_row(str(row.rank), Text(row.name, style="bold"), *(cell(row) for _, cell in columns))
    return table


def percent(share: float, certain: bool = True) -> str:
    """A share as a percentage: 0 % and 100 % only where nothing is missing, nowhere unless `certain`; "" for NaN."""
    if math.isnan(share):
        return ""
    rounded = round(100 * share)
    if rounded in (0, 100) and not (certain and share in (0, 1)):
        return ">99 %" if rounded else "<1 %"
    return f"{rounded} %"


def _alarming(count: int) -> Text:
    return Text(str(count), style="bold red" if count else "")
