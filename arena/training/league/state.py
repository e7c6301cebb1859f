"""The saved state of a self-play training: writing, checking and loading it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

from arena.base.errors import CheckpointError
from arena.base.typed import Count, FieldError, field
from arena.data.batch import Batch
from arena.training.evaluation import Evaluation
from arena.training.league.learner_in_training import LearnerInTraining
from arena.training.league.records import League
from arena.training.league.seating import Load, OpponentPlan
from arena.training.league.turns import resumed_league, turns_taken


def league_state_dict(league: League, learners: Sequence[LearnerInTraining]) -> tuple[dict[str, Any], Batch]:
    """Return the state to resume from: JSON values and arrays."""
    states = {
        learner.record.name: {
            "gradient_step": learner.trainer.at.gradient_step,
            "results": dict(learner.results.counts),
            "returns": dict(learner.results.returns),
            "plan": asdict(learner.seating.plan),
        }
        for learner in learners
    }
    figures = {"epoch": turns_taken(league), "league": league.to_json(), "students": states}
    return figures, Batch({learner.record.name: learner.state_dict() for learner in learners})


@dataclass(frozen=True)
class LearnerState:
    """JSON values saved for a learner."""

    gradient_step: Count
    results: dict[str, tuple[Count, Count, Count]]
    """Games won, drawn and lost at its last evaluation, by opponent."""
    plan: OpponentPlan
    returns: dict[str, float] = dataclass_field(default_factory=dict)
    """What it earned at its last evaluation, by name, where nobody wins."""


@dataclass(frozen=True)
class SavedTraining:
    """JSON values saved for a training."""

    league: League
    learners: dict[str, LearnerState]
    """States of the learners, by name."""


def read_state(state: Mapping[str, Any], new: League, folder: Path) -> SavedTraining:
    """Return the saved state of a training that began with the league `new`.

    Raises `CheckpointError` if it is broken or of other learners.
    """
    learners = [learner.name for learner in new.learners]
    try:
        league = League.from_json(field(state, "league", dict[str, Any]))
        states = field(state, "students", dict[str, LearnerState])
        if set(states) != set(learners) or {learner.name for learner in league.learners} != set(learners):
            raise FieldError(f"its learners are {', '.join(states)}, not {', '.join(learners)}")
        for one in states.values():
            if any(label > len(league.members) for label in one.plan.labels):
                raise FieldError("a plan names members that the league does not have")
    except FieldError as error:
        raise CheckpointError(f"the state of the run in {folder} cannot be read: {error}") from None
    return SavedTraining(resumed_league(new, league), states)


def load_learner(learner: LearnerInTraining, saved: LearnerState, arrays: Batch, load: Load) -> None:
    """Load the saved state of a learner of a resumed league."""
    learner.load_state_dict(arrays)
    learner.results = Evaluation(saved.results, saved.returns)
    learner.seating.follow(saved.plan, load)
    counters, record = learner.trainer.at, learner.record
    counters.epoch, counters.env_step, counters.gradient_step = record.turns, record.step, saved.gradient_step
