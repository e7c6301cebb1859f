"""What screens say of trainings: pure functions from a status to words."""

from datetime import timedelta

from arena.runs.live_files import Status
from arena.tui.plotting import short


def affairs(status: Status | None) -> list[str]:
    """How a training stands, for the line on top."""
    if status is None:
        return []
    sign = {"running": "●", "paused": "‖"}.get(status.state, "○")
    share = f"{short(status.step)} of {short(status.total_steps)}"
    pace = f"{short(status.rate)} steps/s" if status.rate else ""
    left = "" if status.left_s is None else str(timedelta(seconds=round(status.left_s))).removeprefix("0:") + " left"
    return [f"{sign} {status.state}", share, pace, left]
