"""A line to type on."""

from textual import events
from textual.reactive import reactive
from textual.widgets import Input


class Line(Input):
    """An `Input` in which nothing blinks, and that takes keys in the order in which they are typed.

    Textual asks for the meaning of a key (backspace, ctrl+u) only after it has gone up to the application and back;
    characters that follow quickly would overtake it.
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
