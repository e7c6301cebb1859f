"""`arena completion`: a script for a shell, which asks this command what to offer for a command line."""

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from arena.base.errors import UsageError
from arena.cli.main import COMMANDS, main
from arena.policy.registry import AGENTS, GAMES, HOSTS, SOLVERS, agent_kind
from arena.training.gym_names import GYM

VARIABLE = "ARENA_COMPLETE"
"""Environment variable with a command line, up to the place that is completed."""


@dataclass(frozen=True)
class Options:
    """Print a script that completes commands, options, games and agents in a shell.

    The script asks 'arena completion words' at each completion, so it knows what is installed then, and the options of
    the algorithm that a command line names.
    """

    shell: Annotated[tyro.conf.Positional[Literal["bash", "zsh", "fish", "words"]], tyro.conf.arg(metavar="SHELL")]
    """Shell to write for: bash, zsh or fish; or words, to print what fits the line in ARENA_COMPLETE."""


@dataclass(frozen=True)
class Words:
    """Options and positional arguments of a command, as read from its help."""

    options: dict[str, tuple[str, ...]]
    """Values that each option accepts; empty if it takes any."""
    positional: tuple[str, ...]
    """Kinds of the positional arguments in order, such as GAME, AGENT; the last one may repeat."""


def run(options: Options) -> int:
    """Print the script, or the words to offer."""
    if options.shell == "words":
        print("\n".join(offered(words_of(os.environ.get(VARIABLE, "")))))
    else:
        print({"bash": BASH, "zsh": ZSH + BASH, "fish": FISH}[options.shell], end="")
    return 0


def words_of(line: str) -> list[str]:
    """Return the words of a command line after the program; the last one is empty after a space.

    >>> words_of("arena play hex:size=5 "), words_of("arena play 'runs/my")
    (['play', 'hex:size=5', ''], ['play', 'runs/my'])
    """
    try:
        words = shlex.split(f"{line}.")  # the point keeps an empty last word
    except ValueError:  # an open quotation mark
        words = f"{line}.".replace("'", "").replace('"', "").split()
    words[-1] = words[-1][:-1]
    return words[1:] or [""]


def offered(words: Sequence[str]) -> list[str]:
    """Return what fits the last of the words of a command line, which may be empty."""
    *before, current = words
    return sorted(word for word in _candidates(before, current) if word.startswith(current))


def _candidates(before: Sequence[str], current: str) -> Iterable[str]:
    if not before:
        return [*COMMANDS, "--help", "--version"]
    if before[0] not in COMMANDS:
        return []
    known = words_in(_help(before))
    if current.startswith("-"):
        return known.options
    if values := known.options.get(before[-1]):
        return values
    places = [place for place, word in enumerate(before) if word.startswith("-")]
    place = len(before) - 1
    if places or not known.positional:  # after an option: whether it takes a value is left to the user
        return []
    kind = known.positional[min(place, len(known.positional) - 1)]
    return _learners(before[-1]) if kind == "ALGO" else _names(kind)


def _names(kind: str) -> list[str]:
    """Return the words to offer for a kind of positional argument; those of other kinds are files."""
    games = [*GAMES.names(), *(f"{host}:" for host in HOSTS.names())]
    names = {"GAME": games, "TASK": [*games, GYM], "AGENT": AGENTS.names(), "SOLVER": SOLVERS.names()}
    return {**names, "SHELL": ["bash", "zsh", "fish"]}.get(kind, [])


def _learners(task: str) -> list[str]:
    """Return the algorithms for the kind of actions that a task has, as far as its name tells."""
    kinds = {"discrete", "continuous", "games"}
    if re.split(r"[:(]", task)[0] in GAMES.names():
        kinds.remove("continuous")
    elif task.startswith(GYM):
        kinds.remove("games")
    algorithms = {name: agent_kind(name).algorithm for name in AGENTS.names()}
    return [name for name, algorithm in algorithms.items() if algorithm is not None and kinds & {*algorithm.actions}]


def _help(words: Sequence[str]) -> str:
    """Return the help of a command line; empty if its words are wrong."""
    output = io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit, UsageError),
    ):
        if main([*words, "--help"]) == 2:
            main([words[0], "--help"])
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


BASH = f"""_arena() {{
    local IFS=$'\n' line="${{COMP_LINE:0:$COMP_POINT}}"
    COMPREPLY=($({VARIABLE}="$line" "${{COMP_WORDS[0]}}" completion words 2>/dev/null))
}}
complete -o default -F _arena arena
"""
"""The line, not its words: bash cuts those at colons, which separate a game and its options."""
ZSH = "#compdef arena\nautoload -U +X bashcompinit && bashcompinit\n"
FISH = f"""function __arena_words
    set -l words (commandline -opc)
    {VARIABLE}=(commandline -cp | string collect) $words[1] completion words 2>/dev/null
end
complete -c arena -a '(__arena_words)'
"""
