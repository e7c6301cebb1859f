"""A list in a panel, from which one row can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import JustifyMethod
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable

Cells = tuple[str | Text, ...]


class Rows(DataTable[str | Text]):
    """Rows with keys; enter or a double click chooses the row under the cursor, which stays on its key.

    Args:
        title: title of its frame.
        columns: headings; a leading `>` aligns the column to the right.
        empty: text shown while there are no rows.

    """

    DEFAULT_CLASSES = "panel"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "open", key_display="↵", tooltip="open what the cursor is on"),
        Binding("home", "scroll_top", show=False),
        Binding("end", "scroll_bottom", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """A row was chosen."""

        rows: "Rows"
        key: str

        @property
        def control(self) -> "Rows":
            """The list."""
            return self.rows

    def __init__(self, title: str, *columns: str, empty: str = "", id: str | None = None):
        headed = any(column.strip(">") for column in columns)
        super().__init__(id=id, cursor_type="row", show_header=headed, cell_padding=1)
        self.border_title = Content(title)
        self._columns, self._empty = columns, empty
        self._note = ""
        self._shown: list[tuple[str, Cells]] = []

    def on_mount(self) -> None:
        """Add the columns."""
        for column in self._columns:
            self.add_column(self._heading(column))
        self._say_empty()

    @property
    def key(self) -> str | None:
        """Key of the row under the cursor, None if there is none."""
        return self._shown[self.cursor_row][0] if 0 <= self.cursor_row < len(self._shown) else None

    def choose(self, key: str) -> None:
        """Move the cursor to the row of that key, if there is one."""
        keys = [one for one, _ in self._shown]
        if key in keys:
            self.move_cursor(row=keys.index(key), animate=False)

    def head(self, *columns: str) -> None:
        """Change the headings of the columns, as many as there are."""
        if columns != self._columns:
            self._columns = columns
            for column, heading in zip(self.ordered_columns, columns, strict=True):
                column.label = self._heading(heading)
            self._shown = []

    def show(self, rows: Sequence[tuple[str, Cells]], note: str = "") -> None:
        """Show these rows (key, cells), with a note below; the cursor stays on its key, or near it."""
        rows, noted, self._note = list(rows), self._note, note
        if rows == self._shown and note == noted:
            return
        key, place, top = self.key, self.cursor_row, self.scroll_y
        keys = [one for one, _ in rows]
        drawn = [[self._set(column, cell) for column, cell in enumerate(cells)] for _, cells in rows]
        self.clear()
        # widths are settled before anything is drawn: the table keeps lines that it drew before it has measured them
        for number, column in enumerate(self.ordered_columns):
            column.auto_width = False
            column.width = max(column.label.cell_len, *(cells[number].cell_len for cells in drawn), 0)
        self.add_rows(drawn)
        self.move_cursor(row=keys.index(key) if key in keys else min(place, len(rows) - 1), animate=False)
        self.scroll_to(y=top, animate=False)
        self._shown = rows
        self._say_empty()

    def _heading(self, column: str) -> Text:
        return Text(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")

    def _set(self, column: int, cell: str | Text) -> Text:
        """Return a cell as it is drawn, numbers aligned to the right."""
        justify: JustifyMethod = "right" if self._columns[column].startswith(">") else "left"
        text = Text(cell) if isinstance(cell, str) else cell.copy()
        text.justify, text.no_wrap = justify, True
        return text

    def _say_empty(self) -> None:
        self.border_subtitle = Content(self._note or ("" if self._shown else self._empty))

    def action_select_cursor(self) -> None:
        """Choose the row under the cursor."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))

    async def on_click(self, event: events.Click) -> None:
        """Choose the row on a double click."""
        if event.chain == 2 and "row" in event.style.meta and event.style.meta["row"] >= 0:
            self.action_select_cursor()
