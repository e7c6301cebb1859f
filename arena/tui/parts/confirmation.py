"""Requests that cannot be undone have to be made twice."""

from arena.tui.state.live_match import Position


class Confirmation:
    """A request that waits to be confirmed: by being made again in the same position."""

    def __init__(self) -> None:
        self._pending: tuple[str, Position] | None = None

    def given(self, request: str, position: Position) -> bool:
        """Return whether a request was made before in this position; the first time, remember it."""
        if self._pending is not None and self._pending[0] == request and self._pending[1] is position:
            return True
        self._pending = request, position
        return False
