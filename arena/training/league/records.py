"""The records of a league, and the readable file `league.json` that holds them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from arena.base.errors import CheckpointError
from arena.base.files import LARGE, read_json
from arena.base.saving import replace_text
from arena.base.typed import Count, FieldError, Hash, Range
from arena.base.typed import field as typed
from arena.policy.snapshots import RETURN
from arena.training.league.payoff import Payoff

LEAGUE = "league.json"
"""The file in the folder of a run."""
FORMAT = 1
Share = Annotated[float, Range(0, 1)]
"""A share of games."""

Role = Literal["main", "main exploiter", "league exploiter"]
NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
"""Pattern of the names of learners and members (and their folders); those of other trainers begin with TRAINER/."""


@dataclass
class Learner:
    """Record of an agent that learns."""

    name: str
    """`main`, `main-2`, `main-exploiter`, ...; also the folder of its snapshots, except that `main` uses the run's."""
    role: Role
    turns: Count = 0
    """Number of its turns so far; at the end of a turn its snapshot may join the league."""
    step: Count = 0
    """Number of moves in its games so far."""
    turns_since_member: Count = 0
    """Number of turns since its last snapshot joined."""
    resets: Count = 0
    """Number of times that it was reset to its initial weights."""
    refused: Count = 0
    """Number of its snapshots that the gate has refused in a row."""
    parent: str | None = None
    """Its newest member since the last reset; None if there is none."""


@dataclass(frozen=True)
class Member:
    """A frozen snapshot that belongs to the league."""

    name: str
    """Name of its learner and the turn, `main-0007`."""
    role: Role
    learner: str
    generation: Count
    """Turn of its learner after which it was written, from 1."""
    step: Count
    """Number of moves in all games of the league until then."""
    parent: str | None
    """Previous member of its learner; None if the learner had started from its initial weights."""
    folder: str
    """Folder of its checkpoint, relative to that of the run."""
    sha256: Hash
    """Hash of its weights."""
    returns: dict[str, float] = field(default_factory=dict)
    """What a team of it alone earns, and others, by name, where nobody wins; see `arena.training.scores`."""


@dataclass(frozen=True)
class Rated:
    """A point of the rating curve: a member with its rating when it joined."""

    step: Count
    learner: str
    name: str
    """Name of the member."""
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""


@dataclass
class League:
    """All records of a league: everything except weights."""

    game: str
    options: dict[str, Any]
    algorithm: str
    references: list[str]
    """Specs of fixed agents, in training games and in evaluations."""
    learners: list[Learner]
    members: list[Member] = field(default_factory=list)
    """Members in the order in which they joined; the n-th, from 1, has the label n in stored transitions."""
    step: int = 0
    """Number of moves in all training games."""
    training: Payoff = field(default_factory=Payoff)
    """Results of training games, by learner and opponent (member, reference or other learner)."""
    evaluation: Payoff = field(default_factory=Payoff)
    """Results of evaluation games with exploration off, by member and opponent (reference or earlier member)."""
    ratings: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Elo and half-width of its 95 % interval, of members and references, from `evaluation`."""
    history: list[Rated] = field(default_factory=list)
    """Ratings of all members when they joined."""
    next_opponents: dict[str, dict[str, float]] = field(default_factory=dict)
    """Shares of each learner's next games by opponent; its own name stands for self-play."""

    @property
    def teams(self) -> list[Member]:
        """Members of a game that nobody wins, the one that earns most first; none where there is a ladder."""
        measured = [member for member in self.members if RETURN in member.returns]
        return sorted(measured, key=lambda member: -member.returns[RETURN])

    @property
    def zero(self) -> str | None:
        """The player whose Elo is 0; None if nobody is rated."""
        return min(self.ratings, key=lambda name: tuple(map(abs, self.ratings[name])), default=None)

    def learner(self, name: str) -> Learner:
        """Return a learner by name; it must exist."""
        return next(learner for learner in self.learners if learner.name == name)

    def member(self, name: str) -> Member:
        """Return a member by name; raise `KeyError` if there is none."""
        for member in self.members:
            if member.name == name:
                return member
        raise KeyError(name)

    def members_of(self, learners: str | Iterable[str]) -> list[Member]:
        """Return the members of these learners (or of one), oldest first."""
        names = {learners} if isinstance(learners, str) else set(learners)
        return [member for member in self.members if member.learner in names]

    def lineage(self, name: str) -> list[str]:
        """Return the names of a member, its parent, and so on to the first."""
        parents = {member.name: member.parent for member in self.members}
        line: list[str] = []
        current: str | None = name
        while current is not None and current in parents and current not in line:
            line.append(current)
            current = parents[current]
        return line

    def to_json(self) -> dict[str, Any]:
        """Return the records as JSON values."""
        return {
            "format": FORMAT,
            "game": self.game,
            "options": self.options,
            "algorithm": self.algorithm,
            "step": self.step,
            "references": self.references,
            "learners": [asdict(learner) for learner in self.learners],
            "members": [asdict(member) for member in self.members],
            "training": self.training.to_json(),
            "evaluation": self.evaluation.to_json(),
            "ratings": {name: list(rating) for name, rating in self.ratings.items()},
            "history": [asdict(point) for point in self.history],
            "next_opponents": self.next_opponents,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "League":
        """Return a league from what `to_json` returned; raise `FieldError` if it is malformed."""
        if typed(data, "format", int) != FORMAT:
            raise FieldError(f"format is {data['format']}, not {FORMAT}")
        league = cls(
            game=typed(data, "game", str),
            options=typed(data, "options", dict[str, Any]),
            algorithm=typed(data, "algorithm", str),
            step=typed(data, "step", Count),
            references=typed(data, "references", list[str]),
            learners=typed(data, "learners", list[Learner]),
            members=typed(data, "members", list[Member]),
            training=Payoff.from_json(typed(data, "training", Any)),
            evaluation=Payoff.from_json(typed(data, "evaluation", Any)),
            ratings=typed(data, "ratings", dict[str, tuple[float, float]]),
            history=typed(data, "history", list[Rated]),
            next_opponents=typed(data, "next_opponents", dict[str, dict[str, Share]]),
        )
        league.require_consistent()
        return league

    def require_consistent(self) -> None:
        """Raise `FieldError` for malformed or duplicate names, and for folders outside that of the run."""
        for names in ([one.name for one in self.learners], [one.name for one in self.members]):
            if not all(map(NAME.fullmatch, names)) or len(set(names)) < len(names):
                raise FieldError("names of learners or members are malformed or not unique")
        for member in self.members:
            if Path(member.folder).is_absolute() or ".." in Path(member.folder).parts:
                raise FieldError(f"the folder of {member.name} is not within that of the run")


def write_league(folder: Path, league: League) -> None:
    """Write `league.json` into the folder of a run atomically."""
    replace_text(folder / LEAGUE, json.dumps(league.to_json(), indent=1))


def read_league(folder: Path) -> League:
    """Return the league in the folder of a run; raise `CheckpointError` if it is missing or cannot be read."""
    file = folder / LEAGUE
    if not file.exists():
        raise CheckpointError(f"no league in {folder}: it has no {LEAGUE}")
    try:
        return League.from_json(read_json(file, LARGE))
    except (CheckpointError, FieldError) as error:
        problem = str(error).removeprefix(f"{file} ")
        raise CheckpointError(f"{file} is not the file of a league: {problem}") from None
