"""Rows of measurements in a CSV file, section by section, with their date and machine."""

import csv
import io
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol

from arena.base.saving import replace_text


class SectionRow(Protocol):
    """A dataclass with a field `section`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def section(self) -> str:
        """What the row is a part of."""


def machine() -> str:
    """Return what this machine is."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def keep(path: Path, section: str, rows: Sequence[SectionRow]) -> None:
    """Write the rows of one section in place of its older ones, where those stood; other sections stay."""
    made = {"date": datetime.now(UTC).date().isoformat(), "machine": machine()}
    new = [{name: _cell(value) for name, value in (asdict(row) | made).items()} for row in rows]
    before = read(path) if path.exists() else []
    place = next((i for i, row in enumerate(before) if row["section"] == section), len(before))
    kept = before[:place] + new + [row for row in before[place:] if row["section"] != section]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(kept[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept)
    replace_text(path, text.getvalue())


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, each with its cells by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
