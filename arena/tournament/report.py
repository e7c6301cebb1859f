"""Report of a tournament in the terminal: the rating table and the cross table."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from arena.tournament.answers import print_answers
from arena.tournament.endings import in_words
from arena.tournament.standings import Standing, Standings
from arena.tournament.team_report import print_teams
from arena.tournament.teams import Teams

if TYPE_CHECKING:
    from arena.tournament.tournament import TournamentResult  # brings the store in, which tables do not need

MOST_COLUMNS = 12
"""Most players in a cross table on the terminal; the picture holds larger ones."""
NAME = 12
"""Least characters of a line of a name."""
CIRCULAR = 0.1
"""Cyclic share from which ratings alone mislead, and the table adds alpha-rank and Nash."""
REPETITIVE = 0.9
"""Share of distinct games below which the report warns."""

ISLANDS = "No game connects the players on both sides of a line: their ratings cannot be compared."
BLINDS = {"bb": "big blind"}
"""Units of stakes that are no blinds, in words."""

Columns = Sequence[tuple[str, Callable[[Standing], str | Text]]]
"""Headings, each with a function from a player's standing to its cell."""

RATING: Columns = (
    ("Elo", lambda row: str(round(row.elo))),
    ("±", lambda row: str(round(row.error))),
    ("LOS", lambda row: "" if row.superiority is None else percent(row.superiority, certain=False)),
    ("games", lambda row: str(row.tally.games.sum())),
    ("W/D/L", lambda row: f"{row.tally.wins}/{row.tally.draws}/{row.tally.losses}"),
    ("score", lambda row: percent(row.tally.score)),
)


def print_report(result: "TournamentResult", console: Console) -> None:
    """Print the results of a tournament."""
    print_standings(result.table, result.game, console)
    if result.knockout:
        console.print(Text(f"\n{result.knockout}\n"))
    if result.adjudications:
        console.print(Text(in_words(result.adjudications)), style="dim")
    print_answers(result.answers, console)


def print_ladder(table: Standings | Teams, title: str, limit: int, console: Console) -> None:
    """Print the first `limit` players with what tells them apart, and the number of their games."""
    if isinstance(table, Teams):
        print_teams(table, title, console, limit)
        return
    shown = replace(table, rows=table.rows[:limit])
    more = f", the first {limit:,} of {len(table.rows):,} players" if len(table.rows) > limit else ""
    columns = [*_chips(table), *(column for column in RATING if column[0] != "LOS"), *_places(table)]
    _print_titled(f"{title}, {table.games:,} games{more}", _table(shown, columns), console)
    console.print(f"\nElo: {table.meaning}; ± is the 95 % interval.", style="dim", highlight=False)
    if len(table.zeros) > 1:
        console.print(ISLANDS, style="dim", highlight=False)


def print_standings(table: Standings | Teams, title: str, console: Console) -> None:
    """Print the rating table, in parts on a narrow terminal, and the cross table if it is not too wide."""
    if isinstance(table, Teams):
        print_teams(table, title, console)
        return
    title = f"{title}, {table.games:,} games"
    if table.distinct_games is not None:
        title += f", {table.distinct_games:,} of them distinct"
    rating, details = (
        [*_chips(table), *RATING, *_places(table), *_returns(table), *_cycle_proof(table)],
        _details(table),
    )
    whole = _table(table, [*rating, *details])
    if _width(whole, console) <= console.width:
        _print_titled(title, whole, console)
    else:
        _print_titled(title, _table(table, rating), console)
        for part in _parts(table, details, console):
            _print_titled("\nin detail", part, console)
    if 2 < len(table.rows) <= MOST_COLUMNS:
        _print_titled("\nscore of the row against the column", _table(table, _scores(table)), console)
    console.print(f"\n{' '.join(_notes(table))}", style="dim", highlight=False)


def _chips(table: Standings) -> Columns:
    """Return the column of what players earn a hand, in games for chips."""
    stakes = table.stakes
    if stakes is None:
        return ()

    def in_blinds(row: Standing) -> str:
        mean, error = (stakes.in_thousandths(value) for value in (row.tally.mean_return, row.tally.return_error))
        return f"{mean:+z.0f} ± {error:.0f}"

    return ((f"{stakes.thousandth}/hand", in_blinds),)


def _places(table: Standings) -> Columns:
    """Return the columns of places, in games of more than two."""
    return (("place", lambda row: f"{row.tally.mean_place:.2f}"),) if table.seats > 2 else ()


def _returns(table: Standings) -> Columns:
    """Return the column of mean returns, where they say more than win, draw and loss."""
    columns = (("return", lambda row: f"{row.tally.mean_return:+z.2f} ± {row.tally.return_error:.2f}"),)
    return columns if table.stakes is None and (table.by_return or table.seats > 2) else ()


def _cycle_proof(table: Standings) -> Columns:
    """Return the columns of alpha-rank and Nash shares, if results are cyclic and all players met."""
    alpha, nash = table.alpha_rank, table.nash
    if table.cyclic < CIRCULAR or alpha is None or nash is None:
        return ()
    return (("α-rank", lambda row: percent(alpha[row.rank - 1])), ("Nash", lambda row: percent(nash[row.rank - 1])))


