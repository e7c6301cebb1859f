"""Hidden hands: shown as backs until the user turns them over."""

from arena.tui.state.live_match import Position
from games.engine.picture import Picture


class Hands:
    """Hidden hands on a screen: backs, or open where the user wants them so."""

    def __init__(self) -> None:
        self.hidden = False
        """True once a position with hidden hands has been shown: there is something to open."""
        self.are_open = False

    def note(self, position: Position) -> bool:
        """Remember whether a position hides hands; return whether it is the first that does."""
        first = position.hides and not self.hidden
        self.hidden = self.hidden or position.hides
        return first

    def picture_of(self, position: Position) -> Picture:
        """Return the picture of a position with its hands open, or as backs."""
        return position.picture if self.are_open or position.closed is None else position.closed
