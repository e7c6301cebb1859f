"""The space that a sweep searches: options of a training, each with a range or with choices."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from arena.base.errors import UnknownNameError, UsageError
from arena.base.files import read_text
from arena.base.ranges import read_range
from arena.base.typed import FieldError, as_type

if TYPE_CHECKING:
    from optuna.trial import Trial

EXAMPLE = "'learning_rate=1e-5..1e-2:log', 'hidden=64|128' or 'repeat=1..4'"
FIXED = {"out", "resume", "seed", "threads", "device", "network", "data"}
"""Options that no sweep varies: they say where and on what a training runs."""

MOST_TRIED = 256
"""Most combinations of values that are tried to see whether they go together."""
Parts = Mapping[str, Any]
"""Options of a training: dataclasses by the name of the part, `run`, `config`, `league`."""


@dataclass(frozen=True)
class Dimension:
    """An option that is searched."""

    name: str
    part: str
    """The dataclass that it is a field of."""
    choices: tuple[str, ...] = ()
    """Its values as texts; empty where it has a range."""
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    """Whether the range is searched on a logarithmic scale."""
    step: float | None = None
    """Distance between the values of a range; None if all are taken."""
    whole: bool = False

    def suggest(self, trial: "Trial") -> Any:
        """Return the value of a trial, a text for a choice; the same one again where the trial has it already."""
        if self.choices:
            return trial.suggest_categorical(self.name, self.choices)
        if self.whole:
            step = int(self.step or 1)
            return trial.suggest_int(self.name, int(self.low), int(self.high), step=step, log=self.log)
        return trial.suggest_float(self.name, self.low, self.high, step=self.step, log=self.log)

    def holds(self, value: Any) -> bool:
        """Return whether a value of the option is in the space."""
        if self.choices:
            return choice_text(value) in self.choices
        return isinstance(value, int | float) and self.low <= value <= self.high and self.step is None

    def ends(self) -> tuple[Any, ...]:
        """Return the values that show whether the option takes what is searched: all choices, or both ends."""
        return self.choices or tuple(int(end) if self.whole else end for end in (self.low, self.high))


def applied(parts: Parts, dimensions: Sequence[Dimension], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts with these values of the dimensions; `UsageError` for values that an option refuses."""
    changes: dict[str, dict[str, Any]] = {name: {} for name in parts}
    for one in dimensions:
        if one.name in values:
            kind = get_type_hints(type(parts[one.part]), include_extras=True)[one.name]
            value = values[one.name]
            changes[one.part][one.name] = _chosen(one.name, kind, value) if one.choices else value
    return {name: replace(part, **changes[name]) for name, part in parts.items()}


def read_space(texts: Sequence[str], file: Path | None, parts: Parts) -> tuple[Dimension, ...]:
    """Return the dimensions that texts name, `NAME=LOW..HIGH[:log][:step=X]` or `NAME=A|B|C`, and those of a TOML file.

    The file has a line for each, `NAME = "LOW..HIGH:log"` or `NAME = [A, B, C]`. Raises `UsageError` for anything else,
    for unknown options, and for values that an option does not take.
    """
    dimensions = [_dimension(text, parts) for text in [*_texts_in(file), *texts]]
    if not dimensions:
        raise UsageError(f"name what is searched with --search, as {EXAMPLE}")
    names = [one.name for one in dimensions]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{twice} is searched twice")
    for one in dimensions:
        _require_values(one, dimensions, parts)
    return tuple(dimensions)


def _texts_in(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        content = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not TOML: {error}") from None
    return [f"{name}={_written(file, name, value)}" for name, value in content.items()]


def _written(file: Path, name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and not any(isinstance(one, dict) for one in value):
        return "|".join(map(choice_text, value))
    raise UsageError(f'{file}: {name} is no range and no choices; write {name} = "LOW..HIGH" or {name} = [A, B]')


def _dimension(text: str, parts: Parts) -> Dimension:
    name = text.partition("=")[0].strip().replace("-", "_")
    known = {one.name: place for place, part in parts.items() for one in fields(part) if one.name not in FIXED}
    if name not in known:
        if name in FIXED:
            raise UsageError(f"{name} is the same in all trials: it cannot be searched")
        raise UnknownNameError("option", name, known)
    place = known[name]
    kind = get_type_hints(type(parts[place]), include_extras=True)[name]
    return _range(name, place, text, kind) if ".." in text else _choices(name, place, text)


def _require_values(one: Dimension, dimensions: Sequence[Dimension], parts: Parts) -> None:
    """Raise `UsageError` if a value of a dimension fits no values of the others, as far as their ends show."""
    others = [other for other in dimensions if other.part == one.part and other is not one]
    names = [other.name for other in others]
    for value in one.ends():
        problem: UsageError | None = None
        for ends in islice(product(*(other.ends() for other in others)), MOST_TRIED):
            try:
                applied(parts, dimensions, dict(zip(names, ends, strict=True)) | {one.name: value})
                break
            except UsageError as error:
                problem = problem or error
        else:
            assert problem is not None
            raise problem


def _range(name: str, place: str, text: str, kind: Any) -> Dimension:
    numbers = {kind, *get_args(kind)} & {int, float}
    if not numbers:
        raise UsageError(f"{text!r}: {name} is no number; write its values, as '{name}=A|B'")
    bounds, whole = read_range(text, ("log", "step"), EXAMPLE), float not in numbers
    step = bounds.number("step", 0.0) if "step" in bounds.words else None
    if whole and not all(number is None or number.is_integer() for number in (bounds.low, bounds.high, step)):
        raise UsageError(f"{text!r}: {name} is a whole number")
    if "log" in bounds.words and not (bounds.low > 0 and step is None):
        raise UsageError(f"{text!r}: a logarithmic scale begins above 0, and has no step")
    if step is not None and not 0 < step <= bounds.high - bounds.low:
        raise UsageError(f"{text!r}: step={step:g} is not above 0 and at most {bounds.high - bounds.low:g}")
    return Dimension(name, place, (), bounds.low, bounds.high, "log" in bounds.words, step, whole)


def _choices(name: str, place: str, text: str) -> Dimension:
    _, equals, values = text.partition("=")
    choices = tuple(choice.strip() for choice in values.split("|"))
    if not equals or len(choices) < 2 or not all(choices):
        raise UsageError(f"{text!r} is not of the form NAME=LOW..HIGH or NAME=A|B, as in {EXAMPLE}")
    if len(set(choices)) < len(choices):
        raise UsageError(f"{text!r} names a choice twice")
    return Dimension(name, place, choices)


def choice_text(value: Any) -> str:
    """Return a value of an option as a choice is written."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def _chosen(name: str, kind: Any, text: str) -> Any:
    """Return the value of an option of this type that a choice stands for."""
    words = {"none": None, "true": True, "false": False}
    readings: list[Any] = [words[text]] if text in words else []
    for read in (int, float):
        try:
            readings.append(read(text))
        except ValueError:
            continue
    for value in [*readings, tuple(text.split(",")), text]:
        try:
            return as_type(value, kind, name)
        except FieldError:
            continue
    raise UsageError(f"{name}={text} is no value of {name}")
