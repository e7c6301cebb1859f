"""A small board among others, with title and news in its frame."""

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive

from arena.tui.drawing.board import BoardView, fit, room_for_pixels
from arena.tui.widgets.board import Board


class Tile(Container):
    """Draws its `view` as large as it fits."""

    view: reactive[BoardView | None] = reactive(None, init=False)

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()  # made here, since positions may arrive before compose and after unmount

    def compose(self) -> ComposeResult:
        """Yield the board."""
        yield self.board

    def watch_view(self, view: BoardView) -> None:
        """Pass the view to the board."""
        self.board.view = view
        self._fit()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the new size."""
        self._fit()

    def _fit(self) -> None:
        if self.board.view is None:
            return
        room, picture = self.content_size, self.board.view.picture
        if picture.pixels is not None:
            self.board.scale = room_for_pixels(room.width, room.height)
            return
        picture = replace(picture, notes=("",) * len(picture.notes))  # long ones may be cut
        self.board.scale = fit(picture, room.width, room.height)
