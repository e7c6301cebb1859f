"""Fast execution of one statement for many rows."""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Update
from sqlalchemy.sql.compiler import SQLCompiler


def execute_many(connection: Connection, statement: Insert | Update, rows: Sequence[dict[str, Any]]) -> None:
    """Execute a statement for each row; values are numbers, texts, bytes or None.

    There is at least one row; all rows have the same two or more keys. SQLAlchemy's own bulk execution processes every
    value in Python, which takes longer than SQLite takes to write them.
    """
    compiled = _compiled(statement, connection.dialect, tuple(rows[0]))
    names = compiled.positiontup
    connection.exec_driver_sql(str(compiled), list(rows if names is None else map(itemgetter(*names), rows)))


@lru_cache(maxsize=64)
def _compiled(statement: Insert | Update, dialect: Dialect, columns: tuple[str, ...]) -> SQLCompiler:
    compiled = statement.compile(dialect=dialect, column_keys=list(columns))
    assert isinstance(compiled, SQLCompiler)
    return compiled
