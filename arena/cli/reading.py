"""Options from the words of a command line: tyro reads them, and what it says is made plain and fits the terminal."""

import contextlib
import io
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

from arena.cli.examples import epilog
from games.engine.errors import UsageError

PLAINER = (
    (r"^Error parsing (--[\w-]+): no type matching (\S+) could be instantiated from \[(.*)\]\.?$", r"\1: \3 is not \2"),
    (r"^Error parsing (--[\w-]+): invalid literal for int\(\) with base 10: (.*)$", r"\1: \2 is no whole number"),
    (r"^invalid literal for int\(\) with base 10: (.*)$", r"\1 is no whole number"),
    (r"^Error parsing (--[\w-]+): could not convert string to float: (.*)$", r"\1: \2 is no number"),
    (r"^invalid choice (.*) for argument '(--[\w-]+)'\. Expected one of \((.*)\)\.$", r"\2: \1 is none of \3"),
    (r"^Missing value for argument '(--[\w-]+)'\. Expected 1 values\.$", r"\1 needs a value"),
)
"""What tyro says, and the same in plain words."""


def read_options(options: type, program: str, arguments: Sequence[str]) -> Any:
    """An instance of the dataclass `options` from command-line words; `UsageError` in one line if they do not fit."""
    import tyro  # not for the list of commands

    complaint, page = io.StringIO(), _Page()
    try:
        with contextlib.redirect_stderr(complaint), contextlib.redirect_stdout(page):
            return tyro.cli(
                options,
                prog=program,
                args=["--help"] if {"-h", "--help"} & set(arguments) else list(arguments),  # all of it, always
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone),
                registry=_told_as_none(),
            )
    except SystemExit as end:
        if end.code in (0, None):
            print(_folded(page.getvalue()) + epilog(program.removeprefix("arena ")), end="")
            raise
        raise UsageError(f"{_one_line(complaint.getvalue())}; see {program} --help") from None


class _Page(io.TextIOWrapper):
    """Text that is written as if for the standard output: with its colours and characters."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding=getattr(sys.stdout, "encoding", "utf-8"))  # a screen's has none
        self._coloured = sys.stdout.isatty()

    def isatty(self) -> bool:
        return self._coloured

    def getvalue(self) -> str:
        """What has been written."""
        self.seek(0)
        return self.read()


def _folded(text: str) -> str:
    """A help text with lines no longer than the terminal's; tyro folds those in frames alone."""
    width = shutil.get_terminal_size().columns
    lines = (line if "\x1b" in line else textwrap.fill(line, width) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _told_as_none() -> Any:
    """Rules of tyro with one of ours: where an option is unset by default, its help says "none"."""
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
            choices=(),  # nobody has to type it
        )

    return registry


def _one_line(box: str) -> str:
    """What a framed message of tyro says, without the frame and the help text that follows it."""
    lines = [line.strip("│╭╮╰╯─ \n") for line in box.splitlines()[1:]]
    lines = [line if line.strip("-") else "" for line in lines]  # frames are dashes where the terminal knows no others
    lines = list(dropwhile(lambda line: not line, lines))
    said = lines[: lines.index("")] if "" in lines else lines
    if said and said[0].startswith("Missing from"):
        said = [" and ".join(line for line in said[1:] if line.isupper() or line.startswith("--")), "missing"]
    hint = next((lines[i + 1] for i, line in enumerate(lines[:-1]) if line.startswith("Perhaps you meant")), "")
    text = re.sub(r"^Error parsing [\w.]+: ", "", " ".join(said))  # what the options' own checks say
    for pattern, plain in PLAINER:
        text = re.sub(pattern, plain, text)
    return text + (f"; did you mean {hint.split()[0]}?" if hint else "")
