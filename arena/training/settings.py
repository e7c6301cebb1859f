"""The settings of a run as TOML: `config.toml` beside every run, which `arena train --config` reads."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from arena.base.errors import UsageError
from arena.base.files import read_bytes, reason
from arena.base.toml import toml_value
from arena.base.typed import FieldError, as_type
from games.engine.identity import GameId

PartT = TypeVar("PartT")

SETTINGS = "config.toml"
TABLES = "run", "config", "league"
"""Tables of the file: the options of the run, of the algorithm, and of the league."""
LARGEST = 1_000_000
"""Largest number of bytes of a file."""


@dataclass(frozen=True)
class Settings:
    """Settings of a training in a file; those that it leaves out have their defaults."""

    file: Path | None = None
    """The file; None if there is none."""
    task: str | None = None
    algo: str | None = None
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def applied_to(self, name: str, part: PartT) -> PartT:
        """Return a dataclass of options with the values of the table `name`; `UsageError` for one that does not fit."""
        known, changes = get_type_hints(type(part), include_extras=True), dict[str, Any]()
        try:
            for key, value in self.tables.get(name, {}).items():
                if key not in known:
                    raise FieldError(f"{name}.{key} is no option: known are {', '.join(known)}")
                is_path = isinstance(value, str) and Path in (known[key], *get_args(known[key]))
                changes[key] = Path(value) if is_path else as_type(value, known[key], f"{name}.{key}")
            return replace(part, **changes)  # type: ignore[type-var]  # options are dataclasses
        except UsageError as error:
            raise UsageError(f"{self.file}: {error}") from None


def settings_text(description: Mapping[str, Any]) -> str:
    """Return the contents of `run.json` as the TOML that makes the same run again."""
    lines = [
        f"task = {toml_value(GameId(description['game'], description['options']).spec)}",
        f"algo = {toml_value(description['algorithm'])}",
    ]
    for name in TABLES:
        if name in description:
            lines += ["", f"[{name}]"]
            lines += [f"{key} = {toml_value(value)}" for key, value in description[name].items() if value is not None]
    return "\n".join(lines) + "\n"


def read_settings(file: Path) -> Settings:
    """Read a file of settings; raise `UsageError` if it cannot be read or holds something else."""
    try:
        content = tomllib.loads(read_bytes(file, LARGEST, follow=True).decode())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {reason(error)}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise UsageError(f"{file} is not TOML: {error}") from None
    known = ("task", "algo", *TABLES)
    if unknown := next((key for key in content if key not in known), None):
        raise UsageError(f"{file}: {unknown} is no setting: known are {', '.join(known)}")
    try:
        task, algo = (as_type(content.get(key), str | None, key) for key in ("task", "algo"))
        tables = {name: as_type(content[name], dict[str, Any], name) for name in TABLES if name in content}
    except FieldError as error:
        raise UsageError(f"{file}: {error}") from None
    return Settings(file, task, algo, tables)
