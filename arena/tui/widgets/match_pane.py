"""A match on the screen: the board, and beside or below it players, thoughts, values and moves."""

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive

from arena.tui.drawing.board import BoardView, arrange
from arena.tui.drawing.plotting import Curve
from arena.tui.state.words import mark
from arena.tui.widgets.board import Board
from arena.tui.widgets.moves import MoveRecord, Moves
from arena.tui.widgets.players import Player, Players
from arena.tui.widgets.plot import Plot
from arena.tui.widgets.thoughts import Thought, Thoughts

PANEL_COLUMNS = 33
"""Columns of a panel below a board: players and thoughts, then moves, then values stand there side by side."""


@dataclass(frozen=True, eq=False)
class MatchView:
    """Snapshot of everything that a match pane shows."""

    board: BoardView
    players: tuple[Player, ...]
    record: MoveRecord
    thought: Thought | None = None
    values: tuple[tuple[float | None, ...], ...] = ()
    """Expected value of each seat by position; empty if none was reported."""


class MatchPane(Container):
    """Passes each part of a `MatchView` to its widget, and arranges them for the size of the screen."""

    view: reactive[MatchView | None] = reactive(None, init=False)

    def compose(self) -> ComposeResult:
        """Yield the board and the panels."""
        with Container(id="stage"):
            yield Board()
        with Container(id="panels"):
            yield Players()
            yield Thoughts()
            yield Plot("value", id="values")
            yield Moves()

    @property
    def board(self) -> Board:
        """The board widget."""
        return self.query_one(Board)

    def watch_view(self, view: MatchView) -> None:
        """Update every widget."""
        self.board.view = view.board
        sides = view.board.picture.sides
        self.query_one(Players).sides = self.query_one(Thoughts).sides = sides
        self.query_one(Players).players = view.players
        self.query_one(Thoughts).thought = view.thought
        self.query_one(Moves).record = view.record
        self._show_values(view)
        self._lay_out()

    def _show_values(self, view: MatchView) -> None:
        """Plot the values, if there are any."""
        plot = self.query_one("#values", Plot)
        plot.border_title = f"value for {mark(0, view.board.picture.sides)}" if len(view.values) == 2 else "value"
        most = max((abs(value) for values in view.values for value in values if value is not None), default=0.0)
        plot.high = max(most, 1.0)  # most games pay 1: the scale stays
        plot.low = -plot.high
        plot.curves = [
            Curve(
                mark(seat, view.board.picture.sides),
                [(i, value) for i, value in enumerate(values) if value is not None],
                f"seat-{seat % 4}",
            )
            for seat, values in enumerate(view.values)
        ]

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for the new size."""
        self._lay_out()

    def _lay_out(self) -> None:
        if self.board.view is None or not self.size:
            return
        arrangement = arrange(self.board.view.picture, self.size.width, self.size.height)
        self.board.scale = arrangement.scale
        room = self.size.width // PANEL_COLUMNS if arrangement.panels == "below" else 4
        self.query_one(Moves).display = room >= 3
        self.query_one("#values").display = room >= 4 and self.view is not None and bool(self.view.values)
        for panels in ("beside", "below", "alone"):
            self.set_class(panels == arrangement.panels, f"-{panels}")
