"""The `arena` command: finds the subcommand, and turns mistakes into one line and status 2."""

import importlib
import os
import sys
from collections.abc import Sequence

from arena.cli.reading import read_options
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


if __name__ == "__main__":
    sys.exit(main())
