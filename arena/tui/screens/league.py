"""A league: its ladder, payoffs, ratings over time, lineage, and the next opponents of its learners."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Static

from arena.base.counting import counted
from arena.base.errors import CheckpointError
from arena.policy.registry import make_game
from arena.tui.drawing.plotting import short
from arena.tui.screens.base import ArenaScreen, repeatedly
from arena.tui.screens.keys import COMMON_KEYS
from arena.tui.state.intents import OpenScreen, WatchIntent
from arena.tui.state.words import mark
from arena.tui.views.league_view import (
    LeagueView,
    about,
    game_words,
    ladder_rows,
    next_opponents,
    rating_curves,
    read_view,
    return_curves,
    spec_of,
    team_rows,
)
from arena.tui.widgets.heat_map import HeatMap
from arena.tui.widgets.plot import Plot
from arena.tui.widgets.rows import Rows

POLL_S = 2.0
"""Seconds between two polls of the league's file."""
LADDER = ("", ">", "", ">elo", ">±", "over time", ">age")
"""Headings of the ladder."""


class LeagueScreen(ArenaScreen):
    """The league of a run, which may be in progress.

    Args:
        folder: folder of the run.

    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "mark", key_display="␣", tooltip="mark who is to play, a seat each"),
        Binding("w,W", "watch", "watch", tooltip="watch those who are marked play each other"),
        Binding("tab", "app.focus_next", show=False, tooltip="to the next panel"),
        *COMMON_KEYS,
    ]
    MINIMUM = (70, 18)

    def __init__(self, folder: Path):
        super().__init__("league", folder.name)
        self.folder = folder
        self.view: LeagueView | None = None
        self.marked: list[str] = []
        """Names of the members to play, by seat."""
        self._changed = -1

    def compose_body(self) -> ComposeResult:
        """Yield the ladder and the payoffs, and below them lineage and curves."""
        with Grid(id="league"):
            yield Rows("ladder", *LADDER, empty="nobody has been measured yet", id="ladder")
            yield HeatMap(id="payoffs")
            with VerticalScroll(id="words", classes="panel"):
                yield Static(id="about", markup=False)
                yield Static(id="next", markup=False)
            yield Plot("elo over moves", id="ratings")

    def on_mount(self) -> None:
        """Start polling."""
        self.query_one("#words").border_title = "lineage, and next opponents"
        self.query_one("#ladder").focus()
        self.run_worker(repeatedly(self.poll, POLL_S))

    async def poll(self) -> None:
        """Show the league if its file has changed."""
        try:
            changed, view = await self.background.run(partial(_read_if_changed, self.folder, self._changed))
        except CheckpointError as error:
            self._changed = -1
            self.say(f"{error}; what was read is shown" if self.view else str(error), "refusal")
            return
        if view is not None:
            if self._changed == -1:
                self.say("")
            self._changed, self.view = changed, view
            self._show(view)

    def _show(self, view: LeagueView) -> None:
        league = view.league
        names = [member.name for member in league.teams] or view.ladder.names
        best = f"best {names[0]}" if names else ""
        cyclic = f"cyclic {view.cyclic:.0%}" if view.ladder.names else ""
        self.heading.say(f"{short(league.step)} moves", counted(len(league.members), "member"), best, cyclic)
        self.marked = [name for name in self.marked if name in names]
        if league.teams:
            self._show_teams(view)
        else:
            self._show_ladder(view)
        self.query_one(HeatMap).payoffs = view.payoffs
        self.query_one("#next", Static).update(next_opponents(league))
        self._point()

    def _show_teams(self, view: LeagueView) -> None:
        """Show what teams earn, in a game that nobody wins."""
        ladder, curves = self.query_one("#ladder", Rows), self.query_one("#ratings", Plot)
        ladder.border_title = Content("what a team of each earns")
        curves.border_title = Content("return over moves")
        self.query_one(HeatMap).empty = "nobody wins this game"
        ladder.head(*(heading.replace("elo", "return") for heading in LADDER))
        ladder.show(team_rows(view, self.marked))
        curves.curves = return_curves(view.league)

    def _show_ladder(self, view: LeagueView) -> None:
        """Show the ratings."""
        league = view.league
        zero = f", elo of {league.zero} is 0" if league.zero else ""
        self.query_one("#ladder", Rows).border_title = Content(f"ladder{zero}")
        self.query_one("#ratings", Plot).border_title = Content(f"elo over moves{zero.replace('elo of ', '')}")
        self.query_one("#ladder", Rows).show(ladder_rows(view, self.marked))
        self.query_one("#ratings", Plot).curves = rating_curves(league)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the lineage of the highlighted member."""
        self._point()

    def _point(self) -> None:
        ladder = self.query_one("#ladder", Rows)
        if self.view is not None and ladder.key is not None:
            self.query_one("#about", Static).update(about(self.view, ladder.key))
            self.query_one(HeatMap).at = ladder.cursor_row

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """Watch the marked members and the selected one."""
        event.stop()
        self.action_watch()

    def action_mark(self) -> None:
        """Mark or unmark the member under the cursor; if all seats are taken, the first mark is dropped."""
        name = self.query_one("#ladder", Rows).key
        if self.view is None or name is None:
            return
        if name in self.marked:
            self.marked.remove(name)
        else:
            self.marked = [*self.marked, name][-self._seats :]
        self._show(self.view)
        signs = "   ".join(f"{mark(seat)} {one}" for seat, one in enumerate(self.marked))
        self.say(f"{signs}   w watches them" if len(self.marked) == self._seats else signs)

    @property
    def _seats(self) -> int:
        return make_game(self.view.league.game).num_players if self.view is not None else 2

    def action_watch(self) -> None:
        """Watch the marked members play; free seats go to the one under the cursor."""
        if self.view is None or not self.view.ladder.names:
            self.say("there are no members to watch yet", "refusal")
            return
        under = self.query_one("#ladder", Rows).key or self.view.ladder.names[0]
        names = [*self.marked, *[under] * (self._seats - len(self.marked))]
        league = self.view.league
        agents = tuple(spec_of(self.folder, league, name) for name in names)
        self.post_message(OpenScreen(WatchIntent(game_words(league), agents)))

    def remarks(self) -> Sequence[str]:
        """Return explanations of the figures."""
        return (
            "Ratings (Elo, half of their 95 % interval) and payoffs are from games of their own, not from training.",
            "Over time: the ratings of its ancestors and its own, each when it came. Age: moves of the league since.",
        )


def _read_if_changed(folder: Path, before: int) -> tuple[int, LeagueView | None]:
    """Return the change time of a league's file, and the league if that differs from `before`, else None."""
    try:
        changed = (folder / "league.json").stat().st_mtime_ns
    except OSError as error:
        raise CheckpointError(f"no league in {folder} ({error.strerror})") from None
    return changed, read_view(folder) if changed != before else None
