"""Help: the keys of the screen below, and remarks on its game."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from arena.tui.screens.dialog import Dialog


class HelpScreen(Dialog[None]):
    """Lists keys with what they do."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,Q,enter,space", "dismiss", "close")]

    def __init__(self, title: str, keys: list[tuple[str, str]], remarks: list[str]):
        super().__init__()
        self._title, self._keys, self._remarks = title, keys, remarks

    def compose(self) -> ComposeResult:
        """Yield a frame in the middle of the screen."""
        with VerticalScroll(id="help") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = "esc closes"
            lines = [Content.assemble((f"{key:>9}", "$accent bold"), f"  {what}") for key, what in self._keys]
            yield Static(Content("\n").join([*(Content(remark) for remark in self._remarks), Content(""), *lines]))
