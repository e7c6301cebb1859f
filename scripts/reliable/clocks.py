"""Games under a short clock, more of them at once than there are cores: none may be lost on time."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.base.cores import usable_cores
from arena.base.terminal import make_console
from arena.match.limits import Limits
from arena.match.verdict import MatchRecord, Reason
from arena.policy.registry import make_game
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.progress import LiveTable
from arena.tournament.tournament import run_tournament
from reliable.check import Check

GAME, AGENT, CLOCK, OPENINGS = "chess", "alphabeta", "1+0.01", "random:6"
GAMES = 10_000
GAMES_A_CORE = 2
"""Games at once for each core, so that players wait for each other's searches."""


def checks(store: Path, seed: int) -> Iterator[Check]:
    """Have a search play itself, and count the games in which nobody was late; the store goes on after a kill."""
    yield clocked(GAMES, store, seed)


def clocked(games: int, store: Path, seed: int) -> Check:
    """Play so many games under the clock, those that the store lacks."""
    game, agents, cores = make_game(GAME), {AGENT: AGENT, "other": AGENT}, usable_cores()
    at_once = GAMES_A_CORE * cores
    config = TournamentConfig(games=games, openings=OPENINGS, seed=seed, limits=Limits(clock=CLOCK))
    with Store(store) as kept, LiveTable(game, list(agents), make_console(stderr=True)) as progress:
        played = run_tournament(game, agents, config, progress, workers=at_once, store=kept).records
    late = sum(record.verdict.reason == Reason.LATE for record in played)
    what = f"`{AGENT}` against itself in {GAME} with a clock of {CLOCK}, {at_once} games at once on {cores} cores"
    seconds = round(_thought_s(played) / at_once, 1)
    return Check("clocks", f"{what}: nobody late", games, games - late, "games", seconds)


def _thought_s(records: Sequence[MatchRecord]) -> float:
    """Return how long the players thought in all games, in seconds."""
    return sum(sum(record.move_ms or ()) for record in records) / 1000
