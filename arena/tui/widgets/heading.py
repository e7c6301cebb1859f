"""The top line: the trail of screens, and the status."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static


class Heading(Horizontal):
    """A trail on the left (`arena › watch › connect_four`), the status on the right."""

    def __init__(self, *places: str):
        super().__init__()
        self._trail = " › ".join(("arena", *places))

    def compose(self) -> ComposeResult:
        """Yield two texts that share the line."""
        yield Static(self._trail, id="trail", markup=False)
        yield Static("", id="status", markup=False)

    def say(self, *status: str) -> None:
        """Show the status."""
        self.query_one("#status", Static).update("    ".join(filter(None, status)), layout=False)
