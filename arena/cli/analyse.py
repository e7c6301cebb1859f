"""`arena analyse`: how many moves of an agent keep what a position is worth."""

import sys
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import Progress

from arena.analysis.analysis import analyse, hold
from arena.analysis.judging import Judge, require_judgeable
from arena.analysis.report import as_json, as_table, remarks, save_picture
from arena.errors import UsageError
from arena.registry import make_agent, make_game


@dataclass(frozen=True)
class Options:
    """See how many moves of agents keep the value of a position, over positions that the seed holds fixed.

    The positions are drawn from games of mixed strength: each seat is taken by random, one-ply, mcts:50 or mcts:300.
    A move keeps the value if it is worth, to the judge, as much as the best one: with 'perfect', whether the game is
    won, drawn or lost, wherever that is known (connect_four after the first moves, small tic_tac_toe, endgames of
    othello); with any other agent that tells values, to within 0.05 of what it thinks.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """What is played; options follow the name, othello:size=6."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="AGENT [AGENT ...]", help_behavior_hint="(required)"),
    ]
    """Who is measured."""
    against: str = "perfect"
    """Who says what moves are worth."""
    positions: int = 1000
    """How many are held."""
    seed: int = 0
    """Fixes the positions, and the agents that draw while they think."""
    json: bool = False
    """Print JSON instead of a table."""
    plot: Path | None = None
    """Write a picture there (PNG)."""


def run(options: Options) -> int:
    """Draw the positions, ask everybody, and print what comes of it."""
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} is not at least 0")
    if not options.agents:
        raise UsageError("name an agent; 'arena agents' lists them")
    if options.plot is not None:
        if not options.plot.absolute().parent.is_dir():
            raise UsageError(f"--plot {options.plot}: there is no folder {options.plot.parent}")
        if options.plot.suffix.lower() != ".png":
            raise UsageError(f"--plot {options.plot}: a picture is written as PNG, to a name that ends in .png")
    game = make_game(options.game)
    require_judgeable(game)
    console = Console(stderr=True)
    with ExitStack() as stack:
        agents = {spec: stack.enter_context(closing(make_agent(spec, game))) for spec in options.agents}
        judge = Judge(options.against, stack.enter_context(closing(make_agent(options.against, game))))
        progress = stack.enter_context(Progress(console=console, transient=True, disable=not console.is_terminal))
        task = progress.add_task("")

        def watch(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        held = hold(game, judge, options.positions, options.seed, watch)
        analyses = [analyse(held, spec, agent, options.seed, watch) for spec, agent in agents.items()]
    if options.json:
        print(as_json(held, analyses))
    else:
        out = Console()
        (out if out.is_terminal else Console(width=160)).print(as_table(held, analyses))
    for line in remarks(held, analyses):
        print(line, file=sys.stderr if options.json else sys.stdout)
    if options.plot is not None:
        save_picture(held, analyses, options.plot)
    return 0
