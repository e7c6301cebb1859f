"""The `arena` command: it runs a subcommand, and turns errors into one line and an exit status."""

import importlib
import os
import sys
from collections.abc import Sequence

from arena.base.errors import UnknownNameError, UsageError, notes_of
from arena.base.files import require_working_folder
from arena.base.memory import collect_garbage_rarely
from arena.cli.explained import page_on
from arena.cli.faults import complain, report, unwritten
from arena.cli.reading import naming_options, options_type, read_options
from arena.cli.streams import prepare_streams, require_text, silence_output
from games.engine.text import printable_lines

COMMANDS = {
    "games": "list the games",
    "agents": "list the agents, and which of them can be trained",
    "zoo": "list the champions of the games, measure them again, add your own",
    "train": "train an agent: self-play in a league, Gymnasium, or offline",
    "sweep": "search hyper-parameters of a training",
    "league": "show the league of a training: ladder, payoffs, lineage, next opponents",
    "runs": "list trainings, or follow one on a screen",
    "collect": "let an agent play and write the transitions to a file",
    "export": "write a trained network as ONNX",
    "tournament": "rate agents against each other",
    "tune": "tune parameters of an agent by games",
    "rate": "rate the players of games in a CSV or PGN file",
    "matches": "list, export and import stored matches",
    "match": "replay a stored match and print it",
    "replay": "step through a match, analyse it, write it as text, GIF or PNG",
    "ladder": "list the rated players of a game in a store",
    "play": "play against an agent in the terminal",
    "watch": "watch agents play each other in the terminal",
    "serve": "serve the terminal's screens to a browser",
    "server": "serve ladders: bots are submitted, workers play, everybody sees who is best",
    "submit": "enter a bot on a ladder server",
    "worker": "play the games of a ladder server on this machine",
    "uci": "serve an agent as a chess engine",
    "gtp": "serve an agent as an engine for go, hex, othello or gomoku",
    "piskvork": "serve an agent as a gomoku program of Gomocup",
    "gnubg": "serve an agent to GNU Backgammon",
    "mcp": "serve games and agents to an assistant as tools",
    "solve": "find an equilibrium of a small game of hidden information",
    "exploitability": "compute how much a best opponent wins against an agent",
    "exploit": "train an opponent against an agent, and measure how badly the agent loses",
    "analyse": "measure how many moves of an agent keep the value of the position",
    "sandbox": "try what this machine's sandbox for programs contains",
    "check-game": "play a game at random and check that its rules keep the contract of games",
    "new-game": "write the template of a game of your own",
    "new-agent": "write the template of an agent of your own",
    "docs": "open the documentation on a command, a game, an agent",
    "completion": "print a script that completes command lines in bash, zsh or fish",
}
"""Subcommands and their descriptions; `arena.cli.NAME` (underscores for dashes) has `Options` and `run` of each."""

GROUPS = {
    "play and watch": ("play", "watch", "replay", "match", "serve"),
    "train": ("train", "sweep", "runs", "league", "collect", "export"),
    "rate": ("tournament", "tune", "ladder", "matches", "rate"),
    "ladders of others": ("server", "submit", "worker"),
    "examine": ("analyse", "exploit", "exploitability", "solve"),
    "connect and extend": (
        "games",
        "agents",
        "zoo",
        "uci",
        "gtp",
        "piskvork",
        "gnubg",
        "mcp",
        "sandbox",
        "check-game",
        "new-game",
        "new-agent",
        "docs",
        "completion",
    ),
}
"""Groups in which the help lists the commands."""

USAGE = """usage: arena                      the home screen
       arena COMMAND [options]
       arena COMMAND --help       description, options and examples of a command

Train agents by self-play, rate them in tournaments, watch them and play them in a terminal.
{commands}
Commands that print a table print JSON with --json. There are no colours if the output is not a terminal or NO_COLOR is
set; progress is shown on terminals only.

examples:
  arena play connect_four mcts:400
  arena tournament connect_four random one-ply alphabeta:4
  arena train connect_four ppo

exit status:
  0    done
  1    failed: something could not be done, or an internal error of arena (the message names a log)
  2    wrong input, or no terminal for a screen; nothing was started
  130  interrupted by Ctrl-C
"""


def usage() -> str:
    """Return the text of `arena --help`."""
    listed = ""
    for title, names in GROUPS.items():
        listed += f"\n{title}:\n" + "".join(f"  {name:<14} {COMMANDS[name]}\n" for name in names)
    return USAGE.format(commands=listed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name) and return the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    collect_garbage_rarely()
    # torch's threads sleep while they wait for each other: spinning takes most of the time of a busy machine
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()  # here, so that a failure is still caught below
        return status
    except UsageError as error:
        page = page_on(error)
        complain(f"{error} (more: arena docs {page})" if page else str(error))
        for note in notes_of(error):  # where somebody else's environment failed
            print(printable_lines(note), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        complain("interrupted")
        return 130
    except BrokenPipeError:  # the reader of the output has left; write nothing more, not even at exit
        silence_output()
        return 1
    except OSError as error:
        return unwritten(error)
    except MemoryError as error:
        complain(f"there is not enough memory: {error}".removesuffix(": "))
        return 1
    except Exception as error:  # a bug: one line for the user, the traceback in a log
        return report(error)


def _dispatch(arguments: list[str]) -> int:
    """Run the subcommand that the arguments name, and return the exit status."""
    require_text(arguments)
    if not arguments and _has_screen():
        require_working_folder()
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
    require_working_folder()
    return _run(arguments[0], arguments[1:])


def _has_screen() -> bool:
    """Return whether there is a terminal, or a browser in its place."""
    return "TEXTUAL_DRIVER" in os.environ or all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _run(command: str, arguments: list[str]) -> int:
    if any(mark in argument for argument in arguments for mark in ("pettingzoo:", "gym:", ".py")):
        from games.engine.trust import trust_named  # here, since most commands name none

        trust_named(arguments)
    module = importlib.import_module(f"arena.cli.{command.replace('-', '_')}")
    kind = options_type(module, arguments)
    options = read_options(kind, f"arena {command}", arguments)
    with naming_options(kind):
        status: int = module.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
