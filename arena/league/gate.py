"""The gate: what a new snapshot of a main agent has to show against its predecessor to join the league."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.league.config import LeagueConfig
from arena.match.batch import random_openings
from arena.policy.protocol import Policy
from arena.ratings.sprt import Sprt
from arena.runs.evaluation import outcomes_against
from games.engine.game import Game

ROUND = 32
"""Openings that are played at the same time."""


@dataclass(frozen=True)
class Examined:
    """What came of a snapshot at the gate."""

    passed: bool
    counts: tuple[int, int, int]
    """Games won, drawn and lost against its predecessor."""
    said: str
    """The result and what was asked for, in words."""


def opening_plies(game: Game) -> int:
    """Random moves that games between agents begin with: up to 4, and few where games are short."""
    return min(4, game.max_length // 8)


def examine(game: Game, candidate: Policy, predecessor: Policy, config: LeagueConfig, seed: int) -> Examined:
    """Let a snapshot play its predecessor, from every seat of the same openings, until the gate's question is answered.

    An SPRT is asked after every opening, in the order of play; games of openings that were begun with it count, too.
    """
    rounds = -(-config.gate_games // game.num_players)
    openings = random_openings(game, opening_plies(game), rounds, seed)
    ends = np.zeros((0, game.num_players), np.int64)
    test = Sprt(config.gate_elo0, config.gate_elo1)
    for first in range(0, rounds, ROUND):
        part = openings[first : first + ROUND]
        played = outcomes_against(game, candidate, predecessor, part, seed + first)
        ends = np.concatenate([ends, played])
        if config.gate == "sprt" and (decision := first_decision(test, ends, from_opening=first)):
            return _examined(decision == "H1", ends, f"an SPRT of {test.elo0:g} against {test.elo1:g} Elo")
    if config.gate == "sprt":
        return _examined(False, ends, f"an SPRT of {test.elo0:g} against {test.elo1:g} Elo, which is undecided")
    score = 1 - ends.mean() / 2
    return _examined(bool(score >= config.gate_score), ends, f"a score of {config.gate_score:.0%}")


def first_decision(test: Sprt, ends: NDArray[np.int64], from_opening: int = 0) -> str | None:
    """What an SPRT decides first, asked after each opening from that number on, of outcomes [openings, P]; or None.

    Two seats make pairs of games, counted together (pentanomial); at larger tables every game counts alone.
    """
    for known in range(from_opening + 1, len(ends) + 1):
        decision, _ = test.decide(sprt_counts(ends[:known]))
        if decision is not None:
            return decision
    return None


def sprt_counts(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts, worst first, of outcomes [openings, P]: five of pairs of games, three of games where P is not 2."""
    if ends.shape[1] == 2:
        return np.bincount(4 - ends.sum(axis=1), minlength=5)
    return np.bincount(2 - ends.ravel(), minlength=3)


def _examined(passed: bool, ends: NDArray[np.int64], asked: str) -> Examined:
    won, drawn, lost = np.bincount(ends.ravel(), minlength=3).tolist()
    score = (won + drawn / 2) / ends.size
    return Examined(passed, (won, drawn, lost), f"{score:.0%} of {ends.size} games, where the gate asks for {asked}")
