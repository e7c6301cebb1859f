"""Tables of commands: one line of headings, and as many columns as the terminal has room for."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from arena.base.terminal import make_console

PIPED_WIDTH = 160
"""Characters in a line where the output is no terminal."""
Cell = str | Text


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    heading: str
    rank: int = 0
    """Place in the order in which columns are given up where there is no room, the highest first; 0 is never."""
    right: bool = False
    """Whether its cells are flush right, as numbers are."""
    least: int = 0
    """Characters to which its lines may be folded; 0 if they are never folded."""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], console: Console | None = None) -> None:
    """Print rows of cells under these columns, and the headings of those for which there is no room."""
    console = console or make_console()
    if not console.is_terminal:
        console = make_console(width=PIPED_WIDTH)
    kept = fitting(columns, rows, console)
    console.print(_table(columns, rows, kept))
    given_up = [column.heading for place, column in enumerate(columns) if place not in kept and column.heading]
    if given_up:
        console.print(f" no room for {', '.join(given_up)} (a wider terminal and --json have them)", style="dim")


def fitting(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], console: Console) -> list[int]:
    """Return the places of the columns that fit the width of a console."""
    kept = list(range(len(columns)))
    while _least_width(_table(columns, rows, kept), console) > console.width:
        droppable = [place for place in kept if columns[place].rank]
        if not droppable:
            break
        kept.remove(max(droppable, key=lambda place: columns[place].rank))
    return kept


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], kept: Sequence[int]) -> Table:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for place in kept:
        column = columns[place]
        table.add_column(
            column.heading,
            justify="right" if column.right else "left",
            no_wrap=not column.least,
            min_width=min(column.least, max([len(column.heading), *(_width(row[place]) for row in rows)])) or None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(row[place] for place in kept))
    return table


def _width(cell: Cell) -> int:
    return max((len(line) for line in str(cell).splitlines()), default=0)


def _least_width(table: Table, console: Console) -> int:
    """Return the width of a table with all columns folded as far as they may be."""
    least = 0
    options = console.options.update(width=10**6)
    for column in table.columns:
        if column.no_wrap:
            cells = [column.header, *column.cells]
            least += max(Measurement.get(console, options, cell).maximum for cell in cells)
        else:
            least += column.min_width or 1
    return least + 2 * len(table.columns) + 1  # two spaces after each, and one at the edge
