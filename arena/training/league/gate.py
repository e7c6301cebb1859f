"""The gate: the test against its predecessor that a main agent's snapshot must pass to join the league."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.match.batch import random_openings
from arena.policy.protocol import Policy
from arena.ratings.sprt import Sprt
from arena.training.evaluation import outcomes_against
from arena.training.league.config import LeagueConfig
from games.engine.game import Game

ROUND = 32
"""Number of openings that are played at the same time."""


@dataclass(frozen=True)
class GateResult:
    """Result of a snapshot at the gate."""

    passed: bool
    counts: tuple[int, int, int]
    """Games won, drawn and lost against its predecessor."""
    summary: str
    """The result and the requirement, in words."""


def opening_plies(game: Game) -> int:
    """Return the number of random moves that evaluation games begin with: 4, or fewer if games are short."""
    return min(4, game.max_length // 8)


def examine(game: Game, candidate: Policy, predecessor: Policy, config: LeagueConfig, seed: int) -> GateResult:
    """Let a snapshot play its predecessor until the gate can decide; each opening is played from every seat.

    Openings are played in rounds. An SPRT is evaluated after each opening, in order. The reported result also counts
    the games of the last round that came after the decision.
    """
    rounds = -(-config.gate_games // game.num_players)
    openings = random_openings(game, opening_plies(game), rounds, seed)
    ends = np.zeros((0, game.num_players), np.int64)  # outcomes [openings, P]: 0 won, 1 drawn, 2 lost
    test = Sprt(config.gate_elo0, config.gate_elo1)
    for first in range(0, rounds, ROUND):
        part = openings[first : first + ROUND]
        played = outcomes_against(game, candidate, predecessor, part, seed + first)
        ends = np.concatenate([ends, played])
        if config.gate == "sprt" and (decision := first_decision(test, ends, from_opening=first)):
            return _result(decision == "H1", ends, f"an SPRT of {test.elo0:g} against {test.elo1:g} Elo")
    if config.gate == "sprt":
        return _result(False, ends, f"an SPRT of {test.elo0:g} against {test.elo1:g} Elo, which is undecided")
    score = 1 - ends.mean() / 2
    return _result(bool(score >= config.gate_score), ends, f"a score of {config.gate_score:.0%}")


def first_decision(test: Sprt, ends: NDArray[np.int64], from_opening: int = 0) -> str | None:
    """Return the first decision of an SPRT over outcomes [openings, P], or None.

    The test is evaluated after each opening that follows the first `from_opening`. In two-player games the two games of
    an opening count as a pair (pentanomial); in larger games every game counts alone.
    """
    for known in range(from_opening + 1, len(ends) + 1):
        decision, _ = test.decide(sprt_counts(ends[:known]))
        if decision is not None:
            return decision
    return None


def sprt_counts(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return counts of outcomes [openings, P], worst first: five of pairs of games, or three of games if P is not 2."""
    if ends.shape[1] == 2:
        return np.bincount(4 - ends.sum(axis=1), minlength=5)
    return np.bincount(2 - ends.ravel(), minlength=3)


def _result(passed: bool, ends: NDArray[np.int64], required: str) -> GateResult:
    won, drawn, lost = np.bincount(ends.ravel(), minlength=3).tolist()
    score = (won + drawn / 2) / ends.size
    return GateResult(passed, (won, drawn, lost), f"{score:.0%} of {ends.size} games; the gate requires {required}")
