"""One statement for many rows."""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Update
from sqlalchemy.sql.compiler import SQLCompiler


def execute_many(connection: Connection, statement: Insert | Update, rows: Sequence[dict[str, Any]]) -> None:
    """Execute a statement for each row; the driver takes the values (numbers, texts, bytes, None) as they are.

    There is a row or more, and all have the same keys, two or more. SQLAlchemy's own way looks at every value of every
    row, and takes longer for it than SQLite does to write them.
    """
    compiled = _compiled(statement, connection.dialect, tuple(rows[0]))
    names = compiled.positiontup
    connection.exec_driver_sql(str(compiled), list(rows if names is None else map(itemgetter(*names), rows)))


@lru_cache(maxsize=64)
def _compiled(statement: Insert | Update, dialect: Dialect, columns: tuple[str, ...]) -> SQLCompiler:
    compiled = statement.compile(dialect=dialect, column_keys=list(columns))
    assert isinstance(compiled, SQLCompiler)
    return compiled
