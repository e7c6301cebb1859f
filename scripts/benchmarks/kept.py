"""Rows of a benchmark in a file, section by section, with their date and machine."""

import csv
import io
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from arena.base.saving import replace_text
from benchmarks.measure import Row


@dataclass(frozen=True)
class KeptRow(Row):
    """A comparison, when it was made and where."""

    date: str
    machine: str


def machine() -> str:
    """Return what this machine is."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def keep(path: Path, section: str, rows: Sequence[Row]) -> None:
    """Write the rows of one section in place of its older ones, where those stood; other sections stay."""
    today = datetime.now(UTC).date().isoformat()
    new = [KeptRow(**asdict(row), date=today, machine=machine()) for row in rows]
    before = read(path) if path.exists() else []
    place = next((i for i, row in enumerate(before) if row.section == section), len(before))
    kept = before[:place] + new + [row for row in before[place:] if row.section != section]
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(KeptRow)], lineterminator="\n")
    writer.writeheader()
    for row in kept:
        figures = {name: f"{value:.4g}" for name, value in asdict(row).items() if isinstance(value, float)}
        writer.writerow(asdict(row) | figures)
    replace_text(path, text.getvalue())


def read(path: Path) -> list[KeptRow]:
    """Return the rows of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_row(line) for line in csv.DictReader(file)]


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
