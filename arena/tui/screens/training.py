"""Follow a training: its curves, latest game and log; with control, pause it, keep a snapshot, or stop it."""

import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from arena.base.errors import UsageError
from arena.match.files import WrittenMatch
from arena.match.verdict import MatchRecord
from arena.policy.registry import make_game
from arena.training.follow import FollowedRun, FoundRun
from arena.training.gym_names import GYM
from arena.training.live_files import Request, Status, request, requested
from arena.tui.drawing.board import BoardView
from arena.tui.screens.base import ArenaScreen, repeatedly
from arena.tui.screens.keys import COMMON_KEYS, SPEED_KEYS
from arena.tui.screens.menu import MenuScreen
from arena.tui.services.jobs import CommandProcess
from arena.tui.state.intents import LeagueIntent, OpenScreen, WatchIntent
from arena.tui.state.live_match import LiveMatch, Position
from arena.tui.state.pace import Pace, bounded
from arena.tui.views import curves
from arena.tui.views.instruments import instruments
from arena.tui.views.run_words import status_words
from arena.tui.widgets.plot import Plot
from arena.tui.widgets.tile import Tile
from games.engine.identity import GameId

POLL_S, TICK_S, END_S = 1.0, 0.25, 3.0
"""Seconds between two polls of the run, between two looks at the pace of its game, and after the end of a game."""
PLOTS = {
    "scores": ("score against", curves.scores),
    "ratings": ("elo", curves.ratings),
    "losses": ("loss", curves.losses),
    "returns": ("return", curves.returns),
    "speed": ("steps a second", curves.speed),
}
STEERING = "pause", "snapshot", "stop"
"""Actions on a process that trains."""


