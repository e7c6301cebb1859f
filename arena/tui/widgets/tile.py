"""A small board among others, with its game and its news in the frame."""

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive

from arena.tui.drawing import BARE, SCALES, SLANTED, BoardView, extent
from arena.tui.widgets.board import Board


class Tile(Container):
    """Draws its `view` as large as there is room."""

    view: reactive[BoardView | None] = reactive(None, init=False)

    def compose(self) -> ComposeResult:
        """The board alone."""
        yield Board()

    @property
    def board(self) -> Board:
        """The board."""
        return self.query_one(Board)

    def watch_view(self, view: BoardView) -> None:
        """Give it to the board."""
        self.board.view = view
        self._fit()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the new size."""
        self._fit()

    def _fit(self) -> None:
        if self.view is None:
            return
        room = self.content_size
        picture = replace(self.view.picture, notes=("",) * len(self.view.picture.notes))  # long ones may be cut
        scales = SLANTED if picture.slanted else SCALES
        sizes = ((scale, extent(picture, scale)) for scale in scales)
        fitting = (scale for scale, (width, height) in sizes if width <= room.width and height <= room.height)
        self.board.scale = next(fitting, BARE)
