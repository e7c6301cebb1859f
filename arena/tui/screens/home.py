"""The home screen: games, trainings, the ladder and the newest matches, and the way to all other screens."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.content import Content
from textual.css.query import NoMatches
from textual.widgets import DataTable

from arena.base.counting import counted
from arena.base.errors import UsageError
from arena.policy.registry import AGENTS, GAMES, make_game
from arena.tui.screens.base import ArenaScreen, repeatedly
from arena.tui.screens.form import FormScreen
from arena.tui.screens.keys import COMMANDS_KEY, HELP_KEY, RULES_KEY, THEME_KEY, command
from arena.tui.screens.menu import MenuScreen
from arena.tui.screens.prompt import PromptScreen
from arena.tui.services.advisers import exact_agents, zoo_card
from arena.tui.services.context import ArenaContext, GameLadder, Inventory
from arena.tui.services.jobs import CommandProcess, as_name, start
from arena.tui.state.intents import Intent, LeagueIntent, MatchesIntent, OpenScreen, ReplayIntent, RunIntent
from arena.tui.views.forms import PLAY, TOURNAMENT, TRAIN, WATCH, CommandForm, FormContext, option_meanings
from arena.tui.views.home_rows import (
    LADDER,
    agent_of,
    completed,
    ladder_headings,
    ladder_note,
    ladder_rows,
    ladder_title,
    match_cells,
    training_cells,
)
from arena.tui.views.opponents import of_zoo
from arena.tui.widgets.rows import Cells, Rows
from games.engine.identity import name_of

if TYPE_CHECKING:
    from games.engine.game import Game

FORMS = {form.kind: form for form in (PLAY, WATCH, TRAIN, TOURNAMENT)}
BEGINNING_S = 30.0
"""Seconds after which a process that has said nothing has begun."""
POLL_S = 2.0
"""Seconds between two polls of runs and store."""
MENU = (
    ("play", "play against an agent"),
    ("watch", "watch agents play"),
    ("train", "train an agent"),
    ("tournament", "rate agents against each other"),
    ("replays", "go through its stored matches"),
)
"""Commands offered for a game."""


class HomeScreen(ArenaScreen):
    """The first screen of `arena`.

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
        # at once: what is typed next is the name
        Binding(
            "slash", "find", "find", key_display="/", tooltip="find a game by its name, and play it", priority=True
        ),
        RULES_KEY,
        Binding("tab", "app.focus_next", show=False, tooltip="to the next panel"),
        THEME_KEY,
        replace(COMMANDS_KEY, show=False),  # beside the key that finds a game it would be taken for it
        HELP_KEY,
        command("q", "app.back", "quit", "leave the arena"),
    ]
    MINIMUM = (70, 18)

    def __init__(self, runs: Path, store: str):
        super().__init__()
        self.runs, self.store = runs, store
        self.inventory = Inventory()
        self.jobs: list[CommandProcess] = []
        self._arena_context = ArenaContext(runs, store)
        self._traits: dict[str, str] = {}
        self._ladders: Sequence[GameLadder] = ()
        self._typed: dict[str, dict[str, str]] = {}
        self._store_error = ""

    def compose_body(self) -> ComposeResult:
        """Yield four panels."""
        with Grid(id="home"):
            yield Rows("play or watch", "", "", id="games")
            yield Rows("ladder", *LADDER, empty="nobody has been rated", id="ladder")
            yield Rows("trainings", "", "", ">", "", empty="none yet: n begins one", id="trainings")
            yield Rows("recent matches", "", "", "", ">", empty="none yet: t plays a tournament", id="matches")

    def on_mount(self) -> None:
        """Show the names of the games at once, everything else as it is read."""
        self._show_games()
        self.query_one("#games").focus()
        self.heading.say("looking around …")
        self.call_after_refresh(self._poll_forever)

    @work(group="look")
    async def _poll_forever(self) -> None:
        """Poll repeatedly; after the first poll, read the traits of all games one by one."""
        await self._poll()
        self._show_games()
        if self.inventory.matches:
            self._rows("games").choose(name_of(self.inventory.matches[0].record.game))
        for name in GAMES.names():
            self._traits[name] = await self.background.run(partial(self._arena_context.traits, name))
            self._show_games()
        self._show_ladder()
        await repeatedly(self._poll_all, POLL_S)

    async def _poll_all(self) -> None:
        """Update runs, matches and ratings."""
        await self._poll()
        self._show_ladder()

    async def _poll(self) -> None:
        self.inventory = await self.background.run(self._arena_context.poll)
        inventory = self.inventory
        if not self.is_mounted:
            return
        agents = len(AGENTS.names()) + sum(run.status.snapshots > 0 for run in inventory.runs)
        self.heading.say(
            f"{counted(len(inventory.runs), 'run')} · {agents} agents · {counted(inventory.stored, 'stored game')}"
        )
        known = [(str(run.folder), training_cells(run)) for run in inventory.runs]
        self._rows("trainings").show([*self._starting({folder for folder, _ in known}), *known])
        matches = [(str(one.id), match_cells(one, inventory.facts[one.record.game])) for one in inventory.matches]
        self._rows("matches").show(matches)
        self._report_ended_commands()
        if inventory.error != self._store_error:
            self._store_error = inventory.error
            self.say(inventory.error, "refusal")

    def _starting(self, known: Collection[str]) -> list[tuple[str, Cells]]:
        """Return rows of trainings that were started here and have written no status yet."""
        started = filter(None, map(_folder_of, self.jobs))
        return [(folder, ("◌", Path(folder).name, "", "starting")) for folder in started if folder not in known]

    def _report_ended_commands(self) -> None:
        """Report the results of commands that were started here."""
        for job in [job for job in self.jobs if job.process.poll() is not None]:
            self.jobs.remove(job)
            done = job.process.returncode == 0
            more = f"   (all of it: {job.log})" if job.has_earlier_lines else ""
            self.say(f"arena {job.words[0]}: {job.last_line}{more}", "result" if done else "refusal")

    def _rows(self, name: str) -> Rows:
        return self.query_one(f"#{name}", Rows)

    def _show_games(self) -> None:
        """Show the games, those with stored matches first."""
        played = {name_of(match.record.game) for match in self.inventory.matches}
        names = sorted(GAMES.names(), key=lambda name: (name not in played, name))
        self._rows("games").show([(name, (name, Text(self._traits.get(name, ""), "dim"))) for name in names])

    @property
    def game(self) -> str:
        """Name of the game under the cursor."""
        return self._rows("games").key or GAMES.names()[0]

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the ladder of the highlighted game."""
        if event.data_table.id == "games" and self._traits:
            self._show_ladder()

    @work(exclusive=True, group="ladder")
    async def _show_ladder(self) -> None:
        ladder: GameLadder = await self.background.run(partial(self._arena_context.ladder, self.game))
        strongest = await self.background.run(self._arena_context.strongest)
        try:
            panel = self._rows("ladder")
        except NoMatches:  # the screen was left meanwhile
            return
        self._ladders = (ladder, *strongest)
        panel.border_title = Content(ladder_title(ladder))
        panel.head(*ladder_headings(ladder))
        panel.show(ladder_rows(ladder, strongest), ladder_note(ladder))

    # --- to other screens ---------------------------------------------------------------------------------------

    def _open(self, intent: Intent) -> None:
        self.post_message(OpenScreen(intent))

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """Open the selected item."""
        event.stop()
        if event.rows.id == "games":
            self.app.push_screen(MenuScreen(event.key, MENU), partial(self._do, event.key))
        elif event.rows.id == "ladder":
            game, agent = agent_of(event.key, self._ladders)
            self.action_form("watch", agent, game)
        elif event.rows.id == "trainings":
            self._follow(event.key)
        else:
            self._open(ReplayIntent(int(event.key), self.store))

    def _follow(self, folder: str) -> None:
        """Follow a training; one started here can be followed before it has written its status."""
        job = next((job for job in self.jobs if _folder_of(job) == folder), None)
        if job is None:
            self._open(RunIntent(folder))
            return
        from arena.tui.screens.training import TrainingScreen

        self.app.push_screen(TrainingScreen(Path(folder), control=True, job=job))

    def _do(self, game: str, what: str | None) -> None:
        if what == "replays":
            self._open(MatchesIntent(self.store, game))
        elif what is not None:
            self.action_form(what)

    def action_replays(self) -> None:
        """Show all matches of the store."""
        self._open(MatchesIntent(self.store))

    def action_league(self) -> None:
        """Show the league of the training under the cursor."""
        chosen = self._rows("trainings").key
        if chosen is None:
            self.say("no training has been found here: n begins one", "refusal")
        else:
            self._open(LeagueIntent(chosen))

    @work(group="form", exclusive=True)
    async def action_form(self, kind: str, agent: str = "", game: str = "") -> None:
        """Ask for the arguments of a command; the form stays open until it has begun."""
        form, game = FORMS[kind], game or self.game
        described = await self._described(game)
        card = await self.background.run(partial(zoo_card, described))
        context = FormContext(
            game,
            tuple(self.inventory.agents),
            agent,
            self.runs,
            self.store,
            self._traits.get(game),
            described.options,
            option_meanings(described),
            "games" if described.stakes is None else "hands",
            await self.background.run(partial(exact_agents, described)),
            () if card is None else of_zoo(card),
            card is not None and card.plays_any_options,
        )
        fields = form.fields(context)
        known = {} if agent else self._typed.get(f"{kind} {game}", {})
        shown = [field if field.name not in known else field.holding(known[field.name]) for field in fields]
        submit = partial(self._submit, form, context)
        self.app.push_screen(FormScreen(form.title, shown, partial(form.words, context), form.verb, submit))

    async def _described(self, name: str) -> "Game":
        """Return a game by name, and note its traits."""
        if name not in self._traits:
            self._traits[name] = await self.background.run(partial(self._arena_context.traits, name))
        return await self.background.run(partial(make_game, name))

    def _submit(self, form: CommandForm, context: FormContext, shown: FormScreen, values: Mapping[str, str]) -> None:
        self._typed[f"{form.kind} {context.game}"] = dict(values)
        if form.intent is not None:
            self.post_message(OpenScreen(form.intent(context, values), shown.answered))
        else:
            self.run_worker(self._begin(form, context, shown, values), group="begin")

    async def _begin(
        self, form: CommandForm, context: FormContext, shown: FormScreen, values: Mapping[str, str]
    ) -> None:
        """Start a process, and say that it has begun once it has said anything but an error."""
        words = form.words(context, values)
        log = self.runs / "logs" / f"{as_name(f'{datetime.now():%m%d-%H%M%S} {form.kind} {context.game}')}.log"
        try:
            job = start(words, log)
        except UsageError as error:
            await shown.answered(str(error))
            return
        await self._watch_beginning(job)
        if job.process.returncode:
            await shown.answered(job.last_line)
            return
        self.jobs.append(job)
        await shown.answered("")
        self.say(f"runs: arena {' '.join(words)}   (it continues when you leave; output: {log})")

    async def _watch_beginning(self, job: CommandProcess) -> None:
        """Wait until a process has ended, or said anything but an error; on a busy machine that takes a while."""
        deadline = time.monotonic() + BEGINNING_S
        while job.process.poll() is None and not job.has_started and time.monotonic() < deadline:
            await asyncio.sleep(0.1)

    @work(group="form", exclusive=True)
    async def action_rules(self) -> None:
        """Show the rules of the game under the cursor."""
        self.show_rules(await self._described(self.game))

    async def action_find(self) -> None:
        """Find a game by a part of its name; no key is heard until it is asked for."""
        await self.app.push_screen(PromptScreen("find a game"), self._find)

    def _find(self, part: str | None) -> None:
        name = None if part is None else completed(part, GAMES.names())
        if name is not None:
            self._rows("games").focus()
            self._rows("games").choose(name)
            self.action_form("play", game=name)
        elif part is not None:
            self.say(f"no game has {part!r} in its name", "refusal")

    def on_unmount(self) -> None:
        """Close the store."""
        self._arena_context.close()


def _folder_of(job: CommandProcess) -> str | None:
    """Return the folder of a training started here; None for other commands."""
    return job.words[job.words.index("--out") + 1] if job.words[0] == "train" else None
