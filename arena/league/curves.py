"""What a league draws as curves: scores, ratings, whom a learner meets, and how old they are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.league.gate import Examined
from arena.league.records import League, Learner
from arena.league.student import Student
from arena.runs.evaluation import score_of
from arena.trainer.logger import BaseLogger


def opponents_figures(league: League, learner: Learner) -> dict[str, float]:
    """How a learner's next games are shared out, among how many, and how stale its opponents are.

    The number of different opponents is the exponential of the shares' entropy; staleness is the mean age of the
    members met, in moves of the league since they were written.
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
    """Elo of a learner's newest member and half-width of its 95 % interval; None if it has none, or no rating."""
    members = league.members_of(learner)
    return league.ratings.get(members[-1].name) if members else None


def rating_figures(league: League, learner: str) -> dict[str, float]:
    """Elo of a learner's newest member with the ends of its 95 % interval; nothing without one."""
    if (rating := newest_rating(league, learner)) is None:
        return {}
    elo, error = rating
    return {"elo": elo, "elo/low": elo - error, "elo/high": elo + error}


def turn_figures(league: League, student: Student, examined: Examined | None) -> dict[str, float]:
    """All figures of a learner at the end of a turn; `examined` is what came of the last snapshot at the gate."""
    figures = {f"score/{name}": score for name, score in student.evaluation.items()}
    if student.pool.games:
        figures["score/pool"] = student.pool.score
    if examined is not None and student.record.role == "main":
        figures["score/gate"] = score_of(examined.counts)
    figures |= rating_figures(league, student.record.name)
    return figures | opponents_figures(league, student.record)


class Prefixed(BaseLogger):
    """Writes to another logger, under names that begin with a learner's."""

    def __init__(self, logger: BaseLogger, prefix: str):
        super().__init__(logger.train_interval, logger.test_interval, logger.update_interval, logger.save_interval)
        self._logger, self._prefix = logger, prefix

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures by name."""
        named = {f"{self._prefix}/{key}": value for key, value in data.items()}
        self._logger.write(f"{self._prefix}/{step_type}", step, named)
