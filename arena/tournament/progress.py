"""Live table of a tournament in progress, on terminals only."""

import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from arena.match.verdict import MatchRecord
from arena.ratings.sprt import Sprt
from arena.tournament.live import LiveProgress
from arena.tournament.sequential import SequentialTest, standing
from arena.tournament.standings import Standings
from arena.tournament.tables import table_for
from arena.tournament.tally import Tallies
from arena.tournament.team_report import team_table
from arena.tournament.teams import Teams
from games.engine.game import Game

REFRESH_S = 0.5
"""Least seconds between computations of the ratings."""
SHARE = 0.05
"""Largest share of time for computing ratings for display."""
MOST_ROWS = 20
"""Most players in the table."""


class GamesPerSecond(ProgressColumn):
    """Progress column with games per second."""

    def render(self, task: Task) -> Text:
        """Return games per second, empty before the first measurement."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.1f} games/s")


class LiveTable(LiveProgress):
    """The `progress` of a tournament in the terminal: games, speed, time left, and the ratings so far.

    With `sprt`, it also shows the state of that test.
    """

    def __init__(
        self, game: Game, names: Sequence[str], console: Console, sprt: Sprt | None = None, anchor: str | None = None
    ):
        columns = (BarColumn(), MofNCompleteColumn(), GamesPerSecond(), TimeRemainingColumn(), TextColumn("left"))
        super().__init__(console, Progress(*columns, console=console))
        self._game, self._anchor = game, anchor
        self._tallies = Tallies(names, game.num_players)
        self._test = None if sprt is None else SequentialTest(sprt, names[0])
        self._task = self._bar.add_task("games", total=None)
        self._played, self._next = 0, 0.0

    def __call__(self, records: Sequence[MatchRecord], total: int) -> None:
        """Count further games and update the table."""
        if not self._console.is_terminal:
            return
        began = time.monotonic()
        self._tallies.add(records)
        if self._test is not None:
            self._test.counted(records)
        if not self._played:
            self._bar.reset(self._task, total=total, completed=len(records))  # not part of the speed
        self._played += len(records)
        self._bar.update(self._task, completed=self._played)
        if self._played and began >= self._next:
            test = () if self._test is None else (Text(standing(self._test.result, self._test.sprt)),)
            self.show(_table(table_for(self._game, self._tallies.played, self._anchor)), *test)
            spent = time.monotonic() - began
            self._next = began + max(REFRESH_S, spent / SHARE)


def _table(standings: Standings | Teams) -> Table:
    if isinstance(standings, Teams):
        return team_table(standings, MOST_ROWS)
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("agent", min_width=12)
    for heading in ("Elo", "±", "games", "W/D/L", "lost by fault"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in standings.rows[:MOST_ROWS]:
        tally = row.tally
        faults = tally.illegal + tally.crashed + tally.late
        results = f"{tally.wins}/{tally.draws}/{tally.losses}"
        figures = (
            f"{row.elo:z.0f}",
            f"{row.error:.0f}",
            str(tally.games.sum()),
            results,
            str(faults) if faults else "",
        )
        table.add_row(str(row.rank), Text(row.name, style="bold"), *figures)
    more = f"and {len(standings.rows) - MOST_ROWS} more; " if len(standings.rows) > MOST_ROWS else ""
    table.caption = f"{more}Elo: {standings.meaning}"
    return table
