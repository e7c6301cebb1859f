"""What a league's training saves to go on, and how it takes it up again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena.data.batch import Batch
from arena.errors import CheckpointError
from arena.league.records import League
from arena.league.seating import Load, Plan
from arena.league.student import Student


def state_of(league: League, students: Sequence[Student]) -> tuple[dict[str, Any], Batch]:
    """All that is needed to go on, in words and in arrays."""
    learners = {
        student.record.name: {
            "gradient_step": student.trainer.at.gradient_step,
            "results": student.results,
            "plan": asdict(student.seating.plan),
        }
        for student in students
    }
    turns = sum(student.record.turns for student in students)
    figures = {"epoch": turns, "league": league.as_json(), "students": learners}
    return figures, Batch({student.record.name: student.arrays() for student in students})


def read_state(state: Mapping[str, Any], folder: Path) -> tuple[League, dict[str, Any]]:
    """The league, and what is said of each learner, of the state of a run; `CheckpointError` if it is broken."""
    try:
        league, learners = League.from_json(state["league"]), dict(state["students"])
        for said in learners.values():
            said["plan"] = Plan.from_json(said["plan"])
            said["results"] = {spec: (won, drawn, lost) for spec, (won, drawn, lost) in said["results"].items()}
            said["gradient_step"] = int(said["gradient_step"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"the state of the run in {folder} cannot be read ({error!r})") from None
    return league, learners


def take_up(saved: League, league: League) -> None:
    """Make a league what it was when it was saved."""
    for name in ("members", "step", "evaluation", "ratings", "history", "next_opponents"):
        setattr(league, name, getattr(saved, name))
    league.training.table = saved.training.table
    for record in league.learners:
        vars(record).update(vars(saved.learner(record.name)))


def take_up_learner(student: Student, said: Mapping[str, Any], arrays: Batch, load: Load) -> None:
    """Make a learner what it was when it was saved, once its league is."""
    student.restore(arrays)
    student.results = said["results"]
    student.seating.follow(said["plan"], load)
    at = student.trainer.at
    at.epoch, at.env_step, at.gradient_step = student.record.turns, student.record.step, said["gradient_step"]
