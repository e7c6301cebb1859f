"""A line to type on."""

from textual.reactive import reactive
from textual.widgets import Input


class Line(Input):
    """An `Input` in which nothing blinks."""

    cursor_blink = reactive(False, init=False)
