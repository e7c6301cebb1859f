"""Tables of commands: which columns a terminal has room for."""

import io

import pytest
from rich.console import Console

from arena.base.tables import Column, fitting, print_table

COLUMNS = (
    Column("state"),
    Column("run", least=8),
    Column("steps", rank=1, right=True),
    Column("done", right=True),
    Column("speed", rank=2, right=True),
)
ROWS = [["finished", "connect_four-ppo", "1,500,000", "100%", "20,000"], ["killed", "short", "5", "10%", ""]]


def terminal(width: int) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


@pytest.mark.parametrize(
    ("width", "kept"), [(120, [0, 1, 2, 3, 4]), (50, [0, 1, 2, 3, 4]), (45, [0, 1, 2, 3]), (30, [0, 1, 3])]
)
def test_columns_are_given_up_in_their_order(width, kept):
    assert fitting(COLUMNS, ROWS, terminal(width)) == kept


@pytest.mark.parametrize("width", range(28, 121))
def test_what_is_shown_is_shown_whole(width):
    console = terminal(width)
    print_table(COLUMNS, ROWS, console)
    text = console.file.getvalue()
    assert "100%" in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for place in set(range(len(COLUMNS))) - set(fitting(COLUMNS, ROWS, console)):
        assert COLUMNS[place].heading in text, "it says what there is no room for"


def test_no_column_is_given_up_where_the_output_is_no_terminal():
    output = io.StringIO()
    print_table(COLUMNS, ROWS, Console(file=output, width=20))
    assert "no room" not in output.getvalue()
