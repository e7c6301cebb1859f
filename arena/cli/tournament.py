"""`arena tournament`: rate agents against each other."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TextIO

import tyro
from rich.console import Console

from arena.cli.again import command_line
from arena.ratings.sprt import Sprt
from arena.registry import make_game
from arena.store import DEFAULT_URL, Store
from arena.tournament.config import TournamentConfig
from arena.tournament.entrants import read_entrants
from arena.tournament.files import as_json, claim_directory, numbered, write_results
from arena.tournament.progress import LiveTable
from arena.tournament.report import print_report
from arena.tournament.sequential import in_words
from arena.tournament.tournament import Tournament, TournamentResult


@dataclass(frozen=True)
class Options:
    """Let agents play each other, and rate them.

    Prints a table of Elo ratings; writes ratings and games as CSV and JSON, and pictures of both. Every game is kept in
    a store: a tournament that was interrupted, or killed, goes on where it was with the same command.

    With a limit of time or memory, each agent plays in a process of its own, so that one that hangs, crashes or hoards
    loses its game and stops nothing else. This contains accidents; it is no protection from malice.
    """

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """What is played; options follow the name, tic_tac_toe:m=6,n=6,k=4."""
    agents: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="AGENT [AGENT ...]", help_behavior_hint="(required)"),
    ]
    """Who plays, two or more: random, one-ply, alphabeta:4, ppo:runs/c4; under a name of its own by NAME=AGENT."""
    tournament: TournamentConfig = field(default_factory=TournamentConfig)
    workers: Annotated[str, tyro.conf.arg(metavar="N|ray[://HOST:PORT]")] = "1"
    """Processes that play, or a Ray cluster; games do not depend on it."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Where games are kept: the path of an SQLite file, or the URL of another database."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for the results, new or empty; by default runs/tournament-GAME with the first free number."""
    json: bool = False
    """Print the results as JSON in place of tables, and all else on the standard error."""


def run(options: Options) -> int:
    """Play the tournament, or the rest of it, and report it."""
    remarks = sys.stderr if options.json else sys.stdout
    game = make_game(options.game)
    players = read_entrants(options.agents)
    again = command_line("tournament", [options.game, *options.agents], options, Options(options.game, options.agents))
    with (
        closing(Tournament(game, players, options.tournament, options.workers)) as tournament,
        _claimed(options.out),
        Store(options.store) as store,
    ):
        if tournament.begin(store).finished:
            print(f"All games of this tournament are in {store.name} already.", file=remarks)
        else:
            print(
                f"Games are kept in {store.name}. If this ends early, it goes on with\n  {again}",
                file=remarks,
                flush=True,
            )
        try:
            with LiveTable(list(players), game.num_players, Console(stderr=True), _test(options)) as progress:
                result = tournament.run(progress, store)
        except KeyboardInterrupt:
            print(f"\nThe games so far are kept; go on with\n  {again}", file=sys.stderr)
            raise
    _report(result, options, remarks)
    return 0


def _test(options: Options) -> Sprt | None:
    """The test that is made, if it is one."""
    return options.tournament.sprt if options.tournament.format == "sprt" else None


@contextmanager
def _claimed(directory: Path | None) -> Iterator[None]:
    """A folder for results, if one is asked for; taken away again if nothing comes of them."""
    if directory is not None:
        claim_directory(directory)
    try:
        yield
    except BaseException:
        if directory is not None:
            directory.rmdir()  # nothing has been written
        raise


def _report(result: TournamentResult, options: Options, remarks: TextIO) -> None:
    """Write the results into a folder, and print them: whoever reads may leave before the end of it."""
    directory = options.out or numbered(Path("runs", f"tournament-{options.game.partition(':')[0]}"))
    write_results(result, claim_directory(directory))
    if options.json:
        print(as_json(result.standings, result.game))
    else:
        console = Console()
        print_report(result, console if console.is_terminal else Console(width=160))
    if result.sprt is not None:
        print(f"\n{in_words(result.sprt, options.tournament.sprt, result.names[0])}", file=remarks)
    print(f"Results are in {directory}.", file=remarks)
