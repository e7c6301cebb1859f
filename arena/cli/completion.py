"""`arena completion`: what completes command lines in a shell."""

import contextlib
import io
import re
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from arena.cli.main import COMMANDS, main
from arena.registry import AGENTS, GAMES


@dataclass(frozen=True)
class Options:
    """Write the completion of commands, options, games and agents for a shell, to be read by it.

    Games and agents are those that are installed now.
    """

    shell: Annotated[tyro.conf.Positional[Literal["bash", "zsh", "fish"]], tyro.conf.arg(metavar="SHELL")]
    """bash, zsh or fish."""


@dataclass(frozen=True)
class Words:
    """What may follow a command, as its help tells."""

    options: dict[str, tuple[str, ...]]
    """Every option, with the values that it is confined to."""
    positional: tuple[str, ...]
    """What its first, second, ... word stands for: GAME, AGENT; the last one for all that follow."""


def run(options: Options) -> int:
    """Print the script."""
    commands = {name: words_in(_help(name)) for name in COMMANDS}
    print(_fish(commands) if options.shell == "fish" else _bash(commands, zsh=options.shell == "zsh"), end="")
    return 0


def _help(command: str) -> str:
    """What a command says of itself."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return said.getvalue()


def words_in(text: str) -> Words:
    """The words of a help text.

    >>> words_in("│ GAME  What is played. │\\n│ --result {None,win,loss}  How. │\\n│ -h, --help  This. │")
    Words(options={'--result': ('win', 'loss'), '--help': ()}, positional=('GAME',))
    """
    options: dict[str, tuple[str, ...]] = {}
    positional: list[str] = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        if found := re.match(r"[│| ]{0,2}(?:-\w, )?(--[a-z][\w-]*)(?: \{([^}]+)\})?", line):
            options[found[1]] = tuple(value for value in (found[2] or "").split(",") if value not in ("", "None"))
        elif found := re.match(r"[│| ]{0,2}\[?([A-Z]{3,})\b", line):
            positional.append(found[1])
    return Words(options, tuple(positional))


def _meanings() -> dict[str, str]:
    """The words that stand for each kind of positional argument; files for all others."""
    games, agents = " ".join(GAMES.names()), " ".join(AGENTS.names())
    return {"GAME": games, "TASK": games, "AGENT": agents, "ALGO": agents, "SHELL": "bash zsh fish"}


def _bash(commands: dict[str, Words], zsh: bool) -> str:
    """A function for bash, which zsh can read too."""
    meanings, cases, values = _meanings(), "", ""
    for name, words in commands.items():
        places = [meanings.get(kind, "") for kind in words.positional]
        chosen = "".join(f"{place}) words='{found}' ;; " for place, found in enumerate(places[:-1], start=2))
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
    """A line a word for fish."""
    meanings = _meanings()
    lines = []
    for name, words in commands.items():
        lines.append(f"complete -c arena -n __fish_use_subcommand -a {name} -d {_quoted(COMMANDS[name])}")
        seen = f"complete -c arena -n '__fish_seen_subcommand_from {name}'"
        for option, choices in words.options.items():
            lines.append(f"{seen} -l {option[2:]}" + (f" -xa {_quoted(' '.join(choices))}" if choices else ""))
        for kind in dict.fromkeys(words.positional):
            if kind in meanings:
                lines.append(f"{seen} -a {_quoted(meanings[kind])}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
