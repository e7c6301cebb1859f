"""Ratings from games, beside choix (Bradley-Terry without draws and seats) and OpenSkill; the ratio of a test."""

import time
from collections.abc import Callable, Iterator

import numpy as np

from arena.ratings.elo import ELO, rate
from arena.ratings.games import GameResults
from arena.ratings.ladder import RatingLadder
from arena.ratings.sprt import Sprt
from benchmarks.measure import NOBODY, Peer, Row, Work, duration, missing
from benchmarks.measure import rate as speed

PLAYERS, GAMES, AGENTS = 100, 100_000, 1_000_000
SOME = 20_000
"""Games of a round on the ladder."""


def rows() -> Iterator[Row]:
    """Yield every comparison."""
    games = some_games()
    work = f"likeliest ratings of {PLAYERS} players, {GAMES:,} games"
    yield duration("ratings", f"{work}, with draws, seats and intervals", timed(lambda: rate(games)), choix(games))
    yield speed("ratings", f"a ladder of {AGENTS:,} agents: pair and rate", "games/s", ladder(), openskill())
    for model in ("logistic", "normalized"):
        yield speed("ratings", f"log-likelihood ratio of pairs, {model} Elo", "evaluations/s", ratios(model), NOBODY)


def some_games() -> GameResults:
    """Return games between random players, one row for each."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 200, PLAYERS)
    players = rng.permuted(np.tile(np.arange(PLAYERS), (GAMES, 1)), axis=1)[:, :2]
    expected = 1 / (1 + np.exp((strength[players[:, 1]] - strength[players[:, 0]]) / ELO))
    won = np.sign(expected - rng.random(GAMES)) * (rng.random(GAMES) > 0.2)
    return GameResults(players, np.stack([won, -won], axis=1), np.ones(GAMES), PLAYERS)


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Return the seconds that some work takes."""

    def run() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return run


def choix(games: GameResults) -> Peer:
    """Rate with choix, by its fastest method, on the decisive games."""
    absent = missing("choix", "choix")
    if absent:
        return absent
    import choix

    won = games.returns[:, 0] > games.returns[:, 1]
    pairs = np.where(won[:, None], games.players, games.players[:, ::-1])[games.returns[:, 0] != 0]
    return Peer("choix.ilsr_pairwise", timed(lambda: choix.ilsr_pairwise(PLAYERS, pairs, alpha=1e-3)))


def ladder() -> Work:
    """Pair and rate with our compiled ladder."""
    from ladder_simulation import play

    agents, truth = RatingLadder(AGENTS, 0), np.random.default_rng(0).normal(1500, 300, AGENTS)

    def work() -> int:
        play(agents, truth, SOME)
        return SOME

    return work


def openskill() -> Peer:
    """Rate games of two with OpenSkill, without pairing."""
    absent = missing("openskill", "openskill")
    if absent:
        return absent
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    one, two = model.rating(), model.rating()

    def work() -> float:
        for _ in range(200):
            model.rate([[one], [two]])
        return 200.0

    return Peer("openskill, ratings alone", work)


def ratios(model: str) -> Work:
    """Compute likelihood ratios of growing counts, as a tournament does."""
    test = Sprt(0, 5, elo_model="normalized" if model == "normalized" else "logistic")

    def work() -> int:
        for wins in range(200):
            test.decide([11, 60, 120, 63, 12 + wins])
        return 200

    return work
