"""The line on which a person types a move."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Entry(Widget, can_focus=True):
    """Collects what is typed until enter; it always has the focus.

    Letters are commands as well (`f` flips the board, and `f3` is a move). A letter that can begin a move begins a
    move; its command is then on the capital, and the line of keys says so. With something typed, every letter goes on
    with it.
    """

    text: reactive[str] = reactive("")
    """What is typed so far."""

    @dataclass
    class Typed(Message):
        """Enter was pressed on a text."""

        text: str

    beginnings: frozenset[str] = frozenset()
    """Characters that a move may begin with."""

    def render(self) -> Content:
        """The text and a caret."""
        return Content.assemble((" move › ", "$text-muted"), (self.text, "bold"), ("▏", "$accent"))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a command on this key gives way to a move; textual leaves it out of the line of keys."""
        return character in self.beginnings

    def on_key(self, event: events.Key) -> None:
        """Take characters; a command keeps its key while nothing is typed."""
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
        """Take pasted text."""
        self.text = (self.text + event.text.strip())[:40]
        event.stop()

    def _is_command(self, key: str) -> bool:
        return key in self.screen.active_bindings
