"""A form: a few fields that make a command line, shown as it grows, so that it can be typed next time."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

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
    type: Literal["text", "integer", "number"] = "text"
    """What may be typed at all."""

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
                    yield Line(
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
        """What the fields hold."""
        return {field.name: self._line(field).value.strip() for field in self._fields}

    def _line(self, field: Field) -> Line:
        return self.query_one(f"#{field.name}", Line)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the command as it is now."""
        self._show_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in any field is enough."""
        self._do()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Do it, or leave it."""
        if event.button.id == "do":
            self._do()
        else:
            self.dismiss(None)

    def _do(self) -> None:
        """End with what the fields hold; stay where a number is missing."""
        for field in self._fields:
            line = self._line(field)
            checked = line.validate(line.value)
            if checked is not None and not checked.is_valid:
                self.query_one("#form").border_subtitle = f"{field.label}: a number is missing"
                line.focus()
                return
        self.dismiss(self.values)

    def _show_command(self) -> None:
        self.query_one("#command", Static).update(f"$ arena {shlex.join(self._words(self.values))}")
