"""The line of keys at the bottom."""

from textual import events
from textual.widget import Widget
from textual.widgets import Footer

LAST = 2
"""Number of keys that are always shown: help and back."""


class Keys(Footer):
    """Keys with their actions; where not all fit, those before the last two are hidden."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)

    async def recompose(self) -> None:
        """Show the current keys."""
        await super().recompose()
        self.call_after_refresh(self._fit)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many keys as fit."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        keys = list(self.children)
        excess = sum(map(self._width, keys)) - self.content_size.width
        for key in keys[-LAST - 1 :: -1]:
            key.display = excess <= 0
            excess -= self._width(key) if excess > 0 else 0

    def _width(self, key: Widget) -> int:
        """Return the columns of a key, shown or not."""
        return key.get_content_width(self.size, self.app.size) + key.gutter.width + key.styles.margin.width
