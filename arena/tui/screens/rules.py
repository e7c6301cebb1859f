"""The rules of a game: its manual, over the screen that shows the game."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from arena.tui.screens.dialog import Dialog
from games.engine.game import Game
from games.engine.manual import Section, manual_of

NO_MANUAL = "Nobody has written a manual of this game. Its options and their values:"


class RulesScreen(Dialog[None]):
    """Shows how a game is played, what its options mean, its notation, some strategy, and the source."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,Q,enter", "dismiss", "close")]

    def __init__(self, game: Game):
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        """Yield a frame in the middle of the screen, which the arrows scroll."""
        with VerticalScroll(id="rules") as frame:
            frame.border_title = Content(self._game.title)
            frame.border_subtitle = "↑↓ scroll   esc closes"
            sections = manual_of(self._game)
            if not sections:
                options = ", ".join(f"{name}={value}" for name, value in self._game.options.items())
                yield Static(Content(f"{NO_MANUAL} {options or 'none'}."))
            for section in sections:
                yield Static(Content(section.heading), classes="heading")
                for point in _points(section):
                    yield Static(point, classes="point" if point.plain.startswith("•") else "")

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()


def _points(section: Section) -> Iterator[Content]:
    """Yield the paragraphs of a section; what stands in backquotes is bold."""
    for paragraph in section.paragraphs:
        text = f"• {paragraph[2:]}" if paragraph.startswith("- ") else paragraph
        pieces = text.split("`")
        styled = [(piece, "bold $accent") if i % 2 else piece for i, piece in enumerate(pieces)]
        yield Content.assemble(*styled)
