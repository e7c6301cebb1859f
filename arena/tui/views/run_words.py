"""Words about trainings: pure functions of their status."""

from datetime import timedelta

from arena.training.live_files import Status
from arena.tui.drawing.plotting import short


def status_words(status: Status | None) -> list[str]:
    """Return the status of a training, for the top line."""
    if status is None:
        return []
    sign = {"running": "●", "paused": "‖"}.get(status.state, "○")
    done = status.step >= status.total_steps  # the last batch may go beyond
    share = f"{short(status.step)} steps" if done else f"{short(status.step)} of {short(status.total_steps)}"
    pace = f"{short(status.rate)} steps/s" if status.rate else ""
    left = "" if status.left_s is None else str(timedelta(seconds=round(status.left_s))).removeprefix("0:") + " left"
    return [f"{sign} {status.state}", share, pace, left]
