"""Rows of a benchmark as they stand in a file, with their date and machine."""

from dataclasses import dataclass
from pathlib import Path

import kept_rows

from benchmarks.measure import Row


@dataclass(frozen=True)
class KeptRow(Row):
    """A comparison, when it was made and where."""

    date: str
    machine: str


def read(path: Path) -> list[KeptRow]:
    """Return the rows of a file."""
    return [_row(line) for line in kept_rows.read(path)]


def _row(cells: dict[str, str]) -> KeptRow:
    peer, ratio = (float(cells[name]) if cells[name] else None for name in ("peer", "ratio"))
    return KeptRow(
        cells["section"],
        cells["work"],
        float(cells["ours"]),
        peer,
        cells["peer_name"],
        ratio,
        cells["unit"],
        cells["date"],
        cells["machine"],
    )
