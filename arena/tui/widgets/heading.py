"""The line on top: where this is, and how things stand."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static


class Heading(Horizontal):
    """A trail of places on the left (`arena › watch › connect_four`), the state of affairs on the right."""

    def __init__(self, *places: str):
        super().__init__()
        self._trail = " › ".join(("arena", *places))

    def compose(self) -> ComposeResult:
        """Two texts that share the line."""
        yield Static(self._trail, id="trail", markup=False)
        yield Static("", id="affairs", markup=False)

    def say(self, *affairs: str) -> None:
        """Show these on the right."""
        self.query_one("#affairs", Static).update("    ".join(filter(None, affairs)), layout=False)
