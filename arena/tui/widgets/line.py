"""A text input."""

from textual import events
from textual.reactive import reactive
from textual.widgets import Input


class LineInput(Input):
    """An `Input` without blinking, which handles keys in the order in which they are typed.

    Textual handles a bound key (backspace, ctrl+u) only after passing it to the application and back; characters typed
    quickly after it would overtake it.
    """

    cursor_blink = reactive(False, init=False)

    async def _on_key(self, event: events.Key) -> None:
        known = self._bindings.key_to_bindings.get(event.key)
        if known:
            event.stop()
            event.prevent_default()
            await self.run_action(known[0].action)
        else:
            await super()._on_key(event)