def _details(table: Standings) -> Columns:
    """Return the columns of scores by seat, distinct games and faults."""

    def from_seat(seat: int) -> Callable[[Standing], str]:
        return lambda row: percent(row.tally.score_by_seat[seat])

    distinct: Columns = [("distinct", lambda row: str(row.tally.distinct_games))]

    def ended(place: int) -> Callable[[Standing], str]:
        return lambda row: percent(row.tally.places[place] / max(row.tally.places.sum(), 1))

    places = range(table.seats if table.seats > 2 else 0)
    return (
        *((f"place {place + 1}", ended(place)) for place in places),
        *((f"seat {seat + 1}", from_seat(seat)) for seat in range(table.seats if table.seat_order else 0)),
        *(distinct if table.distinct_games is not None else ()),
        ("illegal", lambda row: _alarming(row.tally.illegal)),
        ("late", lambda row: _alarming(row.tally.late)),
        ("crashed", lambda row: _alarming(row.tally.crashed)),
    )


def _scores(table: Standings) -> Columns:
    """Return a column for each player, with the others' scores against it."""
    scores = {row.rank: table.scores[place] for place, row in enumerate(table.rows)}

    def against(place: int) -> Callable[[Standing], str]:
        return lambda row: percent(scores[row.rank][place]) or "·"

    return [(str(row.rank), against(place)) for place, row in enumerate(table.rows)]


def _notes(table: Standings) -> list[str]:
    """Return sentences that explain the table."""
    notes = [f"Elo: {table.meaning}; ± is the 95 % interval.", "LOS: likelihood of being stronger than the next."]
    if len(table.zeros) > 1:
        notes.append(ISLANDS)
    if (stakes := table.stakes) is not None:
        blind = BLINDS.get(stakes.unit, stakes.unit)
        notes.append(f"{stakes.thousandth}/hand: thousandths of a {stakes.blind:g}-chip {blind} earned.")
    if table.seats > 2:
        notes.append("Place: the mean of 1 for who earned most, and so on; Elo is from all pairs of a game.")
    elo_by_seat, error = table.ratings.seats, table.ratings.seats_error
    if table.seat_order:
        seats = [f"{elo:+z.0f} ± {half:.0f}" for elo, half in zip(elo_by_seat, error, strict=True)]
        notes.append(
            f"The first seat is worth {elo_by_seat[0] - elo_by_seat[1]:+z.0f} ± {2 * error[0]:.0f}."
            if len(elo_by_seat) == 2
            else f"The seats are worth {', '.join(seats)}."
        )
    if _returns(table):
        notes.append("Return: what a player earns a game, with its 95 % interval; Elo asks only who earned more.")
    if any(row.tally.score in (0, 1) for row in table.rows):
        notes.append("Of 0 % and 100 % only a bound is known; a prior worth half a game keeps the rating finite.")
    if all(row.tally.draws == row.tally.games.sum() for row in table.rows):
        apart = "only what they earned" if table.by_return else "nothing"
        notes.append(f"Every game was drawn, so {apart} tells the players apart.")
    if len(table.rows) > 2:
        notes.append(f"Cycles: {percent(table.cyclic)} of the results fit no rating.")
    if _cycle_proof(table):
        notes.append("α-rank, Nash: shares of those who hold their own in the cycles.")
    if table.distinct_games is not None and table.distinct_games < REPETITIVE * table.games:
        notes.append("Many games are the same: they tell less than the intervals take them for.")
    return notes


def _parts(standings: Standings, columns: Columns, console: Console) -> Iterator[Table]:
    """Yield tables with as many columns as fit the terminal, names folded if necessary."""
    foldable = max(0, max(map(len, standings.names)) - NAME)
    while columns:
        fitting = len(columns)
        while fitting > 1 and _width(_table(standings, columns[:fitting]), console) - foldable > console.width:
            fitting -= 1
        yield _table(standings, columns[:fitting])
        columns = columns[fitting:]


def _width(table: Table, console: Console) -> int:
    """Return the width of a table without folding, in characters."""
    return Measurement.get(console, console.options.update(width=10**6), table).maximum


def _print_titled(title: str, table: Table, console: Console) -> None:
    console.print(title, style="italic", highlight=False)
    console.print(table)


def _table(standings: Standings, columns: Columns) -> Table:
    """Return a table of rank, name and these columns for every player."""
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("agent", min_width=NAME, overflow="fold")
    for heading, _ in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in standings.rows:
        if standings.starts_island(row):
            table.add_row("─", "─" * NAME, *("─" * len(heading) for heading, _ in columns), style="dim")
        table.add_row(str(row.rank), Text(row.name, style="bold"), *(cell(row) for _, cell in columns))
    return table


def percent(share: float, certain: bool = True) -> str:
    """Return a share as a percentage; "" for NaN.

    0 % and 100 % are shown for exact values only, and never unless `certain`: otherwise "<1 %" and ">99 %".
    """
    if math.isnan(share):
        return ""
    rounded = round(100 * share)
    if rounded in (0, 100) and not (certain and share in (0, 1)):
        return ">99 %" if rounded else "<1 %"
    return f"{rounded} %"


def _alarming(count: int) -> Text:
    return Text(str(count), style="bold red" if count else "")
