"""Pages of commands, made from their help."""

import re

from arena.cli.examples import EXAMPLES
from arena.cli.main import COMMANDS, GROUPS
from handbook.help_text import Group, Help, help_of, options_table
from handbook.markdown import listing, plain, toctree

FOLDER = "reference/command"


def pages() -> dict[str, str]:
    """Return a page for every command, and their list."""
    helps = {name: help_of([name]) for name in COMMANDS}
    made = {f"{FOLDER}/{name}.md": command_page(name, page) for name, page in helps.items()}
    parts = [
        "# Commands, one by one",
        "`arena COMMAND --help` prints the same in a terminal.",
        *(
            f"## {group.capitalize()}\n\n" + listing((name, name, COMMANDS[name]) for name in names)
            for group, names in GROUPS.items()
        ),
        toctree(COMMANDS),
    ]
    return {**made, f"{FOLDER}/index.md": "\n\n".join(parts)}


def command_page(name: str, page: Help) -> str:
    """Return the page of one command."""
    parts = [f"# arena {name}", f"```text\n{page.usage}\n```", plain(page.text)]
    if examples := EXAMPLES.get(name):
        lines = (f"# {what}\n{line}" for line, what in examples)
        parts.append("## Examples\n\n```sh\n" + "\n\n".join(lines) + "\n```")
    parts += [section(group) for group in page.groups if any(not row.name.startswith("-h") for row in group.rows)]
    return "\n\n".join(parts)


def section(group: Group) -> str:
    """Return a heading, the description and the table of a group of options."""
    title = re.sub(r"^\w", lambda match: match[0].upper(), group.title)
    return "\n\n".join(part for part in (f"## {title}", plain(group.text), options_table(group)) if part)
