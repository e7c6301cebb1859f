"""People who share one keyboard."""

from collections.abc import Sequence


class Keyboard:
    """The person at the keyboard, and the curtain between people who may not see each other's hands.

    Args:
        people: numbers of the contestants who are people.
        hides: True if the game hides something from them.

    """

    def __init__(self, people: Sequence[int], hides: bool):
        self.people = tuple(people)
        self.at = 0
        """Contestant who sits at the keyboard, or did last."""
        self.curtained = False
        """True while the curtain covers everything."""
        self._hides = hides and len(people) > 1

    def pass_to(self, contestant: int, first: bool) -> bool:
        """Pass the keyboard to the person to move; return whether a curtain is drawn until that person lifts it.

        It is drawn for the `first` move of a game, too.
        """
        self.curtained = self._hides and (first or contestant != self.at)
        self.at = contestant
        return self.curtained

    def lift(self) -> None:
        """Lift the curtain."""
        self.curtained = False
