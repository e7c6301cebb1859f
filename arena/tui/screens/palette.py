"""The command palette, with page keys that are ignored while its list is hidden."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.widgets import OptionList


class Palette(CommandPalette):
    """Works around textual's palette, whose list raises `KeyError` for a page key while it is hidden but not empty.

    Seen in Textual 8.2: `OptionList._move_page` looks up a line of the list, which has none before it has a size.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page('up')", show=False),
        Binding("pagedown", "page('down')", show=False),
    ]

    def action_page(self, to: str) -> None:
        """Scroll the list by a page, if it is visible."""
        commands = self.query_one(OptionList)
        if commands.scrollable_content_region:
            getattr(commands, f"action_page_{to}")()
