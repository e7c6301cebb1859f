"""Screens of games with hidden hands: shown as backs until the user turns them over."""

from textual.binding import Binding
from textual.reactive import reactive

from arena.tui.screens.base import ArenaScreen
from arena.tui.state.live_match import Position
from games.engine.picture import Picture

CARDS_KEY = Binding("c,C", "open_cards", "cards", tooltip="hidden hands open, or as backs")


class HandsScreen(ArenaScreen, inherit_bindings=False):
    """Shows positions of a game, and hidden hands if asked to."""

    hides: reactive[bool] = reactive(False, bindings=True)
    """True once a position with hidden hands has been shown: there is something to open."""
    is_open = False
    """True if hidden hands are shown."""

    def note(self, position: Position) -> None:
        """Remember whether a position hides hands."""
        self.hides = self.hides or position.hides

    def picture_of(self, position: Position) -> Picture:
        """Return the picture of a position with its hands open, or as backs."""
        return position.picture if self.is_open or position.closed is None else position.closed

    def show(self) -> None:
        """Draw what is shown."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is shown; that for hands only where some are hidden."""
        return action != "open_cards" or self.hides

    def action_open_cards(self) -> None:
        """Show or hide the hidden hands."""
        self.is_open = not self.is_open
        self.show()
