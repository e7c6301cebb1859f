"""The curtain between two people at one keyboard, where each has something to hide."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from arena.tui.screens.dialog import Dialog


class CurtainScreen(Dialog[None]):
    """Covers everything until the person whose turn it is lifts it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "dismiss", "lift", tooltip="lift the curtain"),
        Binding("q,Q", "app.back", "leave", tooltip="leave the game"),
    ]

    def __init__(self, name: str):
        super().__init__()
        self._name = name

    def compose(self) -> ComposeResult:
        """One line in the middle of nothing."""
        yield Static(f"{self._name}, it is your turn.\n\nWhen nobody else looks: enter, or a click.", id="curtain")

    def on_click(self) -> None:
        """Lift it."""
        self.dismiss()
