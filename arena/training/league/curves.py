"""Figures of a league for its curves: scores, ratings, shares of opponents, and their age."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.trainer.logger import BaseLogger
from arena.training.evaluation import score_of
from arena.training.league.gate import GateResult
from arena.training.league.learner_in_training import LearnerInTraining
from arena.training.league.records import League, Learner


def opponents_figures(league: League, learner: Learner) -> dict[str, float]:
    """Return the shares of a learner's next opponents, their effective number, and their staleness.

    The effective number is the exponential of the shares' entropy. Staleness is the mean age of the members, in moves
    of the league since they were written.
    """
    shares = league.next_opponents.get(learner.name, {})
    steps = {member.name: member.step for member in league.members}
    members = {name: share for name, share in shares.items() if name in steps}
    rivals = {other.name for other in league.learners} - {learner.name}
    figures = {
        "opponents/itself": shares.get(learner.name, 0.0),
        "opponents/pool": sum(members.values()),
        "opponents/rivals": sum(shares.get(name, 0.0) for name in rivals),
        "opponents/references": max(0.0, 1 - sum(shares.values())),
    }
    if shares:
        parts = np.array(list(shares.values())) / sum(shares.values())
        figures["opponents/different"] = float(np.exp(-(parts @ np.log(parts))))
    if members:
        ages = sum(share * (league.step - steps[name]) for name, share in members.items())
        figures["opponents/staleness"] = ages / sum(members.values())
    return figures


def newest_rating(league: League, learner: str) -> tuple[float, float] | None:
    """Return the Elo of a learner's newest member and the half-width of its 95 % interval; None if it is not rated."""
    members = league.members_of(learner)
    return league.ratings.get(members[-1].name) if members else None


def rating_figures(league: League, learner: str) -> dict[str, float]:
    """Return the Elo of a learner's newest member and the ends of its 95 % interval; {} if it is not rated."""
    if (rating := newest_rating(league, learner)) is None:
        return {}
    elo, error = rating
    return {"elo": elo, "elo/low": elo - error, "elo/high": elo + error}


def turn_figures(league: League, learner: LearnerInTraining, examined: GateResult | None) -> dict[str, float]:
    """Return all figures of a learner at the end of a turn; `examined` is the last result at the gate."""
    figures = {f"score/{name}": score for name, score in learner.evaluation.items()}
    if learner.pool.games:
        figures["score/pool"] = learner.pool.score
    if examined is not None and learner.record.role == "main":
        figures["score/gate"] = score_of(examined.counts)
    figures |= rating_figures(league, learner.record.name)
    return figures | opponents_figures(league, learner.record)


class PrefixedLogger(BaseLogger):
    """Writes to another logger, with a learner's name before each name."""

    def __init__(self, logger: BaseLogger, prefix: str):
        super().__init__(logger.train_interval, logger.test_interval, logger.update_interval, logger.save_interval)
        self._logger, self._prefix = logger, prefix

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures by name, with the prefix."""
        named = {f"{self._prefix}/{key}": value for key, value in data.items()}
        self._logger.write(f"{self._prefix}/{step_type}", step, named)
