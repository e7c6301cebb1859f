"""Home: games, trainings, the ladder and the newest matches; from here to everything else."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.css.query import NoMatches
from textual.widgets import DataTable

from arena.errors import UsageError
from arena.registry import AGENTS, GAMES
from arena.tui.counting import counted
from arena.tui.forms import PLAY, TOURNAMENT, TRAIN, WATCH, Form, Setting
from arena.tui.home_rows import ladder_cells, match_cells, training_cells
from arena.tui.jobs import Job, as_name, start
from arena.tui.screens.base import COMMANDS_KEY, HELP_KEY, ArenaScreen, repeatedly
from arena.tui.screens.form import FormScreen
from arena.tui.screens.menu import MenuScreen
from arena.tui.surroundings import Found, Ladder, Surroundings
from arena.tui.widgets.rows import Cells, Rows

if TYPE_CHECKING:
    from arena.tui.app import ArenaApp

LOOK_S = 2.0
"""Seconds between two looks at what there is."""
MENU = (
    ("play", "play against an agent"),
    ("watch", "watch agents play"),
    ("train", "train an agent"),
    ("tournament", "rate agents against each other"),
    ("replays", "go through its stored matches"),
)
"""What can be done with a game."""


class HomeScreen(ArenaScreen):
    """Where `arena` begins.

    Args:
        runs: folder of the runs.
        store: path or URL of the store of matches.

    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p,P", "form('play')", "play", tooltip="play against an agent"),
        Binding("w,W", "form('watch')", "watch", tooltip="watch agents play"),
        Binding("n,N", "form('train')", "train", tooltip="train an agent"),
        Binding("t,T", "form('tournament')", "rate", tooltip="rate agents in a tournament"),
        Binding("r,R", "replays", "replays", tooltip="go through stored matches"),
        Binding("l,L", "league", "league", tooltip="the league of a training"),
        Binding("tab", "app.focus_next", show=False, tooltip="to the next panel"),
        Binding("ctrl+t", "app.toggle_theme", "theme", show=False, tooltip="light or dark"),
        COMMANDS_KEY,
        HELP_KEY,
        Binding("q,Q", "app.back", "quit", tooltip="leave the arena"),
    ]
    MINIMUM = (70, 18)

    def __init__(self, runs: Path, store: str):
        super().__init__()
        self.runs, self.store = runs, store
        self.found = Found()
        self.jobs: list[Job] = []
        self._around = Surroundings(runs, store)
        self._traits: dict[str, str] = {}
        self._typed: dict[str, dict[str, str]] = {}
        self._trouble = ""

    def compose_body(self) -> ComposeResult:
        """Four panels."""
        with Grid(id="home"):
            yield Rows("play or watch", "", "", id="games")
            yield Rows(
                "ladder", "", "agent", ">elo", ">±", ">games", "W/D/L", empty="nobody has been rated", id="ladder"
            )
            yield Rows("trainings", "", "", ">", "", empty="none yet: n begins one", id="trainings")
            yield Rows("recent matches", "", "", "", ">", empty="none yet: t plays a tournament", id="matches")

    def on_mount(self) -> None:
        """Show the names of the games at once; everything else as it is found."""
        self._show_games()
        self.query_one("#games").focus()
        self.heading.say("looking around …")
        self.call_after_refresh(self._look_on)

    @work(group="look")
    async def _look_on(self) -> None:
        """Look around again and again; the first time, game by game, at what the games are as well."""
        await self._look()
        self._show_games()
        if self.found.matches:
            self._rows("games").choose(self.found.matches[0].record.game.partition("(")[0])
        for name in GAMES.names():
            self._traits[name] = await self.thinker.run(partial(self._around.traits, name))
            self._show_games()
        self._show_ladder()
        await repeatedly(self._look_again, LOOK_S)

    async def _look_again(self) -> None:
        """Take note of what has changed, ratings included."""
        await self._look()
        self._show_ladder()

    async def _look(self) -> None:
        self.found = await self.thinker.run(self._around.look)
        found = self.found
        if not self.is_mounted:
            return
        agents = len(AGENTS.names()) + sum(run.status.snapshots > 0 for run in found.runs)
        self.heading.say(f"{counted(len(found.runs), 'run')} · {agents} agents · {counted(found.stored, 'game')}")
        known = [(str(run.folder), training_cells(run)) for run in found.runs]
        self._rows("trainings").show([*self._starting({folder for folder, _ in known}), *known])
        self._rows("matches").show([(str(match.id), match_cells(match)) for match in found.matches])
        self._look_after_jobs()
        if found.trouble != self._trouble:
            self._trouble = found.trouble
            self.say(found.trouble, "refusal")

    def _starting(self, known: Collection[str]) -> list[tuple[str, Cells]]:
        """Trainings that were begun here and have not told of themselves yet."""
        begun = filter(None, map(_folder_of, self.jobs))
        return [(folder, ("◌", Path(folder).name, "", "starting")) for folder in begun if folder not in known]

    def _look_after_jobs(self) -> None:
        """Say what became of commands that were started here."""
        for job in [job for job in self.jobs if job.process.poll() is not None]:
            self.jobs.remove(job)
            done = job.process.returncode == 0
            more = f"   (all of it: {job.log})" if job.said_more else ""
            self.say(f"arena {job.words[0]}: {job.said}{more}", "result" if done else "refusal")

    def _rows(self, name: str) -> Rows:
        return self.query_one(f"#{name}", Rows)

    def _show_games(self) -> None:
        """The games, those that were played here lately first."""
        played = {match.record.game.partition("(")[0] for match in self.found.matches}
        names = sorted(GAMES.names(), key=lambda name: (name not in played, name))
        self._rows("games").show([(name, (name, Text(self._traits.get(name, ""), "dim"))) for name in names])

    @property
    def game(self) -> str:
        """The name of the game under the cursor."""
        return self._rows("games").key or GAMES.names()[0]

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Another game: its ladder."""
        if event.data_table.id == "games" and self._traits:
            self._show_ladder()

    @work(exclusive=True, group="ladder")
    async def _show_ladder(self) -> None:
        ladder: Ladder = await self.thinker.run(partial(self._around.ladder, self.game))
        try:
            panel = self._rows("ladder")
        except NoMatches:  # the screen was left meanwhile
            return
        panel.border_title = f"ladder: {ladder.game.partition('(')[0]}"
        panel.show([(row.player, ladder_cells(place, row)) for place, row in enumerate(ladder.rows, start=1)])

    # --- to other screens ---------------------------------------------------------------------------------------

    @property
    def arena(self) -> "ArenaApp":
        """The application."""
        return self.app  # type: ignore[return-value]

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """Open what was chosen."""
        event.stop()
        if event.rows.id == "games":
            self.app.push_screen(MenuScreen(event.key, MENU), partial(self._do, event.key))
        elif event.rows.id == "ladder":
            self.action_form("watch", event.key)
        elif event.rows.id == "trainings":
            self._follow(event.key)
        else:
            self.arena.open(["replay", event.key, "--store", self.store])

    def _follow(self, folder: str) -> None:
        """Follow a training; one that was begun here from before it has told of itself."""
        job = next((job for job in self.jobs if _folder_of(job) == folder), None)
        if job is None:
            self.arena.open(["runs", folder, "--control"])
            return
        from arena.tui.screens.training import TrainingScreen

        self.app.push_screen(TrainingScreen(Path(folder), control=True, job=job))

    def _do(self, game: str, what: str | None) -> None:
        if what == "replays":
            self.arena.open(["matches", "--ui", "--game", game, "--store", self.store])
        elif what is not None:
            self.action_form(what)

    def action_replays(self) -> None:
        """All matches of the store."""
        self.arena.open(["matches", "--ui", "--store", self.store])

    def action_league(self) -> None:
        """The league of the training under the cursor."""
        chosen = self._rows("trainings").key
        if chosen is None:
            self.say("no training has been found here: n begins one", "refusal")
        else:
            self.arena.open(["league", chosen, "--ui"])

    def action_form(self, kind: str, agent: str = "") -> None:
        """Ask for what a command needs, and do it."""
        form = {"play": PLAY, "watch": WATCH, "train": TRAIN, "tournament": TOURNAMENT}[kind]
        setting = Setting(
            self.game, tuple(self.found.agents), agent, self.runs, self.store, self._traits.get(self.game)
        )
        fields = form.fields(setting)
        known = {} if agent else self._typed.get(f"{kind} {self.game}", {})
        shown = [field if field.name not in known else field.holding(known[field.name]) for field in fields]
        words = partial(form.words, setting)
        self.app.push_screen(FormScreen(form.title, shown, words, form.verb), partial(self._filled, form, setting))

    def _filled(self, form: Form, setting: Setting, values: Mapping[str, str] | None) -> None:
        if values is None:
            return
        self._typed[f"{form.kind} {setting.game}"] = dict(values)
        words = form.words(setting, values)
        if form.opens:
            self.arena.open(words)
            return
        log = self.runs / "logs" / f"{as_name(f'{datetime.now():%m%d-%H%M%S} {form.kind} {setting.game}')}.log"
        try:
            self.jobs.append(start(words, log))
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        self.say(f"started: arena {' '.join(words)}   (it goes on when this is left; output: {log})")

    def on_unmount(self) -> None:
        """Let go of the store."""
        self._around.close()


def _folder_of(job: Job) -> str | None:
    """The folder of a training that was begun here; None for other commands."""
    return job.words[job.words.index("--out") + 1] if job.words[0] == "train" else None
