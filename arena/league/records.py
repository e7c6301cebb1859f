"""What a league knows of itself, and how it is kept in `league.json`, which a person can read."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from arena.errors import CheckpointError
from arena.league.payoff import Payoff

LEAGUE = "league.json"
"""The file in the folder of a run."""
FORMAT = 1

Role = Literal["main", "main exploiter", "league exploiter"]


@dataclass
class Learner:
    """An agent that learns, and what has become of it so far."""

    name: str
    """`main`, `main-2`, `main-exploiter`, ...; also the folder of its snapshots, but for `main`, whose are the run's"""
    role: Role
    turns: int = 0
    """Turns of training that it has had; each ends with a snapshot that stands for admission, or without one."""
    step: int = 0
    """Moves in its games so far."""
    turns_since_member: int = 0
    """Turns since its last snapshot was admitted."""
    resets: int = 0
    """How often it has begun anew from its initial weights."""
    refused: int = 0
    """Snapshots of it that the gate has refused since it last let one in."""
    parent: str | None = None
    """The newest member that came from it since it last began anew; None at the very beginning."""


@dataclass(frozen=True)
class Member:
    """A frozen snapshot that belongs to the league; nothing of it changes any more."""

    name: str
    """Name of its learner and a number, `main-0007`."""
    role: Role
    learner: str
    generation: int
    """The turn of its learner that it was written after, counted from 1."""
    step: int
    """Moves in all games of the league until then."""
    parent: str | None
    """The member that its learner had gone on from; None for one from initial weights."""
    folder: str
    """Its checkpoint, relative to the folder of the run (absolute for one that came from elsewhere)."""
    sha256: str
    """Hash of its weights."""


@dataclass(frozen=True)
class Rated:
    """A point of the curve of ratings: a member as it was rated when it came."""

    step: int
    learner: str
    name: str
    """The member."""
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""


@dataclass
class League:
    """Everything a league knows of itself, but for weights."""

    game: str
    options: dict[str, Any]
    algorithm: str
    references: list[str]
    """Specs of fixed agents, in training games and in evaluations."""
    learners: list[Learner]
    members: list[Member] = field(default_factory=list)
    """In the order in which they came: the n-th, from 1, has the label n in stored transitions."""
    step: int = 0
    """Moves in all training games."""
    training: Payoff = field(default_factory=Payoff)
    """Training games: by learner, what it has against each member, reference and other learner."""
    evaluation: Payoff = field(default_factory=Payoff)
    """Games of their own, with exploration off: by member, what it has against references and earlier members."""
    ratings: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Elo and half-width of its 95 % interval, of members and references, from `evaluation` as it is now."""
    history: list[Rated] = field(default_factory=list)
    """How every member was rated when it came."""
    next_opponents: dict[str, dict[str, float]] = field(default_factory=dict)
    """By learner: whom its next games are against, as shares of all; its own name is self-play."""

    def learner(self, name: str) -> Learner:
        """The learner of a name, which there is."""
        return next(learner for learner in self.learners if learner.name == name)

    def member(self, name: str) -> Member:
        """The member of a name; `KeyError` if there is none."""
        for member in self.members:
            if member.name == name:
                return member
        raise KeyError(name)

    def members_of(self, learners: str | Iterable[str]) -> list[Member]:
        """The members that came from these learners (or one), oldest first."""
        wanted = {learners} if isinstance(learners, str) else set(learners)
        return [member for member in self.members if member.learner in wanted]

    def lineage(self, name: str) -> list[str]:
        """A member, its parent, and so on to the first."""
        parents = {member.name: member.parent for member in self.members}
        line: list[str] = []
        at: str | None = name
        while at is not None and at in parents and at not in line:
            line.append(at)
            at = parents[at]
        return line

    def as_json(self) -> dict[str, Any]:
        """For a file."""
        return {
            "format": FORMAT,
            "game": self.game,
            "options": self.options,
            "algorithm": self.algorithm,
            "step": self.step,
            "references": self.references,
            "learners": [asdict(learner) for learner in self.learners],
            "members": [asdict(member) for member in self.members],
            "training": self.training.as_json(),
            "evaluation": self.evaluation.as_json(),
            "ratings": {name: list(rating) for name, rating in self.ratings.items()},
            "history": [asdict(point) for point in self.history],
            "next_opponents": self.next_opponents,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "League":
        """From a file; `KeyError`, `TypeError` or `ValueError` if it is not what `as_json` gives."""
        roles = {entry["role"] for entry in [*data["learners"], *data["members"]]}
        if data["format"] != FORMAT or not roles <= set(get_args(Role)):
            raise ValueError(f"format {data['format']}, roles {sorted(roles)}")
        return cls(
            game=data["game"],
            options=dict(data["options"]),
            algorithm=data["algorithm"],
            step=int(data["step"]),
            references=list(data["references"]),
            learners=[Learner(**entry) for entry in data["learners"]],
            members=[Member(**entry) for entry in data["members"]],
            training=Payoff.from_json(data["training"]),
            evaluation=Payoff.from_json(data["evaluation"]),
            ratings={name: (float(elo), float(error)) for name, (elo, error) in data["ratings"].items()},
            history=[Rated(**entry) for entry in data["history"]],
            next_opponents={name: dict(shares) for name, shares in data["next_opponents"].items()},
        )


def write_league(folder: Path, league: League) -> None:
    """Write `league.json` into the folder of a run, whole or not at all."""
    new = folder / f".{LEAGUE}-new"
    with open(new, "w", encoding="utf-8") as file:
        json.dump(league.as_json(), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, folder / LEAGUE)


def read_league(folder: Path) -> League:
    """The league in the folder of a run; `CheckpointError` if there is none that can be read."""
    file = folder / LEAGUE
    try:
        return League.from_json(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise CheckpointError(f"no league in {folder}: it has no {LEAGUE}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{file} is not the file of a league ({error!r})") from None
