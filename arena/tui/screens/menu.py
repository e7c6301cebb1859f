"""A short menu in the middle of the screen."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from arena.tui.screens.dialog import Dialog


class MenuScreen(Dialog[str | None]):
    """Menu of `choices` (key, description); its result is the chosen key, None if closed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "close")]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]]):
        super().__init__()
        self._title, self._choices = title, choices

    def compose(self) -> ComposeResult:
        """Yield the list."""
        menu = OptionList(*(Option(meaning, id=key) for key, meaning in self._choices), id="menu", markup=False)
        menu.border_title = Content(self._title)
        menu.border_subtitle = "enter chooses, esc closes"
        yield menu

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the chosen key."""
        self.dismiss(event.option.id)
