"""The input line for moves."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Entry(Widget, can_focus=True):
    """Collects typed text until enter; always has the focus.

    Letters are commands as well (`f` flips the board, and `f3` is a move). A letter that can begin a move types it; its
    command is then on the capital, as the footer shows. Once text has been typed, every letter is added to it.
    """

    text: reactive[str] = reactive("")
    """Text typed so far."""

    @dataclass
    class Typed(Message):
        """Enter was pressed on a text."""

        text: str

    beginnings: frozenset[str] = frozenset()
    """Characters that a move may start with."""

    def render(self) -> Content:
        """Return the text with a caret."""
        return Content.assemble((" move › ", "$text-muted"), (self.text, "bold"), ("▏", "$accent"))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Return whether a command on this key gives way to a move; textual hides such keys in the footer."""
        return character in self.beginnings

    def on_key(self, event: events.Key) -> None:
        """Add characters; a command keeps its key while the line is empty."""
        if event.key == "enter" and self.text:
            self.post_message(self.Typed(self.text))
            self.text = ""  # here, where keys are read: the next may be typed before the message is heard
        elif event.key == "backspace":
            self.text = self.text[:-1]
        elif event.key == "escape" and self.text:
            self.text = ""
        elif event.character and event.is_printable and (self.text or not self._is_command(event.key)):
            self.text = (self.text + event.character).lstrip()[:40]
        else:
            return  # arrows, enter on nothing, commands
        event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Add pasted text."""
        self.text = (self.text + event.text.strip())[:40]
        event.stop()

    def _is_command(self, key: str) -> bool:
        return key in self.screen.active_bindings
