"""A form whose fields make a command line, which is shown as it grows so that the user learns it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Label, Static

from arena.base.passwords import without_password
from arena.tui.screens.dialog import Dialog
from arena.tui.views.forms import FormField
from arena.tui.widgets.line import LineInput

Words = Callable[[Mapping[str, str]], list[str]]
"""Make the words of a command from the values of the fields, by name."""


class FormScreen(Dialog[dict[str, str] | None]):
    """Asks for the `fields` of a command; its result is their values by name, None if cancelled."""

    AUTO_FOCUS = "LineInput"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("tab,down", "app.focus_next", priority=True),  # at once: what is typed next is for the next field
        Binding("shift+tab,up", "app.focus_previous", priority=True),
    ]

    def __init__(self, title: str, fields: Sequence[FormField], words: Words, verb: str):
        super().__init__()
        self._title, self._fields, self._words, self._verb = title, fields, words, verb

    def compose(self) -> ComposeResult:
        """Yield a line for each field, the command, and two buttons."""
        with Vertical(id="form") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = "esc cancels"
            with Grid(id="fields"):
                for field in self._fields:
                    yield Label(field.label)
                    suggester = SuggestFromList(field.suggestions) if field.suggestions else None
                    yield LineInput(
                        field.value,
                        id=field.name,
                        type=field.type,
                        suggester=suggester,
                        compact=True,
                        select_on_focus=False,
                    )
            yield Static(id="command", markup=False)
            with Grid(id="buttons"):
                yield Button(self._verb, variant="primary", id="do", compact=True)
                yield Button("cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        """Show the command."""
        self._show_command()

    @property
    def values(self) -> dict[str, str]:
        """Values of the fields by name."""
        return {field.name: self._line(field).value.strip() for field in self._fields}

    def _line(self, field: FormField) -> LineInput:
        return self.query_one(f"#{field.name}", LineInput)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Update the command."""
        self._show_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Submit the form."""
        self._do()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Submit or cancel the form."""
        if event.button.id == "do":
            self._do()
        else:
            self.dismiss(None)

    def _do(self) -> None:
        """Return the values; stay open if a number is missing."""
        for field in self._fields:
            line = self._line(field)
            checked = line.validate(line.value)
            if checked is not None and not checked.is_valid:
                self.query_one("#form").border_subtitle = f"{field.label}: a number is missing"
                line.focus()
                return
        self.dismiss(self.values)

    def _show_command(self) -> None:
        self.query_one("#command", Static).update(f"$ arena {without_password(shlex.join(self._words(self.values)))}")
