"""The `arena` command: finds the subcommand, reads its options, and turns mistakes into one line and status 2."""

import contextlib
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

import tyro

from games.engine.errors import UnknownNameError, UsageError

COMMANDS = {
    "games": "what can be played",
    "agents": "who can play, and what can be trained",
    "train": "train an agent: self-play in a league, Gymnasium, or offline",
    "league": "show the league of a training: ladder, payoffs, lineage, next opponents",
    "runs": "list the trainings that are here, and follow one",
    "collect": "let an agent play and write down the transitions",
    "export": "write a trained network as ONNX",
    "tournament": "rate agents against each other",
    "rate": "rate games that were played elsewhere",
    "matches": "list, export and import stored matches",
    "match": "print a stored match, checked by replaying it",
    "replay": "step through a match, analyse it, write it as text, GIF or PNG",
    "ladder": "list the rated players of a game in a store",
    "play": "play against an agent in the terminal",
    "watch": "watch agents play each other in the terminal",
    "uci": "serve an agent as a chess engine",
    "gtp": "serve an agent as a go program",
    "solve": "find the equilibrium of a small game of hidden information",
    "exploitability": "how much a best opponent wins from an agent",
    "exploit": "train an opponent against an agent, and see how badly it loses",
    "analyse": "how many moves of an agent keep what a position is worth",
    "new-game": "write a file to begin a game of your own with",
    "new-agent": "write a file to begin an agent of your own with",
}
"""Every subcommand, with what it does; `arena.cli.NAME` (underscores for dashes) holds its `Options` and its `run`."""

USAGE = """usage: arena COMMAND [options]

Train agents by self-play, rate them in tournaments, watch them and play them in a terminal.

commands:
{commands}

Each command explains itself: arena COMMAND --help
Exit status: 0 done, 1 failed, 2 wrong input, 130 interrupted.
"""


def usage() -> str:
    """The text of `arena --help`."""
    return USAGE.format(commands="\n".join(f"  {name:<14} {summary}" for name, summary in COMMANDS.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name); returns the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    # threads of torch that wait for each other sleep: spinning takes most of the time of a busy machine
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        if not arguments or arguments[0] in ("-h", "--help", "help"):
            print(usage(), end="")
            return 0
        if arguments[0] == "--version":
            import arena

            print(f"arena {arena.__version__}")
            return 0
        return _run(arguments[0], arguments[1:])
    except UsageError as error:
        print(f"arena: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("arena: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has left; say nothing more, at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(command: str, arguments: list[str]) -> int:
    if command not in COMMANDS:
        raise UnknownNameError("command", command, COMMANDS)
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    options_type = module.options_for(arguments) if hasattr(module, "options_for") else module.Options
    options = read_options(options_type, f"arena {command}", arguments)
    status: int = module.run(options)
    return status


def read_options(options: type, program: str, arguments: Sequence[str]) -> Any:
    """An instance of the dataclass `options` from command-line words; `UsageError` in one line if they do not fit."""
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                options,
                prog=program,
                args=["--help"] if {"-h", "--help"} & set(arguments) else list(arguments),  # all of it, always
                config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
            )
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise UsageError(f"{_one_line(complaint.getvalue())}; see {program} --help") from None


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
    return text + (f"; did you mean {hint.split()[0]}?" if hint else "")


if __name__ == "__main__":
    sys.exit(main())
