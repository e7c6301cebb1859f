"""Rows of the home screen: pure functions from runs and matches to cells. Imports nothing heavy."""

from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from arena.tui.state.counting import counted
from arena.tui.widgets.rows import Cells

if TYPE_CHECKING:
    from arena.runs.follow import FoundRun
    from arena.store import LadderRow, StoredMatch


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


def ladder_cells(place: int, row: "LadderRow") -> Cells:
    """Return place, player, rating, half its interval, games, and wins/draws/losses."""
    rated = ("–", "–")
    if row.elo is not None and row.low is not None and row.high is not None:
        rated = (f"{row.elo:.0f}", f"{(row.high - row.low) / 2:.0f}")
    return str(place), Text(row.player, "bold"), *rated, f"{row.games:,}", f"{row.wins}/{row.draws}/{row.losses}"
