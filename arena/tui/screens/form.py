"""A form: a few fields that make a command line, shown as it grows, so that it can be typed next time."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Label, Static

from arena.tui.screens.dialog import Dialog
from arena.tui.widgets.line import Line

Words = Callable[[Mapping[str, str]], list[str]]
"""From what the fields hold, by name, to the words of a command."""


@dataclass(frozen=True)
class Field:
    """One line of a form."""

    name: str
    label: str
    value: str = ""
    suggestions: Sequence[str] = ()
    """Completions of what is typed; the right arrow takes one."""

    def holding(self, value: str) -> "Field":
        """The same with another value."""
        return replace(self, value=value)


class FormScreen(Dialog[dict[str, str] | None]):
    """Asks for the `fields` of a command; ends with what they hold, or None if the person thinks better of it."""

    AUTO_FOCUS = "Line"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("tab,down", "app.focus_next", priority=True),  # at once: what is typed next is for the next field
        Binding("shift+tab,up", "app.focus_previous", priority=True),
    ]

    def __init__(self, title: str, fields: Sequence[Field], words: Words, verb: str):
        super().__init__()
        self._title, self._fields, self._words, self._verb = title, fields, words, verb

    def compose(self) -> ComposeResult:
        """A line for each field, the command, and two buttons."""
        with Vertical(id="form") as frame:
            frame.border_title = self._title
            frame.border_subtitle = "esc cancels"
            with Grid(id="fields"):
                for field in self._fields:
                    yield Label(field.label)
                    suggester = SuggestFromList(field.suggestions) if field.suggestions else None
                    yield Line(field.value, id=field.name, suggester=suggester, compact=True, select_on_focus=False)
            yield Static(id="command", markup=False)
            with Grid(id="buttons"):
                yield Button(self._verb, variant="primary", id="do", compact=True)
                yield Button("cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        """Show the command."""
        self._show_command()

    @property
    def values(self) -> dict[str, str]:
        """What the fields hold."""
        return {field.name: self.query_one(f"#{field.name}", Input).value.strip() for field in self._fields}

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the command as it is now."""
        self._show_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in any field is enough."""
        self.dismiss(self.values)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do it, or leave it."""
        self.dismiss(self.values if event.button.id == "do" else None)

    def _show_command(self) -> None:
        self.query_one("#command", Static).update(f"$ arena {shlex.join(self._words(self.values))}")
