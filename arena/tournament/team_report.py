"""The table of a game that nobody wins in the terminal, as rows for CSV and JSON, and as a picture."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.tournament.picture import save_intervals, save_means
from arena.tournament.teams import Score, TeamRow, Teams

MOST_COLUMNS = 12
"""Most players in a cross-play table on the terminal; the picture holds larger ones."""
NOTES = (
    "With itself: what a team of this agent alone earns a game; with others: a team of it and another agent; ± is the "
    "95 % interval. Nobody wins a cooperative game, so that there is no Elo in it."
)
ALONE = (
    "Return: what an agent earns a game, with its 95 % interval; all play the same games. Nobody is met in a game "
    "of one seat, so that there is no Elo in it."
)


def print_teams(teams: Teams, title: str, console: Console, limit: int | None = None) -> None:
    """Print the table, and the cross-play table if it is not too wide; with a limit, that many players alone."""
    title = f"{title}, {teams.games:,} games"
    if teams.distinct_games is not None:
        title += f", {teams.distinct_games:,} of them distinct"
    console.print(title, style="italic", highlight=False)
    console.print(team_table(teams, limit))
    if limit is None and teams.seats > 1 and 1 < len(teams.rows) <= MOST_COLUMNS:
        cross = _table(*(str(row.rank) for row in teams.rows))
        for row, scores in zip(teams.rows, teams.pairs, strict=True):
            cross.add_row(str(row.rank), _name(row), *("·" if one is None else f"{one.mean:.2f}" for one in scores))
        console.print("\nwhat a team of row and column earns a game", style="italic", highlight=False)
        console.print(cross)
    console.print(f"\n{NOTES if teams.seats > 1 else ALONE}", style="dim", highlight=False)


def team_table(teams: Teams, limit: int | None = None) -> Table:
    """Return the table of all players, or of the first `limit`."""
    headings = ("with itself", "with others") if teams.seats > 1 else ("return",)
    table = _table(*headings, "games", "illegal", "late", "crashed")
    for row in teams.rows[:limit]:
        tally = row.tally
        scores = (_in_words(row.alone), _in_words(row.mixed))[: len(headings)]
        faults = (str(count) for count in (tally.illegal, tally.late, tally.crashed))
        table.add_row(str(row.rank), _name(row), *scores, f"{row.games:,}", *faults)
    return table


def team_rows(teams: Teams) -> Iterator[dict[str, Any]]:
    """Yield a row for each player; unknown values are ""."""
    for row in teams.rows:
        yield {
            "rank": row.rank,
            "agent": row.name,
            "games": row.games,
            **_figures("self_play", row.alone),
            **_figures("cross_play", row.mixed),
            "distinct_games": "" if teams.distinct_games is None else row.tally.distinct_games,
            "illegal": row.tally.illegal,
            "late": row.tally.late,
            "crashed": row.tally.crashed,
        }


def cross_play(teams: Teams) -> dict[str, Any]:
    """Return the cross-play table as JSON values; unknown values are null."""
    return {
        "mean_return": [[None if one is None else round(one.mean, 4) for one in row] for row in teams.pairs],
        "error_95": [[None if one is None else round(one.error, 4) for one in row] for row in teams.pairs],
        "games": [[0 if one is None else one.games for one in row] for row in teams.pairs],
    }


def save_returns(teams: Teams, title: str, path: Path) -> None:
    """Write what each player alone earns, with its 95 % interval, as PNG."""
    rows = [(row.name, row.alone.mean, row.alone.error) for row in teams.rows if row.alone is not None]
    save_intervals(rows, (title, f"{teams.meaning}, with 95 % intervals"), path)


def save_cross_play(teams: Teams, title: str, path: Path) -> None:
    """Write the cross-play table as PNG: mean returns in colour and numbers."""
    labels = [(row.name, f"with itself {_in_words(row.alone) or '–'}") for row in teams.rows]
    save_means(labels, teams.means, title, "what a team of row and column earns a game", path)


def _figures(kind: str, score: Score | None) -> dict[str, Any]:
    known = ("", "", 0) if score is None else (round(score.mean, 4), round(score.error, 4), score.games)
    return dict(zip((kind, f"{kind}_error_95", f"{kind}_games"), known, strict=True))


def _in_words(score: Score | None) -> str:
    return "" if score is None else f"{score.mean:.2f} ± {score.error:.2f}"


def _name(row: TeamRow) -> Text:
    return Text(row.name, style="bold")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("agent", min_width=12, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
