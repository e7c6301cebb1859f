"""Numbers of names and labels, and helpers for rows."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, insert, select

from arena.base.errors import UsageError
from arena.base.typed import record

T = TypeVar("T")
CHUNK = 1000
"""Most values in one `IN (...)`, which databases limit."""


def numbers_of(connection: Connection, table: Table, words: Collection[str]) -> dict[str, int]:
    """Return the number of each word in `table` (`players` by name, `games` by label); add new words."""
    numbers = known_numbers(connection, table, words)
    missing = sorted(set(words) - numbers.keys())
    if missing:
        connection.execute(insert(table), [{table.c[1].name: word} for word in missing])
        numbers |= known_numbers(connection, table, missing)
    return numbers


def known_numbers(connection: Connection, table: Table, words: Collection[str]) -> dict[str, int]:
    """Return the numbers of the words that are in `table`; `UsageError` for a word that no database can store."""
    for word in words:
        if storable(word) != word:
            raise UsageError(f"{word!a} is not a name: it holds characters that are not text")
    numbers: dict[str, int] = {}
    for part in chunks(sorted(set(words))):
        query = select(table.c[1], table.c.id).where(table.c[1].in_(part))
        numbers |= {word: number for word, number in connection.execute(query).all()}
    return numbers


def row_of(kind: type[T], row: Iterable[Any]) -> T:
    """Return a row as a dataclass of the same columns; `UsageError` for values of wrong types, which SQLite allows."""
    return record(kind, dict(zip((one.name for one in fields(kind)), row, strict=True)))  # type: ignore[arg-type]


def storable(text: str) -> str:
    """Return a text that every database accepts: surrogates and NUL characters are escaped."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield parts of at most `CHUNK` values."""
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
