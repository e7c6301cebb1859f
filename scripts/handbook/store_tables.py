"""The page of a store's tables, from the schema itself."""

from typing import Any

from sqlalchemy import Column

from arena.store.schema import METADATA, VERSION
from handbook.markdown import table


def pages() -> dict[str, str]:
    """Return the page of all tables."""
    parts = [
        "# Tables of a store",
        f"A store is an SQLite file or a PostgreSQL database; this is version {VERSION} of its tables. A store of an "
        "older version is upgraded when it is opened for writing. Times are seconds since 1970 (UTC); ratings are no "
        "table: they are a function of the matches.",
    ]
    for one in METADATA.sorted_tables:
        rows = [[f"`{c.name}`", str(c.type), ", ".join(_facts(c))] for c in one.columns]
        parts += [f"## {one.name}", table(["column", "type", ""], rows)]
    return {"reference/store.md": "\n\n".join(parts)}


def _facts(column: Column[Any]) -> list[str]:
    """Say what there is to know of a column besides its type."""
    keys = [f"of `{key.target_fullname}`" for key in column.foreign_keys]
    return [*["primary key"] * column.primary_key, *keys, *["may be absent"] * bool(column.nullable)]
