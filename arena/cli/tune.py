"""`arena tune`: find values for parameters of an agent by games."""

import json
import shlex
import sys
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Annotated

import tyro

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import read_json
from arena.base.saving import replace_text
from arena.base.terminal import make_console
from arena.base.text import file_name
from arena.cli.again import command_line
from arena.policy.registry import make_game
from arena.store import Store
from arena.tournament.entrants import pinned
from arena.tournament.tuning import Tuning, TuningConfig, read_tuned
from arena.tournament.tuning_report import RESULTS, LiveTuning, tuning_json, tuning_table, write_tuning
from games.engine.source_files import short_name

GAMES = "games.sqlite"
"""The store in the folder of a tuning."""


@dataclass(frozen=True)
class Options:
    """Tune parameters of an agent by games of it against itself (SPSA, as chess programs are tuned).

    In every iteration two settings on both sides of the estimate play some games, and the estimate moves towards the
    better one. Prints the estimates with their spread; writes them, every iteration and a picture into a folder, with
    the games in games.sqlite there. The same command resumes a tuning that was interrupted or killed.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """Game of two players, with options after its name: tic_tac_toe:m=6,n=6,k=4."""
    agent: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """Agent that has parameters: mcts:200 (exploration), alphabeta:4 in chess (weights of the evaluation), uci:PROGRAM
    (its options that are numbers)."""
    parameter: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="NAME=LOW..HIGH")] = ()
    """Parameter to be tuned, with its bounds; the option may be given several times. After the bounds may follow
    :start=X (by default the agent's own value) and :step=X, how far from the estimate is probed at the end (by default
    a twentieth of the bounds). Without this option the agent's parameters are listed."""
    tuning: TuningConfig = field(default_factory=TuningConfig)
    workers: Annotated[str, tyro.conf.arg(metavar="N|ray[://HOST:PORT]")] = "1"
    """Number of worker processes, or a Ray cluster; the games do not depend on it."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder of the tuning: new, empty, or of this tuning; by default runs/tune-GAME-AGENT with the number of
    this tuning, or the first that is free."""
    json: bool = False
    """Print the results as JSON instead of tables, and everything else to standard error."""


def run(options: Options) -> int:
    """Tune, or do the rest of it, and report the results; return the exit status."""
    remarks = sys.stderr if options.json else sys.stdout
    game, spec = make_game(options.game), pinned(options.agent)
    parameters = read_tuned(game, spec, options.parameter)
    usual = Options(options.game, options.agent)
    again = command_line("tune", [options.game, options.agent], options, usual)
    with closing(Tuning(game, spec, parameters, options.tuning, options.workers)) as tuning:
        folder = _claimed(options, tuning)
        print(f"This tuning is in {folder}. If it ends early, resume it with\n  {again}", file=remarks, flush=True)
        with Store(folder / GAMES) as store:
            try:
                with LiveTuning(parameters, options.tuning.iterations, make_console(stderr=True)) as progress:
                    result = tuning.run(store, progress)
            except KeyboardInterrupt:
                print(f"\nThe games so far are kept; resume with\n  {again}", file=sys.stderr)
                raise
        write_tuning(result, folder)
    if options.json:
        print(json.dumps(tuning_json(result), indent=2, allow_nan=False))
    else:
        make_console().print(tuning_table(result.values))
    print(f"tuned:   {result.spec}", file=remarks)
    test = ["arena", "tournament", options.game, f"tuned={result.spec}", f"start={options.agent}", "--format", "sprt"]
    print(f"test it: {shlex.join(test)}", file=remarks)
    print(f"Results are in {folder}.", file=remarks)
    return 0


def _claimed(options: Options, tuning: Tuning) -> Path:
    """Return the folder of a tuning, which from now on holds its key; `UsageError` if it is something else's."""
    key, folder = tuning.key, options.out or _usual_folder(tuning)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if _owner(folder) != key:
            if any(folder.iterdir()):
                raise UsageError(f"{folder} is not empty; choose another folder with --out, or remove this one")
            replace_text(folder / RESULTS, json.dumps({"key": key, "settings": tuning.settings}, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"{folder}: a folder for a tuning cannot be made here ({error.strerror})") from None
    return folder


def _usual_folder(tuning: Tuning) -> Path:
    """Return the folder in runs/ that holds this tuning, or else the first that does not exist."""
    stem = file_name(f"tune-{short_name(tuning.game.name)}-{tuning.spec.partition(':')[0]}")
    folders = (Path("runs", f"{stem}-{number}") for number in count(1))
    return next(folder for folder in folders if not folder.exists() or _owner(folder) == tuning.key)


def _owner(folder: Path) -> object:
    """Return the key of the tuning in a folder; None if there is none."""
    try:
        return read_json(folder / RESULTS).get("key")
    except CheckpointError:
        return None
