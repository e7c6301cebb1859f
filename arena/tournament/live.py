"""What a long run shows on a terminal while it lasts: a table over a bar of progress."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import Progress

from arena.base.terminal import suspendable


class LiveProgress:
    """A bar and what stands above it; visible within a `with` block, on terminals only, and removed after it."""

    def __init__(self, console: Console, bar: Progress):
        self._console, self._bar = console, bar
        self._live = Live(bar, console=console, transient=True, refresh_per_second=4)
        self._visible = ExitStack()

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._visible.enter_context(suspendable(self._console))
            self._visible.enter_context(self._live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._visible.close()

    def show(self, *above: RenderableType) -> None:
        """Put these above the bar."""
        self._live.update(Group(*above, self._bar))
