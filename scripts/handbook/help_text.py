"""Reading the help of a command: its groups of options, as rows of a table."""

import contextlib
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from unittest import mock

from arena.base.errors import UsageError
from arena.cli.main import main
from handbook.markdown import plain, table

ROW = re.compile(r"^(?P<name>(?:-h, )?(?:--|\[?[A-Z])\S*(?: (?:\S+ ?)*?)?)(?: {2,}(?P<text>\S.*))?$")


@dataclass
class Row:
    """One option or positional argument."""

    name: str
    text: str


@dataclass
class Group:
    """The options in one frame of a help text."""

    title: str
    text: str = ""
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Help:
    """The help of one command."""

    usage: str
    text: str
    """The description, in paragraphs."""
    groups: list[Group]


def help_of(words: Sequence[str]) -> Help:
    """Return the help of a command line; raise `ValueError` if there is none."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # which can show the frames of groups
    with (
        mock.patch.dict(os.environ, COLUMNS="100", NO_COLOR="1"),
        contextlib.redirect_stdout(output),
        contextlib.suppress(SystemExit, UsageError),
    ):
        main([*words, "--help"])
    output.seek(0)
    if not (text := output.read()):
        raise ValueError(f"arena {' '.join(words)} has no help")
    return read_help(text)


def read_help(text: str) -> Help:
    """Return the parts of a help text.

    >>> frame = "╭─ options ─╮\\n│ --n INT  How │\\n│          many. │\\n╰──╯\\n"
    >>> page = read_help(f"usage: arena x\\n\\nDo it.\\n\\n{frame}")
    >>> page.text, page.groups
    ('Do it.', [Group(title='options', text='', rows=[Row(name='--n INT', text='How many.')])])
    """
    head, *frames = re.split(r"^╭─ (?=\w)", text, flags=re.M)
    usage, _, description = head.partition("\n\n")
    paragraphs = (" ".join(part.split()) for part in description.strip().split("\n\n"))
    usage = " ".join(usage.removeprefix("usage: ").split())
    return Help(usage, "\n\n".join(paragraphs), [_group(frame) for frame in frames])


def _group(frame: str) -> Group:
    """Return the group in a frame, whose first line begins with the title."""
    first, *lines = frame.partition("╰")[0].splitlines()
    group = Group(first.partition(" ─")[0])
    inner = [line.strip("│")[1:].rstrip() for line in lines]
    if rule := next((number for number, line in enumerate(inner) if line.startswith("──")), None):
        group.text = " ".join(line.strip() for line in inner[:rule])
        inner = inner[rule + 1 :]
    for line in inner:
        if not line.startswith(" ") and (match := ROW.match(line)):
            group.rows.append(Row(match["name"].strip(), match["text"] or ""))
        elif group.rows:
            group.rows[-1].text = f"{group.rows[-1].text} {line.strip()}".strip()
    return group


def options_table(group: Group) -> str:
    """Return the options of a group as a table in Markdown, without --help.

    >>> print(options_table(Group("options", rows=[Row("--format {csv,json}", "How. (default: csv)")])))
    | option | meaning | default |
    |---|---|---|
    | `--format {csv,json}` | How. | `csv` |
    """
    rows = (row for row in group.rows if not row.name.startswith("-h"))
    return table(["option", "meaning", "default"], map(_cells, rows))


def _cells(row: Row) -> tuple[str, str, str]:
    match = re.fullmatch(r"(?P<text>.*?)\s*(?:\((?:default: (?P<default>.*)|(?P<required>required))\))?", row.text)
    assert match is not None
    default = "required" if match["required"] else f"`{match['default']}`" if match["default"] else ""
    return f"`{row.name}`", plain(match["text"]), default
