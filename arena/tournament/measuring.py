"""Measuring an agent against another one: a figure for its card in the zoo."""

import time
from datetime import UTC, datetime

from arena.base.errors import UsageError
from arena.base.intervals import wilson
from arena.match.limits import Limits
from arena.policy.zoo.card import Figure
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.teams import Score, Teams
from arena.tournament.tournament import Progress, TournamentResult, run_tournament
from games.engine.game import Game


def measure(
    game: Game,
    agent: str,
    against: str,
    games: int,
    seed: int = 0,
    openings: str = "random:4",
    store: Store | None = None,
    progress: Progress | None = None,
    clock: str = "",
) -> Figure:
    """Play games of one agent against another from all seats, and return what it scores, with its interval.

    In a cooperative game a team of the agent alone plays, and `against` is empty. With a store, games that it holds are
    not played again. Raises `UsageError` for agents that do not play the game, or fail in it.
    """
    limits = Limits(clock=clock or None)
    config = TournamentConfig(format="gauntlet", games=games, openings=openings, seed=seed, limits=limits)
    began = time.process_time()
    players = {agent: agent} if not game.competitive else {agent: agent, against: against}
    result = run_tournament(game, players, config, progress, store=store)
    seconds = time.process_time() - began
    if clock:  # agents play in processes of their own
        seconds += sum(sum(record.move_ms or ()) for record in result.records) / 1000
    by_return = _by_return(game)
    played, score, low, high = _score_in(result, by_return)
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    return Figure(
        agent,
        against,
        score,
        low,
        high,
        played,
        seed,
        openings,
        round(seconds, 1),
        date,
        by_return=by_return,
        clock=clock,
    )


def agree(one: Figure, other: Figure) -> bool:
    """Return whether the intervals of two measurements overlap."""
    return one.low <= other.high and other.low <= one.high


def again(figure: Figure, game: Game, progress: Progress | None = None) -> Figure:
    """Measure a figure again, in other games: with the next seed."""
    return measure(
        game,
        figure.agent,
        figure.against,
        figure.games,
        figure.seed + 1,
        figure.openings,
        progress=progress,
        clock=figure.clock,
    )


def _by_return(game: Game) -> bool:
    """Return whether players are measured by what they earn: in teams, for chips, and where a win may count more."""
    return not game.competitive or game.stakes is not None or not game.wins_at_one


def _score_in(result: TournamentResult, by_return: bool) -> tuple[int, float, float, float]:
    """Return the number of games, the score of the first player, and its interval."""
    table = result.table
    if isinstance(table, Teams):
        alone = table.rows[0].alone or Score(0, 0.0, 0.0)
        return alone.games, *_rounded(alone.mean, alone.mean - alone.error, alone.mean + alone.error)
    for row in table.rows:
        if row.tally.crashed:
            raise UsageError(
                f"{row.name} failed in {row.tally.crashed} games: nothing is measured; arena tournament says why"
            )
    tally = next(row.tally for row in table.rows if row.name == result.names[0])
    games = int(tally.games.sum())
    if by_return:
        mean, error = tally.mean_return, tally.return_error
        return games, *_rounded(mean, mean - error, mean + error)
    return games, *_rounded(tally.score, *wilson(tally.score * games, games))


def _rounded(mean: float, low: float, high: float) -> tuple[float, float, float]:
    return round(mean, 4), round(low, 4), round(high, 4)
