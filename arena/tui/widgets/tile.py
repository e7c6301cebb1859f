"""A small board among others, with its game and its news in the frame."""

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive

from arena.tui.cells import BARE, SCALES, SLANTED
from arena.tui.drawing import BoardView, extent
from arena.tui.widgets.board import Board


class Tile(Container):
    """Draws its `view` as large as there is room."""

    view: reactive[BoardView | None] = reactive(None, init=False)

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()  # known before it is composed, and after it is gone: positions come from elsewhere

    def compose(self) -> ComposeResult:
        """The board alone."""
        yield self.board

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
