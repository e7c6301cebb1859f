"""The base of all screens: a heading, a line of news, keys with their help, a notice in small terminals."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.messages import Prune
from textual.screen import Screen
from textual.widgets import Static

from arena.base.errors import UsageError
from arena.base.saving import free_path, write_whole
from arena.tui.screens.help import HelpScreen
from arena.tui.services.background import BackgroundThread
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.keys import Keys

if TYPE_CHECKING:
    from games.engine.game import Game

Tone = Literal["plain", "refusal", "result"]


async def repeatedly(poll: Callable[[], Awaitable[None]], pause_s: float) -> None:
    """Call `poll` for ever, pausing `pause_s` seconds after each call has ended: a slow one is never cancelled."""
    while True:
        await poll()
        await asyncio.sleep(pause_s)


class ArenaScreen(Screen[None]):
    """A screen of the arena; subclasses fill in `compose_body`, between heading and news."""

    BINDINGS: ClassVar[list[BindingType]] = []
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # as textual declares it
    MINIMUM: ClassVar[tuple[int, int]] = (60, 16)
    """Columns and lines that the screen needs."""

    def __init__(self, *places: str):
        super().__init__()
        self.places = places
        self.background = BackgroundThread()
        """Thread for work that takes long."""

    def compose(self) -> ComposeResult:
        """Yield heading, body, news and keys, and the notice that replaces them where they do not fit."""
        yield Heading(*self.places)
        yield from self.compose_body()
        with Horizontal(id="bottom"):
            yield from self.compose_bottom()
            yield Static(id="notice", markup=False)
        yield Keys()
        yield Static(id="too-small", markup=False)

    def compose_body(self) -> ComposeResult:
        """Yield the body of the screen."""
        yield from ()

    def compose_bottom(self) -> ComposeResult:
        """Yield the widgets before the news."""
        yield from ()

    def on_resize(self, event: events.Resize) -> None:
        """Ask for a larger terminal where it is too small."""
        columns, lines = self.MINIMUM
        self.set_class(event.size.width < columns or event.size.height < lines, "-too-small")
        self.query_one("#too-small", Static).update(
            f"this screen needs {columns} columns and {lines} lines; the terminal has "
            f"{event.size.width} and {event.size.height}"
        )

    async def on_prune(self, event: Prune) -> None:
        """End workers before the widgets go; textual ends them later, and one that queries a widget would fail."""
        self.workers.cancel_node(self)

    def on_unmount(self) -> None:
        """Release the thread."""
        self.background.close()

    @property
    def heading(self) -> Heading:
        """The top line."""
        return self.query_one(Heading)

    def say(self, text: str, tone: Tone = "plain") -> None:
        """Show one line of news under the body; a longer refusal or result takes up to three."""
        if self.is_mounted:
            notice = self.query_one("#notice", Static)
            notice.set_classes(f"-{tone}")
            notice.update(text, layout=tone != "plain")

    def key_of(self, action: str) -> str:
        """Return the current key of an action; a letter that can begin a move gives its command another key."""
        bindings = (active.binding for active in self.active_bindings.values())
        return next((self.app.get_key_display(binding) for binding in bindings if binding.action == action), "")

    def action_save_screen(self) -> None:
        """Write the screen as an SVG file."""
        picture = self.app.export_screenshot(title=" ".join(("arena", *self.places)))
        path = free_path("-".join(("arena", *self.places)), ".svg")
        try:
            write_whole(path, lambda draft: draft.write_text(picture, encoding="utf-8"))
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self.say(f"the screen is saved as {path}")

    def action_help(self) -> None:
        """Show the keys."""
        keys: dict[str, tuple[str, str]] = {}
        for _, binding, _, _ in self.active_bindings.values():
            if binding.tooltip:  # set for our keys; textual sets none except for its palette
                keys.setdefault(
                    binding.action.removeprefix("app."), (self.app.get_key_display(binding), binding.tooltip)
                )
        self.app.push_screen(HelpScreen(" › ".join(self.places) or "arena", list(keys.values()), list(self.remarks())))

    def show_rules(self, game: "Game") -> None:
        """Show the manual of a game over this screen."""
        from arena.tui.screens.rules import RulesScreen

        self.app.push_screen(RulesScreen(game))

    def remarks(self) -> Sequence[str]:
        """Return further lines for the help."""
        return ()
