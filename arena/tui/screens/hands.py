"""Hidden hands on a screen: shown as backs, until somebody turns them over."""

from textual.binding import Binding
from textual.reactive import reactive

from arena.tui.screens.base import ArenaScreen
from arena.tui.table import Position
from games.engine.picture import Picture

CARDS_KEY = Binding("c,C", "open_cards", "cards", tooltip="hidden hands open, or as backs")


class HandsScreen(ArenaScreen, inherit_bindings=False):
    """Shows positions of a game, and what is hidden in them if asked to."""

    hides: reactive[bool] = reactive(False, bindings=True)
    """Whether hands have been hidden so far: whether there is anything to be opened."""
    is_open = False
    """Whether hidden hands are shown."""

    def note(self, position: Position) -> None:
        """Take note of a position that is shown."""
        self.hides = self.hides or position.hides

    def picture_of(self, position: Position) -> Picture:
        """A position with its hands open, or as backs."""
        return position.picture if self.is_open or position.closed is None else position.closed

    def show(self) -> None:
        """Draw what is shown anew."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hands can be opened where there are hidden ones."""
        return action != "open_cards" or self.hides

    def action_open_cards(self) -> None:
        """Turn hidden hands over."""
        self.is_open = not self.is_open
        self.show()
