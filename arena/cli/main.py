"""The `arena` command: finds the subcommand, reads its options, and turns mistakes into one line and status 2."""

import contextlib
import importlib
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

from arena.cli.examples import epilog
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
    "serve": "the screens of the terminal in a browser",
    "uci": "serve an agent as a chess engine",
    "gtp": "serve an agent as a go program",
    "solve": "find the equilibrium of a small game of hidden information",
    "exploitability": "how much a best opponent wins from an agent",
    "exploit": "train an opponent against an agent, and see how badly it loses",
    "analyse": "how many moves of an agent keep what a position is worth",
    "new-game": "write a file to begin a game of your own with",
    "new-agent": "write a file to begin an agent of your own with",
    "completion": "write what completes command lines in bash, zsh and fish",
}
"""Every subcommand, with what it does; `arena.cli.NAME` (underscores for dashes) holds its `Options` and its `run`."""

GROUPS = {
    "play and watch": ("play", "watch", "replay", "match", "serve"),
    "train": ("train", "runs", "league", "collect", "export"),
    "rate": ("tournament", "ladder", "matches", "rate"),
    "examine": ("analyse", "exploit", "exploitability", "solve"),
    "connect and extend": ("games", "agents", "uci", "gtp", "new-game", "new-agent", "completion"),
}
"""The commands as the help lists them."""

PLAINER = (
    (r"^Error parsing (--[\w-]+): no type matching (\S+) could be instantiated from \[(.*)\]\.?$", r"\1: \3 is not \2"),
    (r"^Error parsing (--[\w-]+): invalid literal for int\(\) with base 10: (.*)$", r"\1: \2 is no whole number"),
    (r"^Error parsing (--[\w-]+): could not convert string to float: (.*)$", r"\1: \2 is no number"),
    (r"^invalid choice (.*) for argument '(--[\w-]+)'\. Expected one of \((.*)\)\.$", r"\2: \1 is none of \3"),
    (r"^Missing value for argument '(--[\w-]+)'\. Expected 1 values\.$", r"\1 needs a value"),
)
"""What tyro says, and the same in plain words."""

USAGE = """usage: arena                      the home screen
       arena COMMAND [options]
       arena COMMAND --help       what a command does, its options, and examples

Train agents by self-play, rate them in tournaments, watch them and play them in a terminal.
{commands}
Wherever there is a table, --json gives it to a program. Colours are left out where the output is no terminal, or
NO_COLOR is set; progress is shown on terminals alone.

examples:
  arena play connect_four mcts:400
  arena tournament connect_four random one-ply alphabeta:4
  arena train connect_four ppo

exit status:
  0    done
  1    failed: something could not be done, or arena itself is at fault (the message names a log)
  2    wrong input, or no terminal for a screen; nothing was begun
  130  interrupted by Ctrl-C
"""


def usage() -> str:
    """The text of `arena --help`."""
    listed = ""
    for title, names in GROUPS.items():
        listed += f"\n{title}:\n" + "".join(f"  {name:<14} {COMMANDS[name]}\n" for name in names)
    return USAGE.format(commands=listed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name); returns the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    # threads of torch that wait for each other sleep: spinning takes most of the time of a busy machine
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        if not arguments and _has_screen():
            return _run("home", [])
        if not arguments or arguments[0] in ("-h", "--help", "help"):
            print(usage(), end="")
            return 0
        if arguments[0] == "--version":
            import arena

            print(f"arena {arena.__version__}")
            return 0
        if arguments[0] not in COMMANDS:
            raise UnknownNameError("command", arguments[0], COMMANDS)
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
    except Exception as error:  # ours to mend: the person is told in a line, and we are by the log
        from arena.cli.faults import report

        return report(error)


def _has_screen() -> bool:
    """Whether there is a terminal, or a browser that stands for one."""
    return "TEXTUAL_DRIVER" in os.environ or all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _run(command: str, arguments: list[str]) -> int:
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    options_type = module.options_for(arguments) if hasattr(module, "options_for") else module.Options
    options = read_options(options_type, f"arena {command}", arguments)
    status: int = module.run(options)
    return status


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


if __name__ == "__main__":
    sys.exit(main())
