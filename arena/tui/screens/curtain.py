"""The curtain between two people at one keyboard whose information is hidden from each other."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from arena.base.text import printable
from arena.tui.screens.dialog import Dialog


class CurtainScreen(Dialog[None]):
    """Covers everything until the next player lifts it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "dismiss", "lift", tooltip="lift the curtain"),
        Binding("q,Q", "app.back", "leave", tooltip="leave the game"),
    ]

    def __init__(self, name: str):
        super().__init__()
        self._name = name

    def compose(self) -> ComposeResult:
        """Yield one line in the middle of an empty screen."""
        text = f"{printable(self._name)}, it is your turn.\n\nWhen nobody else looks: enter, or a click."
        yield Static(text, id="curtain", markup=False)

    def on_click(self) -> None:
        """Lift the curtain."""
        self.dismiss()