class TrainingScreen(ArenaScreen):
    """A training in progress, on this machine or any other that shares its folder.

    Args:
        folder: folder of the run.
        control: True to allow pausing and stopping it from here.
        job: its process, if it was started here.

    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause", key_display="␣", tooltip="pause the training, or resume it"),
        Binding("s,S", "snapshot", "snapshot", tooltip="keep the agent as it is now"),
        Binding("x,X", "stop", "stop", tooltip="stop it; it can go on later"),
        Binding("w,W", "watch", "watch", tooltip="watch its newest agent play"),
        Binding("l,L", "league", "league", tooltip="the league that it plays in"),
        Binding("g,G", "game", "game", tooltip="show or hide its latest game"),
        *(replace(key, show=False) for key in SPEED_KEYS),
        *COMMON_KEYS,
    ]

    def __init__(self, folder: Path, control: bool = False, job: CommandProcess | None = None):
        super().__init__("runs", folder.name)
        self.folder, self.control, self.job = folder, control, job
        self.followed = FollowedRun(folder)
        self.positions: tuple[Position, ...] = ()
        self.shown = 0
        self._state = ""
        self._game: MatchRecord | None = None  # the one on the board
        self.pace = Pace(1.0)
        """Pace of the game on the board."""
        self._rest_s = 0.0  # before the next move
        self._parts: tuple[str, ...] = tuple(PLOTS)  # plots that the run has figures for

    def compose_body(self) -> ComposeResult:
        """Yield the game beside the curves and the log."""
        with Horizontal(id="training"):
            with Vertical(id="game", classes="panel") as game:
                game.border_title = "latest game"
                yield Static("no game yet", id="players", markup=False)
                yield Tile()
            with Grid(id="curves"):
                for name, (title, _) in PLOTS.items():
                    low, high = (0.0, 1.0) if name == "scores" else (None, None)
                    yield Plot(title, low, high, id=name)
                log = Static(id="log", classes="panel", markup=False)
                log.border_title = "log"
                yield log
        yield Static(id="instruments", markup=False)

    def on_mount(self) -> None:
        """Start polling."""
        self.query_one("#instruments").display = False
        self.say("looking for the run …")
        self.run_worker(repeatedly(self.poll, POLL_S))
        self.set_interval(TICK_S, self._move)

    async def poll(self) -> None:
        """Read what the run has written since, and show it."""
        await self.background.run(self.followed.refresh)
        for name, (_, take) in PLOTS.items():
            self.query_one(f"#{name}", Plot).curves = take(self.followed.figures)
        line = self.query_one("#instruments", Static)
        line.update(text := instruments(self.followed.figures))
        line.display = bool(text)
        log = self.query_one("#log", Static)
        log.update("\n".join(newest(self.followed.log, *log.content_size)))
        if self.followed.run is not None:
            self._arrange(self.followed.run)
        status = self.followed.run.status if self.followed.run is not None else None
        if status is not None and status.elo_zero is not None:
            self.query_one("#ratings", Plot).border_title = Content(f"elo, {status.elo_zero} is 0")
        self.heading.say("" if self.control else "read-only", *status_words(status))
        self._say_changes(status)

    def _arrange(self, run: FoundRun) -> None:
        """Show the parts that a run of this kind fills: without a league there are no ratings and no games."""
        without = {"scores", "ratings"} if run.status.measure == "return" else set() if run.league else {"ratings"}
        parts = tuple(name for name in PLOTS if name not in without)
        self.set_class(not run.league, "-no-league")
        if parts != self._parts:
            self._parts = parts
            for name in PLOTS:
                self.query_one(f"#{name}").display = name in parts
            self.query_one("#curves").set_class(len(parts) < 4, "-few").set_class(len(parts) % 2 == 0, "-odd")
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action has an effect: a run that has ended is not steered, and not all have a league."""
        run = self.followed.run
        if action in ("league", "game", "faster", "slower"):
            return run is None or run.league
        if action in STEERING:
            return self._state in ("", "none", "running", "paused")
        return True

    def _say_changes(self, status: Status | None) -> None:
        """Show one line of news when the state of the run has changed."""
        state = self._state_of(status)
        if state == self._state:
            return
        self._state = state
        self.refresh_bindings()
        again = f"arena train {shlex.quote(str(self.folder))} --resume goes on"
        news = {
            "running": "",
            "paused": "it is paused; ␣ resumes it" if self.control else "it is paused",
            "finished": f"it is finished; its agent is {self.followed.run.agent if self.followed.run else ''}",
            "stopped": f"it was stopped; {again}",
            "killed": f"the process that trained has ended without a word (killed?); {again}",
            "failed": f"it failed: {status.message if status else ''}",
            "gone": f"the run {self.folder} is gone: its folder cannot be read any more; what it told is still shown",
            "failed to begin": self.job.last_line if self.job else "",
            "none": "waiting for the training to begin …" if self.job else f"there is no run in {self.folder}",
        }[state]
        calm = state in ("running", "paused", "finished") or (state == "none" and self.job is not None)
        self.say(news, "plain" if calm else "refusal")

    def _state_of(self, status: Status | None) -> str:
        """Return the state of the run; for one started here, states of an earlier process do not count."""
        ended = None if self.job is None else self.job.process.poll()
        is_current = self.job is None or ended == 0 or (status is not None and status.pid == self.job.process.pid)
        if status is not None and is_current:
            return status.state
        if self._state not in ("", "none", "failed to begin"):
            return "gone"
        return "failed to begin" if ended else "none"

    # --- the latest game ----------------------------------------------------------------------------------------

    def _move(self) -> None:
        """Show the next move of the latest game, or begin a newer game."""
        if self._rest_s > 0:
            self._rest_s -= TICK_S
        elif self.shown + 1 < len(self.positions):
            self.shown += 1
            self._show_position()
            self._rest()
        elif self.followed.game is not None and self.followed.game is not self._game:
            self._game = self.followed.game
            self._deal(self._game)

    @work(exclusive=True, group="deal")
    async def _deal(self, record: MatchRecord) -> None:
        try:
            self.positions = await self.background.run(partial(_positions, record))
        except UsageError as error:
            self.query_one("#players", Static).update(f"the latest game cannot be shown: {error}")
            return
        self.shown = 0
        self._show_position()
        self._rest()

    def _rest(self) -> None:
        """Leave the position on the board as long as the pace says, and the last one longer."""
        at_end = self.shown + 1 == len(self.positions)
        self._rest_s = max(END_S if at_end else 0.0, self.pace.pause_s) - TICK_S

    def _show_position(self) -> None:
        assert self._game is not None
        names = "  ".join(
            f"{self.positions[0].picture.mark(seat)} {name}" for seat, name in enumerate(self._game.players)
        )
        moves = f"move {self.shown} of {len(self._game.actions)}   {self.pace.speed:g} a second"
        self.query_one("#players", Static).update(f"{names}\n{moves}")
        self.query_one(Tile).view = BoardView(self.positions[self.shown].picture)

    # --- keys ---------------------------------------------------------------------------------------------------

    def action_pause(self) -> None:
        """Pause or resume the training."""
        if self._may():
            rests = requested(self.folder, "pause")
            self._ask("pause", not rests, "it is resumed" if rests else "it pauses after its next update")

    def action_snapshot(self) -> None:
        """Ask for a snapshot."""
        if self._may():
            self._ask("snapshot", True, "a snapshot is kept after its next update; the log says where")

    def action_stop(self) -> None:
        """Stop the training, after a confirmation."""
        if self._may():
            choices = (("stop", "stop the training (it can go on later)"), ("", "let it go on"))
            self.app.push_screen(MenuScreen(f"stop {self.folder.name}?", choices), self._stop)

    def _stop(self, chosen: str | None) -> None:
        if chosen == "stop":
            self._ask("stop", True, "it stops after its next update")

    def _may(self) -> bool:
        """Return whether the training can be controlled from here; say why not."""
        run = self.followed.run
        if not self.control:
            self.say(f"this screen is read-only; arena runs {self.folder} --control controls the training", "refusal")
        elif run is None or not run.status.at_work:
            self.say("no process trains here now", "refusal")
        return self.control and run is not None and run.status.at_work

    def _ask(self, what: Request, wanted: bool, news: str) -> None:
        try:
            request(self.folder, what, wanted)
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        self.say(news)

    def action_watch(self) -> None:
        """Watch the newest agent play against itself."""
        run = self.followed.run
        if run is None or not run.status.snapshots:
            self.say("there is no snapshot to watch yet", "refusal")
            return
        game = GameId.parse(run.game).spec
        try:
            seats = 1 if game.startswith(GYM) else make_game(game).num_players
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self.post_message(OpenScreen(WatchIntent(game, (run.agent,) * seats)))

    def action_league(self) -> None:
        """Show the league."""
        self.post_message(OpenScreen(LeagueIntent(str(self.folder))))

    def action_faster(self) -> None:
        """Double the speed of the game on the board."""
        self._set_speed(self.pace.speed * 2)

    def action_slower(self) -> None:
        """Halve the speed of the game on the board."""
        self._set_speed(self.pace.speed / 2)

    def _set_speed(self, speed: float) -> None:
        self.pace.speed = min(bounded(speed), 1 / TICK_S)
        if self.positions:
            self._show_position()

    def action_game(self) -> None:
        """Show or hide the game; on a small screen it replaces the curves."""
        self.toggle_class("-game")

    def remarks(self) -> Sequence[str]:
        """Return where the run is, and that it does not need the screen."""
        return (f"The run is in {self.folder}.", "It goes on when this screen is left; 'arena runs' finds it again.")


def _positions(record: MatchRecord) -> tuple[Position, ...]:
    """Return all positions of a training game; `UsageError` if it does not replay."""
    written = WrittenMatch.of(record)
    return LiveMatch(written.game).unroll(written)


def newest(log: Sequence[str], width: int, height: int) -> list[str]:
    """Return the last lines of a log, folded to `width`, at most `height` of them."""
    most = max(height, 1)
    fold = partial(textwrap.wrap, width=max(width, 20), subsequent_indent=" " * 4, break_on_hyphens=False)
    return [part for line in list(log)[-most:] for part in fold(line.strip())][-most:]
