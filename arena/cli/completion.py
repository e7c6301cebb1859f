"""`arena completion`: a script that completes command lines in a shell."""

import contextlib
import io
import re
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from arena.cli.main import COMMANDS, main
from arena.policy.registry import AGENTS, GAMES


@dataclass(frozen=True)
class Options:
    """Print a script that completes commands, options, games and agents in a shell.

    It knows the games and agents that are installed now.
    """

    shell: Annotated[tyro.conf.Positional[Literal["bash", "zsh", "fish"]], tyro.conf.arg(metavar="SHELL")]
    """Shell to write for: bash, zsh or fish."""


@dataclass(frozen=True)
class Words:
    """Options and positional arguments of a command, as read from its help."""

    options: dict[str, tuple[str, ...]]
    """Values that each option accepts; empty if it takes any."""
    positional: tuple[str, ...]
    """Kinds of the positional arguments in order, such as GAME, AGENT; the last one may repeat."""


def run(options: Options) -> int:
    """Print the script."""
    commands = {name: words_in(_help(name)) for name in COMMANDS}
    print(_fish(commands) if options.shell == "fish" else _bash(commands, zsh=options.shell == "zsh"), end="")
    return 0


def _help(command: str) -> str:
    """Return the help text of a command."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return output.getvalue()


def words_in(text: str) -> Words:
    """Return the options and positional arguments in a help text.

    >>> words_in("│ GAME  What is played. │\\n│ --result {None,win,loss}  How. │\\n│ -h, --help  This. │")
    Words(options={'--result': ('win', 'loss'), '--help': ()}, positional=('GAME',))
    """
    options: dict[str, tuple[str, ...]] = {}
    positional: list[str] = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        if match := re.match(r"[│| ]{0,2}(?:-\w, )?(--[a-z][\w-]*)(?: \{([^}]+)\})?", line):
            options[match[1]] = tuple(value for value in (match[2] or "").split(",") if value not in ("", "None"))
        elif match := re.match(r"[│| ]{0,2}\[?([A-Z]{3,})\b", line):
            positional.append(match[1])
    return Words(options, tuple(positional))


def _meanings() -> dict[str, str]:
    """Return the words to offer for each kind of positional argument; other kinds are files."""
    games, agents = " ".join(GAMES.names()), " ".join(AGENTS.names())
    return {"GAME": games, "TASK": games, "AGENT": agents, "ALGO": agents, "SHELL": "bash zsh fish"}


def _bash(commands: dict[str, Words], zsh: bool) -> str:
    """Return a completion script for bash, which zsh can read, too."""
    meanings, cases, values = _meanings(), "", ""
    for name, words in commands.items():
        places = [meanings.get(kind, "") for kind in words.positional]
        chosen = "".join(f"{place}) words='{offered}' ;; " for place, offered in enumerate(places[:-1], start=2))
        chosen += f"*) words='{places[-1]}' ;; " if places else ""
        cases += f"        {name}) options='{' '.join(words.options)}'; case $COMP_CWORD in {chosen}esac ;;\n"
        for option, choices in words.options.items():
            if choices:
                values += f"        '{name} {option}') words='{' '.join(choices)}'; options= ;;\n"
    head = "#compdef arena\nautoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{head}_arena() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words='' options=''
    case ${{COMP_WORDS[1]}} in
{cases}    esac
    case "${{COMP_WORDS[1]}} $prev" in
{values}    esac
    if [ "$COMP_CWORD" = 1 ]; then words='{" ".join(commands)}'; options='--help --version'; fi
    case $cur in -*) words=$options ;; esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _arena arena
"""


def _fish(commands: dict[str, Words]) -> str:
    """Return a completion script for fish, one line for each word."""
    meanings = _meanings()
    lines = []
    for name, words in commands.items():
        lines.append(f"complete -c arena -n __fish_use_subcommand -a {name} -d {_quoted(COMMANDS[name])}")
        prefix = f"complete -c arena -n '__fish_seen_subcommand_from {name}'"
        for option, choices in words.options.items():
            lines.append(f"{prefix} -l {option[2:]}" + (f" -xa {_quoted(' '.join(choices))}" if choices else ""))
        for kind in dict.fromkeys(words.positional):
            if kind in meanings:
                lines.append(f"{prefix} -a {_quoted(meanings[kind])}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
