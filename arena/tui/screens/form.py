"""A form whose fields make a command line, which is shown as it grows so that the user learns it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
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
Submit = Callable[["FormScreen", Mapping[str, str]], None]
"""Begin the command of a form with the values of its fields, and call the form's `answered`."""


class FormScreen(Dialog[None]):
    """Asks for the `fields` of a command, and stays open until the command has begun.

    Args:
        title: what the command does.
        fields: its fields.
        words: makes the words of the command.
        verb: name of the button that begins it.
        submit: begins the command with the values of the fields, and calls `answered`.

    """

    AUTO_FOCUS = "LineInput"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("tab,down", "app.focus_next", priority=True),  # at once: what is typed next is for the next field
        Binding("shift+tab,up", "app.focus_previous", priority=True),
        Binding("pagedown", "choose(1)", "next choice", priority=True),
        Binding("pageup", "choose(-1)", "choice before", priority=True),
    ]

    def __init__(self, title: str, fields: Sequence[FormField], words: Words, verb: str, submit: Submit):
        super().__init__()
        self._title, self._fields, self._words, self._verb = title, fields, words, verb
        self._submit = submit
        self._waits = False

    def compose(self) -> ComposeResult:
        """Yield a line for each field, the command, and two buttons."""
        with Vertical(id="form") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = "↵ begins   esc cancels"
            with Grid(id="fields"):
                for field in self._fields:
                    yield Label(field.label)
                    suggester = SuggestFromList(field.suggestions) if field.suggestions else None
                    yield LineInput(
                        field.value,
                        id=field.name,
                        type=field.type,
                        suggester=suggester,
                        valid_empty=field.optional,
                        compact=True,
                        select_on_focus=False,
                    )
            yield Static(id="meaning", markup=False)
            yield Static(id="command", markup=False)
            with Grid(id="buttons"):
                yield Button(self._verb, variant="primary", id="do", compact=True)
                yield Button("cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        """Show the command; the first character typed into a field takes the place of what it holds."""
        for line in self.query(LineInput):
            line.select_all()  # now, since a focus is heard of after the keys that follow it
        self._show_command()

    @property
    def values(self) -> dict[str, str]:
        """Values of the fields by name."""
        return {field.name: self._line(field).value.strip() for field in self._fields}

    def _line(self, field: FormField) -> LineInput:
        return self.query_one(f"#{field.name}", LineInput)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Update the command, and what the field means."""
        self._show_command()
        self._show_meaning()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Say what the field means."""
        self._show_meaning()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Submit the form."""
        self._do()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Submit or cancel the form."""
        if event.button.id == "do":
            self._do()
        else:
            self.dismiss()

    def _do(self) -> None:
        """Begin the command, unless a number is missing."""
        for field in self._fields:
            line = self._line(field)
            checked = line.validate(line.value)
            if checked is not None and not checked.is_valid:
                self._tell(f"{field.label}: a number is missing")
                line.focus()
                return
        if not self._waits:
            self._waits = True
            self._tell("begins …")
            self._submit(self, self.values)

    async def answered(self, error: str) -> None:
        """Close if the command has begun; else say why not, and leave everything as it was typed."""
        self._waits = False
        if not self.query("#meaning"):  # it was closed while the command began, and nobody sees it
            return
        if error:
            self._tell(error, refused=True)
        else:
            await self.dismiss()

    def say(self, text: str, tone: str = "plain") -> None:
        """Show one line of news."""
        if text:
            self._tell(text, refused=tone == "refusal")

    def _tell(self, text: str, refused: bool = False) -> None:
        """Show a line in place of the meaning of a field, until another has the focus."""
        meaning = self.query_one("#meaning", Static)
        meaning.update(text)
        meaning.set_class(refused, "-refusal")

    def _focused_field(self) -> FormField | None:
        """Return the field under the cursor."""
        return next((field for field in self._fields if self.focused is self._line(field)), None)

    def _show_meaning(self) -> None:
        """Say what the focused field means, and what its value is if it is one of its choices."""
        field = self._focused_field()
        if field is None or self._waits:
            return
        value = self._line(field).value.strip()
        chosen = next((choice.meaning for choice in field.choices if choice.spec == value), "")
        more = "PgDn: others" if field.choices else ""
        self._tell("   ".join(filter(None, [f"{value}: {chosen}" if chosen else field.meaning, more])))

    def action_choose(self, step: int) -> None:
        """Put the next of its choices into the focused field."""
        field = self._focused_field()
        if field is None or not field.choices:
            return
        line, values = self._line(field), [choice.spec for choice in field.choices]
        known = line.value.strip() in values
        line.value = values[(values.index(line.value.strip()) + step) % len(values) if known else 0]
        line.cursor_position = len(line.value)

    def _show_command(self) -> None:
        self.query_one("#command", Static).update(f"$ arena {without_password(shlex.join(self._words(self.values)))}")
