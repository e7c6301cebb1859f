"""The input line for moves."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

MOST = 40
"""Longest text, in characters."""
OPENING = "/"
"""Character that begins a move whatever follows; not part of it."""
COMMANDS = "?:"
"""Characters that are commands while the line is empty: no move begins with them, unless `OPENING` stands before it."""


class Entry(Widget, can_focus=True):
    """Collects typed text until enter; has the focus as long as moves may be typed.

    Then every printable key is text, in every game: commands are on other keys (`arena.tui.screens.keys`).
    """

    text: reactive[str] = reactive("")
    """Text typed so far."""

    @dataclass
    class Typed(Message):
        """Enter was pressed on a text."""

        text: str

    def render(self) -> Content:
        """Return the text with a caret."""
        return Content.assemble((" move › ", "$text-muted"), (self.text, "bold"), ("▏", "$accent"))

    def close(self) -> None:
        """Take no more text: letters are commands."""
        self.text = ""
        self.display = False

    def open(self) -> None:
        """Take text, and the focus."""
        if not self.display or not self.has_focus:
            self.display = True
            self.focus()

    def allow_focus(self) -> bool:
        """Return whether it takes text; a screen gives the focus to what allows it when another closes over it."""
        return bool(self.display) and super().allow_focus()

    def give_back(self, text: str) -> None:
        """Put a posted text before what was typed since: it cannot be used yet."""
        self.text = (text + self.text)[:MOST]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Return whether a key is text; textual shows no command on such keys in the footer."""
        return bool(character and character.isprintable() and (self.text or character not in COMMANDS))

    def on_key(self, event: events.Key) -> None:
        """Add characters, and post the text at enter."""
        if event.key == "enter" and self.text:
            self.post_message(self.Typed(self.text.removeprefix(OPENING)))
            self.text = ""  # here, where keys are read: the next may be typed before the message is heard
        elif event.key == "backspace":
            self.text = self.text[:-1]
        elif event.key == "escape" and self.text:
            self.text = ""
        elif event.character and self.check_consume_key(event.key, event.character):
            self.text = (self.text + event.character).lstrip()[:MOST]
        else:
            return  # arrows, enter on nothing, commands
        event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Add pasted text."""
        self.text = (self.text + event.text.strip())[:MOST]
        event.stop()
