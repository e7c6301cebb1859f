"""What the lists of the home screen say: pure functions from what was found to cells. Nothing heavy is imported."""

from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from arena.tui.counting import counted
from arena.tui.widgets.rows import Cells

if TYPE_CHECKING:
    from arena.runs.follow import FoundRun
    from arena.store import LadderRow, StoredMatch


def training_cells(run: "FoundRun") -> Cells:
    """Whether it goes on, its name, how far it is, and how good."""
    status = run.status
    scores = [f"{name} {value:.0%}" for name, value in status.evaluation.items() if name != "return"]
    scores += [f"return {value:.4g}" for name, value in status.evaluation.items() if name == "return"]
    pace = [f"{status.rate:,.0f}/s"] if status.rate else []
    sign = Text("●" if status.at_work else "○", "bold")
    return sign, run.name, status.share, "  ".join([status.state, *pace, *scores[:2]])


def match_cells(match: "StoredMatch") -> Cells:
    """When, who, the result, how long."""
    from arena.tui.series import share_point
    from arena.tui.words import points

    record = match.record
    result = "–".join(points(share) for share in share_point(record.verdict.returns))
    when = datetime.fromtimestamp(match.added)
    shown = f"{when:%H:%M}" if when.date() == datetime.now().date() else f"{when:%d %b}"
    return Text(shown, "dim"), " – ".join(record.players), result, counted(len(record.actions), "move")


def ladder_cells(place: int, row: "LadderRow") -> Cells:
    """Place, player, rating, half its interval, games, wins, draws and losses."""
    rated = ("–", "–")
    if row.elo is not None and row.low is not None and row.high is not None:
        rated = (f"{row.elo:.0f}", f"{(row.high - row.low) / 2:.0f}")
    return str(place), Text(row.player, "bold"), *rated, f"{row.games:,}", f"{row.wins}/{row.draws}/{row.losses}"
