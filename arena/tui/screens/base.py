"""What all screens share: a heading, a line of news, the keys with their help, and a word where there is no room."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.messages import Prune
from textual.screen import Screen
from textual.widgets import Static

from arena.errors import UsageError
from arena.saving import free_path, write_whole
from arena.tui.screens.help import HelpScreen
from arena.tui.thinker import Thinker
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.keys import Keys

Tone = Literal["plain", "refusal", "result"]

COMMANDS_KEY = Binding("colon", "app.command_palette", "find", key_display=":", tooltip="find a command by name")
HELP_KEY = Binding("question_mark", "help", "help", key_display="?", tooltip="these keys")
COMMON_KEYS: list[BindingType] = [
    Binding("t,T", "app.toggle_theme", "theme", tooltip="light or dark"),
    COMMANDS_KEY,
    HELP_KEY,
    Binding("q,Q", "app.back", "back", tooltip="back, or leave"),
]
"""For the end of the list of a screen's own keys, which is where people look for them."""


async def repeatedly(look: Callable[[], Awaitable[None]], pause_s: float) -> None:
    """Look again and again, each time `pause_s` seconds after the last look has ended: a slow one is never cut off."""
    while True:
        await look()
        await asyncio.sleep(pause_s)


class ArenaScreen(Screen[None]):
    """A screen of the arena; below it `compose_body` fills in what is between heading and news."""

    BINDINGS: ClassVar[list[BindingType]] = []
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # as textual declares it
    MINIMUM: ClassVar[tuple[int, int]] = (60, 16)
    """Columns and lines that it needs."""

    def __init__(self, *places: str):
        super().__init__()
        self.places = places
        self.thinker = Thinker()
        """Where it has done what takes long."""

    def compose(self) -> ComposeResult:
        """Heading, body, a line of news, keys; and what is said in their place where they do not fit."""
        yield Heading(*self.places)
        yield from self.compose_body()
        with Horizontal(id="bottom"):
            yield from self.compose_bottom()
            yield Static(id="notice", markup=False)
        yield Keys()
        yield Static(id="too-small", markup=False)

    def compose_body(self) -> ComposeResult:
        """What the screen is about."""
        yield from ()

    def compose_bottom(self) -> ComposeResult:
        """What stands before the news."""
        yield from ()

    def on_resize(self, event: events.Resize) -> None:
        """Say how large the terminal has to be where it is too small."""
        columns, lines = self.MINIMUM
        self.set_class(event.size.width < columns or event.size.height < lines, "-too-small")
        self.query_one("#too-small", Static).update(
            f"this screen needs {columns} columns and {lines} lines; the terminal has "
            f"{event.size.width} and {event.size.height}"
        )

    async def on_prune(self, event: Prune) -> None:
        """End its workers before its widgets go; textual would do so later, and one that looks for a widget fails."""
        self.workers.cancel_node(self)

    def on_unmount(self) -> None:
        """Let go of the thread."""
        self.thinker.close()

    @property
    def heading(self) -> Heading:
        """The line on top."""
        return self.query_one(Heading)

    def say(self, text: str, tone: Tone = "plain") -> None:
        """Put one line of news under the body."""
        if self.is_mounted:
            notice = self.query_one("#notice", Static)
            notice.update(text, layout=False)
            notice.set_classes(f"-{tone}")

    def key_of(self, action: str) -> str:
        """The key of an action as it is now: a letter that can begin a move leaves its command to another key."""
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
        """List the keys."""
        keys: dict[str, tuple[str, str]] = {}
        for _, binding, _, _ in self.active_bindings.values():
            if binding.tooltip:  # ours; textual's own have none, but for its key of the palette
                keys.setdefault(
                    binding.action.removeprefix("app."), (self.app.get_key_display(binding), binding.tooltip)
                )
        self.app.push_screen(HelpScreen(" › ".join(self.places) or "arena", list(keys.values()), list(self.remarks())))

    def remarks(self) -> Sequence[str]:
        """What else the help should say."""
        return ()
