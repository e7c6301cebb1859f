"""`arena replay`: a finished match on the screen, or written to a file."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from arena.base.checks import require_above
from arena.base.errors import UsageError
from arena.base.text import printable
from arena.cli.server_ladders import is_address
from arena.cli.server_matches import server_match
from arena.match.files import WrittenMatch, read_match
from arena.store import DEFAULT_URL, Store, circumstances_of
from arena.tui.services.advisers import best_adviser
from arena.tui.services.agents import contained_agent
from arena.tui.state.words import NOT_ANALYSED

if TYPE_CHECKING:
    from arena.tui.screens.replay import ReplayScreen
    from arena.tui.state.intents import ReplayIntent


RUNS = Path("runs")
"""Folder of trainings whose agents may analyse."""


@dataclass(frozen=True)
class Options:
    """Step through a match in the terminal, have any agent analyse its positions, or write it to a file."""

    match: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="MATCH")]
    """Number of a stored match ('arena matches' lists them), a file (.jsonl, .pgn, .sgf), or the page of a match on a
    ladder server: https://arena.example.org/matches/12."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the matches: path of an SQLite file, or URL of another database."""
    number: int = 1
    """Number of the match within a file, from 1."""
    agent: Annotated[str | None, tyro.conf.arg(metavar="AGENT", help_behavior_hint="")] = None
    """Agent that analyses the positions: mcts:1000, alphabeta:6, ppo:runs/c4; it can also be chosen on the screen,
    which suggests the strongest available."""
    move: int | None = None
    """Start after this move, or write the position after it; by default a .png shows the final position."""
    speed: float = 1.0
    """Moves per second of automatic playback."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", aliases=["--export"], help_behavior_hint="")] = None
    """Write the match to this file and show nothing: .jsonl, .pgn, .sgf, a .gif of the game, a .png of a position."""


def run(options: Options) -> int:
    """Show the match or write it; return the exit status."""
    if options.out is not None:
        return _export(options, options.out)

    from arena.tui.app import launch

    with screen(options) as opened:
        return launch(opened)


def options_of(intent: "ReplayIntent") -> Options:
    """Return the options that another screen asks for."""
    return Options(str(intent.match), store=intent.store)


@contextmanager
def screen(options: Options) -> Iterator["ReplayScreen"]:
    """Yield the screen of these options; raise `UsageError` if they are wrong."""
    require_above(0, speed=options.speed)
    written = _written(options)
    from arena.tui.screens.replay import ReplayScreen

    with ExitStack() as stack:
        agents = [] if options.agent is None else [options.agent]
        analysts = [(spec, stack.enter_context(closing(contained_agent(spec, written.game)))) for spec in agents]
        called = f"match {options.match}" if options.match.isdecimal() else Path(options.match).name
        usual = partial(best_adviser, written.game, options.store, RUNS)
        yield ReplayScreen(written, called, analysts, options.speed, options.move or 0, usual=usual)


def _written(options: Options) -> WrittenMatch:
    """Return the match of the options."""
    if options.match.isascii() and options.match.isdecimal():
        with Store(options.store, create=False) as store:
            match = store.match(int(options.match))
            written = WrittenMatch.of(match.record, None, circumstances_of(match, store.run(match.run)))
    elif is_address(options.match):
        written = server_match(options.match)
    else:
        written = read_match(Path(options.match), options.number)
    if written.shown is not None and options.agent is not None:
        raise UsageError(f"--agent {options.agent}: {NOT_ANALYSED}")
    if written.shown is None and not written.game.repeatable:
        raise UsageError(
            f"{written.game.spec} cannot be replayed: it plays another game by the same seed and moves, and what this "
            "match showed was not stored"
        )
    moves = len(written.actions)
    if options.move is not None and not 0 <= options.move <= moves:
        raise UsageError(f"--move {options.move} is not a move of this match; it has {moves}")
    return written


def _export(options: Options, path: Path) -> int:
    """Write the match to a file; return exit status 1 if it does not replay."""
    from arena.tui.drawing.export import export
    from arena.tui.state.live_match import LiveMatch

    written = _written(options)
    try:
        positions = LiveMatch(written.game).unroll(written)
    except UsageError as error:
        print(f"arena: {options.match} does not replay: {printable(error)}", file=sys.stderr)
        return 1
    print(export(written, [p.picture for p in positions], path, -1 if options.move is None else options.move))
    return 0
