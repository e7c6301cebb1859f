"""Rows of the home screen: pure functions from runs and matches to cells. Imports nothing heavy."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from arena.tui.state.counting import counted
from arena.tui.widgets.rows import Cells

if TYPE_CHECKING:
    from arena.runs.follow import FoundRun
    from arena.store import StoredMatch
    from arena.tournament.standings import Standings
    from arena.tournament.teams import Teams
    from arena.tui.services.context import GameLadder


def training_cells(run: "FoundRun") -> Cells:
    """Return the activity, name, progress and scores of a run."""
    status = run.status
    scores = [f"{name} {value:.0%}" for name, value in status.evaluation.items() if name != "return"]
    scores += [f"return {value:.4g}" for name, value in status.evaluation.items() if name == "return"]
    pace = [f"{status.rate:,.0f}/s"] if status.rate else []
    sign = Text("●" if status.at_work else "○", "bold")
    return sign, run.name, status.share, "  ".join([status.state, *pace, *scores[:2]])


def match_cells(match: "StoredMatch") -> Cells:
    """Return the time, players, result and length of a match."""
    from arena.tui.state.series import share_point
    from arena.tui.state.words import points

    record = match.record
    result = "–".join(points(share) for share in share_point(record.verdict.returns))
    when = datetime.fromtimestamp(match.added)
    shown = f"{when:%H:%M}" if when.date() == datetime.now().date() else f"{when:%d %b}"
    return Text(shown, "dim"), " – ".join(record.players), result, counted(len(record.actions), "move")


def found(part: str, names: Sequence[str]) -> str | None:
    """Return the name that a part of it means: one that begins with it before one that holds it, short ones first.

    >>> found("che", ["checkers", "chess"]), found("ck", ["checkers", "chess"]), found("x", ["chess"])
    ('chess', 'checkers', None)
    """
    part = part.strip().lower().replace(" ", "_")
    holding = [name for name in names if part in name]
    return min(holding, key=lambda name: (not name.startswith(part), len(name)), default=None)


LADDER = ("", "agent", ">elo", ">±", ">games", "W/D/L")
"""Headings of a ladder."""
MOST_LADDER_ROWS = 50


def ladder_title(ladder: "GameLadder") -> str:
    """Return the game, its clock where there are several, and what the ratings say: `ladder: go · random is 0`."""
    parts = [f"ladder: {ladder.game.partition('(')[0]}"]
    if len(ladder.ladders) > 1:
        parts.append(ladder.ladders[0].clock)
    return " · ".join([*parts, *(one.table.meaning for one in ladder.ladders[:1])])


def ladder_rows(ladder: "GameLadder") -> list[tuple[str, Cells]]:
    """Return a row for each of the first players under the clock of most games, with the player as key.

    Cells are place, player, rating, half its interval, games, and wins/draws/losses. In cooperative games what a team
    of the player alone earns stands for the rating. A row without a key separates players whom no games connect.
    """
    from arena.tournament.teams import Teams

    if not ladder.ladders:
        return []
    table = ladder.ladders[0].table
    return list(islice(_team_rows(table) if isinstance(table, Teams) else _rated_rows(table), MOST_LADDER_ROWS))


def _rated_rows(table: "Standings") -> Iterator[tuple[str, Cells]]:
    for row in table.rows:
        if table.starts_island(row):
            yield "", ("─", Text("no games with those above", "dim"), "", "", "", "")
        tally = row.tally
        figures = f"{row.elo:z.0f}", f"{row.error:.0f}", f"{tally.games.sum():,}"
        results = f"{tally.wins}/{tally.draws}/{tally.losses}"
        yield row.name, (str(row.rank), Text(row.name, "bold"), *figures, results)


def _team_rows(table: "Teams") -> Iterator[tuple[str, Cells]]:
    for row in table.rows:
        score = ("–", "–") if row.alone is None else (f"{row.alone.mean:.2f}", f"{row.alone.error:.2f}")
        yield row.name, (str(row.rank), Text(row.name, "bold"), *score, f"{row.games:,}", "")
