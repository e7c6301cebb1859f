"""`arena analyse`: the share of an agent's moves that keep the value of the position."""

import sys
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.progress import Progress

from arena.analysis.analysis import analyse, judge_positions
from arena.analysis.judging import Judge, require_judgeable
from arena.analysis.report import as_table, remarks, save_picture, to_json
from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.terminal import make_console
from arena.policy.registry import make_agent, make_game
from arena.tournament.answers import PlayerAnswers, print_answers


@dataclass(frozen=True)
class Options:
    """Measure how many moves of agents keep the value of the position.

    The positions come from games of mixed strength: each seat is played by random, one-ply, mcts:50 or mcts:300. A
    judge values the moves. With the judge 'perfect' a move keeps the value if the game stays won, drawn or lost; this
    works where exact values are known (connect_four after the first moves, small tic_tac_toe, endgames of othello and
    kalah).
    With any other judge a move keeps the value if its estimate is within 0.05 of the best move's.

    Answers that are no legal move count as moves that lose, and are counted by kind: illegal, late, crashed, and of a
    language model also unreadable, truncated, refused, timed out and failed, with its tokens and times.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """Game, with options after its name: othello:size=6."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="AGENT [AGENT ...]", help_behavior_hint="(required)"),
    ]
    """Agents to measure."""
    against: str = "perfect"
    """Judge: the agent that values the moves."""
    positions: int = 1000
    """Number of positions."""
    seed: int = 0
    """Random seed of the positions and of the agents."""
    json: bool = False
    """Print JSON instead of a table."""
    plot: Path | None = None
    """Write a chart to this PNG file."""


def run(options: Options) -> int:
    """Draw the positions, evaluate the agents' moves in them, and print the result."""
    require_at_least(0, seed=options.seed)
    if not options.agents:
        raise UsageError("name an agent; 'arena agents' lists them")
    if options.plot is not None:
        if not options.plot.absolute().parent.is_dir():
            raise UsageError(f"--plot {options.plot}: there is no folder {options.plot.parent}")
        if options.plot.suffix.lower() != ".png":
            raise UsageError(f"--plot {options.plot}: the file name must end in .png")
    game = make_game(options.game)
    require_judgeable(game)
    console = make_console(stderr=True)
    with ExitStack() as stack:
        agents = {spec: stack.enter_context(closing(make_agent(spec, game))) for spec in options.agents}
        judge = Judge(options.against, stack.enter_context(closing(make_agent(options.against, game))))
        progress = stack.enter_context(Progress(console=console, transient=True, disable=not console.is_terminal))
        task = progress.add_task("")

        def watch(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        positions = judge_positions(game, judge, options.positions, options.seed, watch)
        analyses = [analyse(positions, spec, agent, options.seed, watch) for spec, agent in agents.items()]
    if options.json:
        print(to_json(positions, analyses))
    else:
        out = make_console()
        out = out if out.is_terminal else make_console(width=160)
        out.print(as_table(positions, analyses))
        print_answers([PlayerAnswers(one.agent, one.answers) for one in analyses if one.answers is not None], out)
    for line in remarks(positions, analyses):
        print(line, file=sys.stderr if options.json else sys.stdout)
    if options.plot is not None:
        save_picture(positions, analyses, options.plot)
    return 0
