"""The numbers that stand for names and labels."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import Connection, Table, insert, select

from arena.errors import UsageError

T = TypeVar("T")
CHUNK = 1000
"""Values in one `IN (...)`; databases limit them."""


def numbers_of(connection: Connection, table: Table, words: Collection[str]) -> dict[str, int]:
    """The number of each word in `table` (`players` by name, `games` by label); new ones are written."""
    found = known_numbers(connection, table, words)
    missing = sorted(set(words) - found.keys())
    if missing:
        connection.execute(insert(table), [{table.c[1].name: word} for word in missing])
        found |= known_numbers(connection, table, missing)
    return found


def known_numbers(connection: Connection, table: Table, words: Collection[str]) -> dict[str, int]:
    """The numbers of those words that are in `table`; `UsageError` for one that no database takes."""
    for word in words:
        if storable(word) != word:
            raise UsageError(f"{word!a} is no name: it holds characters that are no text")
    found: dict[str, int] = {}
    for part in chunks(sorted(set(words))):
        query = select(table.c[1], table.c.id).where(table.c[1].in_(part))
        found |= {word: number for word, number in connection.execute(query).all()}
    return found


def storable(text: str) -> str:
    """A text that every database takes: halves of characters and zeros are written out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Parts of at most `CHUNK`."""
    return (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
