"""A progress bar for tournaments, on terminals only."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from arena.tournament import tournament


class GamesPerSecond(ProgressColumn):
    """How fast games are played."""

    def render(self, task: Task) -> Text:
        """Games a second, as soon as there is something to measure."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} games/s")


@contextmanager
def progress_bar(console: Console) -> Iterator[tournament.Progress]:
    """A function to hand to `run_tournament`; it shows games, speed, time left and the leader."""
    columns = (
        TextColumn("tournament"),
        BarColumn(),
        MofNCompleteColumn(),
        GamesPerSecond(),
        TimeRemainingColumn(),
        TextColumn("leader: {task.fields[leader]}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("tournament", total=None, leader="")

        def show(played: int, total: int, leader: str) -> None:
            bar.update(task, completed=played, total=total, leader=leader)

        yield show
