"""Reading options from a command line with tyro, with shorter error messages and help that fits the terminal."""

import contextlib
import dataclasses
import io
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import dropwhile
from types import ModuleType
from typing import Any, Protocol, get_type_hints, runtime_checkable

from arena.base.errors import CheckpointError, UsageError
from arena.cli.examples import epilog

PLAINER = (
    (r"^Error parsing (--[\w-]+): no type matching (\S+) could be instantiated from \[(.*)\]\.?$", r"\1: \3 is not \2"),
    (r"^Error parsing (--[\w-]+): invalid literal for int\(\) with base 10: (.*)$", r"\1: \2 is no whole number"),
    (r"^invalid literal for int\(\) with base 10: (.*)$", r"\1 is no whole number"),
    (r"^Error parsing (--[\w-]+): could not convert string to float: (.*)$", r"\1: \2 is no number"),
    (r"^invalid choice (.*) for argument '([\w-]+)'\. Expected one of \((.*?),?\)\.$", r"\2: \1 is none of \3"),
    (r"^Missing value for argument '(--[\w-]+)'\. Expected 1 values\.$", r"\1 needs a value"),
)
"""Patterns of tyro's messages, and their plainer replacements."""


@runtime_checkable
class ChoosesOptions(Protocol):
    """The module of a command whose options depend on the words of the command line."""

    def options_for(self, arguments: Sequence[str]) -> type:
        """Return the options class for these words."""


def options_type(command: ModuleType, arguments: Sequence[str]) -> type:
    """Return the options class of a command's module for the words of a command line."""
    chosen: type = command.options_for(arguments) if isinstance(command, ChoosesOptions) else command.Options
    return chosen


def read_options(options: type, program: str, arguments: Sequence[str]) -> Any:
    """Return an instance of the dataclass `options` from command-line words; raise a one-line `UsageError` if wrong."""
    import tyro  # late, since the list of commands does not need it

    asks_help = not {"-h", "--help"}.isdisjoint(arguments)
    complaint, page = io.StringIO(), _Page(coloured=asks_help and sys.stdout.isatty())  # errors are plain words
    config = [tyro.conf.OmitArgPrefixes, tyro.conf.DisallowNone]
    if asks_help:  # which shows the one that changes something; on a run with --ahead, --ahead is no error
        config.append(tyro.conf.FlagCreatePairsOff)
    try:
        with contextlib.redirect_stderr(complaint), contextlib.redirect_stdout(page):
            return tyro.cli(
                options,
                prog=program,
                args=["--help"] if asks_help else list(arguments),  # the same help always
                config=config,
                registry=_registry_with_none(),
            )
    except SystemExit as end:
        if end.code in (0, None):
            print(_folded(page.getvalue()) + epilog(program.removeprefix("arena ")), end="")
            raise
        message = as_options(_one_line(complaint.getvalue()), _field_names(options))
        raise UsageError(f"{message}; see {program} --help") from None


@contextlib.contextmanager
def naming_options(options: type) -> Iterator[None]:
    """Name options in errors as a command line has them: `time_per_move=5` becomes `--time-per-move 5`.

    The Python API, which raises these errors, has them as the fields of dataclasses.
    """
    try:
        yield
    except CheckpointError:  # which is about what a file says
        raise
    except UsageError as error:
        error.args = (as_options(str(error), _field_names(options)),)
        raise


def as_options(text: str, names: Collection[str]) -> str:
    """Return a message in which these names, with values or with an underscore, are options.

    >>> as_options("pool=0.2 cannot change: it has pool=None; raise self_play", {"pool", "self_play"})
    '--pool 0.2 cannot change: it has --pool none; raise --self-play'
    """
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not listed:
        return text

    def option(match: re.Match[str]) -> str:
        name, value = f"--{match['name'].replace('_', '-')}", match["value"]
        if value is None:
            return name if "_" in match["name"] else match[0]
        plain = "none" if value == "None" else re.sub(r"[\[\]',]", "", value)
        return name if value == "True" else f"{name} {plain}"

    value = r"'[^']*'|\[[^\]]*\]|[^\s,;:)]*[^\s,;:).]"
    return re.sub(rf"(?<![\w.:,(/'-])(?P<name>{listed})(?:=(?P<value>{value})|(?![\w=(/.]))", option, text)


def _field_names(options: type) -> set[str]:
    """Return the names of all options of a dataclass and of the dataclasses in it."""
    hints = get_type_hints(options)
    nested = [hints[one.name] for one in dataclasses.fields(options) if dataclasses.is_dataclass(hints[one.name])]
    names = {one.name for one in dataclasses.fields(options)}
    return names.union(*(_field_names(kind) for kind in nested if isinstance(kind, type)))


class _Page(io.TextIOWrapper):
    """A text buffer with the encoding of the standard output, which has tyro write colours or not."""

    def __init__(self, coloured: bool) -> None:
        encoding = sys.stdout.encoding if isinstance(sys.stdout, io.TextIOBase) else "utf-8"  # within a screen
        super().__init__(io.BytesIO(), encoding=encoding)
        self._coloured = coloured

    def isatty(self) -> bool:
        return self._coloured

    def getvalue(self) -> str:
        """Return the text written so far."""
        self.seek(0)
        return self.read()


def _folded(text: str) -> str:
    """Return a help text wrapped to the width of the terminal; tyro wraps only lines within frames."""
    width = shutil.get_terminal_size().columns
    lines = (line if "\x1b" in line else textwrap.fill(line, width) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _registry_with_none() -> Any:
    """Return tyro's rules with one more: the help of an option that is None by default says "none"."""
    from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

    registry = ConstructorRegistry()

    @registry.primitive_rule
    def none(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[None] | None:
        if info.type is not type(None):
            return None
        return PrimitiveConstructorSpec(
            nargs=1,
            metavar="none",
            instance_from_str=lambda words: None,
            is_instance=lambda value: value is None,
            str_from_instance=lambda value: ["none"],
            choices=(),  # not to be offered as a value
        )

    return registry


def _one_line(box: str) -> str:
    """Return the message in a framed text of tyro, without the frame and the help text after it."""
    lines = [line.strip("│╭╮╰╯─ \n") for line in box.splitlines()[1:]]
    lines = [line if line.strip("-") else "" for line in lines]  # on some terminals frames are made of dashes
    lines = list(dropwhile(lambda line: not line, lines))
    message = lines[: lines.index("")] if "" in lines else lines
    if message and message[0].startswith("Missing from"):
        message = [" and ".join(line for line in message[1:] if line.isupper() or line.startswith("--")), "missing"]
    hint = next((lines[i + 1] for i, line in enumerate(lines[:-1]) if line.startswith("Perhaps you meant")), "")
    text = re.sub(r"^Error parsing [\w.]+: ", "", " ".join(message))  # before messages of the options' own checks
    for pattern, plain in PLAINER:
        text = re.sub(pattern, plain, text)
    return text + (f"; did you mean {hint.split()[0].rstrip(',')}?" if hint else "")
