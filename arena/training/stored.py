"""`RunDescription`: the task and options of a run, read from its folder, so that `--resume` needs none of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self, TypeVar, get_args

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_json, read_text
from arena.base.typed import FieldError, field
from arena.policy.former_names import read_options
from arena.training.options import DESCRIPTION, LOGGER, RESOURCES, USUAL_LOGGER, LoggerName, RunOptions
from games.engine.identity import GameId

T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound=RunOptions)


def holds_run(folder: Path) -> bool:
    """Return whether there is a run in a folder."""
    return (folder / DESCRIPTION).is_file()


@dataclass(frozen=True)
class RunDescription:
    """A run folder and the contents of its `run.json`."""

    folder: Path
    description: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the description of a run; raise `UsageError` if there is none, `CheckpointError` if it is broken."""
        if not holds_run(folder):
            raise UsageError(f"there is no run to resume in {folder}")
        stored = cls(folder, read_json(folder / DESCRIPTION))
        _ = stored.task, stored.algorithm  # raises unless it is a description
        return stored

    def value(self, name: str, kind: Any) -> Any:
        """Return an entry of the description as `kind`; raise `CheckpointError` if it is missing or something else."""
        try:
            return field(self.description, name, kind)
        except FieldError as error:
            raise self._broken(error) from None

    @property
    def task(self) -> str:
        """The game with its options, or the Gymnasium environment, as a command line names it."""
        name: str = self.value("game", str)
        return GameId(name, self.value("options", dict[str, Any])).spec

    @property
    def algorithm(self) -> str:
        """Name of the algorithm or, of a run of 'arena solve', of the solver."""
        name: str = self.value("solver" if "solver" in self.description else "algorithm", str)
        return name

    @property
    def logger(self) -> LoggerName:
        """The logger that the run had last; the usual one for a run that has begun without any."""
        file = self.folder / LOGGER
        noted = read_text(file).strip() if file.exists() else USUAL_LOGGER
        for name in get_args(LoggerName):
            if noted == name:
                return name
        raise CheckpointError(f"{file} names no logger: tensorboard, csv or wandb")

    def require_training_of(self, task: str, algorithm: str) -> None:
        """Raise `UsageError` unless the run trains for the task of this name, without its options, and so."""
        if task != self.value("game", str):
            raise UsageError(f"the run in {self.folder} trains for {self.task}, not for {task}")
        if algorithm != self.algorithm:
            raise UsageError(f"the run in {self.folder} trains {self.algorithm}, not {algorithm}")

    def options(self, section: str, usual: T) -> T:
        """Return options as the run has them: a copy of `usual` with the values of a section of the description.

        What the run uses of the machine, such as threads, has a section of its own and is filled in as well.
        Raises `CheckpointError` if a section does not hold such options.
        """
        kind: Any = type(usual)
        known = {one.name for one in fields(kind)}
        used = self.description.get(RESOURCES, {})
        stored = self.description.get(section, {})
        try:
            if not isinstance(used, Mapping) or not isinstance(stored, Mapping):
                raise FieldError(f"{section} is not an object")
            read: T = read_options(kind, {**stored, **{key: value for key, value in used.items() if key in known}})
        except UsageError as error:
            raise self._broken(error) from None
        return read

    def _broken(self, error: UsageError) -> CheckpointError:
        return CheckpointError(f"{self.folder / DESCRIPTION} is not the description of a run: {error}")


def lengthened(wanted: OptionsT, stored: RunOptions) -> OptionsT:
    """Return the options of a resumed run with as many snapshots as its steps ask for.

    Snapshots stay as far apart as they were. Where steps were raised and snapshots were not, the run goes on to the
    first snapshot that is not before `wanted.steps`. Raises `UsageError` if steps were lowered.
    """
    before = stored.num_snapshots
    if wanted.steps == stored.steps or wanted.num_snapshots != before:
        return wanted
    if wanted.steps < stored.steps:
        raise UsageError(
            f"steps={wanted.steps} would shorten the run in {wanted.out}, which has steps={stored.steps}: "
            "a resumed run can only be made longer"
        )
    unit = before // math.gcd(stored.steps, before)  # as few as lie whole steps apart
    snapshots = unit * -(-wanted.steps * before // (stored.steps * unit))
    return replace(wanted, steps=stored.steps * snapshots // before, snapshots=snapshots)
